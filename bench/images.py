"""The image kernels at 1080p beside OpenCV, both into outputs that exist already.

In: an effort. Out: a row for each kernel and dtype. Where OpenCV has no single function, its side
is the shortest chain of its functions that gives the same picture; where it has nothing for a
dtype, there is no row. Both sides use as many threads as there are cores. The work is alike, the
results are not compared here (the parity tests do that): a few chains differ in constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.table import Bar, Figure, Row
from bench.timing import FULL, Effort, medians

__all__ = ["LINES"]

Array = np.ndarray[Any, Any]
Call = Callable[[], object]
Size = tuple[int, int]  # height and width
HD = (1080, 1920)
TURN = (0.9659, 0.2588)  # 15 degrees


@dataclass(frozen=True, slots=True)
class Case:
    """A launch: kernel, inputs, parameters, and OpenCV's way to the same result."""

    what: str
    kernel: str
    inputs: tuple[Array, ...]
    theirs: Call
    params: dict[str, Any] = field(default_factory=dict)
    bar: float = 1.0


def _picture(size: Size, channels: int, dtype: str, seed: int = 7) -> Array:
    shape = (*size, channels) if channels > 1 else size
    values = np.random.default_rng(seed).random(shape, dtype=np.float32)
    return (values * 255).astype(np.uint8) if dtype == "u8" else values


def _filters(cv2: Any, dtype: str, size: Size) -> Iterator[Case]:
    """What reads neighbours."""
    rgba, rgb, grey = (_picture(size, channels, dtype) for channels in (4, 3, 1))
    other, small, plane = (np.zeros_like(x) for x in (rgba, rgb, grey))
    edge = cv2.BORDER_REPLICATE
    unlike = 0.1 * (255 if dtype == "u8" else 1)
    yield Case(
        "gaussian_blur radius 3, RGBA",
        "gaussian_blur",
        (rgba,),
        partial(cv2.GaussianBlur, rgba, (7, 7), 1.5, dst=other, sigmaY=1.5, borderType=edge),
        {"radius": 3, "sigma": 1.5},
    )
    for radius in (3, 15):
        yield Case(
            f"box_blur radius {radius}, RGBA",
            "box_blur",
            (rgba,),
            partial(cv2.blur, rgba, (2 * radius + 1,) * 2, dst=other, borderType=edge),
            {"radius": radius},
        )
    cross = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], np.float32)
    yield Case(
        "sharpen, RGBA",
        "sharpen",
        (rgba,),
        partial(cv2.filter2D, rgba, -1, cross, dst=other, borderType=edge),
    )

    depth = cv2.CV_32F
    dx, dy = np.zeros(size, np.float32), np.zeros(size, np.float32)
    slope = np.zeros(size, np.float32)

    def sobel() -> Any:
        cv2.Sobel(grey, depth, 1, 0, dst=dx, borderType=edge)
        cv2.Sobel(grey, depth, 0, 1, dst=dy, borderType=edge)
        cv2.magnitude(dx, dy, magnitude=slope)
        return cv2.convertScaleAbs(slope, dst=plane) if dtype == "u8" else slope

    yield Case("edge_detect, grey", "edge_detect", (grey,), sobel)
    yield Case(
        "denoise radius 2, RGB",
        "denoise",
        (rgb,),
        partial(cv2.bilateralFilter, rgb, 5, unlike, 1.0, dst=small, borderType=edge),
    )
    if dtype == "f32":
        weights = np.random.default_rng(3).random((1, 1, 3, 3), dtype=np.float32)
        yield Case(
            "conv2d 3x3, one plane",
            "conv2d",
            (grey[None, None], weights),
            partial(cv2.filter2D, grey, -1, weights[0, 0], dst=plane, borderType=0),
            {"padding": 1},
            0.8,
        )


