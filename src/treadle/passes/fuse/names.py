"""Rename what a kernel names: tensors, locals, parameters.

In: a kernel. Out: the same kernel under other names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from treadle.ir.host_call import HostCall
from treadle.ir.names import renamed_targets
from treadle.ir.nodes import (
    Block,
    Chain,
    Expr,
    Kernel,
    Load,
    Local,
    Map,
    Param,
    Reduce,
    Row,
    Tensor,
    rewrite_kernel,
)

__all__ = ["renamed"]


def renamed(kernel: Kernel, tensors: Mapping[str, str], prefix: str) -> Kernel:
    """Give tensors new names, and locals and parameters a prefix."""

    def change(node: Expr) -> Expr:
        match node:
            case Load(tensor=name) if name in tensors:
                return replace(node, tensor=tensors[name])
            case Local() | Param() if prefix:
                return replace(node, name=prefix + node.name)
            case _:
                return node

    return _declared(rewrite_kernel(kernel, change), tensors, prefix)


def _declared(kernel: Kernel, tensors: Mapping[str, str], prefix: str) -> Kernel:
    """Rename where names are declared; their uses already are."""

    def names(old: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(t, name=tensors.get(t.name, t.name)) for t in old)

    def block(old: Block) -> Block:
        if not prefix:
            return old
        args = tuple(replace(arg, name=prefix + arg.name) for arg in old.args)
        return replace(old, args=args, body=renamed_targets(old.body, lambda name: prefix + name))

    form = kernel.form
    match form:
        case Map() | Row():
            form = replace(form, block=block(form.block))
        case Reduce():
            lift, combine, finish = block(form.lift), block(form.combine), block(form.finish)
            form = replace(form, lift=lift, combine=combine, finish=finish)
        case Chain():
            stages = tuple(_declared(stage, tensors, prefix) for stage in form.stages)
            form = replace(form, stages=stages)
        case HostCall():
            pass
        case _:
            form = replace(form, step=block(form.step))
    return replace(
        kernel,
        inputs=names(kernel.inputs),
        outputs=names(kernel.outputs),
        params=tuple(replace(p, name=prefix + p.name) for p in kernel.params),
        form=form,
    )
