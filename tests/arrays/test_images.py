"""Image files as arrays, and recipes as functions of them."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle import ops

pytest.importorskip("PIL")

RNG = np.random.default_rng(5)
RGB = RNG.integers(0, 256, (12, 10, 3), np.uint8)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("suffix", [".png", ".tiff"])
def test_what_is_written_is_read(tmp_path, suffix, dtype, channels):
    image = RNG.integers(0, np.iinfo(dtype).max, (7, 5, channels)).astype(dtype)
    treadle.write_image(tmp_path / f"a{suffix}", image)
    back = treadle.read_image(tmp_path / f"a{suffix}")
    assert back.dtype == dtype
    if suffix == ".tiff" and dtype is np.uint16 and channels == 2:
        image = image[:, :, [0, 0, 0, 1]]  # Pillow knows no grey with alpha of sixteen bits
    np.testing.assert_array_equal(back, image)


def test_grey_without_channels_floats_and_buffers(tmp_path):
    path = str(tmp_path / "a.png")
    treadle.write_image(path, RGB[:, :, 0])
    np.testing.assert_array_equal(treadle.read_image(path)[:, :, 0], RGB[:, :, 0])
    treadle.write_image(path, RGB / 255)
    np.testing.assert_array_equal(treadle.read_image(path), RGB)
    with treadle.use_device("cpu"):
        treadle.write_image(path, ops.flip(RGB))
    np.testing.assert_array_equal(treadle.read_image(path), RGB[:, ::-1])


def test_a_format_can_be_named_and_a_file_kept(tmp_path):
    treadle.write_image(tmp_path / "a", RGB, format="jpeg", quality=95)
    assert (tmp_path / "a").read_bytes().startswith(b"\xff\xd8")
    with pytest.raises(FileExistsError):
        treadle.write_image(tmp_path / "a", RGB, format="png", replace=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_is_no_image_is_refused(tmp_path):
    (tmp_path / "bad.png").write_bytes(b"no image")
    with pytest.raises(treadle.PhotoError, match=r"bad\.png"):
        treadle.read_image(tmp_path / "bad.png")
    with pytest.raises(treadle.PhotoError, match="absent"):
        treadle.read_image(tmp_path / "absent.png")
    treadle.write_image(tmp_path / "large.png", RGB)
    with pytest.raises(treadle.PhotoError, match="pixels"):
        treadle.read_image(tmp_path / "large.png", max_pixels=10)
    with pytest.raises(treadle.LaunchError, match="1 to 4 channels"):
        treadle.write_image(tmp_path / "a.png", np.zeros((3, 3, 5), np.uint8))
    with pytest.raises(treadle.LaunchError, match=r"path: expected a file's name, got ndarray"):
        treadle.write_image(RGB, tmp_path / "a.png")
    with pytest.raises(treadle.LaunchError, match="a file's name; read_image reads it"):
        treadle.write_image(tmp_path / "a.png", tmp_path / "large.png")
    with pytest.raises(treadle.LaunchError, match="int64"):
        treadle.write_image(tmp_path / "a.png", np.zeros((3, 3), np.int64))
    with pytest.raises(treadle.PhotoError, match="format"):
        treadle.write_image(tmp_path / "a.xyz", RGB)
    with pytest.raises(treadle.PhotoError, match=r"a\.png: cannot be written: No such file"):
        treadle.write_image(tmp_path / "nowhere" / "a.png", RGB)
    with pytest.raises(treadle.PhotoError, match="transparency"):
        treadle.write_image(tmp_path / "a.jpg", np.zeros((3, 3, 4), np.uint8))


BLUR = {"stage": [{"kernel": "blur", "radius": 2}, {"kernel": "flip"}]}


def by_ops(image):
    with treadle.use_device("cpu"):
        return ops.flip(ops.gaussian_blur(image, radius=2)).to_numpy()


def test_a_recipe_is_a_function():
    run = treadle.recipe(BLUR, device="cpu")
    np.testing.assert_array_equal(run(RGB), by_ops(RGB))
    np.testing.assert_array_equal(run(RGB), by_ops(RGB))  # from the plan that is there
    assert run(RGB[:, :, 0]).shape == (12, 10)
    assert "flip" in repr(run)


def test_a_recipe_takes_buffers_floats_sixteen_bits_and_alpha():
    run = treadle.recipe(BLUR, device="cpu")
    floats = (RGB / 255).astype(np.float32)
    np.testing.assert_allclose(run(floats), by_ops(floats), atol=1e-6)
    np.testing.assert_array_equal(run(treadle.device("cpu").buffer(RGB)), run(RGB))
    wide = RGB.astype(np.uint16) * 257
    assert run(wide).dtype == np.uint16
    np.testing.assert_allclose(run(wide) / 257, run(floats) * 255, atol=0.01)
    both = np.concatenate([RGB, RGB[:, :, :1]], axis=2)
    np.testing.assert_array_equal(run(both)[:, :, 3], RGB[:, ::-1, 0])


def test_a_recipe_comes_from_a_file_or_a_name(tmp_path):
    path = tmp_path / "soft.toml"
    path.write_text('[[stage]]\nkernel = "blur"\nradius = 2\n[[stage]]\nkernel = "flip"\n')
    np.testing.assert_array_equal(treadle.recipe(path, device="cpu")(RGB), by_ops(RGB))
    assert treadle.recipe("thumbnail", device="cpu").name


@pytest.mark.parametrize(
    "given, says",
    [
        ({}, "expected a list of mappings"),
        ({"stage": []}, "at least one"),
        ({"stage": ["blur"]}, "expected a list of mappings"),
        ({"stage": [{"kernel": "blurr"}]}, "did you mean 'blur'"),
        ({"stage": [{"kernel": "blur", "radius": "3"}]}, "whole number"),
        ("absent", "no recipe has this name"),
    ],
)
def test_a_recipe_that_is_wrong_is_refused(given, says):
    with pytest.raises(treadle.RecipeError, match=says):
        treadle.recipe(given, device="cpu")


def test_a_recipe_that_does_not_fit_says_why():
    cut = treadle.recipe({"stage": [{"kernel": "crop", "width": 64}]}, device="cpu")
    with pytest.raises(treadle.RecipeError, match="does not fit"):
        cut(RGB)
