"""Mistakes that type checkers must see: never run, read by tests/arrays/test_typing.py.

A comment after a line says what mypy complains of there; pyright has to complain there too. Lines
without one are right, and neither may say anything about them.
"""

from __future__ import annotations

import numpy as np

import treadle
from treadle import array_api, ops

image = np.zeros((8, 8, 3), np.float32)
x = treadle.buffer([1.0, 2.0])
cpu = treadle.device("cpu")


async def awaited() -> None:
    command = treadle.submit("relu", x)
    buffer = await command
    buffer.to_numpy()
    buffer.to_nump()  # "Buffer" has no attribute "to_nump"
    command.output.shap  # "Buffer" has no attribute "shap"
    command.to_numpy()  # "Command[Buffer]" has no attribute "to_numpy"
    (await cpu.submit("relu", x)).shap  # "Buffer" has no attribute "shap"
    found = await treadle.run_kernel_async("relu", x)
    found.dtyp  # "Buffer" has no attribute "dtyp"
    treadle.run_kernel_async("relu", x).to_numpy()  # has no attribute "to_numpy"
    (await ops.relu(x)).to_nump()  # "Buffer" has no attribute "to_nump"


def run() -> None:
    treadle.run_kernel("relu", x).to_nump()  # "Buffer" has no attribute "to_nump"
    treadle.run_kernel("relu", treadle.submit("relu", x))  # No overload variant of "run_kernel"
    treadle.run_kernel("relu", image)  # No overload variant of "run_kernel"
    treadle.run_kernel("relu", treadle.pipeline())  # No overload variant of "run_kernel"
    treadle.run_kernel(3, x)  # No overload variant of "run_kernel"
    values, places = treadle.run_kernel("top_k", x, k=1)
    treadle.submit("top_k", x, k=1).output.shape  # has no attribute "shape"
    text: str = treadle.run_kernel("relu", x)  # Incompatible types in assignment
    print(values, places, text)


def functions() -> None:
    ops.gaussian_blur(image, radius=3).to_numpy()
    ops.gaussian_blur(image, radius="3")  # Argument "radius" to "gaussian_blur" has incompatible
    ops.gaussian_blur(image, raduis=3)  # Unexpected keyword argument "raduis"
    ops.gausian_blur(image)  # Module has no attribute "gausian_blur"
    ops.flip(image, direction="sideways")  # Argument "direction" to "flip" has incompatible type
    ops.add(x)  # Missing positional argument "b"
    ops.scalar_mul(x)  # Missing named argument "scalar"
    ops.add(x, "1")  # Argument 2 to "add" has incompatible type "str"
    ops.top_k(x, k=2).shape  # has no attribute "shape"
    ops.add([1, 2], 3.0, output=treadle.empty(2))
    ops.concat(x, [1.0], axis="0")  # Argument "axis" to "concat" has incompatible type "str"


def standard() -> None:
    array_api.sin(array_api.add(x, 1)).to_numpy()
    array_api.sum(x, axis=(0,), keepdims=True).item()
    array_api.sinn(x)  # Module has no attribute "sinn"
    array_api.sin("x")  # incompatible type "str"
    array_api.sin(x=x)  # Unexpected keyword argument "x"
    array_api.add(x)  # Too few arguments
    array_api.sum(x, 0)  # Too many positional arguments for "sum"
    array_api.sum(x, axis="0")  # Argument "axis" to "sum" has incompatible type "str"
    array_api.unique_counts(x).count.shape  # has no attribute "shape"
    array_api.linalg.svd(x).V  # "SVDResult" has no attribute "V"


def others() -> None:
    treadle.buffer_zeros("3")  # Argument 1 to "buffer_zeros" has incompatible type "str"
    treadle.empty((2, 3), 7)  # Argument 2 to "empty" has incompatible type "int"
    treadle.wait(treadle.submit("relu", x)).output.to_nump()  # has no attribute "to_nump"
    for total in treadle.stream([image], compute="relu", collect=lambda out: float(out.sum())):
        total.upper()  # "float" has no attribute "upper"
    report: treadle.Report = treadle.stream([image], compute="relu").report
    plan: treadle.Plan = treadle.pipeline().plan()
    trace: treadle.Trace = treadle.trace()
    plan.explan()  # "PipelinePlan" has no attribute "explan"
    report.verdikt  # "Report" has no attribute "verdikt"
    treadle.kernel_info("relu").inptus  # "KernelInfo" has no attribute "inptus"
    print(trace)
    stream: treadle.Stream[int] = treadle.stream([1], compute="relu", collect=len)
    print(stream)


@treadle.pipeline
def soft(picture: treadle.Buffer, *, radius: int = 2) -> treadle.Buffer:
    return ops.gaussian_blur(picture, radius=radius)


def traced() -> None:
    soft(x, radius=3).to_numpy()
    soft(x).to_nump()  # "Buffer" has no attribute "to_nump"
    soft(x, radius="3")  # Argument "radius" to "__call__" of "Traced" has incompatible type "str"


def arithmetic() -> None:
    total = (x + 1 - [1.0, 2.0]) * x / image @ x.T
    (total > 3)[0].to_nump()  # "Buffer" has no attribute "to_nump"
    x + "1"  # Unsupported operand types for + ("Buffer" and "str")
    x @ None  # Unsupported operand types for @ ("Buffer" and "None")
    x.sum(axis="0")  # Argument "axis" to "sum" of "Operators" has incompatible type "str"
    x.mean().shap  # "Buffer" has no attribute "shap"


def images() -> None:
    pixels = treadle.read_image("a.png")
    treadle.write_image("b.png", treadle.recipe("thumbnail")(pixels))
    treadle.write_image(pixels, "b.png")  # Argument 1 to "write_image" has incompatible type
    treadle.recipe(7)  # Argument 1 to "recipe" has incompatible type "int"
