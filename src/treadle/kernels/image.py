"""Filters and generators of images: HxW, HxWxC or NxHxWxC, u8 (0..255) or float (0..1).

Beyond the border the nearest pixel repeats (OpenCV's BORDER_REPLICATE). The last of two or four
channels is alpha: blurs treat it as they do every channel, as OpenCV and Pillow do; what brings
out or measures detail keeps it."""

from __future__ import annotations

import math

import numpy as np

from treadle.ir.sizes import of_sizes
from treadle.kernels.alpha import is_alpha
from treadle.kernels.blend import scaled
from treadle.kernels.check import IMAGES, image_like, require_image, whole
from treadle.lang.composite import constant
from treadle.lang.decorators import composite, function, kernel

__all__: list[str] = []

LONG = 128  # pixels to each side, from which on a loop over them stays a loop


@function
def moved(at, dy, dx):
    """The index of the pixel dy rows below and dx columns to the right, same batch and channel."""
    n = 1 if len(at) == 4 else 0
    return (*at[:n], at[n] + dy, at[n + 1] + dx, *at[n + 2 :])


@kernel(
    static=("radius", "vertical"),
    name="_gaussian_pass",
    results="float",
    shape=lambda image: image.shape,
)
def gaussian_pass(at, image, *, radius, sigma, vertical=False):
    """One direction of a Gaussian blur: 2 * radius + 1 taps, normalised."""
    acc = 0.0
    total = 0.0
    for i in range(-radius, radius + 1):
        weight = exp(-0.5 * (i / sigma) ** 2)
        total += weight
        acc += weight * image[moved(at, i if vertical else 0, 0 if vertical else i)]
    return acc * (1.0 / total)


@of_sizes
def bell(radius, sigma, dtype):
    """The weights of a Gaussian at whole distances up to a radius, which add up to 1."""
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return (weights / weights.sum()).astype(dtype)


@kernel(static=("radius", "vertical"), name="_gaussian_table")
def gaussian_table(at, image, weights, *, radius, vertical=False):
    """One direction of a Gaussian blur, with its weights from a table."""
    acc = 0.0
    for i in range(-radius, radius + 1):
        acc += weights[i + radius] * image[moved(at, i if vertical else 0, 0 if vertical else i)]
    return acc


@composite(
    dtype="image",
    ranges={"radius": (0, 512), "sigma": (1e-3, 1e6)},
    takes=IMAGES,
    gives="that of image",
)
def gaussian_blur(image, *, radius=3, sigma=None):
    """Gaussian blur with 2 * radius + 1 taps in each direction, radius 0 to 512.

    sigma defaults to 0.3 * (radius - 1) + 0.8, as OpenCV derives it from the kernel's size. The
    pass between the two directions is kept in float, so that u8 rounds once. Channels do not mix,
    and alpha is blurred as the others are."""
    require_image(image, "gaussian_blur")
    radius = whole("gaussian_blur", "radius", radius, 0, 512)
    if sigma is None:
        sigma = 0.3 * (radius - 1) + 0.8
    sigma = sigma * 1.0  # float() would pin it: another sigma would be bound anew
    # Further out a weight is below 1e-30: nothing next to 1, but not nothing times an infinity.
    radius = min(radius, math.floor(11.75 * sigma))
    if radius >= LONG:
        weights = constant(bell(radius, sigma, "f8" if image.dtype == "f64" else "f4"))
        columns = gaussian_table(image, weights, radius=radius, vertical=True)
        return gaussian_table(columns, weights, radius=radius)
    columns = gaussian_pass(image, radius=radius, sigma=sigma, vertical=True)
    return gaussian_pass(columns, radius=radius, sigma=sigma, vertical=False)


@kernel(
    static=("radius",),
    dtype=lambda image: "s32" if image.dtype == "u8" else image.dtype,
    name="_box_sum",
    shape=lambda image: image.shape,
)
def box_sum(at, image, *, radius):
    """One direction of a box blur: the sum of 2 * radius + 1 pixels of a column."""
    total = 0
    for i in range(-radius, radius + 1):
        total += image[moved(at, i, 0)]
    return total


@kernel(static=("radius",), name="_box_mean", results="float", shape=lambda sums: sums.shape)
def box_mean(at, sums, *, radius):
    """The second direction of a box blur, as a mean."""
    total = 0
    for i in range(-radius, radius + 1):
        total += sums[moved(at, 0, i)]
    return total * (1.0 / (2 * radius + 1) ** 2)


@composite(dtype="image", ranges={"radius": (0, 512)}, takes=IMAGES, gives="that of image")
def box_blur(image, *, radius=3):
    """The mean of the square of 2 * radius + 1 pixels around each, radius 0 to 512.

    Sums of u8 are whole numbers, so that they round once, at the end. Channels do not mix, and
    alpha is blurred as the others are."""
    require_image(image, "box_blur")
    radius = whole("box_blur", "radius", radius, 0, 512)
    return box_mean(box_sum(image, radius=radius), radius=radius)


