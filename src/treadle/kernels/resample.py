"""Changing the size of images: tables of weights made here, applied row by row and column by
column.

In: images and a size. Out: images of that size. The centres of pixels are at half coordinates, so
that both images cover the same area (OpenCV's and Pillow's convention). The weights are computed
in f64."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from treadle.errors import LaunchError
from treadle.ir.sizes import of_sizes
from treadle.kernels.alpha import has_alpha, seen, straight
from treadle.kernels.blend import scaled as share_of
from treadle.kernels.check import FLAG, IMAGES, choice, numbers, require_image, size_of, whole
from treadle.kernels.shape import copied
from treadle.lang.composite import constant, foretold
from treadle.lang.decorators import composite, function, kernel

__all__ = ["taps"]

METHODS = ("nearest", "bilinear", "bicubic", "area")
MAX_SIDE = 1 << 16
FEW = 8  # weights of a pixel that are spelt out; more are a loop, which serves all sizes
BLOCK = (2**31 - 1) // 255  # pixels whose bytes can be added up in s32
SIZE = f"(height, width) or one number for both, whole, 1 to {MAX_SIDE}"
SCALED = "that of image with the height and width of size"


def triangle(x):
    """The weights of linear interpolation."""
    return np.maximum(1.0 - np.abs(x), 0.0)


def cubic(x, a):
    """Keys' cubic convolution, 1981, with parameter a."""
    x = np.abs(x)
    near = ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    far = ((x - 5.0) * x + 8.0) * x * a - 4.0 * a
    return np.where(x <= 1.0, near, np.where(x < 2.0, far, 0.0))


def shares(source, target):
    """How much of each source pixel lies under each target pixel: first pixels, and shares."""
    edges = np.arange(target + 1) * (source / target)
    low, high = edges[:-1, None], edges[1:, None]
    first = np.floor(edges[:-1] + 1e-9).astype(np.int64)
    count = int((np.ceil(edges[1:] - 1e-9).astype(np.int64) - first).max(initial=1))
    at = first[:, None] + np.arange(count)
    return first, np.clip(np.minimum(at + 1, high) - np.maximum(at, low), 0.0, None)


def filtered(source, target, method, antialias):
    """First pixels and weights of a filter, as wide as its target pixels where it is
    antialiased."""
    scale = source / target
    stretch = max(scale, 1.0) if antialias else 1.0
    reach = stretch * (2.0 if method == "bicubic" else 1.0)
    centre = (np.arange(target) + 0.5) * scale - 0.5
    count = 2 * math.ceil(reach) + (1 if stretch > 1.0 else 0)
    first = np.floor(centre - reach).astype(np.int64) + 1
    at = first[:, None] + np.arange(count) - centre[:, None]
    if stretch != 1.0:
        at /= stretch
    # OpenCV's a without antialiasing, Pillow's with it.
    weights = cubic(at, -0.5 if antialias else -0.75) if method == "bicubic" else triangle(at)
    if antialias:  # as Pillow: what lies outside does not count
        outside = (first[:, None] + np.arange(count) < 0) | (
            first[:, None] + np.arange(count) >= source
        )
        weights = np.where(outside, 0.0, weights)
    return first, weights


def held(index, last):
    """Indices between 0 and the last one; np.clip takes longer than all else."""
    return np.maximum(np.minimum(index, last), 0)


@of_sizes
@lru_cache(maxsize=64)
def taps(source, target, method, antialias):
    """The first source pixel of each target pixel (s32), and its weights (f32, one row for
    each)."""
    if method == "nearest":
        first = (2 * np.arange(target) + 1) * source // (2 * target)
        return first.astype(np.int32), np.ones((target, 1), np.float32)
    first, weights = (
        shares(source, target) if method == "area" else filtered(source, target, method, antialias)
    )
    weights /= np.add.reduce(weights, 1, keepdims=True)  # `sum` is this, through a wrapper
    if first[0] >= 0 and first[-1] + weights.shape[1] <= source:  # as in most smaller images
        return first.astype(np.int32), weights.astype(np.float32)
    # Beyond the edge the last pixel repeats: add those weights to it, so that all reads are inside.
    count = min(weights.shape[1], source)
    start = held(first, source - count)
    at = first + np.arange(weights.shape[1])[:, None]
    position = held(held(at, source - 1) - start, count - 1)
    cells = (np.arange(target) * count + position).ravel()
    folded = np.bincount(cells, weights.T.ravel(), target * count).reshape(target, count)
    return start.astype(np.int32), folded.astype(np.float32)


