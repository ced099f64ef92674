"""Filters and generators of images: HxW, HxWxC or NxHxWxC, u8 (0..255) or float (0..1).

Beyond the border the nearest pixel repeats (OpenCV's BORDER_REPLICATE)."""

from __future__ import annotations

from weft.errors import LaunchError
from weft.lang.decorators import composite, function, kernel

__all__: list[str] = []


def require_image(image, what):
    """Refuse what is not an image."""
    if image.ndim not in (2, 3, 4):
        raise LaunchError(f"{what}: image must be HxW, HxWxC or NxHxWxC, got shape {image.shape}")


@function
def moved(at, dy, dx):
    """The index of the pixel dy rows below and dx columns to the right, same batch and channel."""
    n = 1 if len(at) == 4 else 0
    return (*at[:n], at[n] + dy, at[n + 1] + dx, *at[n + 2 :])


@kernel(static=("radius", "vertical"), name="_gaussian_pass")
def gaussian_pass(at, image, *, radius, sigma, vertical=False):
    """One direction of a Gaussian blur: 2 * radius + 1 taps, normalised."""
    acc = 0.0
    total = 0.0
    for i in range(-radius, radius + 1):
        weight = exp(-0.5 * (i / sigma) ** 2)
        total += weight
        acc += weight * image[moved(at, i if vertical else 0, 0 if vertical else i)]
    return acc * (1.0 / total)


@composite(dtype="image", ranges={"radius": (0, 512), "sigma": (1e-3, 1e6)})
def gaussian_blur(image, *, radius=3, sigma=None):
    """Gaussian blur with 2 * radius + 1 taps in each direction, radius 0 to 512.

    sigma defaults to 0.3 * (radius - 1) + 0.8, as OpenCV derives it from the kernel's size. The
    pass
    between the two directions is kept in float, so that u8 rounds once."""
    require_image(image, "gaussian_blur")
    if not isinstance(radius, int):
        raise LaunchError(f"gaussian_blur: radius must be an integer, got {radius!r}")
    if sigma is None:
        sigma = 0.3 * (radius - 1) + 0.8
    sigma = float(sigma)
    columns = gaussian_pass(image, radius=radius, sigma=sigma, vertical=True)
    return gaussian_pass(columns, radius=radius, sigma=sigma, vertical=False)


def same_image(image):
    """The shape of the image, once it is known to be one."""
    if len(image.shape) not in (2, 3, 4):
        raise LaunchError(f"sharpen: image must be HxW, HxWxC or NxHxWxC, got shape {image.shape}")
    return image.shape


@kernel(dtype="image", shape=same_image)
def sharpen(at, image, *, amount=1.0):
    """Add `amount` times the difference to the four neighbours: x + amount * (4 x - up - down -
    left - right)."""
    centre = image[at]
    around = (
        image[moved(at, -1, 0)]
        + image[moved(at, 1, 0)]
        + image[moved(at, 0, -1)]
        + image[moved(at, 0, 1)]
    )
    return centre + amount * (4 * centre - around)


@kernel
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
