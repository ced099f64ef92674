"""The kernels that ship with Treadle, each a function in the kernel language, and their aliases.

In: nothing. Out: definitions in the registry, by importing the families.
"""

from __future__ import annotations

from treadle.kernels import (
    activation,
    arrange,
    audio,
    colour,
    division,
    dynamics,
    functions,
    geometry,
    image,
    interpolate,
    linalg,
    logic,
    normalise,
    operators,
    places,
    pointwise,
    pooling,
    products,
    rates,
    reduce,
    resample,
    sample,
    shape,
    transposed,
    vector,
    yuv,
)
from treadle.lang.registry import register_alias

__all__ = [
    "ALIASES",
    "activation",
    "arrange",
    "audio",
    "colour",
    "division",
    "dynamics",
    "functions",
    "geometry",
    "image",
    "interpolate",
    "linalg",
    "logic",
    "normalise",
    "operators",
    "places",
    "pointwise",
    "pooling",
    "products",
    "rates",
    "reduce",
    "resample",
    "sample",
    "shape",
    "transposed",
    "vector",
    "yuv",
]

ALIASES = {
    "add": "elementwise_add",
    "sub": "elementwise_sub",
    "mul": "elementwise_mul",
    "div": "elementwise_div",
    "scale": "scalar_mul",
    "blur": "gaussian_blur",
    "lut": "lut_apply",
}

for _alias, _name in ALIASES.items():
    register_alias(_alias, _name)
