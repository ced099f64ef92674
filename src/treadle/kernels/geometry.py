"""Moving pixels: cutting, turning, warping, and laying one image over another.

Images are HxW, HxWxC or NxHxWxC, u8 or float; x counts columns to the right, y rows downwards."""

from __future__ import annotations

from treadle.errors import LaunchError
from treadle.kernels.alpha import has_alpha, is_alpha
from treadle.kernels.blend import blend, scaled
from treadle.kernels.check import FLAG, IMAGES, choice, numbers, require_image, size_of, whole
from treadle.kernels.resample import SIZE, resized_shape, row_of, target_size
from treadle.lang.decorators import composite, function, kernel

__all__: list[str] = []


@kernel(
    static=("height", "width"),
    dtype="image",
    shape=lambda image, height, width: resized_shape(image, height, width),
    routine="cut",
    name="_cut",
)
def cut(at, image, *, x, y, height, width):
    """A rectangle of an image."""
    n = row_of(at, image)
    return image[(*at[:n], at[n] + y, at[n + 1] + x, *at[n + 2 :])]


@composite(
    dtype="image",
    ranges={
        "x": "a whole number from 0 to the image's width",
        "y": "a whole number from 0 to the image's height",
        "width": "a whole number from 0 to what is right of x, or None for all of it",
        "height": "a whole number from 0 to what is below y, or None for all of it",
    },
    takes=IMAGES,
    gives="that of image with height x width",
)
def crop(image, *, x=0, y=0, width=None, height=None):
    """Cut out the rectangle whose top left pixel is (x, y); by default all that is right of and
    below it. It must lie inside the image."""
    require_image(image, "crop")
    rows, columns = size_of(image)
    x = whole("crop", "x", x, 0, columns)
    y = whole("crop", "y", y, 0, rows)
    width = columns - x if width is None else whole("crop", "width", width, 0, columns - x)
    height = rows - y if height is None else whole("crop", "height", height, 0, rows - y)
    return cut(image, x=x, y=y, height=height, width=width)


def flipped_shape(image, direction):
    """The shape of the image, once both are known to be right."""
    require_image(image, "flip")
    choice("flip", "direction", direction, ("horizontal", "vertical", "both"))
    return image.shape


@kernel(
    dtype="image",
    shape=flipped_shape,
    ranges={"direction": ("horizontal", "vertical", "both")},
    takes=IMAGES,
    gives="that of image",
)
def flip(at, image, *, direction="horizontal"):
    """Mirror left to right ('horizontal'), top to bottom ('vertical') or 'both'."""
    n = row_of(at, image)
    y, x = at[n], at[n + 1]
    x = at.shape[n + 1] - 1 - x if direction == "horizontal" or direction == "both" else x
    y = at.shape[n] - 1 - y if direction == "vertical" or direction == "both" else y
    return image[(*at[:n], y, x, *at[n + 2 :])]


@kernel(
    static=("turns",),
    dtype="image",
    shape=lambda image, turns: resized_shape(image, *size_of(image)[:: -1 if turns % 2 else 1]),
    name="_turned",
)
def turned(at, image, *, turns):
    """An image turned by quarters, counter-clockwise."""
    n = row_of(at, image)
    y, x = at[n], at[n + 1]
    if turns == 1:
        y, x = x, image.shape[n + 1] - 1 - y
    if turns == 2:
        y, x = image.shape[n] - 1 - y, image.shape[n + 1] - 1 - x
    if turns == 3:
        y, x = image.shape[n] - 1 - x, y
    return image[(*at[:n], y, x, *at[n + 2 :])]


@composite(
    dtype="image",
    ranges={"turns": (-(2**31), 2**31 - 1)},
    takes=IMAGES,
    gives="that of image, height and width changing places for odd turns",
)
def rotate90(image, *, turns=1):
    """Turn by `turns` quarters counter-clockwise, as np.rot90 does; negative ones turn
    clockwise."""
    require_image(image, "rotate90")
    return turned(image, turns=whole("rotate90", "turns", turns, -(2**31), 2**31 - 1) % 4)


@function
def pixel_at(image, at, n, y, x, border, value):
    """A pixel, or `value` outside a constant border."""
    found = image[(*at[:n], y, x, *at[n + 2 :])]
    if border == "replicate":
        return found
    inside = y >= 0 and y < image.shape[n] and x >= 0 and x < image.shape[n + 1]
    return found if inside else value