def _colours(cv2: Any, dtype: str, size: Size) -> Iterator[Case]:
    """What changes each pixel on its own."""
    peak = 255 if dtype == "u8" else 1
    rgb, second = _picture(size, 3, dtype), _picture(size, 3, dtype, 8)
    rgba, grey = _picture(size, 4, dtype), _picture(size, 1, dtype)
    other, plane = np.zeros_like(rgb), np.zeros_like(grey)
    yield Case(
        "grayscale, RGB",
        "grayscale",
        (rgb,),
        partial(cv2.cvtColor, rgb, cv2.COLOR_RGB2GRAY, dst=plane),
    )
    alpha, beta = 1.2, (0.5 - 0.6 + 0.1) * peak
    contrast: Call
    if dtype == "u8":
        contrast = partial(cv2.convertScaleAbs, rgb, dst=other, alpha=alpha, beta=beta)
    else:
        contrast = partial(cv2.addWeighted, rgb, alpha, rgb, 0.0, beta, dst=other)
    yield Case(
        "brightness_contrast, RGB",
        "brightness_contrast",
        (rgb,),
        contrast,
        {"brightness": 0.1, "contrast": 1.2},
    )
    toned = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
    luma = np.array([[0.299, 0.587, 0.114]] * 3)
    yield Case("sepia, RGB", "sepia", (rgb,), partial(cv2.transform, rgb, toned, dst=other))
    faded = 0.5 * np.eye(3) + 0.5 * luma
    yield Case(
        "saturation, RGB",
        "saturation",
        (rgb,),
        partial(cv2.transform, rgb, faded, dst=other),
        {"amount": 0.5},
    )
    white = treadle.from_numpy(np.ones((*size, 3), np.float32))
    mask = treadle.run_kernel("vignette", [white]).to_numpy()
    yield Case(
        "vignette, RGB",
        "vignette",
        (rgb,),
        partial(cv2.multiply, rgb, mask, dst=other, dtype=cv2.CV_8U if dtype == "u8" else -1),
    )
    table = np.random.default_rng(5).integers(0, 256, (256, 1), dtype=np.uint8)
    if dtype == "u8":
        yield Case(
            "lut_apply 256 codes, RGB",
            "lut_apply",
            (rgb, table),
            partial(cv2.LUT, rgb, table[:, 0], dst=other),
        )
    yield Case(
        "video_mix dissolve, RGB",
        "video_mix",
        (rgb, second),
        partial(cv2.addWeighted, rgb, 0.7, second, 0.3, 0.0, dst=other),
        {"ratio": 0.3},
    )
    yield Case(
        "video_mix multiply, RGB",
        "video_mix",
        (rgb, second),
        partial(cv2.multiply, rgb, second, dst=other, scale=1 / peak),
        {"mode": "multiply", "ratio": 1.0},
    )
    yield from _made_of_several(cv2, dtype, size, rgb, rgba)
    bins, top = [256], 256 if dtype == "u8" else 1
    yield Case(
        "histogram, grey",
        "histogram",
        (grey,),
        partial(cv2.calcHist, [grey], [0], None, bins, [0, top]),
    )


