"""Run compute from Python without waiting for it: typed buffers, kernels, awaitable commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

# NumPy first: imported from deeper down it takes 15 to 20 ms longer (measured; see bench imports).
import numpy  # noqa: F401

# The package of named kernels registers them when it is imported; it comes first, so that the
# function treadle.kernels() below wins over the package's name; treadle.pipeline() likewise.
import treadle.kernels
import treadle.pipeline  # noqa: F401
from treadle._version import __version__
from treadle.api import (
    add,
    as_completed,
    batched,
    buffer,
    buffer_from_binary,
    buffer_zeros,
    cancel,
    create_surface,
    device_count,
    device_info,
    double_buffered,
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
    matmul,
    multiply,
    pipeline,
    pipeline_add,
    pipeline_free,
    pipeline_run,
    pipelined,
    poll,
    present,
    read,
    read_binary,
    read_list,
    relu,
    run_kernel,
    run_kernel_async,
    run_to_surface,
    scale,
    set_pixels,
    shape,
    size,
    stream,
    submit,
    surface,
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
    OutOfMemory,
    PredicateError,
    QueueFull,
    SearchError,
    SurfaceClosed,
    TreadleError,
    UnknownCommand,
    UnknownId,
)
from treadle.lang.composite import constant
from treadle.lang.decorators import (
    composite,
    function,
    kernel,
    pointwise,
    reduction,
    rowwise,
    scan,
)
from treadle.lang.repeat import repeat
from treadle.pipeline import Pipeline
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command, Status
from treadle.runtime.device import Device, device, devices, use_device
from treadle.runtime.priority import Priority
from treadle.runtime.shares import submitter

if TYPE_CHECKING:
    from treadle import search
else:

    def __getattr__(name: str):
        """Import treadle.search when it is used first: many programs never do."""
        if name == "search":
            from importlib import import_module

            return import_module("treadle.search")
        raise AttributeError(f"module 'treadle' has no attribute {name!r}")


f32, f64, s32, s64, u32, u8 = DType.F32, DType.F64, DType.S32, DType.S64, DType.U32, DType.U8

__all__ = [  # noqa: RUF022  (sorted as Python sorts)
    "BatchError",
    "Buffer",
    "BufferFreed",
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
    "OutOfMemory",
    "Pipeline",
    "PredicateError",
    "Priority",
    "QueueFull",
    "SearchError",
    "Status",
    "SurfaceClosed",
    "TreadleError",
    "UnknownCommand",
    "UnknownId",
    "__version__",
    "add",
    "as_completed",
    "batched",
    "buffer",
    "buffer_from_binary",
    "buffer_zeros",
    "cancel",
    "composite",
    "constant",
    "create_surface",
    "device",
    "device_count",
    "device_info",
    "devices",
    "double_buffered",
    "dtype",
    "dtypes",
    "empty",
    "f32",
    "f64",
    "free",
    "free_many",
    "free_pipeline",
    "from_dlpack",
    "from_numpy",
    "function",
    "gpu_available",
    "kernel",
    "kernel_info",
    "kernels",
    "matmul",
    "multiply",
    "pipeline",
    "pipeline_add",
    "pipeline_free",
    "pipeline_run",
    "pipelined",
    "pointwise",
    "poll",
    "present",
    "read",
    "read_binary",
    "read_list",
    "reduction",
    "relu",
    "repeat",
    "rowwise",
    "run_kernel",
    "run_kernel_async",
    "run_to_surface",
    "s32",
    "s64",
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
    "u32",
    "u8",
    "use_device",
    "version",
    "wait",
    "wait_all",
    "write",
]
