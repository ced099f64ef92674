"""Between RGB and the layouts of video: planar and semi-planar YUV with chroma of half the size.

A picture of H x W (both even) in 'yuv420p' (I420) or 'nv12' is one array of 3H/2 x W, as OpenCV
has it: H rows of Y, then U and V. In yuv420p U's H/2 x W/2 come first and V's after them, without
gaps; in nv12 each row holds U and V by turns. A leading axis is a batch. 'yuv444' is HxWx3, Y U V
by turns. Values are 8-bit codes; floats are codes / 255. Limited range is Y 16..235, U and V
16..240; full is 0..255."""

from __future__ import annotations

from treadle.errors import LaunchError
from treadle.kernels.blend import scaled
from treadle.kernels.check import IMAGES, choice, require_image
from treadle.kernels.colour import LUMA
from treadle.kernels.shape import concat
from treadle.lang.composite import constant, foretold
from treadle.lang.decorators import composite, function, kernel

__all__: list[str] = []

FORMATS = ("yuv420p", "nv12", "yuv444")
CODED = {"format": FORMATS, "matrix": tuple(LUMA), "range": ("limited", "full")}
RANGES = {"limited": (16.0, 219.0, 224.0), "full": (0.0, 255.0, 255.0)}


def matrices(matrix, range_, peak):
    """Three rows of R, G, B and an offset that give Y, U, V, and the inverse, for codes up to
    peak."""
    red, blue = LUMA[matrix]
    green = 1 - red - blue
    black, luma, chroma = RANGES[range_]
    scale = peak / 255.0
    u, v = chroma / (2 * (1 - blue)), chroma / (2 * (1 - red))
    forward = [
        [luma * red, luma * green, luma * blue, black * peak],
        [-u * red, -u * green, u * (1 - blue), 128 * peak],
        [v * (1 - red), -v * green, -v * blue, 128 * peak],
    ]
    encode = [[*(k / 255 for k in row[:3]), row[3] / 255] for row in forward]
    s, r, b = 255 / luma, 255 * 2 * (1 - red) / chroma, 255 * 2 * (1 - blue) / chroma
    rows = [(0.0, r), (-b * blue / green, -r * red / green), (b, 0.0)]
    decode = [[s, x, y, -(black * s + 128 * (x + y)) * scale] for x, y in rows]
    return encode, decode


