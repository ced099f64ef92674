"""Run compute from Python without waiting for it: typed buffers, kernels, awaitable commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

# NumPy first: imported from deeper down it takes 15 to 20 ms longer (measured; see bench imports).
import numpy  # noqa: F401

# The package of named kernels, which registers them when they are first asked for, comes first, so
# that the function treadle.kernels() below wins over the package's name; treadle.pipeline()
# likewise.
import treadle.kernels
import treadle.pipeline  # noqa: F401
from treadle._version import __version__
from treadle.api import (
    as_completed,
    buffer,
    buffer_from_binary,
    buffer_zeros,
    cancel,
    device_count,
    device_info,
    dtype,
    dtypes,
    empty,
    free,
    free_many,
    free_pipeline,
    from_dlpack,
    from_numpy,
    gpu_available,
    kernel_info,
    kernels,
    pipeline,
    pipeline_add,
    pipeline_free,
    pipeline_run,
    poll,
    read,
    read_binary,
    read_list,
    shape,
    size,
    to_numpy,
    trace,
    version,
    wait,
    wait_all,
    write,
)
from treadle.backends.base import DeviceInfo, MemoryInfo
from treadle.dtypes import DType
from treadle.errors import (
    BatchError,
    BufferFreed,
    ClusterError,
    CommandCancelled,
    CommandError,
    CommandFailed,
    CommandTimeout,
    CompileError,
    DeviceError,
    DeviceLost,
    DeviceUnavailable,
    FileBusy,
    FileDamaged,
    FileError,
    KernelError,
    KernelSyntaxError,
    KernelTypeError,
    LaunchError,
    ModelError,
    OutOfMemory,
    PredicateError,
    QueueFull,
    SearchError,
    SurfaceClosed,
    TreadleError,
    UnknownCommand,
    UnknownId,
)
from treadle.features import (
    batched,
    create_surface,
    dashboard,
    double_buffered,
    model,
    pipelined,
    present,
    run_to_surface,
    set_pixels,
    stream,
    surface,
)
from treadle.lang.composite import constant
from treadle.lang.decorators import (
    composite,
    function,
    host,
    kernel,
    pointwise,
    reduction,
    rowwise,
    scan,
)
from treadle.lang.repeat import repeat
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command, Status
from treadle.runtime.device import Device, device, devices, use_device
from treadle.runtime.priority import Priority
from treadle.runtime.shares import submitter
from treadle.trace import Trace
from treadle.work import (
    add,
    matmul,
    multiply,
    prepare,
    relu,
    run_kernel,
    run_kernel_async,
    scale,
    submit,
)

if TYPE_CHECKING:
    from treadle import array_api, cluster, models, ops, search
    from treadle.images import read_image, write_image
    from treadle.photos import PhotoError
    from treadle.pipeline import Pipeline
    from treadle.pipeline.plan import PipelinePlan as Plan
    from treadle.recipes import RecipeError
    from treadle.recipes.call import recipe
    from treadle.streaming.report import Report
    from treadle.streaming.stream import Stream
else:
    # Imported when they are used first: many programs never do. Where, and under what name there.
    _LATER = {
        "PhotoError": ("photos", "PhotoError"),
        "Pipeline": ("pipeline.record", "Pipeline"),
        "Plan": ("pipeline.plan", "PipelinePlan"),
        "RecipeError": ("recipes", "RecipeError"),
        "Report": ("streaming.report", "Report"),
        "Stream": ("streaming.stream", "Stream"),
        "array_api": ("array_api", None),
        "cluster": ("cluster", None),
        "models": ("models", None),
        "ops": ("ops", None),
        "read_image": ("images", "read_image"),
        "recipe": ("recipes.call", "recipe"),
        "search": ("search", None),
        "write_image": ("images", "write_image"),
    }

    def __getattr__(name: str):
        """Import what is imported when it is used first."""
        if name not in _LATER:
            raise AttributeError(f"module 'treadle' has no attribute {name!r}")
        from importlib import import_module

        where, inner = _LATER[name]
        module = import_module(f"treadle.{where}")
        found = globals()[name] = module if inner is None else getattr(module, inner)
        return found


f32, f64, s32, s64, u32, u8 = DType.F32, DType.F64, DType.S32, DType.S64, DType.U32, DType.U8
f16, bf16, s8, s16, u16 = DType.F16, DType.BF16, DType.S8, DType.S16, DType.U16

__all__ = [  # noqa: RUF022  (sorted as Python sorts)
    "BatchError",
    "Buffer",
    "BufferFreed",
    "ClusterError",
    "Command",
    "CommandCancelled",
    "CommandError",
    "CommandFailed",
    "CommandTimeout",
    "CompileError",
    "DType",
    "Device",
    "DeviceError",
    "DeviceInfo",
    "DeviceLost",
    "DeviceUnavailable",
    "FileBusy",
    "FileDamaged",
    "FileError",
    "KernelError",
    "KernelSyntaxError",
    "KernelTypeError",
    "LaunchError",
    "MemoryInfo",
    "ModelError",
    "OutOfMemory",
    "PhotoError",
    "Pipeline",
    "Plan",
    "PredicateError",
    "Priority",
    "QueueFull",
    "RecipeError",
    "Report",
    "SearchError",
    "Status",
    "Stream",
    "SurfaceClosed",
    "Trace",
    "TreadleError",
    "UnknownCommand",
    "UnknownId",
    "__version__",
    "add",
    "array_api",
    "as_completed",
    "batched",
    "bf16",
    "buffer",
    "buffer_from_binary",
    "buffer_zeros",
    "cancel",
    "cluster",
    "composite",
    "constant",
    "create_surface",
    "dashboard",
    "device",
    "device_count",
    "device_info",
    "devices",
    "double_buffered",
    "dtype",
    "dtypes",
    "empty",
    "f16",
    "f32",
    "f64",
    "free",
    "free_many",
    "free_pipeline",
    "from_dlpack",
    "from_numpy",
    "function",
    "gpu_available",
    "host",
    "kernel",
    "kernel_info",
    "kernels",
    "matmul",
    "model",
    "models",
    "multiply",
    "ops",
    "pipeline",
    "pipeline_add",
    "pipeline_free",
    "pipeline_run",
    "pipelined",
    "pointwise",
    "poll",
    "prepare",
    "present",
    "read",
    "read_binary",
    "read_image",
    "read_list",
    "recipe",
    "reduction",
    "relu",
    "repeat",
    "rowwise",
    "run_kernel",
    "run_kernel_async",
    "run_to_surface",
    "s16",
    "s32",
    "s64",
    "s8",
    "scale",
    "scan",
    "search",
    "set_pixels",
    "shape",
    "size",
    "stream",
    "submit",
    "submitter",
    "surface",
    "to_numpy",
    "trace",
    "u16",
    "u32",
    "u8",
    "use_device",
    "version",
    "wait",
    "wait_all",
    "write",
    "write_image",
]
