"""The demonstration, `make demo`: `treadle run` over photos that it paints first.

In: command line options. Out: a folder of photos, what a shipped recipe makes of them, the report
and a picture of the timeline. It only paints and calls the command line: what it shows is what
users run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from treadle import cli, pictures
from treadle.photos import Photo, PhotoError, encode
from treadle.recipes.report import cores

__all__ = ["main", "paint"]


def paint(folder: Path, count: int, size: tuple[int, int]) -> None:
    """Paint `count` photos as JPEG files; those that are there already are kept."""
    folder.mkdir(parents=True, exist_ok=True)

    def one(index: int) -> None:
        path = folder / f"photo-{index:03d}-{size[0]}x{size[1]}.jpg"
        if not path.exists():
            picture = pictures.landscape(*size, seed=index)
            path.write_bytes(encode(Photo(picture[:, :, :3], None, "jpeg"), "jpeg"))

    with ThreadPoolExecutor(cores()) as pool:
        for _ in pool.map(one, range(count)):
            pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Paint the photos and run the recipe; return the exit status."""
    given = _parse(arguments)
    photos, out = given.out / "photos", given.out / given.recipe
    print(f"painting {given.photos} photos of {given.size[0]}x{given.size[1]} in {photos}")
    try:
        paint(photos, given.photos, given.size)
    except (OSError, PhotoError) as error:
        print(f"treadle.demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    timeline = given.out / "timeline.svg"
    words = ["run", given.recipe, str(photos), "-o", str(out), "--overwrite"]
    words += ["--trace", str(timeline)]
    words += ["--device", given.device] if given.device else []
    words += ["--quiet"] if given.quiet else []
    print(f"treadle {' '.join(words)}\n", flush=True)
    status = cli.main(words)
    if timeline.exists():
        print(f"{'timeline':<9} {timeline}")
    return status


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        size = int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT, got {text!r}") from None
    if min(size) < 1 or max(size) > 16384:
        raise argparse.ArgumentTypeError(f"expected sides from 1 to 16384, got {text!r}")
    return size


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 100000, got {text!r}")
    return int(text)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="treadle.demo",
        description="Paint photos and run a recipe over them with `treadle run`.",
    )
    add = parser.add_argument
    add("--photos", type=_count, default=24, metavar="N", help="how many (default 24)")
    add("--size", type=_size, default=(1800, 1200), metavar="WxH", help="default 1800x1200")
    add("--recipe", default="enhance", metavar="NAME", help="default enhance")
    add("--out", type=Path, default=Path("demo-out"), metavar="FOLDER", help="default demo-out")
    add("--device", metavar="NAME", help="such as cpu or reference (default: the best present)")
    add("--quiet", action="store_true", help="no progress bar, only the report")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