@of_sizes
def plain_mean(source, target, method, antialias):
    """Step, first source pixel and count where every target pixel is the plain mean of so many
    source pixels, as when a size is divided by a whole number; else None."""
    if method == "nearest" or source % target:
        return None
    first, weights = (
        shares(source, target) if method == "area" else filtered(source, target, method, antialias)
    )
    used = np.flatnonzero(weights[0])
    first, weights = first + used[0], weights[:, used]
    step = source // target
    even = (weights == weights[0, 0]).all() and (np.diff(first) == step).all()
    inside = first[0] >= 0 and first[-1] + len(used) <= source
    return (step, int(first[0]), len(used)) if even and inside else None


@function
def row_of(at, image):
    """Which axis of the image counts rows."""
    return 1 if image.ndim == 4 else 0


@function
def part(pixel, weight, finite):
    """A pixel's share; a weight of 0 leaves nothing of what may be infinite."""
    return weight * pixel if finite else share_of(pixel, weight)


@kernel(
    static=("height", "width"),
    dtype="image",
    shape=lambda image, height, width: resized_shape(image, height, width),
    name="_pick_pixels",
)
def pick_pixels(at, image, rows, columns, *, height, width):
    """The pixel at a row and a column from tables."""
    n = row_of(at, image)
    return image[(*at[:n], rows[at[n]], columns[at[n + 1]], *at[n + 2 :])]


@kernel(
    static=("width", "taps", "finite", "weighed"),
    shape=lambda image, width: resized_shape(image, size_of(image)[0], width),
    name="_weigh_columns",
    results="float",
)
def weigh_columns(at, image, first, weights, *, width, taps, finite, weighed):
    """A weighted sum along a row."""
    n = row_of(at, image)
    x = at[n + 1]
    acc = 0.0
    for k in range(taps):
        pixel = seen(image, (*at[: n + 1], first[x] + k, *at[n + 2 :]), weighed)
        acc += part(pixel, weights[x, k], finite)
    return acc


@kernel(
    static=("height", "taps", "finite", "weighed"),
    shape=lambda image, height: resized_shape(image, height, size_of(image)[1]),
    name="_weigh_rows",
    results="float",
)
def weigh_rows(at, image, first, weights, *, height, taps, finite, weighed):
    """A weighted sum along a column."""
    n = row_of(at, image)
    y = at[n]
    acc = 0.0
    for k in range(taps):
        pixel = seen(image, (*at[:n], first[y] + k, *at[n + 1 :]), weighed)
        acc += part(pixel, weights[y, k], finite)
    return acc


@kernel(
    static=("width", "finite", "weighed"),
    shape=lambda image, width: resized_shape(image, size_of(image)[0], width),
    name="_weigh_many_columns",
    results="float",
)
def weigh_many_columns(at, image, first, weights, *, width, finite, weighed):
    """The same for any number of taps, so that one kernel serves all sizes of large images."""
    n = row_of(at, image)
    x = at[n + 1]
    acc = 0.0
    for k in range(weights.shape[1]):
        pixel = seen(image, (*at[: n + 1], first[x] + k, *at[n + 2 :]), weighed)
        acc += part(pixel, weights[x, k], finite)
    return acc


@kernel(
    static=("height", "finite", "weighed"),
    shape=lambda image, height: resized_shape(image, height, size_of(image)[1]),
    name="_weigh_many_rows",
    results="float",
)
def weigh_many_rows(at, image, first, weights, *, height, finite, weighed):
    """The same for any number of taps."""
    n = row_of(at, image)
    y = at[n]
    acc = 0.0
    for k in range(weights.shape[1]):
        pixel = seen(image, (*at[:n], first[y] + k, *at[n + 1 :]), weighed)
        acc += part(pixel, weights[y, k], finite)
    return acc


@kernel(
    static=("height", "width", "taps", "finite", "weighed"),
    shape=lambda image, height, width: resized_shape(image, height, width),
    name="_weigh_both",
    results="float",
)
def weigh_both(
    at, image, rows, row_weights, columns, column_weights, *, height, width, taps, finite, weighed
):
    """Both sums at once, which needs no image in between; for few taps (rows, columns) only."""
    n = row_of(at, image)
    y, x = at[n], at[n + 1]
    acc = 0.0
    for j in range(taps[0]):
        line = 0.0
        for k in range(taps[1]):
            place = (*at[:n], rows[y] + j, columns[x] + k, *at[n + 2 :])
            line += part(seen(image, place, weighed), column_weights[x, k], finite)
        acc += part(line, row_weights[y, j], finite)
    return acc


