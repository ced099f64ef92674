"""Colour: what changes each pixel on its own.

Images are HxW, HxWxC or NxHxWxC, u8 (0..255) or float (0..1); channels are grey, grey and alpha,
RGB or RGBA, and alpha is not premultiplied. Parameters that are colours or shares of the range
count from 0 to 1, whatever the image's type. Alpha is kept unless a kernel says otherwise."""

from __future__ import annotations

from treadle.errors import LaunchError
from treadle.kernels.alpha import is_alpha
from treadle.kernels.blend import blend, scaled
from treadle.kernels.check import IMAGES, choice, image_like, numbers, require_image, size_of, whole
from treadle.kernels.cube import load_cube
from treadle.kernels.reduce import reduce_sum
from treadle.lang.composite import constant
from treadle.lang.decorators import composite, function, kernel

__all__: list[str] = []

# Rows give R, G and B; the usual approximation of a toned print.
SEPIA = ((0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131))

# The shares of R and B in luma: ITU-R BT.601-7 and BT.709-6.
LUMA = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}


def one_channel(image):
    """The shape of an image without its channels."""
    require_image(image, "grayscale", channels="any")
    return image.shape if len(image.shape) == 2 else image.shape[:-1]


@kernel(shape=one_channel, dtype="image", takes=IMAGES, gives="that of image without channels")
def grayscale(at, image):
    """Luma of BT.601: 0.299 R + 0.587 G + 0.114 B. Alpha is dropped; one or two channels give the
    first."""
    if image.ndim == 2:
        return image[at]
    if image.shape[image.ndim - 1] < 3:
        return image[(*at, 0)]
    return 0.299 * image[(*at, 0)] + 0.587 * image[(*at, 1)] + 0.114 * image[(*at, 2)]


@kernel(
    dtype="image",
    shape=image_like("brightness_contrast", channels="any"),
    ranges={"brightness": (-1.0, 1.0), "contrast": (0.0, 1e3)},
    takes=IMAGES,
    gives="that of image",
)
def brightness_contrast(at, image, *, brightness=0.0, contrast=1.0):
    """(x - middle) * contrast + middle + brightness * range.

    brightness is -1 to 1 and contrast 0 (flat grey) to 1000, 1 changing nothing; middle and range
    are 127.5 and 255 for u8, 0.5 and 1 for floats. u8 computes as f32, in this order."""
    value = image[at]
    if image.dtype == "u8":
        # In the order of the formula: what lies in the middle between two codes stays there.
        changed = ((value - 127.5) * contrast + 127.5) + brightness * 255.0
    else:
        # With a contrast of 1 the value itself, which 0.5 less and 0.5 more would round.
        changed = scaled(value, contrast) + (0.5 - 0.5 * contrast + brightness)
    return value if is_alpha(at, image) else changed


@kernel(
    dtype="image",
    shape=image_like("saturation", channels="any"),
    ranges={"amount": (0.0, 100.0)},
    takes=IMAGES,
    gives="that of image",
)
def saturation(at, image, *, amount=1.0):
    """luma + amount * (x - luma), with the luma of BT.601: 0 is grey, 1 changes nothing.

    amount is 0 to 100. Images of one or two channels have no colour and stay as they are."""
    if image.ndim == 2 or image.shape[image.ndim - 1] < 3:
        return image[at]
    luma = grayscale(at[:-1], image)
    value = image[at]
    return value if is_alpha(at, image) else blend(luma, value, amount)


@kernel(
    dtype="image",
    shape=image_like("sepia", channels="colour"),
    ranges={"amount": (0.0, 1.0)},
    takes=IMAGES,
    gives="that of image",
)
def sepia(at, image, *, amount=1.0):
    """The tone of an old print: x + amount * (toned - x), amount 0 to 1.

    toned R = 0.393 R + 0.769 G + 0.189 B, G = 0.349 R + 0.686 G + 0.168 B,
    B = 0.272 R + 0.534 G + 0.131 B; u8 saturates."""
    channel = at[len(at) - 1]
    r, g, b = SEPIA[0] if channel == 0 else (SEPIA[1] if channel == 1 else SEPIA[2])
    pixel = at[:-1]
    toned = r * image[(*pixel, 0)] + g * image[(*pixel, 1)] + b * image[(*pixel, 2)]
    value = image[at]
    return value if is_alpha(at, image) else blend(value, toned, amount)


