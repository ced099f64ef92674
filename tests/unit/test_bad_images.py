"""Bad input of the image kernels, without a device: each a LaunchError that names what is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bound import evaluate
from treadle.errors import LaunchError
from treadle.kernels.cube import MAX_SIZE, load_cube, parse_cube
from treadle.lang import registry

RGB = np.zeros((6, 8, 3), np.uint8)
GREY = np.zeros((6, 8), np.float32)
MATRIX = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))

BAD = [
    ("gaussian_blur", (RGB,), {"radius": -1}, "radius.*0 to 512.*-1"),
    ("gaussian_blur", (RGB,), {"radius": 2.5}, "radius.*2.5"),
    ("gaussian_blur", (RGB,), {"sigma": math.nan}, "sigma.*nan"),
    ("box_blur", (RGB,), {"radius": -1}, "radius.*0 to 512.*-1"),
    ("box_blur", (RGB,), {"radius": True}, "radius.*integer"),
    ("box_blur", (RGB[0, 0],), {}, "HxW.*NxHxWxC.*\\(3,\\)"),
    ("box_blur", (RGB.astype(np.int32),), {}, "u8, f32 or f64, got s32"),
    ("edge_detect", (RGB,), {"scale": math.nan}, "scale.*nan"),
    ("edge_detect", (np.zeros((4, 4, 5), np.uint8),), {}, "1 to 4 channels.*5"),
    ("denoise", (RGB,), {"strength": 0.0}, "strength.*0.001 to 1.0"),
    ("denoise", (RGB,), {"radius": 17}, "radius.*1 to 16"),
    ("brightness_contrast", (RGB,), {"contrast": -0.1}, "contrast.*-0.1"),
    ("brightness_contrast", (RGB,), {"brightness": 1.5}, "brightness.*-1.0 to 1.0.*1.5"),
    ("saturation", (RGB,), {"amount": math.nan}, "amount.*nan"),
    ("sepia", (GREY,), {}, "3 or 4 channels.*got 1"),
    ("sepia", (RGB,), {"amount": 2}, "amount.*0.0 to 1.0.*2"),
    ("vignette", (RGB,), {"softness": 0}, "softness.*0.001"),
    ("chroma_key", (GREY,), {}, "3 or 4 channels"),
    ("chroma_key", (RGB,), {"color": (0, 255, 0)}, "color.*0 to 1.*255"),
    ("chroma_key", (RGB,), {"color": (0, 1)}, "color.*3 finite"),
    ("chroma_key", (RGB,), {"color": "green"}, "color.*green"),
    ("chroma_key", (RGB,), {"matrix": "bt2020"}, "matrix.*bt601.*bt2020"),
    ("chroma_key", (RGB,), {"threshold": -1}, "threshold.*-1"),
    ("histogram", (RGB,), {"bins": 0}, "bins.*1 to 65536.*0"),
    ("histogram", (RGB,), {"range": (3, 3)}, "range.*low < high"),
    ("histogram", (RGB,), {"range": (0, math.inf)}, "range.*finite"),
    ("resize", (RGB,), {}, "needs the parameter 'size'"),
    ("resize", (RGB,), {"size": 0}, "size.*1 to 65536.*0"),
    ("resize", (RGB,), {"size": (3, 4, 5)}, "height, width"),
    ("resize", (RGB,), {"size": (3.5, 4)}, "size.*3.5"),
    ("resize", (RGB,), {"size": 4, "method": "bicubik"}, "method.*did you mean 'bicubic'"),
    ("resize", (RGB[:0],), {"size": 4}, "no pixels"),
    ("bicubic_scale", (RGB,), {"size": -4}, "size.*-4"),
    ("crop", (RGB,), {"x": 9}, "x.*0 to 8.*9"),
    ("crop", (RGB,), {"x": 5, "width": 4}, "width.*0 to 3.*4"),
    ("crop", (RGB,), {"y": -1}, "y.*-1"),
    ("flip", (RGB,), {"direction": "up"}, "direction.*horizontal.*up"),
    ("rotate90", (RGB,), {"turns": 0.5}, "turns.*0.5"),
    ("warp_affine", (RGB,), {"matrix": ((1, 0), (0, 1))}, "matrix.*6 finite"),
    ("warp_affine", (RGB,), {"matrix": ((1, 0, math.nan), (0, 1, 0))}, "matrix.*nan"),
    ("warp_affine", (RGB,), {"matrix": ((1, 2, 0), (2, 4, 0))}, "matrix.*invertible"),
    ("warp_affine", (RGB,), {"matrix": MATRIX, "border": "wrap"}, "border.*replicate.*wrap"),
    ("warp_affine", (RGB,), {"matrix": MATRIX, "value": math.inf}, "value.*inf"),
    ("overlay_alpha", (RGB, GREY), {}, "top must have base's dtype"),
    ("overlay_alpha", (GREY, RGB.astype(np.float32)), {}, "its colours or grey"),
    ("overlay_alpha", (RGB, RGB), {"alpha": 1.5}, "alpha.*0.0 to 1.0.*1.5"),
    ("overlay_alpha", (RGB, RGB), {"x": 0.5}, "x.*integer.*0.5"),
    ("video_mix", (RGB, RGB), {"ratio": 1.01}, "ratio.*0.0 to 1.0.*1.01"),
    ("video_mix", (RGB, RGB[1:]), {}, "b must be like a"),
    ("video_mix", (RGB, RGB), {"mode": "overlay"}, "mode.*dissolve.*overlay"),
    ("yuv_to_rgb", (np.zeros((7, 8), np.uint8),), {}, "3H/2 x W"),
    ("yuv_to_rgb", (RGB,), {"format": "i420"}, "format.*yuv420p.*i420"),
    ("yuv_to_rgb", (np.zeros((9, 8), np.uint8),), {"range": "tv"}, "range.*limited.*tv"),
    ("rgb_to_yuv", (RGB[:5],), {}, "even height and width"),
    ("rgb_to_yuv", (GREY,), {"format": "yuv444"}, "3 or 4 channels"),
    ("preprocess", (RGB,), {"layout": "cwh"}, "layout.*nchw.*cwh"),
    ("preprocess", (RGB[None],), {"layout": "chw"}, "one image"),
    ("preprocess", (RGB,), {"std": (1.0, 0.0, 1.0)}, "std must be above 0"),
    ("preprocess", (RGB,), {"mean": (1.0, 0.0)}, "mean.*3 finite"),
    ("lut_apply", (RGB,), {}, "table.*file"),
    ("lut_apply", (RGB, np.zeros((1, 3), np.float32)), {}, "2 or more"),
    ("lut_apply", (RGB, np.zeros((4, 2), np.float32)), {}, "n x 1, n x 3.*\\(4, 2\\)"),
    ("lut_apply", (GREY, np.zeros((4, 3), np.float32)), {}, "3 or 4 channels"),
    ("lut_apply", (GREY, np.zeros((4, 1), np.uint8)), {}, "u8 table needs a u8 image"),
    ("lut_apply", (RGB,), {"file": 5}, "file must be the path.*5"),
    ("lut_apply", (RGB,), {"file": "no/such/file.cube"}, "no/such/file.cube.*cannot be read"),
    ("lut_apply", (RGB,), {"file": "bad\0name"}, "cannot be read"),
]


@pytest.mark.parametrize("name, inputs, params, says", BAD, ids=[f"{b[0]}-{b[2]}" for b in BAD])
def test_bad_input_is_a_launch_error(name, inputs, params, says):
    with pytest.raises(LaunchError, match=f"(?s){name}.*{says}|{says}.*{name}"):
        evaluate(registry.lookup(name), *inputs, **params)


ROWS = "0 0 0\n1 1 1\n"
MALFORMED = [
    ("", "line 0: no LUT_1D_SIZE"),
    ("LUT_1D_SIZE 2\n0 0 0\n", "line 2: 1 rows; LUT_1D_SIZE 2 needs 2"),
    (f"LUT_1D_SIZE 2\n{ROWS}2 2 2\n", "line 4: more rows than the 2"),
    ("LUT_1D_SIZE 2\n0 0\n", "line 2: a row needs 3 numbers, got 2"),
    ("LUT_1D_SIZE 2\n0 0 nan\n", "line 2: a row needs finite"),
    ("LUT_1D_SIZE 2\n0 0 1e99\n", "line 2: a row needs finite"),
    ("LUT_1D_SIZE 2\n0 0 .x\n", "line 2: a row needs 3 numbers$"),
    ("0 0 0\n", "line 1: a row of the table before"),
    ("LUT_3D_SIZE 1\n", "line 1: LUT_3D_SIZE must be 2 to 129$"),
    (f"LUT_3D_SIZE {10**30}\n", "line 1: LUT_3D_SIZE must be 2 to 129"),
    ("LUT_3D_SIZE -2\n", "line 1: LUT_3D_SIZE needs one whole number$"),
    ("LUT_1D_SIZE 2\nLUT_3D_SIZE 2\n", "line 2: LUT_3D_SIZE after LUT_1D_SIZE"),
    ("LUT_4D_SIZE 2\n", "line 1: begins with no keyword of .cube files$"),
    (f"LUT_1D_SIZE 2\n{ROWS}DOMAIN_MIN 0 0 0\n", "line 4: 'DOMAIN_MIN' after the first row"),
    (f"LUT_1D_SIZE 2\nDOMAIN_MIN 1 1 1\n{ROWS}", "DOMAIN_MIN must be below DOMAIN_MAX$"),
    ("# " + "x" * 2000, "line 1: a line of 2002 characters"),
]


@pytest.mark.parametrize("text, says", MALFORMED, ids=[m[1][:40] for m in MALFORMED])
def test_a_malformed_cube_file_is_refused_with_its_line(text, says, tmp_path):
    path = tmp_path / "bad.cube"
    path.write_text(text)
    with pytest.raises(LaunchError, match=f"bad.cube.*{says}"):
        evaluate(registry.lookup("lut_apply"), RGB, file=str(path))


PIECES = ["LUT_1D_SIZE 2\n", "LUT_3D_SIZE 2\n", "DOMAIN_MIN 0 0 0\n", "TITLE x\n", ROWS, "0 0 0\n",
          "nan", "-1", "1e400", "#", "\n", "\r", " ", "9" * 30, "_", "LUT_3D_SIZE 9\n"]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=15).map("".join))
def test_any_text_is_a_table_or_a_launch_error_that_does_not_repeat_it(text):
    try:
        assert np.isfinite(parse_cube(text).table).all()
    except LaunchError as error:
        said = str(error)
    else:
        return
    assert said.startswith("lut_apply: file '<text>', line ")
    assert said.isprintable()
    assert "99999" not in said


def test_lines_that_are_no_rows_are_bounded():
    with pytest.raises(LaunchError, match="line 10001: more than 10000 lines"):
        parse_cube("\n" * 1_000_000)
    rows = "0 0 0\n" * 65536
    assert parse_cube("#\n" * 9_000 + "LUT_1D_SIZE 65536\n" + rows).size == 65536


def test_a_cube_file_is_read_as_the_specification_says():
    text = (
        '\ufeffTITLE "a # b"\n# comment\nLUT_1D_SIZE 2\nDOMAIN_MAX 2 2 2\n\n0 .5 1e0\n1 1 1 # end\n'
    )
    cube = parse_cube(text.removeprefix("\ufeff"))
    assert (cube.title, cube.dimensions, cube.size, cube.high) == ("a # b", 1, 2, (2.0,) * 3)
    np.testing.assert_array_equal(cube.table, [[0, 0.5, 1], [1, 1, 1]])
    assert MAX_SIZE["LUT_1D_SIZE"] == 65536


def test_files_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "x.cube"
    path.write_bytes(b"\x89PNG\0\0\0")
    with pytest.raises(LaunchError, match=r"x\.cube.*not text"):
        load_cube(path)
    with pytest.raises(LaunchError, match="cannot be read"):
        load_cube(tmp_path)


def test_a_changed_file_is_read_again(tmp_path):
    path = tmp_path / "curve.cube"
    lut, image = registry.lookup("lut_apply"), np.full((1, 1, 3), 0.25, np.float32)
    path.write_text(f"LUT_1D_SIZE 2\n{ROWS}")
    np.testing.assert_allclose(evaluate(lut, image, file=str(path)), 0.25)
    path.write_text("LUT_1D_SIZE 2\n1 1 1\n0.0 0.0 0.0\n")
    np.testing.assert_allclose(evaluate(lut, image, file=str(path)), 0.75)