@kernel(
    dtype="image",
    shape=image_like("edge_detect", channels="any"),
    ranges={"scale": (0.0, 1e6)},
    takes=IMAGES,
    gives="that of image",
)
def edge_detect(at, image, *, scale=1.0):
    """The magnitude of the Sobel gradient of each channel: scale * sqrt(gx^2 + gy^2).

    gx = [-1 0 1; -2 0 2; -1 0 1] and gy is its transpose; a step of height h gives 4 h. u8
    saturates. Alpha (the second of two channels, the fourth of four) is kept."""
    up = image[moved(at, -1, -1)], image[moved(at, -1, 0)], image[moved(at, -1, 1)]
    left, right = image[moved(at, 0, -1)], image[moved(at, 0, 1)]
    down = image[moved(at, 1, -1)], image[moved(at, 1, 0)], image[moved(at, 1, 1)]
    gx = up[2] - up[0] + 2 * (right - left) + down[2] - down[0]
    gy = down[0] - up[0] + 2 * (down[1] - up[1]) + down[2] - up[2]
    slope = sqrt(float(gx * gx + gy * gy))
    return image[at] if is_alpha(at, image) else scaled(slope, scale)


@function
def difference(image, at, other):
    """The distance in colour between two pixels: the sum over R, G and B, or that of a grey."""
    if image.ndim == 2:
        return abs(float(image[at]) - float(image[other]))
    colours = 3 if image.shape[image.ndim - 1] > 2 else 1
    total = 0.0
    for c in range(colours):
        total += abs(float(image[(*at[:-1], c)]) - float(image[(*other[:-1], c)]))
    return total


@kernel(
    dtype="image",
    shape=image_like("denoise", channels="any"),
    static=("radius",),
    name="_bilateral",
)
def bilateral(at, image, *, radius, nearness, likeness):
    """A mean weighted by 2^(nearness * distance^2 + likeness * difference^2) in a disc."""
    total = 0.0
    acc = 0.0
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            if dy * dy + dx * dx <= radius * radius:
                other = moved(at, dy, dx)
                unlike = difference(image, at, other)
                power = nearness * (dy * dy + dx * dx) + likeness * (unlike * unlike)
                # Next to 1, less than 2e-35 is nothing, and is slow to compute with. None is above
                # 1; that it is said keeps 2^power from being made for numbers that overflow.
                weight = 1.0 if dy == 0 and dx == 0 else exp2(min(max(power, -115.0), 115.0))
                value = image[other]
                if image.dtype != "u8" and (dy != 0 or dx != 0):
                    # What is infinitely far in colour, or is no colour, counts for nothing.
                    weight = weight if unlike < inf else 0.0
                    value = value if unlike < inf else 0.0
                total += weight
                acc += weight * value
    return image[at] if is_alpha(at, image) else acc / total


@composite(
    dtype="image",
    ranges={"strength": (1e-3, 1.0), "radius": (1, 16)},
    takes=IMAGES,
    gives="that of image",
)
def denoise(image, *, strength=0.1, radius=2):
    """Smooth what is alike and keep edges: the bilateral filter of Tomasi and Manduchi, 1998.

    The mean over a disc of `radius` pixels (1 to 16), each weighted by exp(-d^2 / (2 s^2)) *
    exp(-D^2 / (2 r^2)): d is the distance in pixels, s = radius / 2, D the difference in colour
    summed over R, G and B (as OpenCV does), and r = strength (0.001 to 1) times the range of
    values, 255 for u8 and 1 for floats. Neighbours that are infinite or NaN do not count. Alpha is
    kept."""
    require_image(image, "denoise", channels="any")
    radius = whole("denoise", "radius", radius, 1, 16)
    spread = strength * (255.0 if image.dtype == "u8" else 1.0)
    nearness, likeness = (-number / math.log(2) for number in (2.0 / radius**2, 0.5 / spread**2))
    return bilateral(image, radius=radius, nearness=nearness, likeness=likeness)


@kernel(
    dtype="image",
    shape=image_like("sharpen"),
    ranges={"amount": (-1e6, 1e6)},
    takes=IMAGES,
    gives="that of image",
)
def sharpen(at, image, *, amount=1.0):
    """Add `amount` times the difference to the four neighbours: x + amount * (4 x - up - down -
    left - right). Alpha (the second of two channels, the fourth of four) is kept."""
    centre = image[at]
    around = (
        image[moved(at, -1, 0)]
        + image[moved(at, 1, 0)]
        + image[moved(at, 0, -1)]
        + image[moved(at, 0, 1)]
    )
    return centre if is_alpha(at, image) else centre + scaled(4 * centre - around, amount)


@kernel(gives="that of the output passed: HxW, HxWxC or NxHxWxC")
def generate_gradient(at):
    """A test gradient: red grows to the right, green downwards, blue to the left, alpha is full.

    An image without channels grows to the right. u8 spans 0..255, floats 0..1."""
    n = 1 if len(at) == 4 else 0
    peak = 255.0 if at.dtype == "u8" else 1.0
    right = at[n + 1] / max(at.shape[n + 1] - 1, 1)
    if len(at) < 3:
        return peak * right
    down = at[n] / max(at.shape[n] - 1, 1)
    channel = at[len(at) - 1]
    colour = right if channel == 0 else (down if channel == 1 else 1.0 - right)
    return peak * (1.0 if channel == 3 else colour)
