"""Bad input on every device: refused at submit, by kernel, parameter, value and range.

One table of what can be wrong. It lists kernels by name, and a test compares the list with
kernel_info, so that a new kernel with such a parameter has to be added. What each single parameter
refuses is in test_info; malformed .cube files, line by line, are in unit/test_bad_images."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import treadle
from limits import NARROW
from parity.test_info import PARAMETERS, SHIPPED, example
from treadle.kernels.check import IMAGES
from treadle.lang.parameters import Parameter

NAN = math.nan


class Wrong(NamedTuple):
    """What is wrong: with which parameters, by kernel, and what the error says they must be."""

    value: Any
    kernels: dict[str, tuple[str, ...]]
    belongs: Callable[[Parameter], bool]


def is_numeric(parameter: Parameter) -> bool:
    return not parameter.choices and parameter.name not in ("dtype", "file")


SHARE = (0.0, 1.0)
TABLE = {
    "a negative radius": Wrong(
        -1,
        {
            "gaussian_blur": ("radius",),
            "box_blur": ("radius",),
            "denoise": ("radius",),
            "vignette": ("radius",),
        },
        lambda p: p.name == "radius",
    ),
    "a sample rate of zero": Wrong(
        0,
        {
            "biquad_filter": ("sample_rate",),
            "resample": ("from_rate", "to_rate"),
            "dynamics_compress": ("sample_rate",),
            "duck": ("sample_rate",),
        },
        lambda p: p.name.endswith("_rate"),
    ),
    "a share above 1": Wrong(
        1.01,
        {
            "video_mix": ("ratio",),
            "overlay_alpha": ("alpha",),
            "fft_convolve": ("wet",),
            "sepia": ("amount",),
            "vignette": ("amount", "radius"),
            "chroma_key": ("threshold", "softness"),
        },
        lambda p: (p.low, p.high) == SHARE,
    ),
    "a ratio that expands": Wrong(
        0.5, {"dynamics_compress": ("ratio",)}, lambda p: p.name == "ratio" and p.low == 1.0
    ),
    "k above the axis": Wrong(1000, {"top_k": ("k",), "l2_top_k": ("k",)}, lambda p: p.name == "k"),
    "NaN": Wrong(
        NAN,
        {
            name: tuple(p.name for n, p in PARAMETERS if n == name and is_numeric(p))
            for name in SHIPPED
        },
        is_numeric,
    ),
}
CASES = [
    pytest.param(name, parameter, wrong.value, id=f"{what}-{name}-{parameter}".replace(" ", "_"))
    for what, wrong in TABLE.items()
    for name, parameters in wrong.kernels.items()
    for parameter in parameters
]


def submit(name: str, params: dict[str, Any], shapes: list[Any] | None = None) -> None:
    specs, outputs, usual = example(name)
    shapes = shapes or [spec.shape for spec in specs]
    have = treadle.dtypes()
    inputs = [
        treadle.buffer_zeros(shape, spec.dtype if spec.dtype in have else NARROW[spec.dtype])
        for shape, spec in zip(shapes, specs, strict=True)
    ]
    output = treadle.empty(outputs[0].shape, outputs[0].dtype) if outputs else None
    treadle.submit(name, inputs, output, usual | params)


@pytest.mark.parametrize("name, parameter, value", CASES)
def test_it_is_refused_by_name_value_and_range(device, name, parameter, value):
    with pytest.raises(treadle.LaunchError) as caught:
        submit(name, {parameter: value})
    text = str(caught.value)
    assert name in text
    assert re.search(rf"\b{parameter}\b.* must (be|hold|have) .*{value}|{value}.*\b{parameter}\b",
                     text), text  # fmt: skip


@pytest.mark.parametrize("what", TABLE)
def test_every_kernel_with_such_a_parameter_is_in_the_table(what):
    wrong = TABLE[what]
    listed = {(name, p) for name, parameters in wrong.kernels.items() for p in parameters}
    assert listed == {(name, p.name) for name, p in PARAMETERS if wrong.belongs(p)}
    assert listed


# Channels that an image must not have; None where a kernel treats all channels alike.
CHANNELS: dict[str, tuple[int, ...] | None] = {
    "gaussian_blur": None, "box_blur": None, "sharpen": None, "edge_detect": (0, 5),
    "denoise": (0, 5), "grayscale": (0, 5), "brightness_contrast": (0, 5), "saturation": (0, 5),
    "sepia": (0, 1, 2, 5), "vignette": (0, 5), "posterize": (0, 5), "lut_apply": (0, 5),
    "chroma_key": (0, 1, 2, 5), "histogram": (0, 5), "yuv_to_rgb": (0, 1, 2, 4, 5),
    "rgb_to_yuv": (0, 1, 2, 5), "resize": None, "bicubic_scale": None, "crop": None, "flip": None,
    "rotate90": None, "warp_affine": None, "overlay_alpha": (0, 5), "video_mix": None,
    "preprocess": (0, 5),
}  # fmt: skip


def test_every_image_kernel_says_which_channels_it_refuses():
    takes = {n: list(treadle.kernel_info(n).dtypes.values()) for n in SHIPPED}
    assert {n for n in SHIPPED if takes[n] and takes[n][0] == IMAGES} == set(CHANNELS)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_wrong_channel_count_is_refused(device, name):
    specs, _, _ = example(name)
    params = {"format": "yuv444"} if name == "yuv_to_rgb" else {}
    for channels in CHANNELS[name] or ():
        shapes = [(26, 34, channels), *(spec.shape for spec in specs[1:])]
        with pytest.raises(
            treadle.LaunchError, match=rf"{name}.*channels.*(got|shape).*{channels}"
        ):
            submit(name, params, shapes)
    if CHANNELS[name] is None:
        submit(name, params, [(26, 34, 7)] * len(specs))


SOUNDS = {
    "pcm_mix": ([(9, 2), (9, 3)], "input 1 must be f32 with the channels of the first"),
    "fft_convolve": ([(9, 2), (5, 3)], "impulse must be f32 with 1 or 2 channels"),
    "duck": ([(9, 2), (8, 2)], "sidechain must be f32 with 9 frames"),
}
ONE_SOUND = ["pcm_normalize", "biquad_filter", "resample", "dynamics_compress"]


@pytest.mark.parametrize("name", SOUNDS)
def test_sounds_that_do_not_fit_are_refused(device, name):
    shapes, says = SOUNDS[name]
    with pytest.raises(treadle.LaunchError, match=f"{name}: {says}, got|{says}, .*got"):
        treadle.submit(name, [treadle.buffer_zeros(shape) for shape in shapes])


@pytest.mark.parametrize("name", [*SOUNDS, *ONE_SOUND])
def test_what_is_no_sound_is_refused(device, name):
    usual = example(name)[2]
    for shape in [(), (2, 3, 4)]:
        inputs = [treadle.buffer_zeros(shape)] * (2 if name in SOUNDS else 1)
        with pytest.raises(treadle.LaunchError, match=f"{name}.*frames x channels"):
            treadle.submit(
                name, inputs, params={**usual, "gains": None} if name == "pcm_mix" else usual
            )


@pytest.mark.parametrize(
    "text, says",
    [
        (None, "cannot be read"),
        ("LUT_3D_SIZE 2\n0 0 0\n", "line 2.*1 rows.*needs 8"),
        ("LUT_1D_SIZE 2\n0 0 0\n1 1 nan\n", "line 3.*finite"),
        ("LUT_1D_SIZE 1\n0 0 0\n", "line 1.*2 to 65536$"),
        ("colours\n", "line 1.*no keyword of .cube"),
    ],
)
def test_a_missing_or_malformed_cube_file_is_refused(device, tmp_path, text, says):
    path = tmp_path / "look.cube"
    if text is not None:
        path.write_text(text)
    with pytest.raises(treadle.LaunchError, match=rf"lut_apply.*look\.cube.*{says}"):
        treadle.submit("lut_apply", [treadle.buffer_zeros((4, 4, 3), "u8")], file=str(path))
