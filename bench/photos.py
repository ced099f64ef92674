"""`python -m bench.photos`: `treadle run` over photos, beside a script that does the same steps.

In: how many photos of how many megapixels. Out: figures on stdout: time of both in turns, how near
Treadle came to the bound of its report, peak memory for all and for a fifth of the photos, whether
runs that were killed and resumed give the same bytes, and how long `treadle --help` takes. The
script is a ThreadPoolExecutor with Pillow for files and OpenCV for the steps, each photo on one
thread, which is the fastest way to use it for many.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np

from bench import machine, peers
from treadle import pictures

SCENES = 12  # painted; the others are these, turned and with grain of their own


def make(folder: Path, count: int, megapixels: float) -> None:
    """Write the photos that are not there yet."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    width = round((megapixels * 1e6 * 4 / 3) ** 0.5)
    height = round(width * 3 / 4)

    def several(scene: int) -> None:
        wanted = [folder / f"photo-{n:04d}.jpg" for n in range(scene, count, SCENES)]
        if all(path.exists() for path in wanted):
            return
        base = pictures.landscape(width, height, seed=scene)[..., :3].astype(np.int16)
        for number, path in enumerate(wanted):
            rng = np.random.default_rng((scene, number))
            grain = rng.integers(-6, 7, (height, width, 1), np.int16)
            turned = np.roll(base[:, :: 1 - 2 * (number % 2)], 97 * number, axis=1)
            image = np.clip(turned + grain, 0, 255).astype(np.uint8)
            Image.fromarray(image).save(path, quality=92)

    with ThreadPoolExecutor(peers.CORES) as pool:
        list(pool.map(several, range(min(SCENES, count))))


def script(source: Path, out: Path) -> None:
    """The peer: the steps of the recipe `enhance` with OpenCV."""
    import cv2
    from PIL import Image

    cv2.setNumThreads(1)  # photos side by side use the cores better than one photo on all of them
    out.mkdir(parents=True, exist_ok=True)
    codes = (np.arange(256) - 127.5) * 1.08 + 127.5 + 0.02 * 255
    table = np.clip(np.rint(codes), 0, 255).astype(np.uint8)
    cross = np.array([[0, -0.4, 0], [-0.4, 2.6, -0.4], [0, -0.4, 0]], np.float32)

    def one(path: Path) -> None:
        with Image.open(path) as image:
            pixels = np.asarray(image)
        pixels = cv2.bilateralFilter(pixels, 5, 0.05 * 255, 1.0)
        pixels = cv2.LUT(pixels, table)
        grey = cv2.cvtColor(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        pixels = cv2.addWeighted(pixels, 1.15, grey, -0.15, 0)
        pixels = cv2.filter2D(pixels, -1, cross, borderType=cv2.BORDER_REPLICATE)
        Image.fromarray(pixels).save(out / path.name, quality=92)

    with ThreadPoolExecutor(peers.CORES) as pool:
        list(pool.map(one, sorted(source.glob("*.jpg"))))


def timed(arguments: list[str]) -> tuple[float, int, str]:
    """Run Python; return seconds, peak resident bytes and what it printed."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([sys.executable, *arguments], stdout=said)
        if hasattr(os, "wait4"):
            _, status, usage = os.wait4(process.pid, 0)
            code, peak = os.waitstatus_to_exitcode(status), usage.ru_maxrss
        else:
            code, peak = process.wait(), 0
        seconds = time.perf_counter() - start
        said.seek(0)
        text = said.read().decode()
    if code:
        raise SystemExit(f"{' '.join(arguments)} ended with {code}")
    return seconds, peak * (1 if sys.platform == "darwin" else 1024), text


def treadle_run(inputs: list[str], out: Path) -> tuple[float, int, dict[str, float]]:
    """Run the recipe over inputs; return seconds, peak bytes and the report."""
    words = ["-m", "treadle", "run", "enhance", *inputs, "-o", str(out), "--overwrite"]
    seconds, peak, text = timed([*words, "--report", "json"])
    return seconds, peak, json.loads(text)


def killed(source: Path, folder: Path, times: int, seconds: float) -> tuple[int, int]:
    """Kill a run at random moments, then finish it; return how often, and how many files differ."""
    out = folder / "killed"
    command = [sys.executable, "-m", "treadle", "run", "enhance", str(source), "-o", str(out)]
    command += ["--resume", "--quiet", "--report", "none"]
    rng = random.Random(1)
    count = 0
    for _ in range(times):
        process = subprocess.Popen(command)
        try:
            process.wait(rng.uniform(0.3, max(seconds / times * 2, 1.0)))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            count += 1
    subprocess.run(command, check=True)
    whole = {path.name: path.read_bytes() for path in (folder / "treadle").glob("*.jpg")}
    again = {path.name: path.read_bytes() for path in out.glob("*.jpg")}
    return count, sum(again.get(name) != data for name, data in whole.items())


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.photos", description=__doc__)
    parser.add_argument("--photos", type=int, default=300)
    parser.add_argument("--megapixels", type=float, default=12.0)
    parser.add_argument("--rounds", type=int, default=2, help="of each, in turns")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--folder", type=Path, default=Path("build/bench-photos"))
    parser.add_argument("--script", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.script:
        script(*given.script)
        return 0
    source = given.folder / f"photos-{given.photos}-{given.megapixels:g}mp"
    make(source, given.photos, given.megapixels)
    facts = machine.facts()
    print(f"{facts['date']}, {facts['machine']}, Python {facts['python'].split()[-1]}")
    print(f"{given.photos} photos of {given.megapixels:g} MP, recipe enhance\n")
    treadle_run([str(next(source.glob("*.jpg")))], given.folder / "first")  # compiled now
    ours, theirs, near, peak = [], [], [], 0
    for number in range(given.rounds):
        for who in ("treadle", "script")[:: 1 - 2 * (number % 2)]:
            out = given.folder / who
            if who == "treadle":
                seconds, peak, report = treadle_run([str(source)], out)
                ours.append(seconds)
                near.append(report["efficiency"])
            else:
                words = ["-m", "bench.photos", "--script", str(source), str(out)]
                theirs.append(timed(words)[0])
    print(f"treadle run               {median(ours):7.2f} s   {_each(ours)}")
    print(f"script with OpenCV     {median(theirs):7.2f} s   {_each(theirs)}")
    print(f"ratio                  {median(theirs) / median(ours):7.2f}     at least 1.5")
    print(f"share of the bound     {median(near):7.2f}     at least 0.95")
    fifth = sorted(map(str, source.glob("*.jpg")))[: max(given.photos // 5, 1)]
    _, less, _ = treadle_run(fifth, given.folder / "fifth")
    small = f"{len(fifth)} photos {less / 2**20:.0f}: ratio {peak / max(less, 1):.2f}, at most 1.1"
    print(f"peak memory            {peak / 2**20:7.0f} MiB, {small}")
    if given.kills:
        shutil.rmtree(given.folder / "killed", ignore_errors=True)
        count, differ = killed(source, given.folder, given.kills, median(ours))
        print(f"killed and resumed     {count:7d} times; {differ} outputs differ, at most 0")
    helps = [timed(["-m", "treadle", "--help"])[0] for _ in range(11)]
    print(f"treadle --help            {median(helps):7.3f} s, best {min(helps):.3f}; at most 0.25")
    return 0


def _each(seconds: list[float]) -> str:
    out = io.StringIO()
    print(*(f"{value:.2f}" for value in seconds), file=out, end="")
    return out.getvalue()


if __name__ == "__main__":
    raise SystemExit(main())