@kernel(
    static=("height", "width"),
    dtype="image",
    shape=lambda image, height, width: resized_shape(image, height, width),
    name="_warp",
)
def warp(
    at, image, *, height, width, a, b, c, d, e, f, value, method="bilinear", border="replicate",
    weighed=False
):  # fmt: skip
    """The image at (a x + b y + c, d x + e y + f), between its pixels, whose colours are weighed by
    their alpha or not."""
    n = row_of(at, image)
    y, x = float(at[n]), float(at[n + 1])
    source_x = a * x + b * y + c
    source_y = d * x + e * y + f
    if method == "nearest":
        row, column = int(floor(source_y + 0.5)), int(floor(source_x + 0.5))
        return pixel_at(image, at, n, row, column, border, value)
    top, left = floor(source_y), floor(source_x)
    down, right = source_y - top, source_x - left
    i, j = int(top), int(left)
    p00 = pixel_at(image, at, n, i, j, border, value)
    p01 = pixel_at(image, at, n, i, j + 1, border, value)
    p10 = pixel_at(image, at, n, i + 1, j, border, value)
    p11 = pixel_at(image, at, n, i + 1, j + 1, border, value)
    if not weighed:
        return blend(blend(p00, p01, right), blend(p10, p11, right), down)
    there = (*at[:-1], image.shape[image.ndim - 1] - 1)
    a00 = pixel_at(image, there, n, i, j, border, value)
    a01 = pixel_at(image, there, n, i, j + 1, border, value)
    a10 = pixel_at(image, there, n, i + 1, j, border, value)
    a11 = pixel_at(image, there, n, i + 1, j + 1, border, value)
    alpha = blend(blend(a00, a01, right), blend(a10, a11, right), down)
    upper = blend(scaled(p00, a00), scaled(p01, a01), right)
    lower = blend(scaled(p10, a10), scaled(p11, a11), right)
    colour = blend(upper, lower, down) / alpha if alpha > 0 else 0.0
    colour = p00 if right == 0 and down == 0 else colour
    return alpha if is_alpha(at, image) else colour


def inverted(matrix):
    """The inverse of an affine map given as two rows of three."""
    a, b, c, d, e, f = matrix
    determinant = a * e - b * d
    if abs(determinant) < 1e-12 * max(abs(a), abs(b), abs(d), abs(e), 1e-300) ** 2:
        raise LaunchError(f"warp_affine: matrix must be invertible, got {matrix}")
    a, b, d, e = e / determinant, -b / determinant, -d / determinant, a / determinant
    return a, b, -a * c - b * f, d, e, -d * c - e * f


@composite(
    dtype="image",
    ranges={
        "matrix": "two rows of three finite numbers that can be inverted",
        "size": f"{SIZE}, or None for the image's",
        "method": ("bilinear", "nearest"),
        "border": ("replicate", "constant"),
        "value": "a finite number",
        "inverse": FLAG,
        "premultiply": FLAG,
    },
    takes=IMAGES,
    gives="that of image with the height and width of size",
)
def warp_affine(
    image,
    *,
    matrix,
    size=None,
    method="bilinear",
    border="replicate",
    value=0.0,
    inverse=False,
    premultiply=True,
):
    """Move each pixel (x, y) to (a x + b y + c, d x + e y + f), matrix = ((a, b, c), (d, e, f)).

    As cv2.warpAffine: the centres of pixels are at whole coordinates, and the matrix maps the
    image to the output unless `inverse` says that it maps back. size = (height, width) of the
    output, by default the image's; method is 'bilinear' or 'nearest'; beyond the border the
    nearest pixel repeats ('replicate') or all is `value` ('constant'). Positions are exact to
    f32, not in steps of 1/32. Colours are weighed by alpha (the last of two or four channels), as
    Pillow does, unless premultiply is False."""
    what = "warp_affine"
    require_image(image, what)
    choice(what, "method", method, ("bilinear", "nearest"))
    choice(what, "border", border, ("replicate", "constant"))
    rows = matrix if isinstance(matrix, tuple) else (matrix,)
    if len(rows) == 2 and all(isinstance(row, tuple) and len(row) == 3 for row in rows):
        rows = rows[0] + rows[1]
    found = numbers(what, "matrix, two rows of three,", rows, 6)
    (outside,) = numbers(what, "value", value, 1)
    height, width = size_of(image) if size is None else target_size(what, size)
    names = dict(zip("abcdef", found if inverse else inverted(found), strict=True))
    weighed = bool(premultiply) and has_alpha(image)
    return warp(
        image, height=height, width=width, value=outside, method=method, border=border,
        weighed=weighed, **names
    )  # fmt: skip


