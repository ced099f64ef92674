"""Made-up photographs: a number in, an image out, always the same one for the same number.

In: a size and a seed. Out: RGBA u8 arrays that have what photographs have (smooth sky, hard edges,
fine texture, grain), so that a demonstration or a measurement needs no files. Knows nothing about
devices; it is plain NumPy that works on whole rows and planes and so lets other threads run.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["landscape"]

Plane = npt.NDArray[np.float32]

# Sky at the top, sky at the horizon, the far hills, the near hills: dawn, noon, dusk, night.
_MOODS = np.array(
    [
        [(64, 88, 150), (250, 190, 140), (120, 100, 130), (40, 50, 52)],
        [(46, 112, 196), (190, 222, 244), (104, 140, 120), (44, 82, 40)],
        [(52, 36, 92), (246, 122, 72), (110, 62, 92), (34, 26, 40)],
        [(8, 12, 34), (48, 66, 108), (30, 42, 64), (10, 16, 22)],
    ],
    np.float32,
)
_RIDGES = 4


def landscape(width: int, height: int, *, seed: int) -> npt.NDArray[np.uint8]:
    """Return the landscape of a seed, an opaque RGBA image of height x width x 4."""
    if width < 1 or height < 1:
        raise ValueError(f"size: expected at least 1x1, got {width}x{height}")
    rng = np.random.default_rng(seed)
    mood = _MOODS[seed % len(_MOODS)]
    y = np.linspace(0, 1, height, dtype=np.float32)[:, np.newaxis]
    x = np.linspace(0, width / height, width, dtype=np.float32)
    clouds = _noise(rng, height, width, cells=5)
    image = _sky(rng, mood, x, y, clouds)
    for ridge in range(_RIDGES):
        nearness = ridge / (_RIDGES - 1)
        colour = mood[2] + (mood[3] - mood[2]) * np.float32(nearness)
        line = 0.45 + 0.12 * ridge + _outline(rng, x, roughness=0.02 + 0.03 * nearness)
        above = min(int(line.min() * height), height - 1)  # rows that the ridge leaves as they are
        texture = _noise(rng, height - above, width, cells=24 + 30 * ridge)
        # About two pixels of soft edge: a hard step would alias.
        cover = np.clip((y[above:] - line) * np.float32(height / 2), 0, 1)
        shade = 1 + (texture - 0.5) * np.float32(0.7)
        for plane, value in zip(image[:, above:], colour, strict=True):
            plane += (value * shade - plane) * cover
    grain = rng.standard_normal((height, width), np.float32) * np.float32(3)
    out = np.empty((height, width, 4), np.uint8)
    for channel, plane in enumerate(image):
        np.clip(plane + grain, 0, 255, out=plane)
        out[..., channel] = plane
    out[..., 3] = 255
    return out


def _sky(
    rng: np.random.Generator, mood: npt.NDArray[np.float32], x: Plane, y: Plane, clouds: Plane
) -> Plane:
    """Three planes: a vertical gradient, clouds over it, and a sun or moon with its glow."""
    centre_x, centre_y = rng.uniform(0.15, 0.85) * x[-1], rng.uniform(0.12, 0.4)
    distance = np.hypot(x - np.float32(centre_x), y - np.float32(centre_y))
    glow = np.exp(distance * np.float32(-5)) * np.float32(0.6)
    disc = np.clip((np.float32(0.055) - distance) * 400, 0, 1)
    light = np.maximum(disc, glow)
    veil = np.clip((clouds - np.float32(0.52)) * 3, 0, 1) * np.float32(0.6)
    planes = np.empty((3, *clouds.shape), np.float32)
    for plane, top, horizon in zip(planes, mood[0], mood[1], strict=True):
        base = top + (horizon - top) * np.minimum(y * np.float32(1.8), 1)
        np.add(base, veil * (np.float32(235) - base) * np.float32(0.7), out=plane)
        plane += light * (np.float32(252) - plane)
    return planes


def _outline(rng: np.random.Generator, x: Plane, *, roughness: float) -> Plane:
    """A ridge's height over x: a few waves, each of twice the frequency and half the height."""
    line = np.zeros_like(x)
    for octave in range(7):
        phase, stretch = rng.uniform(0, 2 * np.pi), rng.uniform(0.8, 1.2)
        line += np.sin(x * np.float32(4 * stretch * 2**octave) + np.float32(phase)) / 2**octave
    return line * np.float32(roughness)


def _noise(rng: np.random.Generator, height: int, width: int, *, cells: int) -> Plane:
    """Smooth noise from 0 to 1: random values on a grid, and on one of four times as many cells."""
    total = np.zeros((height, width), np.float32)
    for weight, count in ((0.65, cells), (0.35, cells * 4)):
        grid = rng.random((count + 2, count + 2), np.float32)
        total += np.float32(weight) * _stretch(_stretch(grid, height).T, width).T
    return total


def _stretch(grid: Plane, size: int) -> Plane:
    """Stretch the first axis to `size` by smooth interpolation."""
    at = np.linspace(0, grid.shape[0] - 1.001, size, dtype=np.float32)
    cell = at.astype(np.intp)
    part = at - cell
    part = (part * part * (3 - 2 * part))[:, np.newaxis]
    return np.asarray(grid[cell] * (1 - part) + grid[cell + 1] * part, np.float32)