@kernel(
    static=("height", "width", "steps", "firsts", "counts", "weighed"),
    shape=lambda image, height, width: resized_shape(image, height, width),
    name="_mean_of_blocks",
    results="float",
)
def mean_of_blocks(at, image, *, height, width, steps, firsts, counts, weighed):
    """The mean of a block of pixels; pairs are of rows and columns. Sums of u8 are exact."""
    n = row_of(at, image)
    y, x = steps[0] * at[n] + firsts[0], steps[1] * at[n + 1] + firsts[1]
    total = 0
    for j in range(counts[0]):
        for k in range(counts[1]):
            total += seen(image, (*at[:n], y + j, x + k, *at[n + 2 :]), weighed)
    return total * (1.0 / (counts[0] * counts[1]))


def resized_shape(image, height, width):
    """The shape of an image with another height and width."""
    n = 1 if len(image.shape) == 4 else 0
    return (*image.shape[:n], height, width, *image.shape[n + 2 :])


def target_size(what, size):
    """Height and width from a pair, or from one number for both."""
    pair = size if isinstance(size, tuple) else (size, size)
    if len(pair) != 2:
        raise LaunchError(f"{what}: size must be (height, width), got {size!r}")
    return tuple(whole(what, "size", side, 1, MAX_SIDE) for side in pair)


def scaled(what, image, height, width, method, antialias, premultiply):
    """Record what changes an image's size, with colours weighed by alpha where there is one."""
    choice(what, "method", method, METHODS)
    if 0 in size_of(image):
        raise LaunchError(f"{what}: image has no pixels, got shape {image.shape}")
    sides = list(zip(size_of(image), (height, width), strict=True))
    if all(old == new for old, new in sides):
        return copied(image)
    first = 1 if image.ndim == 4 else 0
    told = foretold(image, (*image.shape[:first], height, width, *image.shape[first + 2 :]))
    if told is not None:
        return told
    if method == "nearest":
        tables = (taps(old, new, method, False)[0] for old, new in sides)
        return pick_pixels(image, *map(constant, tables), height=height, width=width)
    if not (premultiply and has_alpha(image)):
        return weighted_sums(image, height, width, method, antialias, False)
    return straight(weighted_sums(image, height, width, method, antialias, True))


def weighted_sums(image, height, width, method, antialias, weighed):
    """Record the passes over rows and columns: down the columns first, which reads whole rows, so
    that a device can keep the row between the two passes near. Where few columns are left, most of
    that row would be computed for nothing: then both at once."""
    finite = image.dtype == "u8"
    old_height, old_width = size_of(image)
    columns = taps(old_width, width, method, bool(antialias))
    rows = taps(old_height, height, method, bool(antialias))
    means = (
        plain_mean(old_height, height, method, bool(antialias)),
        plain_mean(old_width, width, method, bool(antialias)),
    )
    if None not in means:
        names = ("steps", "firsts", "counts")
        found = dict(zip(names, zip(*means, strict=True), strict=True))
        if math.prod(found["counts"]) <= (BLOCK // 255 if weighed else BLOCK):
            return mean_of_blocks(image, height=height, width=width, weighed=weighed, **found)
    counts = (rows[1].shape[1], columns[1].shape[1])
    options = {"finite": finite, "weighed": weighed}
    if max(counts) <= 2 and 2 * width <= old_width:
        tables = [constant(table) for table in (*rows, *columns)]
        return weigh_both(image, *tables, height=height, width=width, taps=counts, **options)
    if old_height != height:
        tables = [constant(table) for table in rows]
        if counts[0] > FEW:
            image = weigh_many_rows(image, *tables, height=height, **options)
        else:
            image = weigh_rows(image, *tables, height=height, taps=counts[0], **options)
        options["weighed"] = False
    if old_width != width:
        tables = [constant(table) for table in columns]
        if counts[1] > FEW:
            image = weigh_many_columns(image, *tables, width=width, **options)
        else:
            image = weigh_columns(image, *tables, width=width, taps=counts[1], **options)
    return image


@composite(
    dtype="image",
    ranges={"size": SIZE, "method": METHODS, "antialias": FLAG, "premultiply": FLAG},
    takes=IMAGES,
    gives=SCALED,
)
def resize(image, *, size, method="bilinear", antialias=False, premultiply=True):
    """Change the size of an image to size = (height, width), or one number for both, 1 to 65536.

    method is 'nearest' (the pixel under the centre), 'bilinear', 'bicubic' (Keys, a = -0.75) or
    'area' (the mean of what each pixel covers). Without antialias, bilinear and bicubic read the
    2 or 4 nearest pixels in each direction, as OpenCV does; with it the filter widens when the
    image shrinks, a is -0.5, and the result is Pillow's. Beyond the border the nearest pixel
    repeats. u8 rounds once, at the end. Colours are weighed by alpha (the last of two or four
    channels), as Pillow does, so that what is transparent leaves no fringe; premultiply=False
    treats all channels alike. A size that is the image's own changes nothing."""
    require_image(image, "resize")
    height, width = target_size("resize", size)
    return scaled("resize", image, height, width, method, antialias, premultiply)


@composite(
    dtype="image",
    ranges={"size": SIZE, "method": METHODS, "antialias": FLAG, "premultiply": FLAG},
    takes=IMAGES,
    gives=SCALED,
)
def bicubic_scale(image, *, size, method="bicubic", antialias=False, premultiply=True):
    """Change the size of an image as resize does, bicubic unless another method is asked for."""
    require_image(image, "bicubic_scale")
    height, width = target_size("bicubic_scale", size)
    return scaled("bicubic_scale", image, height, width, method, antialias, premultiply)


def planes_shape(image, channels, layout):
    """The shape of an image as a model's input."""
    n = image.shape[0] if len(image.shape) == 4 else 1
    first = 1 if len(image.shape) == 4 else 0
    height, width = image.shape[first : first + 2]
    batch = () if layout in ("chw", "hwc") else (n,)
    pixel = (height, width)
    return (*batch, channels, *pixel) if layout.endswith("chw") else (*batch, *pixel, channels)


@kernel(static=("channels", "layout"), dtype="f32", shape=planes_shape, name="_model_planes")
def planes(at, image, factors, *, channels, layout):
    """Channel by channel x * factor + offset, in the layout that a model wants."""
    n = 1 if len(at) == 4 else 0
    c, y, x = at[n:] if layout == "chw" or layout == "nchw" else (at[n + 2], at[n], at[n + 1])
    lead = at[:n] if image.ndim == 4 else ()
    value = image[y, x] if image.ndim == 2 else image[(*lead, y, x, c)]
    return value * factors[0, c] + factors[1, c]


# Means and deviations of ImageNet, RGB from 0 to 1; of grey, their means.
IMAGENET = {3: ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)), 1: ((0.449,), (0.226,))}