@kernel(dtype="base", shape=lambda base, top: base.shape, name="_overlay")
def overlaid(at, base, top, *, x, y, alpha):
    """The element of base under top, where top lies."""
    n = row_of(at, base)
    m = row_of(at, top)
    row, column = at[n] - y, at[n + 1] - x
    under = base[at]
    channel = at[len(at) - 1] if base.ndim > 2 else 0
    lead = at[:n] if m == 1 else ()
    if top.ndim == 2:
        over = top[row, column]
        share = alpha
    else:
        count = top.shape[top.ndim - 1]
        colours = count - 1 if count % 2 == 0 else count
        over = top[(*lead, row, column, min(channel, colours - 1))]
        peak = 255.0 if top.dtype == "u8" else 1.0
        share = (
            alpha * (top[(*lead, row, column, count - 1)] * (1.0 / peak))
            if count % 2 == 0
            else alpha
        )
    covered = row >= 0 and row < top.shape[m] and column >= 0 and column < top.shape[m + 1]
    share = share if covered else 0.0
    if base.ndim == 2 or base.shape[base.ndim - 1] % 2 == 1:
        return blend(under, over, share)
    full = 255.0 if base.dtype == "u8" else 1.0
    whole = base[(*at[:-1], base.shape[base.ndim - 1] - 1)] * (1.0 / full)
    below = scaled(whole, 1.0 - share)
    union = share + below
    mixed = (share * over + below * under) / union
    mixed = under if share == 0 else (over if below == 0 else mixed)
    return union * full if is_alpha(at, base) else mixed


@composite(
    dtype="base",
    ranges={"x": (-(1 << 24), 1 << 24), "y": (-(1 << 24), 1 << 24), "alpha": (0.0, 1.0)},
    takes=IMAGES,
    gives="that of base",
)
def overlay_alpha(base, top, *, x=0, y=0, alpha=1.0):
    """Lay an image over another with its top left pixel at (x, y): Porter and Duff's `over`,
    1984.

    a = alpha * (alpha of top, or 1); without alpha in base the result is a * top + (1 - a) *
    base. With it, the result's alpha is A = a + b (1 - a), b being base's, and its colour (a *
    top + b (1 - a) * base) / A; alpha is not premultiplied. What lies outside base is cut off.
    top is grey or has base's colours, with or without alpha, and base's dtype; one top serves a
    batch."""
    require_image(base, "overlay_alpha", channels="any", name="base")
    require_image(top, "overlay_alpha", channels="any", name="top")
    x = whole("overlay_alpha", "x", x, -(1 << 24), 1 << 24)
    y = whole("overlay_alpha", "y", y, -(1 << 24), 1 << 24)
    colours = [1 if h.ndim == 2 or h.shape[-1] < 3 else 3 for h in (base, top)]
    batches = [h.shape[0] if h.ndim == 4 else 1 for h in (base, top)]
    if colours[1] > colours[0] or base.dtype != top.dtype or batches[1] not in (1, batches[0]):
        raise LaunchError(
            "overlay_alpha: top must have base's dtype, its colours or grey, and its batch or one "
            f"image, got {top.dtype} {top.shape} over {base.dtype} {base.shape}"
        )
    return overlaid(base, top, x=x, y=y, alpha=float(alpha))


@kernel(dtype="a", shape=lambda a, b: a.shape, name="_mix_images")
def mixed_images(at, a, b, *, ratio, mode="dissolve"):
    """One element of two images, mixed."""
    peak = 255.0 if a.dtype == "u8" else 1.0
    x, y = a[at], b[at]
    if mode == "add":
        return x + scaled(y, ratio)
    if mode == "multiply":
        y = x * y * (1.0 / peak)
    if mode == "screen":
        y = x + y - x * y * (1.0 / peak)
    return blend(x, y, ratio)


@composite(
    dtype="a",
    ranges={"mode": ("dissolve", "add", "multiply", "screen"), "ratio": (0.0, 1.0)},
    takes=IMAGES,
    gives="that of a",
)
def video_mix(a, b, *, mode="dissolve", ratio=0.5):
    """Mix two images of the same shape and dtype, all channels alike; ratio is 0 (only a) to 1.

    'dissolve': a + ratio (b - a); 'add': a + ratio b; 'multiply' and 'screen': a + ratio (m - a), m
    being a b and a + b - a b with values from 0 to 1. u8 saturates; floats may leave 0..1."""
    require_image(a, "video_mix", name="a")
    choice("video_mix", "mode", mode, ("dissolve", "add", "multiply", "screen"))
    if a.shape != b.shape or a.dtype != b.dtype:
        raise LaunchError(
            f"video_mix: b must be like a, got {a.dtype} {a.shape} and {b.dtype} {b.shape}"
        )
    return mixed_images(a, b, ratio=float(ratio), mode=mode)
