"""The kernels that ship with Treadle, each a function in the kernel language, and their aliases.

In: nothing. Out: definitions in the registry, by importing the families.
"""

from __future__ import annotations

from treadle.kernels import (
    activation,
    audio,
    colour,
    division,
    dynamics,
    functions,
    geometry,
    image,
    linalg,
    logic,
    operators,
    placing,
    pointwise,
    rates,
    reduce,
    resample,
    shape,
    signs,
    vector,
    yuv,
)
from treadle.lang.registry import register_alias

__all__ = [
    "ALIASES",
    "activation",
    "audio",
    "colour",
    "division",
    "dynamics",
    "functions",
    "geometry",
    "image",
    "linalg",
    "logic",
    "operators",
    "placing",
    "pointwise",
    "rates",
    "reduce",
    "resample",
    "shape",
    "signs",
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