@kernel(
    dtype="image",
    shape=image_like("vignette", channels="any"),
    ranges={"amount": (0.0, 1.0), "radius": (0.0, 1.0), "softness": (1e-3, 10.0)},
    takes=IMAGES,
    gives="that of image",
)
def vignette(at, image, *, amount=0.5, radius=0.4, softness=0.6):
    """Darken towards the corners: x * (1 - amount * s(t)), t = (d - radius) / softness, cut to
    0..1.

    d is the distance from the centre, 1 in the corners; s(t) = t^2 (3 - 2 t). amount and radius
    are 0 to 1, softness 0.001 to 10."""
    n = 1 if len(at) == 4 else 0
    half_y = 0.5 * (at.shape[n] - 1)
    half_x = 0.5 * (at.shape[n + 1] - 1)
    dy = at[n] - half_y
    dx = at[n + 1] - half_x
    far = sqrt((dy * dy + dx * dx) / max(half_y * half_y + half_x * half_x, 1e-9))
    t = clamp((far - radius) / softness, 0.0, 1.0)
    value = image[at]
    light = 1.0 - amount * (t * t * (3.0 - 2.0 * t))
    darker = value * light if image.dtype == "u8" else scaled(value, light)
    return value if is_alpha(at, image) else darker


@kernel(dtype="image", shape=image_like("posterize", channels="any"), name="_posterize")
def nearest_tone(at, image, *, steps):
    """The nearest of steps + 1 values that are equally far apart, from black to white."""
    peak = 255.0 if image.dtype == "u8" else 1.0
    value = image[at]
    tone = floor(value * (steps / peak) + 0.5) * (peak / steps)
    return value if is_alpha(at, image) else tone


@composite(dtype="image", ranges={"levels": (2, 256)}, takes=IMAGES, gives="that of image")
def posterize(image, *, levels=4):
    """Leave `levels` values to each channel, 2 to 256: the nearest of as many from black to white.

    They are equally far apart. Alpha is kept."""
    require_image(image, "posterize", channels="any")
    steps = whole("posterize", "levels", levels, 2, 256) - 1
    return nearest_tone(image, steps=float(steps))


def keyed_shape(image):
    """The shape of an image with an alpha channel."""
    require_image(image, "chroma_key", channels="colour")
    return (*image.shape[:-1], 4)


@kernel(shape=keyed_shape, dtype="image", static=("red", "blue"), name="_chroma_key")
def keyed(at, image, *, red, blue, key_b, key_r, threshold, softness):
    """The pixel, with alpha from the distance of its chroma to the key's."""
    pixel = at[:-1]
    peak = 255.0 if image.dtype == "u8" else 1.0
    r, g, b = image[(*pixel, 0)], image[(*pixel, 1)], image[(*pixel, 2)]
    luma = red * r + (1.0 - red - blue) * g + blue * b
    cb = (b - luma) * (0.5 / (1.0 - blue) / peak) - key_b
    cr = (r - luma) * (0.5 / (1.0 - red) / peak) - key_r
    share = clamp((sqrt(cb * cb + cr * cr) - threshold) / softness, 0.0, 1.0)
    whole = image[(*pixel, 3)] if image.shape[image.ndim - 1] == 4 else peak
    channel = at[len(at) - 1]
    return scaled(whole, share) if channel == 3 else image[(*pixel, channel)]


@composite(
    dtype="image",
    ranges={
        "color": "three numbers from 0 to 1, or one for all",
        "threshold": (0.0, 1.0),
        "softness": (0.0, 1.0),
        "matrix": tuple(LUMA),
    },
    takes=IMAGES,
    gives="that of image with 4 channels",
)
def chroma_key(image, *, color=(0.0, 1.0, 0.0), threshold=0.2, softness=0.1, matrix="bt601"):
    """Make a colour transparent: RGB or RGBA in, RGBA out, colours unchanged.

    alpha = (D - threshold) / softness, cut to 0..1, times the alpha that was there. D is the
    distance between the pixel and `color` (three numbers, 0 to 1) in the plane of Cb and Cr of
    BT.601 or BT.709 (matrix), each from -0.5 to 0.5: brightness does not matter. threshold and
    softness are 0 to 1; a softness of 0 cuts hard."""
    require_image(image, "chroma_key", channels="colour")
    r, g, b = numbers("chroma_key", "color", color, 3, 0.0, 1.0)
    red, blue = LUMA[choice("chroma_key", "matrix", matrix, tuple(LUMA))]
    luma = red * r + (1 - red - blue) * g + blue * b
    return keyed(
        image,
        red=red,
        blue=blue,
        key_b=(b - luma) * 0.5 / (1 - blue),
        key_r=(r - luma) * 0.5 / (1 - red),
        threshold=float(threshold),
        softness=max(float(softness), 1e-6),
    )


