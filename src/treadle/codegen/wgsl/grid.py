"""What the forms of kernels share: dispatches, coordinates, entry points, lanes.

In: dimensions and sizes. Out: lines of WGSL and counts of workgroups. Knows no form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.wgsl.language import Wgsl
from treadle.ir.nodes import Dim

__all__ = ["Dispatch", "FormText"]

FLAT = 64  # invocations of a workgroup that shares nothing
SHARED = 128  # of one that shares rows

BUILTINS = """
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
""".strip("\n").split("\n")
GROUP_BUILTINS = """
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
""".strip("\n").split("\n")


class Dispatch(NamedTuple):
    """One dispatch: an entry point, workgroups, geometry values, bytes of states between two, and
    whether the device may end its loops, so that the host has to look."""

    entry: str
    groups: int
    geometry: tuple[int, ...]
    scratch: int = 0
    watch: bool = False


class FormText(Protocol):
    """How one kernel is laid over invocations."""

    @property
    def geometry(self) -> Sequence[str]:
        """Names of the values in Dispatch.geometry."""
        ...

    def lines(self) -> list[str]:
        """Functions and entry points."""
        ...

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """What to dispatch for these sizes."""
        ...


def row_major(wgsl: Wgsl, dims: Sequence[Dim]) -> str:
    """The number of the element at coordinates a0, a1, ..."""
    text = ""
    for axis, dim in enumerate(dims):
        text = f"({text} * {wgsl.size(dim)} + a{axis})" if text else f"a{axis}"
    return text or "0i"


def entry_lines(name: str, size: int, builtins: list[str], lines: Sequence[str]) -> list[str]:
    """An entry point with its head."""
    head = [f"@compute @workgroup_size({size})", f"fn {name}(", *builtins, ") {"]
    return [*head, *indented(lines), "}", ""]


def lanes_for(length: int, rows: int, spread: bool) -> int:
    """How many lanes share a row: a power of two; `spread`: neighbours lie in other rows."""
    if spread and rows >= 1024:
        return 1
    lanes = 1
    while lanes < SHARED and lanes * 4 <= length:
        lanes *= 2
    return lanes


LANE_LINES = (
    """
let lanes = u32(args.g_lanes);
let lane = local % lanes;
let number = (group.y * groups.x + group.x) * (SIZEu / lanes) + local / lanes;
""".strip()
    .replace("SIZE", str(SHARED))
    .split("\n")
)
