"""The kernels that ship with Treadle, each a function in the kernel language, and their aliases.

In: nothing. Out: definitions in the registry, by importing the families: not with the package, but
when the registry is asked for a kernel that ships or a device is opened, since half of the time
that `import treadle` took went there.
"""

from __future__ import annotations

from treadle.lang import registry

__all__ = ["ALIASES"]

ALIASES = {
    "add": "elementwise_add",
    "sub": "elementwise_sub",
    "mul": "elementwise_mul",
    "div": "elementwise_div",
    "scale": "scalar_mul",
    "blur": "gaussian_blur",
    "lut": "lut_apply",
}


def _load() -> None:
    from treadle.kernels import (  # noqa: F401
        activation,
        arrange,
        audio,
        colour,
        distinct,
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
        quantifiers,
        rates,
        reduce,
        resample,
        sample,
        shape,
        signs,
        transposed,
        vector,
        yuv,
    )

    for alias, name in ALIASES.items():
        registry.register_alias(alias, name)


registry.load_with(_load)
