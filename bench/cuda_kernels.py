"""`python -m bench.cuda_kernels [part of a name]`: pointwise and image kernels at 4K, on a GPU.

In: a part of the lines to measure; all without one. Out: a table of each kernel's time against its
byte floor: what it must read and write, each byte once, over the bandwidth of a device copy that is
measured in the same run. Images come in batches, so that launching is hidden as it is in use.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import treadle
from bench.cuda import copied, per_call
from bench.table import Bar, Figure, Row, as_markdown
from treadle.runtime.device import Device

__all__ = ["kernels"]

HEIGHT, WIDTH = 2160, 3840
FRAMES = {"u8": 8, "f32": 2}  # about as many bytes of each
TURN = ((0.9659, -0.2588, 240.0), (0.2588, 0.9659, -280.0))  # 15 degrees about the middle
BAR = Bar(0.7, least=True, ratio=True)

ONE = ("relu", "sigmoid", "tanh", "gelu", "silu", "abs", "neg", "exp", "log", "sqrt")
TWO = ("elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div")
PAIR = ("minimum", "maximum")


@dataclass(frozen=True, slots=True)
class Case:
    """A launch: shapes of its inputs (dtype with each), parameters, and what it need not read."""

    kernel: str
    inputs: tuple[tuple[tuple[int, ...], str], ...]
    params: dict[str, Any] = field(default_factory=dict)
    read: float = 1.0  # the share of the first input that the result depends on
    note: str = ""


def _images(dtype: str, channels: int = 4) -> tuple[tuple[int, ...], str]:
    return (FRAMES[dtype], HEIGHT, WIDTH, channels), dtype


def _pointwise() -> Iterator[Case]:
    x = _images("f32")
    for name in ONE:
        yield Case(name, (x,))
    for name in TWO + PAIR:
        yield Case(name, (x, x))
    yield Case("clamp", (x,), {"min": 0.2, "max": 0.8})
    yield Case("pow", (x,), {"exponent": 2.2}, note="to 2.2")
    yield Case("scalar_add", (x,), {"scalar": 0.5})
    yield Case("scalar_mul", (x,), {"scalar": 0.5})
    yield Case("where", ((x[0], "u8"), x, x))
    yield Case("cast", (x,), {"dtype": "u8"}, note="to u8")
    yield Case("cast", (_images("u8"),), {"dtype": "f32"}, note="to f32")
    for name in ("elementwise_add", "maximum"):
        yield Case(name, (_images("u8"), _images("u8")))


def _filters(dtype: str) -> Iterator[Case]:
    rgba, rgb, grey = (_images(dtype, channels) for channels in (4, 3, 1))
    yield Case("gaussian_blur", (rgba,), {"radius": 3, "sigma": 1.5}, note="radius 3")
    for radius in (3, 15):
        yield Case("box_blur", (rgba,), {"radius": radius}, note=f"radius {radius}")
    yield Case("sharpen", (rgba,))
    yield Case("edge_detect", (grey,))
    yield Case("denoise", (rgb,), note="radius 2")


def _colours(dtype: str) -> Iterator[Case]:
    rgba, rgb, grey = (_images(dtype, channels) for channels in (4, 3, 1))
    yield Case("grayscale", (rgb,))
    yield Case("brightness_contrast", (rgb,), {"brightness": 0.1, "contrast": 1.2})
    yield Case("sepia", (rgb,))
    yield Case("saturation", (rgb,), {"amount": 0.5})
    yield Case("vignette", (rgb,))
    if dtype == "u8":
        yield Case("lut_apply", (rgb, ((256, 1), "u8")), note="256 codes")
    yield Case("video_mix", (rgb, rgb), {"ratio": 0.3}, note="dissolve")
    yield Case("video_mix", (rgb, rgb), {"ratio": 1.0, "mode": "multiply"}, note="multiply")
    yield Case("chroma_key", (rgb,))
    yield Case("overlay_alpha", (rgb, rgba))
    yield Case("histogram", (grey,))


def _moves(dtype: str) -> Iterator[Case]:
    rgb = _images(dtype, 3)
    for direction in ("horizontal", "vertical", "both"):
        yield Case("flip", (rgb,), {"direction": direction}, note=direction)
    for turns in (1, 2, 3):
        yield Case("rotate90", (rgb,), {"turns": turns}, note=f"{turns} turns")
    part = {"x": 400, "y": 200, "width": 3040, "height": 1760}
    yield Case("crop", (rgb,), part, 3040 * 1760 / (WIDTH * HEIGHT))
    for method in ("nearest", "bilinear"):
        options = {"matrix": TURN, "method": method}
        yield Case("warp_affine", (rgb,), options, 0.8, f"15 degrees, {method}")
    for height, width in ((1440, 2560), (1080, 1920)):
        for method in ("nearest", "bilinear", "bicubic", "area"):
            size = {"size": (height, width), "method": method}
            share = height / HEIGHT if method == "nearest" else 1.0  # memory comes in sectors
            yield Case("resize", (rgb,), size, share, f"{method} to {width}x{height}")
    yield Case("preprocess", (rgb,), {"size": 224, "method": "area"}, note="to 224x224, area")


def _video() -> Iterator[Case]:
    coded = ((FRAMES["u8"], HEIGHT * 3 // 2, WIDTH), "u8")
    for name in ("yuv420p", "nv12"):
        yield Case("yuv_to_rgb", (coded,), {"format": name}, note=name)
    yield Case("rgb_to_yuv", (_images("u8", 3),), {"format": "yuv420p"}, note="yuv420p")


def cases() -> Iterator[Case]:
    """Every kernel of the families pointwise, activation, image, colour and geometry."""
    yield from _pointwise()
    for dtype in ("u8", "f32"):
        for family in (_filters, _colours, _moves):
            yield from family(dtype)
    yield from _video()


def _line(case: Case) -> str:
    shape, dtype = case.inputs[-1] if case.kernel == "where" else case.inputs[0]
    size = "x".join(str(n) for n in shape)
    return f"{case.kernel}{' ' + case.note if case.note else ''}, {size} {dtype}"


def _filled(device: Device, shape: tuple[int, ...], dtype: str) -> treadle.Buffer:
    import cupy

    values = cupy.random.default_rng(7).random(shape, dtype=cupy.float32)
    if dtype == "u8":
        values = (values * 255).astype(cupy.uint8)
    cupy.cuda.get_current_stream().synchronize()
    return device.from_dlpack(values)


def _measure(device: Device, rate: float, case: Case) -> Row:
    buffers = [_filled(device, *each) for each in case.inputs]
    out = device.run_kernel(case.kernel, buffers, **case.params)
    again = partial(device.submit, case.kernel, buffers, out, **case.params)
    seconds = per_call(device, again, 20, 3)
    nbytes = case.read * buffers[0].size + sum(b.size for b in buffers[1:]) + out.size
    floor = nbytes / rate
    beside = (("floor", Figure(floor * 1e3, "ms")),)
    return Row(_line(case), Figure(seconds * 1e3, "ms"), beside, floor / seconds, BAR)


def kernels(device: Device, rate: float, only: str = "") -> list[Row]:
    """Measure each kernel; `rate` is bytes per second of a copy, read and written ones counted."""
    rows = []
    for case in cases():
        if only not in _line(case):
            continue
        try:
            rows.append(_measure(device, rate, case))
        except treadle.TreadleError as error:
            print(f"{_line(case)}: {error}", file=sys.stderr)
    return rows


if __name__ == "__main__":
    gpu = treadle.device("cuda")
    print(as_markdown(kernels(gpu, copied(gpu)[1], *sys.argv[1:2])))
