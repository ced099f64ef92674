"""The gallery: image kernels applied to a made-up test card and audio kernels to made-up sounds, as
small PNGs and a page of them.

In: a folder. Out: one picture for each kernel, with the card first, and README.md, which shows
them. Everything is generated and computed on the default device; it uses only what users can
use."""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import gallery_audio
import spectrogram
import treadle
from treadle import pictures, png

__all__ = ["card", "main", "render", "render_sounds"]

Image = npt.NDArray[Any]
WIDTH, HEIGHT = 240, 160
BARS = (
    (255, 255, 255),
    (255, 255, 0),
    (0, 255, 255),
    (0, 255, 0),
    (255, 0, 255),
    (255, 0, 0),
    (0, 0, 255),
)


class Exhibit(NamedTuple):
    """A kernel, its inputs by name, its parameters, and how what comes out becomes a picture."""

    name: str
    kernel: str
    params: Mapping[str, Any] = {}
    inputs: tuple[str, ...] = ("card",)
    show: Callable[[Image], Image] = lambda out: out
    note: str = ""


def card(width: int = WIDTH, height: int = HEIGHT) -> npt.NDArray[np.uint8]:
    """Return the test card, RGB: a landscape with colour bars, a grey wedge and fine lines."""
    image = pictures.landscape(width, height, seed=1)[..., :3].copy()
    side = height // 4
    bars = np.array(BARS, np.uint8)[np.arange(width) * len(BARS) // width]
    image[-side // 2 :] = bars
    image[-side // 2 - side // 4 : -side // 2] = np.linspace(0, 255, width)[:, None]
    y, x = np.mgrid[0:side, 0:side] - (side - 1) / 2
    rings = np.where(np.cos((y * y + x * x) / side * 2.2) > 0, 240, 16)
    image[6 : 6 + side, 6 : 6 + side] = rings[..., None]
    stripes = (y + x + side) // 4 % 2 * 224 + 16
    image[6 : 6 + side, width - 6 - side : width - 6] = stripes[..., None]
    return image


def noisy(image: Image) -> Image:
    """The card with the noise of a bad camera."""
    noise = np.random.default_rng(3).normal(0, 18, image.shape)
    return np.asarray(np.clip(image + noise, 0, 255), np.uint8)


def actor(image: Image) -> Image:
    """A ball in front of a green screen that is not evenly lit."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width]
    ball = np.hypot(y - height * 0.5, x - width * 0.5) / (height * 0.32)
    shade = np.clip(1.15 - np.hypot(y - height * 0.4, x - width * 0.44) / (height * 0.5), 0.15, 1)
    colour = np.array([230, 90, 50]) * shade[..., None]
    screen = np.array([20, 200, 60]) * (0.75 + 0.25 * x / width)[..., None]
    share = np.clip((1 - ball) * 25 + 0.5, 0, 1)[..., None]
    return np.asarray(np.clip(share * colour + (1 - share) * screen, 0, 255), np.uint8)


def badge(size: int = 72) -> Image:
    """A round RGBA badge that fades at its rim."""
    y, x = (np.mgrid[0:size, 0:size] - (size - 1) / 2) / (size / 2)
    far = np.hypot(y, x)
    out = np.zeros((size, size, 4), np.uint8)
    out[..., :3] = np.where((far % 0.4 < 0.2)[..., None], (250, 210, 60), (180, 40, 90))
    out[..., 3] = np.clip((1 - far) * 4, 0, 1) * 255
    return out


def chequered(image: Image) -> Image:
    """An RGBA image over the chequers that stand for transparency."""
    y, x = np.mgrid[0 : image.shape[0], 0 : image.shape[1]] // 8
    board = ((y + x) % 2 * 60 + 140)[..., None]
    share = image[..., 3:] / 255.0
    return np.asarray(np.rint(image[..., :3] * share + board * (1 - share)), np.uint8)


def plot(counts: Image) -> Image:
    """Three histograms as a picture."""
    top = np.sort(counts.reshape(-1))[-8]
    tall = np.clip(counts / max(int(top), 1) * 128, 0, 128)
    rows = np.arange(128, 0, -1)[:, None]
    return np.stack([np.where(rows <= line, 235, 28) for line in tall], -1).astype(np.uint8)


def planes(out: Image) -> Image:
    """A model's input, 1 x 3 x H x W, as three grey pictures beside each other."""
    flat = np.concatenate(list(out[0]), axis=1)
    return np.clip((flat + 2.2) / 5.0 * 255, 0, 255).astype(np.uint8)


def teal_and_orange(folder: Path) -> str:
    """Write a .cube file as a colourist would make it, and return its path."""
    n = 17
    lines = ['TITLE "teal and orange"', f"LUT_3D_SIZE {n}"]
    for b in np.linspace(0, 1, n):
        for g in np.linspace(0, 1, n):
            for r in np.linspace(0, 1, n):
                y = 0.2126 * r + 0.7152 * g + 0.0722 * b
                lift = 0.16 * (y - 0.45)
                graded = np.clip((r * 1.06 + lift, g + 0.2 * lift, b * 0.94 + 0.1 - lift), 0, 1)
                lines.append(" ".join(f"{v:.5f}" for v in graded))
    path = folder / "teal-and-orange.cube"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return str(path)


def exhibits(folder: Path) -> list[Exhibit]:
    """Every picture of the gallery, in order."""
    angle = math.radians(12)
    c, s = math.cos(angle) * 0.8, math.sin(angle) * 0.8
    turn = ((c, -s, 40.0), (s, c, -8.0))
    return [
        Exhibit("gaussian_blur", "gaussian_blur", {"radius": 6}),
        Exhibit("box_blur", "box_blur", {"radius": 5}),
        Exhibit("sharpen", "sharpen", {"amount": 0.8}),
        Exhibit("edge_detect", "edge_detect", {"scale": 0.5}),
        Exhibit("noisy", "crop", {}, ("noisy",), note="the input of the next picture"),
        Exhibit("denoise", "denoise", {"strength": 0.25, "radius": 3}, ("noisy",)),
        Exhibit("grayscale", "grayscale"),
        Exhibit(
            "brightness_contrast", "brightness_contrast", {"brightness": 0.08, "contrast": 1.5}
        ),
        Exhibit("saturation", "saturation", {"amount": 2.2}),
        Exhibit("sepia", "sepia"),
        Exhibit("vignette", "vignette", {"amount": 0.9}),
        Exhibit("posterize", "posterize", {"levels": 4}),
        Exhibit(
            "lut_apply-cube", "lut_apply", {"file": teal_and_orange(folder)}, note="a 3D .cube file"
        ),
        Exhibit(
            "lut_apply-curve", "lut_apply", {}, ("card", "negative"), note="a table of 256 rows"
        ),
        Exhibit("green-screen", "crop", {}, ("actor",), note="the input of the next picture"),
        Exhibit("chroma_key", "chroma_key", {"color": (0.08, 0.78, 0.24)}, ("actor",), chequered),
        Exhibit(
            "overlay_alpha", "overlay_alpha", {"x": 84, "y": 30, "alpha": 0.9}, ("card", "badge")
        ),
        *(
            Exhibit(
                f"video_mix-{mode}", "video_mix", {"mode": mode, "ratio": ratio}, ("card", "other")
            )
            for mode, ratio in (("dissolve", 0.5), ("add", 0.6), ("multiply", 1.0), ("screen", 1.0))
        ),
        *(
            Exhibit(
                f"resize-{method}",
                "resize",
                {"size": (160, 240), "method": method},
                ("detail",),
                note="60 x 40 enlarged four times",
            )
            for method in ("nearest", "bilinear", "bicubic")
        ),
        Exhibit("resize-area", "resize", {"size": (60, 90), "method": "area"}),
        Exhibit("resize-aliased", "resize", {"size": (60, 90)}, note="shrunk without antialias"),
        Exhibit("resize-antialias", "resize", {"size": (60, 90), "antialias": True}),
        Exhibit("bicubic_scale", "bicubic_scale", {"size": (100, 150), "antialias": True}),
        Exhibit("crop", "crop", {"x": 30, "y": 20, "width": 120, "height": 90}),
        Exhibit("flip", "flip"),
        Exhibit("rotate90", "rotate90"),
        Exhibit("warp_affine-replicate", "warp_affine", {"matrix": turn}),
        Exhibit("warp_affine-constant", "warp_affine", {"matrix": turn, "border": "constant"}),
        Exhibit("rgb_to_yuv", "rgb_to_yuv", note="yuv420p as it lies in memory: Y, then U and V"),
        Exhibit("yuv_to_rgb", "yuv_to_rgb", {}, ("yuv",), note="and back"),
        Exhibit(
            "histogram", "histogram", show=plot, note="counts of R, G and B, drawn in their colours"
        ),
        Exhibit(
            "preprocess", "preprocess", {"size": 96}, show=planes, note="three normalised planes"
        ),
        Exhibit("generate_gradient", "generate_gradient", {}, ()),
    ]


def render(folder: Path) -> list[tuple[Exhibit, int]]:
    """Write the pictures into a folder; return what was written, and sizes in bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    first = card()
    known: dict[str, Image] = {
        "card": first,
        "noisy": noisy(first),
        "actor": actor(first),
        "badge": badge(),
        "other": pictures.landscape(WIDTH, HEIGHT, seed=2)[..., :3].copy(),
        "detail": np.ascontiguousarray(first[60:100, 90:150]),
        "negative": np.linspace(255, 0, 256).astype(np.uint8)[:, None],
    }
    buffers = {name: treadle.buffer(image) for name, image in known.items()}
    buffers["yuv"] = treadle.run_kernel("rgb_to_yuv", [buffers["card"]])
    written = [(Exhibit("card", "the test card"), png.write(folder / "card.png", first, level=9))]
    with tempfile.TemporaryDirectory() as scratch:
        for exhibit in exhibits(Path(scratch)):
            inputs = [buffers[name] for name in exhibit.inputs]
            output = None if inputs else treadle.empty((HEIGHT, WIDTH, 4), "u8")
            out = treadle.run_kernel(exhibit.kernel, inputs, output, **exhibit.params)
            picture = exhibit.show(out.to_numpy())
            size = png.write(folder / f"{exhibit.name}.png", picture, level=9)
            written.append((exhibit, size))
    return written


def render_sounds(folder: Path) -> list[tuple[gallery_audio.Sound, int]]:
    """Write pictures of sounds before and after each audio kernel; return them and their sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    known = gallery_audio.sounds()
    buffers = {name: treadle.buffer(sound) for name, sound in known.items()}
    written = []
    for exhibit in gallery_audio.exhibits():
        inputs = [buffers[name] for name in exhibit.inputs]
        out = treadle.run_kernel(exhibit.kernel, inputs, **exhibit.params).to_numpy()
        before = spectrogram.draw(known[exhibit.inputs[0]], gallery_audio.RATE)
        picture = spectrogram.beside(before, spectrogram.draw(out, exhibit.rate))
        written.append((exhibit, png.write(folder / f"{exhibit.name}.png", picture, level=9)))
    return written


PAGE = """# Gallery

Each image kernel applied to a generated test card, and each audio kernel to a generated sound;
`make gallery` writes all of it anew.

## Images
"""
SOUNDS = """
## Sounds

Before on the left, after on the right, 1.5 s of each. Time goes to the right, frequency goes up
from 50 Hz to 24 kHz, with lines at 100 Hz, 1 kHz and 10 kHz; brighter is louder. Below is the
waveform, its height being -1 to 1.
"""


def page(
    written: Sequence[tuple[Exhibit, int]], heard: Sequence[tuple[gallery_audio.Sound, int]]
) -> str:
    """The page that shows the pictures."""
    return PAGE + _table(written) + SOUNDS + _table(heard)


def _table(written: Sequence[tuple[Exhibit | gallery_audio.Sound, int]]) -> str:
    lines = ["", "| picture | made with |", "|---|---|"]
    for exhibit, _ in written:
        params = ", ".join(
            f"{key}={'a file' if key == 'file' else _short(value)}"
            for key, value in exhibit.params.items()
        )
        called = f"`{exhibit.kernel}({params})`" if exhibit.name != "card" else "the test card"
        note = f"<br>{exhibit.note}" if exhibit.note else ""
        lines.append(f"| ![{exhibit.name}]({exhibit.name}.png) | {called}{note} |")
    return "\n".join(lines) + "\n"


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_short(item) for item in value)})"
    return f"{value:g}" if isinstance(value, float) else repr(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the gallery and say where it is."""
    parser = argparse.ArgumentParser(prog="python docs/tools/gallery.py", description=__doc__)
    parser.add_argument("folder", nargs="?", default="docs/gallery", type=Path)
    folder: Path = parser.parse_args(arguments).folder
    seen, heard = render(folder), render_sounds(folder)
    (folder / "README.md").write_text(page(seen, heard), encoding="utf-8")
    sizes = [size for _, size in (*seen, *heard)]
    print(f"{len(sizes)} pictures, {sum(sizes) / 1024:.0f} KiB, in {folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