@composite(
    dtype="f32",
    ranges={
        "size": f"{SIZE}, or None to keep it",
        "normalize": FLAG,
        "mean": "a finite number, one for each channel, or None for ImageNet's",
        "std": "a finite number above 0, one for each channel, or None for ImageNet's",
        "layout": ("nchw", "nhwc", "chw", "hwc"),
        "method": METHODS,
        "antialias": FLAG,
    },
    takes=IMAGES,
    gives="as layout says, with the image's batch, height and width and 1 or 3 channels; f32",
)
def preprocess(
    image,
    *,
    size=None,
    normalize=True,
    mean=None,
    std=None,
    layout="nchw",
    method="bilinear",
    antialias=True,
):
    """Make a model's input of an image: resize, scale to 0..1, normalise, reorder; f32 out.

    size = (height, width) or one number for both, None keeps it; method and antialias as in
    resize. u8 is divided by 255. With normalize each channel becomes (x - mean) / std; mean and
    std are one number or one for each channel, and default to ImageNet's. layout is 'nchw',
    'nhwc' (one image becomes a batch of one), 'chw' or 'hwc' (one image only). An alpha channel
    is dropped."""
    require_image(image, "preprocess", channels="any")
    choice("preprocess", "layout", layout, ("nchw", "nhwc", "chw", "hwc"))
    if image.ndim == 4 and len(layout) == 3:
        raise LaunchError(
            f"preprocess: layout {layout!r} is for one image, got shape {image.shape}"
        )
    channels = 3 if image.ndim > 2 and image.shape[-1] > 2 else 1
    usual_mean, usual_std = IMAGENET[channels]
    means = numbers("preprocess", "mean", usual_mean if mean is None else mean, channels)
    stds = numbers("preprocess", "std", usual_std if std is None else std, channels)
    if min(stds) <= 0:
        raise LaunchError(f"preprocess: std must be above 0, got {std!r}")
    if not normalize:
        means, stds = (0.0,) * channels, (1.0,) * channels
    peak = 255.0 if image.dtype == "u8" else 1.0
    factors = [[1 / (s * peak) for s in stds], [-m / s for m, s in zip(means, stds, strict=True)]]
    if size is not None:
        height, width = target_size("preprocess", size)
        image = scaled("preprocess", image, height, width, method, antialias, False)
    return planes(image, constant(factors, "f32"), channels=channels, layout=layout)