@function
def chroma_at(planes, lead, y, x, height, width, which, semi):
    """The chroma sample of a 4:2:0 picture that belongs to pixel (y, x); which: 0 is U, 1 is V."""
    if semi:
        return planes[(*lead, height + y // 2, x // 2 * 2 + which)]
    row = y // 2 + which * (height // 2)
    return planes[(*lead, height + row // 2, row % 2 * (width // 2) + x // 2)]


def decoded_shape(planes, format):
    """The shape of the RGB image in a YUV one."""
    if format == "yuv444":
        return planes.shape
    return (*planes.shape[:-2], planes.shape[-2] // 3 * 2, planes.shape[-1], 3)


@kernel(dtype="planes", shape=decoded_shape, name="_decode_yuv")
def decode_yuv(at, planes, matrix, *, format="yuv420p"):
    """One channel of RGB from the YUV of its pixel."""
    channel = at[len(at) - 1]
    if format == "yuv444":
        pixel = at[:-1]
        luma, u, v = planes[(*pixel, 0)], planes[(*pixel, 1)], planes[(*pixel, 2)]
    else:
        lead = at[:-3]
        y, x = at[len(at) - 3], at[len(at) - 2]
        height, width = at.shape[len(at) - 3], at.shape[len(at) - 2]
        luma = planes[(*lead, y, x)]
        u = chroma_at(planes, lead, y, x, height, width, 0, format == "nv12")
        v = chroma_at(planes, lead, y, x, height, width, 1, format == "nv12")
    m = channel
    # In this order neighbours share what comes of their chroma.
    if planes.dtype == "u8":
        return matrix[m, 0] * luma + (matrix[m, 1] * u + matrix[m, 2] * v + matrix[m, 3])
    chroma = scaled(u, matrix[m, 1]) + scaled(v, matrix[m, 2])
    return matrix[m, 0] * luma + (chroma + matrix[m, 3])


@function
def weighed(image, lead, y, x, matrix, m):
    """Row m of the matrix times a pixel, without its offset."""
    return (
        matrix[m, 0] * image[(*lead, y, x, 0)]
        + matrix[m, 1] * image[(*lead, y, x, 1)]
        + matrix[m, 2] * image[(*lead, y, x, 2)]
    )


@kernel(dtype="image", shape=lambda image: (*image.shape[:-1], 3), name="_encode_yuv")
def encode_all(at, image, matrix):
    """Y, U and V of every pixel."""
    n = len(at) - 3
    m = at[n + 2]
    return weighed(image, at[:n], at[n], at[n + 1], matrix, m) + matrix[m, 3]


@kernel(dtype="image", shape=lambda image: image.shape[:-1], name="_encode_y")
def encode_luma(at, image, matrix):
    """Y of every pixel."""
    n = len(at) - 2
    return weighed(image, at[:n], at[n], at[n + 1], matrix, 0) + matrix[0, 3]


@function
def square(image, lead, y, x, channel):
    """The sum of the four pixels that share a chroma sample; of bytes it is exact."""
    return (
        image[(*lead, 2 * y, 2 * x, channel)]
        + image[(*lead, 2 * y, 2 * x + 1, channel)]
        + image[(*lead, 2 * y + 1, 2 * x, channel)]
        + image[(*lead, 2 * y + 1, 2 * x + 1, channel)]
    )


@function
def chroma_of(image, lead, y, x, matrix, m):
    """Row m of the matrix times the mean of four pixels."""
    red, green, blue = (
        square(image, lead, y, x, 0),
        square(image, lead, y, x, 1),
        square(image, lead, y, x, 2),
    )
    total = matrix[m, 0] * red + matrix[m, 1] * green + matrix[m, 2] * blue
    return 0.25 * total + matrix[m, 3]


def chroma_shape(image, *channels):
    """Half the size."""
    return (*image.shape[:-3], image.shape[-3] // 2, image.shape[-2] // 2, *channels)


@kernel(dtype="image", shape=lambda image: chroma_shape(image, 2), name="_encode_uv")
def encode_chroma(at, image, matrix):
    """U and V by turns."""
    n = len(at) - 3
    return chroma_of(image, at[:n], at[n], at[n + 1], matrix, at[n + 2] + 1)


@kernel(dtype="image", shape=chroma_shape, name="_encode_u_v", results=("image", "image"))
def encode_planes(at, image, matrix):
    """U and V, an output each."""
    n = len(at) - 2
    lead, y, x = at[:n], at[n], at[n + 1]
    return chroma_of(image, lead, y, x, matrix, 1), chroma_of(image, lead, y, x, matrix, 2)


def conversion(what, image, format, matrix, range):
    """Check the parameters that both directions share; return the two matrices."""
    choice(what, "format", format, FORMATS)
    choice(what, "matrix", matrix, tuple(LUMA))
    choice(what, "range", range, tuple(RANGES))
    return matrices(matrix, range, 255.0 if image.dtype == "u8" else 1.0)


@composite(
    dtype="planes",
    ranges=CODED,
    takes=IMAGES,
    gives="HxWx3 of 3H/2 x W, or of HxWx3 for yuv444; a batch stays one",
)
def yuv_to_rgb(planes, *, format="yuv420p", matrix="bt601", range="limited"):
    """RGB of a YUV picture: format 'yuv420p', 'nv12' (3H/2 x W in, HxWx3 out) or 'yuv444'
    (HxWx3).

    R = y + 2 (1 - Kr) v, B = y + 2 (1 - Kb) u, G from y = Kr R + Kg G + Kb B, with the Kr and Kb
    of matrix 'bt601' or 'bt709'; range is 'limited' or 'full'. Each chroma sample serves its four
    pixels."""
    _, decode = conversion("yuv_to_rgb", planes, format, matrix, range)
    shape = planes.shape
    if format == "yuv444":
        require_image(planes, "yuv_to_rgb", channels="colour")
        if shape[-1] != 3:
            raise LaunchError(
                f"yuv_to_rgb: a yuv444 picture must have 3 channels, got shape {shape}"
            )
    elif planes.ndim not in (2, 3) or shape[-2] % 3 or shape[-1] % 2:
        raise LaunchError(
            f"yuv_to_rgb: a {format} picture of H x W is 3H/2 x W with H and W even, or a batch of "
            f"them, got shape {shape}"
        )
    return decode_yuv(planes, constant(decode, "f32"), format=format)


@composite(
    dtype="image",
    ranges=CODED,
    takes=IMAGES,
    gives="3H/2 x W of HxWxC, or HxWx3 for yuv444; a batch stays one",
)
def rgb_to_yuv(image, *, format="yuv420p", matrix="bt601", range="limited"):
    """The YUV picture of an RGB image, the inverse of yuv_to_rgb, with the same parameters.

    Y = Kr R + Kg G + Kb B, U = (B - Y) / (2 (1 - Kb)), V = (R - Y) / (2 (1 - Kr)). Chroma of half
    the size is the mean of four pixels (sited in their middle, as in JPEG and MPEG-1). Height and
    width must then be even. Alpha is dropped."""
    require_image(image, "rgb_to_yuv", channels="colour")
    encode, _ = conversion("rgb_to_yuv", image, format, matrix, range)
    if format != "yuv444" and (image.shape[-3] % 2 or image.shape[-2] % 2):
        raise LaunchError(
            f"rgb_to_yuv: {format} needs an even height and width, got shape {image.shape}"
        )
    *lead, height, width, _ = image.shape
    shape = (*lead, height, width, 3) if format == "yuv444" else (*lead, height * 3 // 2, width)
    told = foretold(image, shape)
    if told is not None:
        return told
    table = constant(encode, "f32")
    if format == "yuv444":
        return encode_all(image, table)
    semi = format == "nv12"
    planes = (encode_chroma(image, table),) if semi else encode_planes(image, table)
    rows = [encode_luma(image, table).reshape((*lead, height * width))]
    rows += [plane.reshape((*lead, height * width // 2 // len(planes))) for plane in planes]
    return concat(*rows, axis=len(lead)).reshape(shape)
