"""Every kernel as a function; written by docs/tools/ops_stub.py from the kernels' definitions."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal

from treadle.arrays import ArrayLike
from treadle.runtime.buffer import Buffer
from treadle.typed import DTypeLike

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "average_pool",
    "batch_norm",
    "bicubic_scale",
    "biquad_filter",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blur",
    "box_blur",
    "brightness_contrast",
    "cast",
    "ceil",
    "chroma_key",
    "clamp",
    "concat",
    "conv2d",
    "conv_transpose",
    "cos",
    "cosh",
    "cosine_similarity",
    "crop",
    "cumprod",
    "cumsum",
    "denoise",
    "dequantize_int8",
    "div",
    "dot",
    "duck",
    "dynamics_compress",
    "edge_detect",
    "elementwise_add",
    "elementwise_div",
    "elementwise_mul",
    "elementwise_pow",
    "elementwise_sub",
    "elu",
    "equal",
    "erf",
    "exp",
    "exp2",
    "expand",
    "expm1",
    "fft_convolve",
    "flip",
    "floor",
    "floor_divide",
    "fmod",
    "fold",
    "gain",
    "gather",
    "gather_elements",
    "gather_nd",
    "gaussian_blur",
    "gelu",
    "generate_gradient",
    "global_average_pool",
    "global_max_pool",
    "grayscale",
    "greater",
    "greater_equal",
    "grid_sample",
    "group_norm",
    "hamming",
    "hard_sigmoid",
    "hard_swish",
    "histogram",
    "hypot",
    "instance_norm",
    "interpolate",
    "isfinite",
    "isinf",
    "isnan",
    "l1",
    "l2_distance",
    "l2_top_k",
    "layer_norm",
    "less",
    "less_equal",
    "linf",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lut",
    "lut_apply",
    "matmul",
    "max_pool",
    "maximum",
    "minimum",
    "mish",
    "mul",
    "neg",
    "normalize",
    "not_equal",
    "overlay_alpha",
    "pad",
    "pcm_mix",
    "pcm_normalize",
    "posterize",
    "pow",
    "preprocess",
    "quantize_binary",
    "quantize_int8",
    "reciprocal",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "relu",
    "remainder",
    "resample",
    "reshape",
    "resize",
    "rgb_to_yuv",
    "rotate90",
    "round",
    "saturation",
    "scalar_add",
    "scalar_mul",
    "scale",
    "scatter_elements",
    "scatter_nd",
    "searchsorted",
    "selu",
    "sepia",
    "sharpen",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "slice",
    "softmax",
    "softplus",
    "softsign",
    "sort",
    "split",
    "sqrt",
    "sub",
    "tan",
    "tanh",
    "tile",
    "top_k",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "unique",
    "video_mix",
    "vignette",
    "warp_affine",
    "where",
    "yuv_to_rgb",
]

def abs(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """|x|; the smallest integer stays as it is.

    Gives: what the inputs broadcast to."""

def acos(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Arc cosine, from 0 to pi; NaN outside of -1 to 1.

    Gives: what the inputs broadcast to."""