def counts_shape(image, bins, groups):
    """The shape of the histograms of groups of rows."""
    lead = image.shape[:1] if len(image.shape) == 4 else ()
    return (*lead, groups, *(image.shape[-1:] if len(image.shape) > 2 else ()), bins)


@kernel(
    static=("bins", "groups"), dtype="s32", shape=counts_shape, routine="histogram", name="_count"
)
def counted(at, image, *, low, high, bins, groups):
    """How many values of a channel, in one group of rows, fall into this bin."""
    n = 1 if image.ndim == 4 else 0
    rows = image.shape[n]
    channel = at[n + 1 : len(at) - 1]
    hits = 0
    for y in range(at[n] * rows // groups, (at[n] + 1) * rows // groups):
        for x in range(image.shape[n + 1]):
            value = float(image[(*at[:n], y, x, *channel)])
            index = min(int(floor((value - low) * (bins / (high - low)))), bins - 1)
            hits += int(index == at[len(at) - 1] and value >= low and value <= high)
    return hits


@composite(
    dtype="s32",
    ranges={
        "bins": (1, 65536),
        "range": "(low, high), finite numbers with low < high, or None for the dtype's",
    },
    takes=IMAGES,
    gives="bins, C x bins or N x C x bins for images of 2, 3 and 4 axes; s32",
)
def histogram(image, *, bins=256, range=None):
    """Count values: `bins` s32 numbers (1 to 65536) for each channel and each image of a batch.

    The output is bins, C x bins or N x C x bins. range = (low, high), by default (0, 256) for u8
    and (0, 1) for floats; value x counts in bin floor((x - low) * bins / (high - low)), computed
    as f32, and high itself in the last one, as in np.histogram. What lies outside, and NaN, is
    not counted."""
    require_image(image, "histogram", channels="any")
    bins = whole("histogram", "bins", bins, 1, 65536)
    usual = (0.0, 256.0) if image.dtype == "u8" else (0.0, 1.0)
    low, high = numbers("histogram", "range", usual if range is None else range, 2)
    if low >= high:
        raise LaunchError(f"histogram: range must be (low, high) with low < high, got {range!r}")
    groups = max(1, min(32, size_of(image)[0]))
    parts = counted(image, low=low, high=high, bins=bins, groups=groups)
    return reduce_sum(parts, axis=1 if image.ndim == 4 else 0)


@function
def place(value, low, high, size):
    """A value as a position in a table: the cell below and the share of the one above."""
    at = clamp((value - low) / (high - low), 0.0, 1.0) * (size - 1)
    cell = min(int(at), size - 2)
    return cell, at - cell


@kernel(dtype="image", name="_lut_curve", shape=lambda image: image.shape)
def lut_curve(at, image, table, domain):
    """Each float through its channel's column of a table, linear between rows."""
    channel = at[len(at) - 1] if image.ndim > 2 else 0
    column = min(channel, table.shape[1] - 1)
    value = image[at]
    low, high = domain[0, min(channel, 2)], domain[1, min(channel, 2)]
    cell, part = place(value, low, high, table.shape[0])
    below, above = table[cell, column], table[cell + 1, column]
    return value if is_alpha(at, image) else blend(below, above, part)


@kernel(dtype="u8", shape=lambda table: (256, table.shape[1]), name="_lut_codes")
def lut_codes(at, table, domain):
    """A curve at each of the 256 codes."""
    code, column = at
    scale = 1.0 if table.dtype == "u8" else 255.0
    low, high = domain[0, min(column, 2)], domain[1, min(column, 2)]
    cell, part = place(code * (1.0 / 255.0), low, high, table.shape[0])
    below, above = table[cell, column], table[cell + 1, column]
    return blend(below, above, part) * scale


@kernel(dtype="image", name="_lut_pick", shape=lambda image: image.shape)
def lut_pick(at, image, codes):
    """Each u8 value through its column of 256 codes."""
    channel = at[len(at) - 1] if image.ndim > 2 and codes.shape[1] > 1 else 0
    value = image[at]
    return value if is_alpha(at, image) else codes[value, min(channel, codes.shape[1] - 1)]


@kernel(dtype="image", name="_lut_lattice", shape=lambda image: image.shape)
def lut_lattice(at, image, table, domain):
    """A colour through a lattice of blue x green x red x 3, linear in all three."""
    peak = 255.0 if image.dtype == "u8" else 1.0
    scale = 255.0 if at.dtype == "u8" and table.dtype != "u8" else 1.0
    pixel = at[:-1]
    channel = min(at[len(at) - 1], 2)
    r = image[(*pixel, 0)] * (1.0 / peak)
    g = image[(*pixel, 1)] * (1.0 / peak)
    b = image[(*pixel, 2)] * (1.0 / peak)
    ir, fr = place(r, domain[0, 0], domain[1, 0], table.shape[2])
    ig, fg = place(g, domain[0, 1], domain[1, 1], table.shape[1])
    ib, fb = place(b, domain[0, 2], domain[1, 2], table.shape[0])
    total = 0.0
    for k in range(8):
        dr, dg, db = k % 2, k // 2 % 2, k // 4
        weight = (fr if dr else 1.0 - fr) * (fg if dg else 1.0 - fg) * (fb if db else 1.0 - fb)
        total += scaled(table[ib + db, ig + dg, ir + dr, channel], weight)
    return image[at] if is_alpha(at, image) else total * scale


@composite(
    dtype="image",
    convert={"file": load_cube},
    ranges={"file": "the path of a .cube file, or None where a table is given"},
    takes=IMAGES,
    gives="that of image",
)
def lut_apply(image, table=None, *, file=None):
    """Send colours through a lookup table: a second input, or a .cube file by its path.

    A table is n x 1 or n x 3 (a curve for all channels, or one for each) or n x n x n x 3 (a
    lattice, indexed blue, green, red), n at least 2. Its first and last rows are for the ends of
    the range (a file may say otherwise with DOMAIN_MIN and DOMAIN_MAX), values beyond take the
    nearest; between rows it is linear in each axis (trilinear in a lattice). Tables of floats
    hold 0..1, tables of u8 0..255 and go with u8 images. Files are Adobe's Cube LUT 1.0: 1D to
    65536 rows, 3D to 129 a side; a changed file is read again. A lattice and three columns need
    RGB or RGBA."""
    require_image(image, "lut_apply", channels="any")
    if (table is None) == (file is None):
        raise LaunchError("lut_apply: give either a table as the second input, or file=, not both")
    domain = [(0.0,) * 3, (1.0,) * 3]
    if table is None:
        table = constant(file.table)
        domain = [file.low, file.high]
    shape = tuple(table.shape)
    lattice = len(shape) == 4
    if (
        not ((len(shape) == 2 and shape[1] in (1, 3)) or (lattice and shape[3] == 3))
        or shape[0] < 2
    ):
        raise LaunchError(
            "lut_apply: table must be n x 1, n x 3 or n x n x n x 3 with n of 2 or more, "
            f"got {shape}"
        )
    if min(shape[:-1]) < 2 or table.dtype not in ("u8", "f32", "f64"):
        raise LaunchError(
            f"lut_apply: table must have 2 or more rows of u8 or floats, got {table.dtype} {shape}"
        )
    if table.dtype == "u8" and image.dtype != "u8":
        raise LaunchError(f"lut_apply: a u8 table needs a u8 image, got {image.dtype}")
    if shape[-1] == 3:
        require_image(image, "lut_apply with a table of three columns", channels="colour")
    limits = constant(domain, "f32")
    if lattice:
        return lut_lattice(image, table, limits)
    if image.dtype == "u8":
        return lut_pick(image, lut_codes(table, limits))
    return lut_curve(image, table, limits)