def _made_of_several(cv2: Any, dtype: str, size: Size, rgb: Array, rgba: Array) -> Iterator[Case]:
    """Kernels for which OpenCV needs a few calls."""
    other, out = np.zeros_like(rgb), np.zeros_like(rgba)
    peak = 255 if dtype == "u8" else 1
    distance, lut = np.zeros(size, np.float32), np.zeros(size, rgb.dtype)
    kind = cv2.CV_32F
    ycc = np.zeros_like(rgb)
    parts = [np.zeros(size, rgb.dtype) for _ in range(3)]
    reds, blues = np.zeros(size, np.float32), np.zeros(size, np.float32)

    def key() -> Any:
        cv2.cvtColor(rgb, cv2.COLOR_RGB2YCrCb, dst=ycc)
        cv2.split(ycc, parts)
        cv2.subtract(parts[1], 0.08 * peak, dst=reds, dtype=kind)
        cv2.subtract(parts[2], 0.17 * peak, dst=blues, dtype=kind)
        cv2.magnitude(reds, blues, magnitude=distance)
        if dtype == "u8":
            cv2.convertScaleAbs(distance, dst=lut, alpha=10.0, beta=-510.0)
        else:
            cv2.addWeighted(distance, 10.0, distance, 0.0, -2.0, dst=lut)
        cv2.cvtColor(rgb, cv2.COLOR_RGB2RGBA, dst=out)
        return cv2.insertChannel(lut, out, 3)

    yield Case("chroma_key, RGB to RGBA", "chroma_key", (rgb,), key)
    top = _picture(size, 4, dtype, 9)
    colour, share = np.zeros_like(rgb), np.zeros(size, rgb.dtype)
    ones, rest = np.zeros_like(rgb), np.zeros_like(rgb)
    white = np.full_like(rgb, peak)
    low, high = np.zeros_like(rgb), np.zeros_like(rgb)

    def over() -> Any:
        cv2.cvtColor(top, cv2.COLOR_RGBA2RGB, dst=colour)
        cv2.extractChannel(top, 3, dst=share)
        cv2.cvtColor(share, cv2.COLOR_GRAY2RGB, dst=ones)
        cv2.subtract(white, ones, dst=rest)
        cv2.multiply(colour, ones, dst=high, scale=1 / peak)
        cv2.multiply(rgb, rest, dst=low, scale=1 / peak)
        return cv2.add(low, high, dst=other)

    yield Case("overlay_alpha, RGBA over RGB", "overlay_alpha", (rgb, top), over)


def _moves(cv2: Any, dtype: str, size: Size) -> Iterator[Case]:
    """What moves pixels or changes the size."""
    rgb = _picture(size, 3, dtype)
    other = np.zeros_like(rgb)
    for direction, code in (("horizontal", 1), ("vertical", 0), ("both", -1)):
        yield Case(
            f"flip {direction}, RGB",
            "flip",
            (rgb,),
            partial(cv2.flip, rgb, code, dst=other),
            {"direction": direction},
        )
    turned = np.zeros((*size[::-1], 3), rgb.dtype)
    for turns, code in ((1, cv2.ROTATE_90_COUNTERCLOCKWISE), (3, cv2.ROTATE_90_CLOCKWISE)):
        yield Case(
            f"rotate90 turns={turns}, RGB",
            "rotate90",
            (rgb,),
            partial(cv2.rotate, rgb, code, dst=turned),
            {"turns": turns},
        )
    top, left = size[0] // 10, size[1] // 10
    part = rgb[top:-top, left:-left]
    piece = np.zeros_like(part)
    yield Case(
        "crop, RGB",
        "crop",
        (rgb,),
        partial(cv2.copyTo, part, None, dst=piece),
        {"x": left, "y": top, "width": part.shape[1], "height": part.shape[0]},
    )
    (cos, sin), (height, width) = TURN, size  # about the middle
    turn = (
        (cos, -sin, (width * (1 - cos) + height * sin) / 2),
        (sin, cos, (height * (1 - cos) - width * sin) / 2),
    )
    matrix = np.array(turn, np.float64)
    for method, code in (("bilinear", cv2.INTER_LINEAR), ("nearest", cv2.INTER_NEAREST)):
        yield Case(
            f"warp_affine {method}, RGB",
            "warp_affine",
            (rgb,),
            partial(
                cv2.warpAffine,
                rgb,
                matrix,
                size[::-1],
                dst=other,
                flags=code,
                borderMode=cv2.BORDER_REPLICATE,
            ),
            {"matrix": turn, "method": method},
            0.8,
        )
    yield from _sizes(cv2, dtype, size, rgb)