def acosh(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The number of at least 0 whose hyperbolic cosine x is; NaN below 1.

    Gives: what the inputs broadcast to."""

def add(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a + b; integers wrap, those narrower than 32 bits saturate.

    Another name of elementwise_add.

    Gives: what the inputs broadcast to."""

def argmax(
    x: ArrayLike,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The position of the largest, the first one if there are several; a NaN counts as largest.

    Of nothing there is none, which is refused.

    axis: an axis of the first input, a tuple of them, or None for all; negative ones count from the end.
    keepdims: True or False.

    Gives: that of x without axis, or with size 1 there for keepdims; s32."""

def argmin(
    x: ArrayLike,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The position of the smallest, the first one if there are several; a NaN counts as
    smallest.

    Of nothing there is none, which is refused.

    axis: an axis of the first input, a tuple of them, or None for all; negative ones count from the end.
    keepdims: True or False.

    Gives: that of x without axis, or with size 1 there for keepdims; s32."""

def argsort(
    x: ArrayLike,
    *,
    axis: int = -1,
    descending: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The positions (s32) of the elements along axis (default: the last) in sorted order.

    Ties keep their order; NaN counts as largest, and zeros of either sign are equal.

    axis: an axis of the input; negative ones count from the end.
    descending: True or False.

    Gives: that of x; s32."""

def asin(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Arc sine, from -pi/2 to pi/2; NaN outside of -1 to 1.

    Gives: what the inputs broadcast to."""

def asinh(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The number whose hyperbolic sine x is.

    Gives: what the inputs broadcast to."""

def atan(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Arc tangent, from -pi/2 to pi/2.

    Gives: what the inputs broadcast to."""

def atan2(
    y: ArrayLike,
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The angle of the point (x, y), from -pi to pi, as C's atan2 for zeros and infinities.

    Gives: what the inputs broadcast to."""

def atanh(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The number whose hyperbolic tangent x is; infinite at -1 and 1, and NaN beyond them.

    Gives: what the inputs broadcast to."""

def average_pool(
    x: ArrayLike,
    *,
    window: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil: bool = False,
    padded: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The mean of what each window sees, as ONNX's AveragePool.

    What lies outside of x does not count; with padded it does, as zeros, as far as the padding
    goes. The rest is as in max_pool.

    window: whole numbers of at least 1: one, or one for each spatial axis.
    stride: a whole number of at least 1, or one for each spatial axis; None for window.
    padding: a whole number of at least 0, one for each spatial axis, or first those before, then after.
    dilation: whole numbers of at least 1, as for stride.
    ceil: True or False.
    padded: True or False.

    Gives: N x C and the number of windows along each spatial axis."""

def batch_norm(
    x: ArrayLike,
    scale: ArrayLike,
    bias: ArrayLike,
    mean: ArrayLike,
    variance: ArrayLike,
    *,
    eps: float = 1e-05,
    output: Buffer | None = None,
) -> Buffer:
    """(x - mean) / sqrt(variance + eps) * scale + bias, with one value of each for every channel,
    as ONNX's BatchNormalization and networks that have been trained.

    eps: at least 0.0.

    Gives: that of x."""

def bicubic_scale(
    image: ArrayLike,
    *,
    size: int | tuple[int, int],
    method: Literal['nearest', 'bilinear', 'bicubic', 'area'] = 'bicubic',
    antialias: bool = False,
    premultiply: bool = True,
    output: Buffer | None = None,
) -> Buffer:
    """Change the size of an image as resize does, bicubic unless another method is asked for.

    size: (height, width) or one number for both, whole, 1 to 65536.
    method: one of 'nearest', 'bilinear', 'bicubic', 'area'.
    antialias: True or False.
    premultiply: True or False.

    Gives: that of image with the height and width of size."""

def biquad_filter(
    audio: ArrayLike,
    *,
    kind: Literal['low', 'high', 'band', 'notch', 'peak', 'low_shelf', 'high_shelf'] = 'low',
    frequency: float = 1000.0,
    q: float = 0.7071067811865476,
    gain_db: float = 0.0,
    sample_rate: int = 48000,
    output: Buffer | None = None,
) -> Buffer:
    """One second-order filter of R. Bristow-Johnson's audio EQ cookbook, along the frames.

    kind: low, high, band (0 dB at its peak), notch, peak, low_shelf or high_shelf; gain_db (-120 to
    120) counts for the last three. frequency lies above 0 and below sample_rate / 2; q is 0.001 to
    1000. It starts from silence. Computed as A. Simper's trapezoidal state variable filter, which
    has the cookbook's transfer functions and keeps its accuracy in f32 at low frequencies. A gain
    of 0 dB changes nothing.

    kind: one of 'low', 'high', 'band', 'notch', 'peak', 'low_shelf', 'high_shelf'.
    frequency: a number above 0 and below sample_rate / 2.
    q: 0.001 to 1000.0.
    gain_db: -120.0 to 120.0.
    sample_rate: 1 to 10000000.

    Gives: that of audio."""

def bitwise_and(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a & b, bit by bit.

    Gives: what the inputs broadcast to."""

def bitwise_invert(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """~x: every bit turned round.

    Gives: that of x."""

def bitwise_left_shift(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a << b; bits beyond the width are dropped, all of them for an amount that is negative or not
    below the width, as in NumPy.

    Gives: the shapes of a and b, broadcast."""

def bitwise_or(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a | b, bit by bit.

    Gives: what the inputs broadcast to."""

def bitwise_right_shift(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a >> b; the sign fills what becomes free, and everything for an amount that is negative or
    not below the width, as in NumPy.

    Gives: the shapes of a and b, broadcast."""

def bitwise_xor(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a ^ b, bit by bit.

    Gives: what the inputs broadcast to."""

def blur(
    image: ArrayLike,
    *,
    radius: int = 3,
    sigma: float | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """Gaussian blur with 2 * radius + 1 taps in each direction, radius 0 to 512.

    sigma defaults to 0.3 * (radius - 1) + 0.8, as OpenCV derives it from the kernel's size. The
    pass between the two directions is kept in float, so that u8 rounds once. Channels do not mix,
    and alpha is blurred as the others are.

    Another name of gaussian_blur.

    radius: 0 to 512.
    sigma: 0.001 to 1000000.0.

    Gives: that of image."""

def box_blur(
    image: ArrayLike,
    *,
    radius: int = 3,
    output: Buffer | None = None,
) -> Buffer:
    """The mean of the square of 2 * radius + 1 pixels around each, radius 0 to 512.

    Sums of u8 are whole numbers, so that they round once, at the end. Channels do not mix, and
    alpha is blurred as the others are.

    radius: 0 to 512.

    Gives: that of image."""

def brightness_contrast(
    image: ArrayLike,
    *,
    brightness: float = 0.0,
    contrast: float = 1.0,
    output: Buffer | None = None,
) -> Buffer:
    """(x - middle) * contrast + middle + brightness * range.

    brightness is -1 to 1 and contrast 0 (flat grey) to 1000, 1 changing nothing; middle and range
    are 127.5 and 255 for u8, 0.5 and 1 for floats. u8 computes as f32, in this order.

    brightness: -1.0 to 1.0.
    contrast: 0.0 to 1000.0.

    Gives: that of image."""

def cast(
    x: ArrayLike,
    *,
    dtype: DTypeLike | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """x as another dtype: floats to integers of 32 bits or more truncate and saturate, NaN gives 0,
    and such integers wrap. To narrower types the nearest value, ties to even; integers saturate.
    Without dtype the output's decides.

    dtype: one of f32, f64, s32, s64, u32, u8, s8, s16, u16, f16, bf16, bool, or None for the output's.

    Gives: what the inputs broadcast to."""

def ceil(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The next whole number above; integers stay.

    Gives: what the inputs broadcast to."""

def chroma_key(
    image: ArrayLike,
    *,
    color: float | Sequence[float] = (0.0, 1.0, 0.0),
    threshold: float = 0.2,
    softness: float = 0.1,
    matrix: Literal['bt601', 'bt709'] = 'bt601',
    output: Buffer | None = None,
) -> Buffer:
    """Make a colour transparent: RGB or RGBA in, RGBA out, colours unchanged.

    alpha = (D - threshold) / softness, cut to 0..1, times the alpha that was there. D is the
    distance between the pixel and `color` (three numbers, 0 to 1) in the plane of Cb and Cr of
    BT.601 or BT.709 (matrix), each from -0.5 to 0.5: brightness does not matter. threshold and
    softness are 0 to 1; a softness of 0 cuts hard.

    color: three numbers from 0 to 1, or one for all.
    threshold: 0.0 to 1.0.
    softness: 0.0 to 1.0.
    matrix: one of 'bt601', 'bt709'.

    Gives: that of image with 4 channels."""

def clamp(
    x: ArrayLike,
    *,
    min: float,
    max: float,
    output: Buffer | None = None,
) -> Buffer:
    """The nearest value to x in [min, max]; NaN stays NaN; max wins where max < min. Integers are
    compared as such, with the next whole numbers inside the bounds.

    min: a number other than NaN.
    max: a number other than NaN.

    Gives: what the inputs broadcast to."""

def concat(
    *inputs: ArrayLike,
    axis: int = 0,
    output: Buffer | None = None,
) -> Buffer:
    """One or more arrays of one dtype one after the other along axis; other sizes must agree.

    axis: an axis of the input; negative ones count from the end.

    Gives: that of the inputs, with their sizes along axis added up."""

def conv2d(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: int | tuple[int, int] = 1,
    padding: int | tuple[int, int] | tuple[int, int, int, int] = 0,
    dilation: int | tuple[int, int] = 1,
    groups: int = 1,
    output: Buffer | None = None,
) -> Buffer:
    """Two-dimensional convolution of neural networks (a correlation), as ONNX's Conv.

    x is N x C x H x W, weight M x C/groups x KH x KW, bias has M values. stride and
    dilation are one number or (rows, columns), padding with zeros one number, (rows, columns) or
    (top, left, bottom, right). The result is N x M x OH x OW with OH = (H + top + bottom -
    dilation * (KH - 1) - 1) // stride + 1.

    stride: a whole number of at least 1, or (rows, columns).
    padding: a whole number of at least 0, (rows, columns) or (top, left, bottom, right).
    dilation: a whole number of at least 1, or (rows, columns).
    groups: at least 1.

    Gives: N x M x OH x OW."""

def conv_transpose(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    more: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    groups: int = 1,
    output: Buffer | None = None,
) -> Buffer:
    """Transposed convolution, as ONNX's ConvTranspose, along one to three spatial axes.

    x is N x C and its sizes, weight C x M/groups and the filter's; the result is N x M with sizes
    stride * (size - 1) + dilation * (filter - 1) + 1 + more, less the padding.

    stride: a whole number of at least 1, or one for each spatial axis.
    padding: a whole number of at least 0, one for each spatial axis, or first those before, then after.
    more: whole numbers of at least 0: one, or one for each spatial axis.
    dilation: whole numbers of at least 1, as for stride.
    groups: at least 1.

    Gives: N x M and the sizes of the result."""

def cos(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Cosine of radians, for any angle; NaN of an infinite one.

    Gives: what the inputs broadcast to."""

def cosh(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Hyperbolic cosine.

    Gives: what the inputs broadcast to."""

def cosine_similarity(
    queries: ArrayLike,
    database: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """sum(q * x) / (|q| |x|), -1 to 1, of every query with every row; 0 where one is all zeros.

    Gives: Q x N."""

def crop(
    image: ArrayLike,
    *,
    x: int = 0,
    y: int = 0,
    width: int | None = None,
    height: int | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """Cut out the rectangle whose top left pixel is (x, y); by default all that is right of and
    below it. It must lie inside the image.

    x: a whole number from 0 to the image's width.
    y: a whole number from 0 to the image's height.
    width: a whole number from 0 to what is right of x, or None for all of it.
    height: a whole number from 0 to what is below y, or None for all of it.

    Gives: that of image with height x width."""

def cumprod(
    x: ArrayLike,
    *,
    axis: int = -1,
    output: Buffer | None = None,
) -> Buffer:
    """The running product along axis (default: the last).

    axis: an axis of the input; negative ones count from the end.

    Gives: that of x; s64 for integers, or what the output holds."""

def cumsum(
    x: ArrayLike,
    *,
    axis: int = -1,
    output: Buffer | None = None,
) -> Buffer:
    """The running sum along axis (default: the last).

    axis: an axis of the input; negative ones count from the end.

    Gives: that of x; s64 for integers, or what the output holds."""

def denoise(
    image: ArrayLike,
    *,
    strength: float = 0.1,
    radius: int = 2,
    output: Buffer | None = None,
) -> Buffer:
    """Smooth what is alike and keep edges: the bilateral filter of Tomasi and Manduchi, 1998.

    The mean over a disc of `radius` pixels (1 to 16), each weighted by exp(-d^2 / (2 s^2)) *
    exp(-D^2 / (2 r^2)): d is the distance in pixels, s = radius / 2, D the difference in colour
    summed over R, G and B (as OpenCV does), and r = strength (0.001 to 1) times the range of
    values, 255 for u8 and 1 for floats. Neighbours that are infinite or NaN do not count. Alpha is
    kept.

    strength: 0.001 to 1.0.
    radius: 1 to 16.

    Gives: that of image."""

def dequantize_int8(
    codes: ArrayLike,
    scale: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """code * scale of its row, with codes as quantize_int8 makes them.

    Gives: that of codes, as scale's dtype."""

def div(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a / b as floats (IEEE: 1 / 0 is inf); integers divide as f32, s64 as f64.

    Another name of elementwise_div.

    Gives: what the inputs broadcast to."""

def dot(
    queries: ArrayLike,
    database: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Inner product, sum(q * x), of every query with every row of the database.

    Gives: Q x N."""

def duck(
    audio: ArrayLike,
    sidechain: ArrayLike,
    *,
    threshold_db: float = -30.0,
    amount_db: float = 12.0,
    attack_ms: float = 10.0,
    release_ms: float = 250.0,
    sample_rate: int = 48000,
    output: Buffer | None = None,
) -> Buffer:
    """audio, lowered by amount_db while the sidechain's loudest channel is above threshold_db.

    The reduction follows as in dynamics_compress, with attack_ms on the way down and release_ms on
    the way back. The sidechain has the audio's frames and dtype, and any channels.

    threshold_db: -300.0 to 300.0.
    amount_db: 0.0 to 300.0.
    attack_ms: 0.0 to 3600000.0.
    release_ms: 0.0 to 3600000.0.
    sample_rate: 1 to 10000000.

    Gives: that of audio."""

def dynamics_compress(
    audio: ArrayLike,
    *,
    threshold_db: float = -20.0,
    ratio: float = 4.0,
    attack_ms: float = 5.0,
    release_ms: float = 100.0,
    makeup_db: float = 0.0,
    sample_rate: int = 48000,
    output: Buffer | None = None,
) -> Buffer:
    """A feed-forward compressor with a hard knee: above the threshold, ratio dB in give 1 dB out.

    Each frame wants r = (1 - 1 / ratio) * max(0, level - threshold_db) dB of reduction, level being
    its loudest channel's. The reduction moves towards r as g = r + c * (g - r) from 0, with c =
    exp(-1000 / (ms * sample_rate)) and ms = attack_ms where r > g, else release_ms. Every channel
    is then lowered by g dB and raised by makeup_db. ratio is 1 to 1e6, times up to an hour.

    threshold_db: -300.0 to 300.0.
    ratio: 1.0 to 1000000.0.
    attack_ms: 0.0 to 3600000.0.
    release_ms: 0.0 to 3600000.0.
    makeup_db: -300.0 to 300.0.
    sample_rate: 1 to 10000000.

    Gives: that of audio."""

def edge_detect(
    image: ArrayLike,
    *,
    scale: float = 1.0,
    output: Buffer | None = None,
) -> Buffer:
    """The magnitude of the Sobel gradient of each channel: scale * sqrt(gx^2 + gy^2).

    gx = [-1 0 1; -2 0 2; -1 0 1] and gy is its transpose; a step of height h gives 4 h. u8
    saturates. Alpha (the second of two channels, the fourth of four) is kept.

    scale: 0.0 to 1000000.0.

    Gives: that of image."""

def elementwise_add(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a + b; integers wrap, those narrower than 32 bits saturate.

    Gives: what the inputs broadcast to."""

def elementwise_div(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a / b as floats (IEEE: 1 / 0 is inf); integers divide as f32, s64 as f64.

    Gives: what the inputs broadcast to."""

def elementwise_mul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a * b; integers wrap, those narrower than 32 bits saturate.

    Gives: what the inputs broadcast to."""

def elementwise_pow(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a to the power of b, both arrays; of integers alone an integer, which wraps (saturates, if it
    has 16 bits or fewer), and 0 for a negative power, as of a fraction.

    Gives: the shapes of a and b, broadcast."""

def elementwise_sub(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a - b; integers wrap, those narrower than 32 bits saturate.

    Gives: what the inputs broadcast to."""

def elu(
    x: ArrayLike,
    *,
    alpha: float = 1.0,
    output: Buffer | None = None,
) -> Buffer:
    """x where it is above 0, else alpha * (exp(x) - 1).

    alpha: a number other than NaN.

    Gives: what the inputs broadcast to."""

def equal(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether a == b; NaN equals nothing.

    Gives: what the inputs broadcast to."""

def erf(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.

    Gives: what the inputs broadcast to."""

def exp(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """e to the power of x.

    Gives: what the inputs broadcast to."""

def exp2(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """2 to the power of x.

    Gives: what the inputs broadcast to."""

def expand(
    x: ArrayLike,
    *,
    shape: int | Sequence[int],
    output: Buffer | None = None,
) -> Buffer:
    """x broadcast with a shape, as ONNX's Expand: axes of one element repeat, and sizes of 1 in
    shape leave an axis of x as it is.

    shape: whole numbers that broadcast with the shape of x.

    Gives: the shape of x and shape, broadcast."""

def expm1(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """exp(x) - 1, exact near 0.

    Gives: what the inputs broadcast to."""

def fft_convolve(
    audio: ArrayLike,
    impulse: ArrayLike,
    *,
    wet: float = 1.0,
    tail: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """audio convolved with an impulse response: wet * convolution + (1 - wet) * audio, wet 0 to 1.

    The impulse has audio's channels, or one that serves all. The result is as long as the audio;
    with tail it has len(impulse) - 1 frames more, in which the last sounds ring on.

    wet: 0.0 to 1.0.
    tail: True or False.

    Gives: that of audio, with len(impulse) - 1 frames more for tail."""

def flip(
    image: ArrayLike,
    *,
    direction: Literal['horizontal', 'vertical', 'both'] = 'horizontal',
    output: Buffer | None = None,
) -> Buffer:
    """Mirror left to right ('horizontal'), top to bottom ('vertical') or 'both'.

    direction: one of 'horizontal', 'vertical', 'both'.

    Gives: that of image."""

def floor(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The next whole number below; integers stay.

    Gives: what the inputs broadcast to."""

def floor_divide(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a / b towards minus infinity, as Python's //: of floats the quotient that goes with
    `remainder`, and infinite or NaN over 0.

    Gives: what the inputs broadcast to."""

def fmod(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The rest of a / b with the sign of a, as in C; exact for floats.

    Gives: what the inputs broadcast to."""

def fold(
    x: ArrayLike,
    *,
    shape: int | Sequence[int],
    window: int | tuple[int, ...],
    stride: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    output: Buffer | None = None,
) -> Buffer:
    """Blocks added up where they overlap, as ONNX's Col2Im.

    x is N x (C times the elements of a window) x the number of windows, in the order in which a
    convolution reads them; padding is cut off.

    shape: the spatial sizes of the result.
    window: whole numbers of at least 1, one for each spatial axis.
    stride: a whole number of at least 1, or one for each spatial axis.
    padding: a whole number of at least 0, one for each spatial axis, or first those before, then after.
    dilation: whole numbers of at least 1, as for stride.

    Gives: N x C and shape."""

def gain(
    audio: ArrayLike,
    *,
    db: float = 0.0,
    output: Buffer | None = None,
) -> Buffer:
    """audio * 10^(db / 20), db -300 to 300, for audio of any shape.

    db: -300.0 to 300.0.

    Gives: that of audio."""

def gather(
    x: ArrayLike,
    indices: ArrayLike,
    *,
    axis: int = 0,
    output: Buffer | None = None,
) -> Buffer:
    """The entries of x along axis that indices name, as np.take and ONNX's Gather.

    The axis is replaced by the axes of indices. Negative ones count from the end; those outside
    read the edge.

    axis: an axis of the input; negative ones count from the end.

    Gives: that of x, with the shape of indices in place of axis."""

def gather_elements(
    x: ArrayLike,
    indices: ArrayLike,
    *,
    axis: int = 0,
    output: Buffer | None = None,
) -> Buffer:
    """The element of x at each place of indices, but along axis where indices say, as
    np.take_along_axis and ONNX's GatherElements.

    axis: an axis of the input; negative ones count from the end.

    Gives: that of indices."""

def gather_nd(
    x: ArrayLike,
    indices: ArrayLike,
    *,
    batch: int = 0,
    output: Buffer | None = None,
) -> Buffer:
    """The parts of x at places: the last axis of indices holds the numbers of a place, as in
    ONNX's GatherND. The first `batch` axes are common to both.

    batch: a whole number of axes that x and indices begin with alike.

    Gives: that of indices without its last axis, then the axes of x that no place names."""

def gaussian_blur(
    image: ArrayLike,
    *,
    radius: int = 3,
    sigma: float | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """Gaussian blur with 2 * radius + 1 taps in each direction, radius 0 to 512.

    sigma defaults to 0.3 * (radius - 1) + 0.8, as OpenCV derives it from the kernel's size. The
    pass between the two directions is kept in float, so that u8 rounds once. Channels do not mix,
    and alpha is blurred as the others are.

    radius: 0 to 512.
    sigma: 0.001 to 1000000.0.

    Gives: that of image."""

def gelu(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """x * Phi(x) with the exact normal distribution: 0.5 * x * (1 + erf(x / sqrt(2))); 0 at
    -inf.

    Gives: what the inputs broadcast to."""

def generate_gradient(
    *,
    output: Buffer | None = None,
) -> Buffer:
    """A test gradient: red grows to the right, green downwards, blue to the left, alpha is full.

    An image without channels grows to the right. u8 spans 0..255, floats 0..1.

    Gives: that of the output passed: HxW, HxWxC or NxHxWxC."""

def global_average_pool(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The mean of every channel.

    Gives: that of x with spatial axes of size 1."""

def global_max_pool(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The largest element of every channel, NaN if it has one.

    Gives: that of x with spatial axes of size 1."""

def grayscale(
    image: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Luma of BT.601: 0.299 R + 0.587 G + 0.114 B. Alpha is dropped; one or two channels give the
    first.

    Gives: that of image without channels."""

def greater(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether a > b.

    Gives: what the inputs broadcast to."""

def greater_equal(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether a >= b.

    Gives: what the inputs broadcast to."""

def grid_sample(
    x: ArrayLike,
    grid: ArrayLike,
    *,
    method: Literal['linear', 'nearest', 'cubic'] = 'linear',
    outside: Literal['zeros', 'border', 'reflection'] = 'zeros',
    corners: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """x read at the places of grid, as ONNX's GridSample and torch's grid_sample.

    x is N x C x H x W or N x C x D x H x W; the last axis of grid holds a place as (x, y) or
    (x, y, z), from -1 to 1: from edge to edge or, with corners, from the centre of the first
    element to that of the last. Beyond them lie zeros, the border, or a reflection.

    method: one of 'linear', 'nearest', 'cubic'.
    outside: one of 'zeros', 'border', 'reflection'.
    corners: True or False.

    Gives: N x C and the axes of grid between its first and its last."""

def group_norm(
    x: ArrayLike,
    scale: ArrayLike,
    bias: ArrayLike,
    *,
    groups: int,
    eps: float = 1e-05,
    output: Buffer | None = None,
) -> Buffer:
    """(x - mean) / sqrt(variance + eps) * scale + bias, with mean and variance of each group of
    neighbouring channels of each of N, and scale and bias for each channel.

    groups: at least 1.
    eps: at least 0.0.

    Gives: that of x."""

def hamming(
    queries: ArrayLike,
    database: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """How many bits differ (s32) between packed codes of u32 or u8, as quantize_binary makes.

    Gives: Q x N, s32."""

def hard_sigmoid(
    x: ArrayLike,
    *,
    alpha: float = 0.2,
    beta: float = 0.5,
    output: Buffer | None = None,
) -> Buffer:
    """alpha * x + beta, held between 0 and 1.

    alpha: a number other than NaN.
    beta: a number other than NaN.

    Gives: what the inputs broadcast to."""

def hard_swish(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """x * clamp(x / 6 + 1 / 2, 0, 1); 0 at -inf.

    Gives: what the inputs broadcast to."""

def histogram(
    image: ArrayLike,
    *,
    bins: int = 256,
    range: tuple[float, float] | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """Count values: `bins` s32 numbers (1 to 65536) for each channel and each image of a batch.

    The output is bins, C x bins or N x C x bins. range = (low, high), by default (0, 256) for u8
    and (0, 1) for floats; value x counts in bin floor((x - low) * bins / (high - low)), computed
    as f32, and high itself in the last one, as in np.histogram. What lies outside, and NaN, is
    not counted.

    bins: 1 to 65536.
    range: (low, high), finite numbers with low < high, or None for the dtype's.

    Gives: bins, C x bins or N x C x bins for images of 2, 3 and 4 axes; s32."""

def hypot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """sqrt(a * a + b * b), without overflow; inf if either is infinite, beside a NaN too.

    Gives: what the inputs broadcast to."""

def instance_norm(
    x: ArrayLike,
    scale: ArrayLike,
    bias: ArrayLike,
    *,
    eps: float = 1e-05,
    output: Buffer | None = None,
) -> Buffer:
    """(x - mean) / sqrt(variance + eps) * scale + bias, with mean and variance of each channel of
    each of N, and scale and bias for each channel.

    eps: at least 0.0.

    Gives: that of x."""

def interpolate(
    x: ArrayLike,
    *,
    sizes: int | Sequence[int] | None = None,
    scales: float | Sequence[float] | None = None,
    axes: int | tuple[int, ...] | None = None,
    method: Literal['nearest', 'linear', 'cubic'] = 'linear',
    mapping: Literal['half_pixel', 'half_pixel_symmetric', 'pytorch_half_pixel', 'align_corners', 'asymmetric', 'crop_and_resize'] = 'half_pixel',
    nearest: Literal['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'] = 'round_prefer_floor',
    cubic: float = -0.75,
    antialias: bool = False,
    exclude: bool = False,
    region: float | Sequence[float] | None = None,
    value: float = 0.0,
    output: Buffer | None = None,
) -> Buffer:
    """x in other sizes along axes, as ONNX's Resize.

    With both sizes and scales, scales say how far places lie apart, and sizes how many there are.
    `mapping` says where new elements lie among the old ones, `nearest` which element a method of
    that name takes; `cubic` is the parameter of Keys' curve; with `exclude` what lies outside does
    not count, else the edge repeats. With the mapping crop_and_resize, `region` is what is seen,
    and `value` is for places outside of x.

    sizes: whole numbers of at least 1, one for each of axes, or None for those of scales.
    scales: numbers above 0, one for each of axes, or None: new sizes over old ones.
    axes: axes of x, or None for all.
    method: one of 'nearest', 'linear', 'cubic'.
    mapping: one of 'half_pixel', 'half_pixel_symmetric', 'pytorch_half_pixel', 'align_corners', 'asymmetric', 'crop_and_resize'.
    nearest: one of 'round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'.
    cubic: a number other than NaN.
    antialias: True or False.
    exclude: True or False.
    region: firsts and lasts of axes as shares of their sizes, or None.
    value: a number other than NaN.

    Gives: that of x with new sizes along axes."""

def isfinite(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether x is neither infinite nor NaN; an integer always is.

    Gives: what the inputs broadcast to."""

def isinf(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether x is inf or -inf; an integer never is.

    Gives: what the inputs broadcast to."""

def isnan(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether x is NaN; an integer never is.

    Gives: what the inputs broadcast to."""

def l1(
    queries: ArrayLike,
    database: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Manhattan distance, sum(|q - x|), of every query to every row of the database.

    Gives: Q x N."""

def l2_distance(
    queries: ArrayLike,
    database: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Euclidean distance, sqrt(sum((q - x)^2)), of every query to every row of the database.

    Through a matrix product, |q|^2 + |x|^2 - 2 q.x; where that would cancel to less than 0.001 of
    its terms the differences are summed instead. So equal vectors have distance 0, and others are
    right to about 1e-4 in f32 in the worst case, 1e-6 where vectors are as far apart as long.

    Gives: Q x N."""

def l2_top_k(
    queries: ArrayLike,
    database: ArrayLike,
    *,
    k: int,
    output: tuple[Buffer, Buffer] | None = None,
) -> tuple[Buffer, Buffer]:
    """The k rows of the database nearest to each query: Euclidean distances and positions (s32).

    Q x k, nearest first; of equal distances the earlier row. The database is taken in blocks, so
    that at most about 4 million distances exist at a time; the 16 next best candidates are kept
    too, and all are measured again from differences, so that rounding does not decide.

    k: a whole number from 1 to the rows of the database.

    Gives: Q x k, for distances and for positions (s32)."""

def layer_norm(
    row: ArrayLike,
    scale: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    *,
    eps: float = 1e-05,
    axis: int = -1,
    output: Buffer | None = None,
) -> Buffer:
    """(x - mean) / sqrt(variance + eps) along axis (default: the last), times scale, plus bias.

    The variance is the population's. scale and bias have one value for each position of the row.

    eps: at least 0.0.
    axis: an axis of the first input; negative ones count from the end.

    Gives: that of row."""

def less(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether a < b.

    Gives: what the inputs broadcast to."""

def less_equal(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether a <= b.

    Gives: what the inputs broadcast to."""

def linf(
    queries: ArrayLike,
    database: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Chebyshev distance, max(|q - x|), of every query to every row; NaN where one is NaN.

    Gives: Q x N."""

def log(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Natural logarithm; NaN below 0, -inf at 0.

    Gives: what the inputs broadcast to."""

def log10(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Logarithm to base 10; NaN below 0, -inf at 0.

    Gives: what the inputs broadcast to."""

def log1p(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """log(1 + x), exact near 0; NaN below -1, -inf at -1.

    Gives: what the inputs broadcast to."""

def log2(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Logarithm to base 2; NaN below 0, -inf at 0.

    Gives: what the inputs broadcast to."""

def log_softmax(
    row: ArrayLike,
    *,
    axis: int = -1,
    output: Buffer | None = None,
) -> Buffer:
    """log(softmax(x)) along axis (default: the last), exact where softmax is next to 0.

    axis: an axis of the first input; negative ones count from the end.

    Gives: that of row."""

def logaddexp(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """log(exp(a) + exp(b)), without overflow.

    Gives: what the inputs broadcast to."""

def logical_and(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether both are other than 0.

    Gives: what the inputs broadcast to."""

def logical_not(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether x is 0.

    Gives: what the inputs broadcast to."""

def logical_or(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether either is other than 0.

    Gives: what the inputs broadcast to."""

def logical_xor(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether one of the two is other than 0, and the other is 0.

    Gives: what the inputs broadcast to."""

def lut(
    image: ArrayLike,
    table: ArrayLike | None = None,
    *,
    file: str | PathLike[str] | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """Send colours through a lookup table: a second input, or a .cube file by its path.

    A table is n x 1 or n x 3 (a curve for all channels, or one for each) or n x n x n x 3 (a
    lattice, indexed blue, green, red), n at least 2. Its first and last rows are for the ends of
    the range (a file may say otherwise with DOMAIN_MIN and DOMAIN_MAX), values beyond take the
    nearest; between rows it is linear in each axis (trilinear in a lattice). Tables of floats
    hold 0..1, tables of u8 0..255 and go with u8 images. Files are Adobe's Cube LUT 1.0: 1D to
    65536 rows, 3D to 129 a side; a changed file is read again. A lattice and three columns need
    RGB or RGBA.

    Another name of lut_apply.

    file: the path of a .cube file, or None where a table is given.

    Gives: that of image."""

def lut_apply(
    image: ArrayLike,
    table: ArrayLike | None = None,
    *,
    file: str | PathLike[str] | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """Send colours through a lookup table: a second input, or a .cube file by its path.

    A table is n x 1 or n x 3 (a curve for all channels, or one for each) or n x n x n x 3 (a
    lattice, indexed blue, green, red), n at least 2. Its first and last rows are for the ends of
    the range (a file may say otherwise with DOMAIN_MIN and DOMAIN_MAX), values beyond take the
    nearest; between rows it is linear in each axis (trilinear in a lattice). Tables of floats
    hold 0..1, tables of u8 0..255 and go with u8 images. Files are Adobe's Cube LUT 1.0: 1D to
    65536 rows, 3D to 129 a side; a changed file is read again. A lattice and three columns need
    RGB or RGBA.

    file: the path of a .cube file, or None where a table is given.

    Gives: that of image."""

def matmul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The matrix product a @ b, of two matrices or of stacks of them; leading axes broadcast.

    Products of u8 and s32 are s32, as NumPy has it for s32, and add up in what the output holds:
    pass one of s64 where sums may go beyond 2^31.

    Gives: the leading axes of a and b broadcast, then the rows of a and the columns of b."""

def max_pool(
    x: ArrayLike,
    *,
    window: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = 1,
    ceil: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The largest of what each window sees, as ONNX's MaxPool; NaN if it sees one.

    What lies outside of x does not count. Windows move by stride (default: their own size); with
    ceil the last one may reach beyond the padding.

    window: whole numbers of at least 1: one, or one for each spatial axis.
    stride: a whole number of at least 1, or one for each spatial axis; None for window.
    padding: a whole number of at least 0, one for each spatial axis, or first those before, then after.
    dilation: whole numbers of at least 1, as for stride.
    ceil: True or False.

    Gives: N x C and the number of windows along each spatial axis."""

def maximum(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The larger of a and b; NaN if either is NaN.

    Gives: what the inputs broadcast to."""

def minimum(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The smaller of a and b; NaN if either is NaN.

    Gives: what the inputs broadcast to."""

def mish(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """x * tanh(log(1 + exp(x))); 0 at -inf.

    Gives: what the inputs broadcast to."""

def mul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a * b; integers wrap, those narrower than 32 bits saturate.

    Another name of elementwise_mul.

    Gives: what the inputs broadcast to."""

def neg(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """-x; integers wrap, those narrower than 32 bits saturate: -x of u8 is 0.

    Gives: what the inputs broadcast to."""

def normalize(
    row: ArrayLike,
    *,
    axis: int = -1,
    output: Buffer | None = None,
) -> Buffer:
    """x / sqrt(sum(x^2)) along axis (default: the last); rows of zeros stay zero, and a NaN makes
    its whole row NaN.

    axis: an axis of the first input; negative ones count from the end.

    Gives: that of row."""

def not_equal(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Whether a != b; NaN differs from everything.

    Gives: what the inputs broadcast to."""

def overlay_alpha(
    base: ArrayLike,
    top: ArrayLike,
    *,
    x: int = 0,
    y: int = 0,
    alpha: float = 1.0,
    output: Buffer | None = None,
) -> Buffer:
    """Lay an image over another with its top left pixel at (x, y): Porter and Duff's `over`,
    1984.

    a = alpha * (alpha of top, or 1); without alpha in base the result is a * top + (1 - a) *
    base. With it, the result's alpha is A = a + b (1 - a), b being base's, and its colour (a *
    top + b (1 - a) * base) / A; alpha is not premultiplied. What lies outside base is cut off.
    top is grey or has base's colours, with or without alpha, and base's dtype; one top serves a
    batch.

    x: -16777216 to 16777216.
    y: -16777216 to 16777216.
    alpha: 0.0 to 1.0.

    Gives: that of base."""

def pad(
    x: ArrayLike,
    *,
    amounts: int | tuple[int, int] | tuple[tuple[int, int], ...],
    mode: Literal['constant', 'edge', 'reflect', 'wrap'] = 'constant',
    value: int = 0,
    output: Buffer | None = None,
) -> Buffer:
    """x with more around it along its axes, as np.pad and ONNX's Pad.

    What is added is value, or with mode edge the last element, with reflect what lies behind the
    edge without the edge itself, with wrap what lies at the other end.

    amounts: a whole number, (before, after), or such a pair for every axis; below 0 cuts.
    mode: one of 'constant', 'edge', 'reflect', 'wrap'.
    value: a number other than NaN.

    Gives: that of x with the amounts added."""

def pcm_mix(
    *inputs: ArrayLike,
    gains: Sequence[float] | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """The sum of gain * input over one or more inputs, as long as the longest of them.

    gains has one factor (not dB) for each input, all 1 by default. Channels and dtype are the same
    for all.

    gains: one finite number for each input, or None for 1.

    Gives: that of the longest input."""

def pcm_normalize(
    audio: ArrayLike,
    *,
    target_db: float = -1.0,
    output: Buffer | None = None,
) -> Buffer:
    """audio times one factor that brings its peak to target_db (-300 to 300); silence stays, and so
    does audio whose peak is infinite or NaN.

    target_db: -300.0 to 300.0.

    Gives: that of audio."""

def posterize(
    image: ArrayLike,
    *,
    levels: int = 4,
    output: Buffer | None = None,
) -> Buffer:
    """Leave `levels` values to each channel, 2 to 256: the nearest of as many from black to white.

    They are equally far apart. Alpha is kept.

    levels: 2 to 256.

    Gives: that of image."""

def pow(
    x: ArrayLike,
    *,
    exponent: float,
    output: Buffer | None = None,
) -> Buffer:
    """x to the power of exponent, as floats.

    exponent: a number other than NaN.

    Gives: what the inputs broadcast to."""

def preprocess(
    image: ArrayLike,
    *,
    size: int | tuple[int, int] | None = None,
    normalize: bool = True,
    mean: float | Sequence[float] | None = None,
    std: float | Sequence[float] | None = None,
    layout: Literal['nchw', 'nhwc', 'chw', 'hwc'] = 'nchw',
    method: Literal['nearest', 'bilinear', 'bicubic', 'area'] = 'bilinear',
    antialias: bool = True,
    output: Buffer | None = None,
) -> Buffer:
    """Make a model's input of an image: resize, scale to 0..1, normalise, reorder; f32 out.

    size = (height, width) or one number for both, None keeps it; method and antialias as in
    resize. u8 is divided by 255. With normalize each channel becomes (x - mean) / std; mean and
    std are one number or one for each channel, and default to ImageNet's. layout is 'nchw',
    'nhwc' (one image becomes a batch of one), 'chw' or 'hwc' (one image only). An alpha channel
    is dropped.

    size: (height, width) or one number for both, whole, 1 to 65536, or None to keep it.
    normalize: True or False.
    mean: a finite number, one for each channel, or None for ImageNet's.
    std: a finite number above 0, one for each channel, or None for ImageNet's.
    layout: one of 'nchw', 'nhwc', 'chw', 'hwc'.
    method: one of 'nearest', 'bilinear', 'bicubic', 'area'.
    antialias: True or False.

    Gives: as layout says, with the image's batch, height and width and 1 or 3 channels; f32."""

def quantize_binary(
    x: ArrayLike,
    *,
    threshold: float = 0.0,
    output: Buffer | None = None,
) -> Buffer:
    """One bit for each element, 1 where x > threshold, 32 to a u32 along the last axis.

    Element k is bit k % 32 of word k // 32; bits beyond the row are 0. As np.packbits with
    bitorder="little", seen as u32.

    threshold: a number other than NaN.

    Gives: that of x with ceil(n / 32) words (u32) for the n elements of a row."""

def quantize_int8(
    x: ArrayLike,
    *,
    output: tuple[Buffer, Buffer] | None = None,
) -> tuple[Buffer, Buffer]:
    """Symmetric int8 codes for each row (last axis), and the scale of each row: x ~ code * scale.

    scale = max(|x|) / 127 has x's shape without the last axis; a row of zeros has scale 0. There is
    no signed byte among the dtypes: codes are -127 to 127 as u8 in two's complement, which
    `codes.to_numpy().view(np.int8)` reads.

    Gives: that of x for codes (u8), without the last axis for scales."""

def reciprocal(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """1 / x (IEEE: 1 / 0 is inf).

    Gives: what the inputs broadcast to."""

def reduce_max(
    x: ArrayLike,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The largest; NaN if any is NaN; of nothing, the type's lowest.

    axis: an axis of the first input, a tuple of them, or None for all; negative ones count from the end.
    keepdims: True or False.

    Gives: that of the first input without axis, or with size 1 there for keepdims."""

def reduce_mean(
    x: ArrayLike,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The mean as a float (of floats as they are, f64 of s64, else f32); of nothing, NaN.

    axis: an axis of x, a tuple of them, or None for all; negative ones count from the end.
    keepdims: True or False.

    Gives: that of x without axis, or with size 1 there for keepdims."""

def reduce_min(
    x: ArrayLike,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The smallest; NaN if any is NaN; of nothing, the type's highest.

    axis: an axis of the first input, a tuple of them, or None for all; negative ones count from the end.
    keepdims: True or False.

    Gives: that of the first input without axis, or with size 1 there for keepdims."""

def reduce_prod(
    x: ArrayLike,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The product; of nothing, 1. Of integers it is s64, or what the output holds.

    axis: an axis of the first input, a tuple of them, or None for all; negative ones count from the end.
    keepdims: True or False.

    Gives: that of the first input without axis, or with size 1 there for keepdims."""

def reduce_sum(
    x: ArrayLike,
    *,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The sum; of nothing, 0. Of integers it is s64, or what the output holds.

    axis: an axis of the first input, a tuple of them, or None for all; negative ones count from the end.
    keepdims: True or False.

    Gives: that of the first input without axis, or with size 1 there for keepdims."""

def relu(
    x: ArrayLike,
    *,
    slope: float = 0.0,
    output: Buffer | None = None,
) -> Buffer:
    """max(x, 0), or slope * x where x is negative (a leaky ReLU for slope > 0); NaN stays NaN.

    slope: a number other than NaN.

    Gives: what the inputs broadcast to."""

def remainder(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The rest of a / b with the sign of b, as Python's %; exact for floats.

    Gives: what the inputs broadcast to."""

def resample(
    audio: ArrayLike,
    *,
    from_rate: int,
    to_rate: int,
    quality: Literal['low', 'medium', 'high', 'best'] = 'medium',
    output: Buffer | None = None,
) -> Buffer:
    """audio at another sample rate, by a polyphase windowed sinc; ceil(frames * to / from) frames.

    Rates are whole numbers of Hz, 1 to 10,000,000. quality is low, medium, high or best: 8, 16, 32
    or 64 zero crossings on each side under a Kaiser window (beta 5, 8, 9, 10), passing 60, 70, 82
    or 90% of the lower Nyquist frequency. Equals scipy.signal.resample_poly with that filter. Equal
    rates change nothing.

    from_rate: 1 to 10000000.
    to_rate: 1 to 10000000.
    quality: one of 'low', 'medium', 'high', 'best'.

    Gives: ceil(frames * to_rate / from_rate) x channels."""

def reshape(
    x: ArrayLike,
    *,
    shape: int | Sequence[int],
    output: Buffer | None = None,
) -> Buffer:
    """The same elements in another shape, in row-major order; one size may be -1 and follows.

    shape: whole numbers whose product is the number of elements, one of them -1.

    Gives: shape, with what -1 stands for."""

def resize(
    image: ArrayLike,
    *,
    size: int | tuple[int, int],
    method: Literal['nearest', 'bilinear', 'bicubic', 'area'] = 'bilinear',
    antialias: bool = False,
    premultiply: bool = True,
    output: Buffer | None = None,
) -> Buffer:
    """Change the size of an image to size = (height, width), or one number for both, 1 to 65536.

    method is 'nearest' (the pixel under the centre), 'bilinear', 'bicubic' (Keys, a = -0.75) or
    'area' (the mean of what each pixel covers). Without antialias, bilinear and bicubic read the
    2 or 4 nearest pixels in each direction, as OpenCV does; with it the filter widens when the
    image shrinks, a is -0.5, and the result is Pillow's. Beyond the border the nearest pixel
    repeats. u8 rounds once, at the end. Colours are weighed by alpha (the last of two or four
    channels), as Pillow does, so that what is transparent leaves no fringe; premultiply=False
    treats all channels alike. A size that is the image's own changes nothing.

    size: (height, width) or one number for both, whole, 1 to 65536.
    method: one of 'nearest', 'bilinear', 'bicubic', 'area'.
    antialias: True or False.
    premultiply: True or False.

    Gives: that of image with the height and width of size."""

def rgb_to_yuv(
    image: ArrayLike,
    *,
    format: Literal['yuv420p', 'nv12', 'yuv444'] = 'yuv420p',
    matrix: Literal['bt601', 'bt709'] = 'bt601',
    range: Literal['limited', 'full'] = 'limited',
    output: Buffer | None = None,
) -> Buffer:
    """The YUV picture of an RGB image, the inverse of yuv_to_rgb, with the same parameters.

    Y = Kr R + Kg G + Kb B, U = (B - Y) / (2 (1 - Kb)), V = (R - Y) / (2 (1 - Kr)). Chroma of half
    the size is the mean of four pixels (sited in their middle, as in JPEG and MPEG-1). Height and
    width must then be even. Alpha is dropped.

    format: one of 'yuv420p', 'nv12', 'yuv444'.
    matrix: one of 'bt601', 'bt709'.
    range: one of 'limited', 'full'.

    Gives: 3H/2 x W of HxWxC, or HxWx3 for yuv444; a batch stays one."""

def rotate90(
    image: ArrayLike,
    *,
    turns: int = 1,
    output: Buffer | None = None,
) -> Buffer:
    """Turn by `turns` quarters counter-clockwise, as np.rot90 does; negative ones turn
    clockwise.

    turns: -2147483648 to 2147483647.

    Gives: that of image, height and width changing places for odd turns."""

def round(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The nearest whole number, the even one of two; integers stay.

    Gives: what the inputs broadcast to."""

def saturation(
    image: ArrayLike,
    *,
    amount: float = 1.0,
    output: Buffer | None = None,
) -> Buffer:
    """luma + amount * (x - luma), with the luma of BT.601: 0 is grey, 1 changes nothing.

    amount is 0 to 100. Images of one or two channels have no colour and stay as they are.

    amount: 0.0 to 100.0.

    Gives: that of image."""

def scalar_add(
    x: ArrayLike,
    *,
    scalar: float,
    output: Buffer | None = None,
) -> Buffer:
    """x + scalar.

    scalar: a number other than NaN.

    Gives: what the inputs broadcast to."""

def scalar_mul(
    x: ArrayLike,
    *,
    scalar: float,
    output: Buffer | None = None,
) -> Buffer:
    """x * scalar.

    scalar: a number other than NaN.

    Gives: what the inputs broadcast to."""

def scale(
    x: ArrayLike,
    *,
    scalar: float,
    output: Buffer | None = None,
) -> Buffer:
    """x * scalar.

    Another name of scalar_mul.

    scalar: a number other than NaN.

    Gives: what the inputs broadcast to."""

def scatter_elements(
    x: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    *,
    axis: int = 0,
    reduction: Literal['none', 'add', 'mul', 'max', 'min'] = 'none',
    output: Buffer | None = None,
) -> Buffer:
    """x with updates put at their own places but along axis where indices say, as ONNX's
    ScatterElements and np.put_along_axis. With a reduction an update joins what is there.

    axis: an axis of the input; negative ones count from the end.
    reduction: one of 'none', 'add', 'mul', 'max', 'min'.

    Gives: that of x."""

def scatter_nd(
    x: ArrayLike,
    indices: ArrayLike,
    updates: ArrayLike,
    *,
    reduction: Literal['none', 'add', 'mul', 'max', 'min'] = 'none',
    output: Buffer | None = None,
) -> Buffer:
    """x with updates put at places: the last axis of indices holds the numbers of a place, as in
    ONNX's ScatterND. With a reduction an update joins what is there.

    reduction: one of 'none', 'add', 'mul', 'max', 'min'.

    Gives: that of x."""

def searchsorted(
    x: ArrayLike,
    values: ArrayLike,
    *,
    right: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """Where each of some values belongs in a sorted row x: how many elements come before it (s32),
    or with right, how many are not behind it. NaN counts as largest.

    right: True or False.

    Gives: that of values; s32."""

def selu(
    x: ArrayLike,
    *,
    alpha: float = 1.6732632423543772,
    gamma: float = 1.0507009873554805,
    output: Buffer | None = None,
) -> Buffer:
    """gamma * elu(x), with which layers keep their mean and variance.

    alpha: a number other than NaN.
    gamma: a number other than NaN.

    Gives: what the inputs broadcast to."""

def sepia(
    image: ArrayLike,
    *,
    amount: float = 1.0,
    output: Buffer | None = None,
) -> Buffer:
    """The tone of an old print: x + amount * (toned - x), amount 0 to 1.

    toned R = 0.393 R + 0.769 G + 0.189 B, G = 0.349 R + 0.686 G + 0.168 B,
    B = 0.272 R + 0.534 G + 0.131 B; u8 saturates.

    amount: 0.0 to 1.0.

    Gives: that of image."""

def sharpen(
    image: ArrayLike,
    *,
    amount: float = 1.0,
    output: Buffer | None = None,
) -> Buffer:
    """Add `amount` times the difference to the four neighbours: x + amount * (4 x - up - down -
    left - right). Alpha (the second of two channels, the fourth of four) is kept.

    amount: -1000000.0 to 1000000.0.

    Gives: that of image."""

def sigmoid(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """1 / (1 + exp(-x)).

    Gives: what the inputs broadcast to."""

def sign(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """-1, 0 or 1; NaN stays NaN.

    Gives: what the inputs broadcast to."""

def silu(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """x * sigmoid(x), also called swish; 0 at -inf.

    Gives: what the inputs broadcast to."""

def sin(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Sine of radians, for any angle; NaN of an infinite one.

    Gives: what the inputs broadcast to."""

def sinh(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Hyperbolic sine.

    Gives: what the inputs broadcast to."""

def slice(
    x: ArrayLike,
    *,
    starts: int | None | tuple[int | None, ...] = None,
    stops: int | None | tuple[int | None, ...] = None,
    steps: int | None | tuple[int | None, ...] = None,
    axes: int | tuple[int, ...] | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """x[start:stop:step] along each of the axes, with Python's rules: negative places count from
    the end, places outside are moved to the edge, a negative step goes backwards.

    Each parameter is a tuple with one entry for each of axes (a single number will do for one
    axis); an entry None is Python's omitted value. Without axes they are the first ones.

    starts: whole numbers or None, one for each of axes or one number.
    stops: whole numbers or None, one for each of axes or one number.
    steps: whole numbers other than 0, or None, one for each of axes or one number.
    axes: different axes of x, or None for the first ones.

    Gives: that of x[start:stop:step]."""

def softmax(
    row: ArrayLike,
    *,
    axis: int = -1,
    output: Buffer | None = None,
) -> Buffer:
    """exp(x) / sum(exp(x)) along axis (default: the last), shifted so that it cannot overflow.

    axis: an axis of the first input; negative ones count from the end.

    Gives: that of row."""

def softplus(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """log(1 + exp(x)), without overflow.

    Gives: what the inputs broadcast to."""

def softsign(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """x / (1 + |x|); 1 and -1 at the infinities.

    Gives: what the inputs broadcast to."""

def sort(
    x: ArrayLike,
    *,
    axis: int = -1,
    descending: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """Sorted along axis (default: the last); NaN counts as largest, and zeros of either sign are
    equal.

    axis: an axis of the input; negative ones count from the end.
    descending: True or False.

    Gives: that of x."""

def split(
    x: ArrayLike,
    *,
    parts: int | tuple[int, ...],
    axis: int = 0,
    output: Buffer | None = None,
) -> Buffer:
    """x cut into parts along axis, in their order.

    parts is how many, all as large as the first (the last one may be smaller), or a tuple of sizes
    that add up to the size of axis.

    parts: a whole number of parts, or their sizes along axis.
    axis: an axis of the input; negative ones count from the end.

    Gives: those of the parts of x along axis."""

def sqrt(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Square root; NaN below 0.

    Gives: what the inputs broadcast to."""

def sub(
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a - b; integers wrap, those narrower than 32 bits saturate.

    Another name of elementwise_sub.

    Gives: what the inputs broadcast to."""

def tan(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Tangent of radians, for any angle; NaN of an infinite one.

    Gives: what the inputs broadcast to."""

def tanh(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """Hyperbolic tangent.

    Gives: what the inputs broadcast to."""

def tile(
    x: ArrayLike,
    *,
    repeats: int | tuple[int, ...],
    output: Buffer | None = None,
) -> Buffer:
    """x repeated along its axes, as np.tile: of fewer repeats than axes the first ones are 1, and
    more of them make axes in front.

    repeats: whole numbers of at least 0, one for each axis or one number for the last.

    Gives: that of x times repeats."""

def top_k(
    x: ArrayLike,
    *,
    k: int,
    axis: int = -1,
    largest: bool = True,
    output: tuple[Buffer, Buffer] | None = None,
) -> tuple[Buffer, Buffer]:
    """The k largest (or smallest) along axis, best first, and their positions (s32).

    Ties keep their order; NaN counts as largest.

    k: a whole number from 1 to the size of axis.
    axis: an axis of the input; negative ones count from the end.
    largest: True or False.

    Gives: that of x with k along axis, for values and for positions (s32)."""

def transpose(
    x: ArrayLike,
    *,
    axes: Sequence[int] | None = None,
    output: Buffer | None = None,
) -> Buffer:
    """Axes in another order: axis k of the output is axis axes[k] of x, as in np.transpose.

    axes is a permutation; without it the axes are reversed.

    axes: every axis of x once, or None for the reverse order.

    Gives: the sizes of x in the order of axes."""

def tril(
    x: ArrayLike,
    *,
    diagonal: int = 0,
    output: Buffer | None = None,
) -> Buffer:
    """The lower triangle of matrices, up to a diagonal that counts from the main one, above it
    those of more than 0; 0 elsewhere.

    diagonal: a number other than NaN.

    Gives: that of x."""

def triu(
    x: ArrayLike,
    *,
    diagonal: int = 0,
    output: Buffer | None = None,
) -> Buffer:
    """The upper triangle of matrices, from a diagonal that counts from the main one, above it
    those of more than 0; 0 elsewhere.

    diagonal: a number other than NaN.

    Gives: that of x."""

def trunc(
    x: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """The whole part, towards 0; integers stay.

    Gives: what the inputs broadcast to."""

def unique(
    x: ArrayLike,
    *,
    counts: bool = False,
    inverse: bool = False,
    output: Buffer | None = None,
) -> Buffer:
    """The different elements of x in order, and how many there are; as np.unique.

    The values fill the first places of an array that is as long as x has elements, and the largest
    is in all others: `values[:number.item()]` are those that count. With counts, how often each is
    there (0 beyond the last); with inverse, the place of every element of x among the values. NaN
    are one value, the last, and zeros of either sign are equal.

    counts: True or False.
    inverse: True or False.

    Gives: N for the N elements of x, () for how many are different (s32), then N and that of x (s32) for counts and inverse."""

def video_mix(
    a: ArrayLike,
    b: ArrayLike,
    *,
    mode: Literal['dissolve', 'add', 'multiply', 'screen'] = 'dissolve',
    ratio: float = 0.5,
    output: Buffer | None = None,
) -> Buffer:
    """Mix two images of the same shape and dtype, all channels alike; ratio is 0 (only a) to 1.

    'dissolve': a + ratio (b - a); 'add': a + ratio b; 'multiply' and 'screen': a + ratio (m - a), m
    being a b and a + b - a b with values from 0 to 1. u8 saturates; floats may leave 0..1.

    mode: one of 'dissolve', 'add', 'multiply', 'screen'.
    ratio: 0.0 to 1.0.

    Gives: that of a."""

def vignette(
    image: ArrayLike,
    *,
    amount: float = 0.5,
    radius: float = 0.4,
    softness: float = 0.6,
    output: Buffer | None = None,
) -> Buffer:
    """Darken towards the corners: x * (1 - amount * s(t)), t = (d - radius) / softness, cut to
    0..1.

    d is the distance from the centre, 1 in the corners; s(t) = t^2 (3 - 2 t). amount and radius
    are 0 to 1, softness 0.001 to 10.

    amount: 0.0 to 1.0.
    radius: 0.0 to 1.0.
    softness: 0.001 to 10.0.

    Gives: that of image."""

def warp_affine(
    image: ArrayLike,
    *,
    matrix: Sequence[Sequence[float]],
    size: int | tuple[int, int] | None = None,
    method: Literal['bilinear', 'nearest'] = 'bilinear',
    border: Literal['replicate', 'constant'] = 'replicate',
    value: float = 0.0,
    inverse: bool = False,
    premultiply: bool = True,
    output: Buffer | None = None,
) -> Buffer:
    """Move each pixel (x, y) to (a x + b y + c, d x + e y + f), matrix = ((a, b, c), (d, e, f)).

    As cv2.warpAffine: the centres of pixels are at whole coordinates, and the matrix maps the
    image to the output unless `inverse` says that it maps back. size = (height, width) of the
    output, by default the image's; method is 'bilinear' or 'nearest'; beyond the border the
    nearest pixel repeats ('replicate') or all is `value` ('constant'). Positions are exact to
    f32, not in steps of 1/32. Colours are weighed by alpha (the last of two or four channels), as
    Pillow does, unless premultiply is False.

    matrix: two rows of three finite numbers that can be inverted.
    size: (height, width) or one number for both, whole, 1 to 65536, or None for the image's.
    method: one of 'bilinear', 'nearest'.
    border: one of 'replicate', 'constant'.
    value: a finite number.
    inverse: True or False.
    premultiply: True or False.

    Gives: that of image with the height and width of size."""

def where(
    condition: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    output: Buffer | None = None,
) -> Buffer:
    """a where condition is not 0, else b.

    Gives: what the inputs broadcast to."""

def yuv_to_rgb(
    planes: ArrayLike,
    *,
    format: Literal['yuv420p', 'nv12', 'yuv444'] = 'yuv420p',
    matrix: Literal['bt601', 'bt709'] = 'bt601',
    range: Literal['limited', 'full'] = 'limited',
    output: Buffer | None = None,
) -> Buffer:
    """RGB of a YUV picture: format 'yuv420p', 'nv12' (3H/2 x W in, HxWx3 out) or 'yuv444'
    (HxWx3).

    R = y + 2 (1 - Kr) v, B = y + 2 (1 - Kb) u, G from y = Kr R + Kg G + Kb B, with the Kr and Kb
    of matrix 'bt601' or 'bt709'; range is 'limited' or 'full'. Each chroma sample serves its four
    pixels.

    format: one of 'yuv420p', 'nv12', 'yuv444'.
    matrix: one of 'bt601', 'bt709'.
    range: one of 'limited', 'full'.

    Gives: HxWx3 of 3H/2 x W, or of HxWx3 for yuv444; a batch stays one."""