def _sizes(cv2: Any, dtype: str, size: Size, rgb: Array) -> Iterator[Case]:
    methods = (
        ("nearest", cv2.INTER_NEAREST_EXACT),
        ("bilinear", cv2.INTER_LINEAR),
        ("bicubic", cv2.INTER_CUBIC),
        ("area", cv2.INTER_AREA),
    )
    for share in (1.5, 2, 0.5):
        height, width = round(size[0] / share), round(size[1] / share)
        out = np.zeros((height, width, 3), rgb.dtype)
        for method, code in methods:
            if method == "area" and height > size[0]:
                continue  # OpenCV then does something else
            yield Case(
                f"resize {method} to {width}x{height}, RGB",
                "resize",
                (rgb,),
                partial(cv2.resize, rgb, (width, height), dst=out, interpolation=code),
                {"size": (height, width), "method": method},
                0.8,
            )
    scale, mean = 1 / 255 if dtype == "u8" else 1.0, (0.485, 0.456, 0.406)
    if dtype == "u8":
        side = 224
        blob = np.zeros((1, 3, side, side), np.float32)

        def prepared() -> Any:
            small = cv2.resize(rgb, (side, side), interpolation=cv2.INTER_AREA)
            real = cv2.multiply(small, (scale,) * 4, dtype=cv2.CV_32F)
            cv2.subtract(real, mean, dst=real)
            cv2.divide(real, (0.229, 0.224, 0.225, 1.0), dst=real)
            cv2.split(real, list(blob[0]))
            return blob

        yield Case(
            "preprocess to 224x224, RGB",
            "preprocess",
            (rgb,),
            prepared,
            {"size": side, "method": "area"},
        )


def _video(cv2: Any, dtype: str, size: Size) -> Iterator[Case]:
    """Between RGB and YUV 4:2:0, which OpenCV has for u8 only."""
    if dtype != "u8":
        return
    rgb = _picture(size, 3, dtype)
    planes = np.random.default_rng(7).integers(16, 236, (size[0] * 3 // 2, size[1]), dtype=np.uint8)
    other, coded = np.zeros_like(rgb), np.zeros_like(planes)
    for name, code in (("yuv420p", cv2.COLOR_YUV2RGB_I420), ("nv12", cv2.COLOR_YUV2RGB_NV12)):
        yield Case(
            f"yuv_to_rgb {name}",
            "yuv_to_rgb",
            (planes,),
            partial(cv2.cvtColor, planes, code, dst=other),
            {"format": name},
        )
    yield Case(
        "rgb_to_yuv yuv420p",
        "rgb_to_yuv",
        (rgb,),
        partial(cv2.cvtColor, rgb, cv2.COLOR_RGB2YUV_I420, dst=coded),
        {"format": "yuv420p"},
    )


def cases(cv2: Any, dtype: str, size: Size = HD) -> Iterator[Case]:
    """Every kernel that OpenCV has something for, over pictures of a size."""
    for family in (_filters, _colours, _moves, _video):
        yield from family(cv2, dtype, size)


def _measure(case: Case, dtype: str, repeats: int) -> Row:
    buffers = [treadle.from_numpy(x) for x in case.inputs]
    out = treadle.run_kernel(case.kernel, buffers, **case.params)
    ours = partial(treadle.run_kernel, case.kernel, buffers, out, **case.params)
    times = medians({"treadle": ours, "OpenCV": case.theirs}, repeats)
    beside = Figure(times["OpenCV"] * 1e3, "ms")
    ratio = times["OpenCV"] / times["treadle"]
    bar = Bar(case.bar, "x OpenCV", least=True, ratio=True)
    what = f"{case.what} {dtype}"
    return Row(what, Figure(times["treadle"] * 1e3, "ms"), (("OpenCV", beside),), ratio, bar)


def images(effort: Effort, only: str = "") -> list[Row]:
    """Each image kernel, u8 and f32; `only` picks those whose line contains it."""
    cv2 = peers.opencv()
    if cv2 is None:
        return []
    return [
        _measure(case, dtype, max(effort.repeats // 3, 3))
        for dtype in ("u8", "f32")
        for case in cases(cv2, dtype)
        if only in f"{case.what} {dtype}"
    ]


LINES: dict[str, Callable[[Effort], list[Row]]] = {"images": images}

if __name__ == "__main__":
    import sys

    from bench.table import as_text

    print(as_text(images(FULL, *sys.argv[1:2])))
