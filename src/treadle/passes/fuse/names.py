"""Rename what a kernel names: tensors, locals, parameters.

In: a kernel. Out: the same kernel under other names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
)
from treadle.ir.rewrite import rewrite_kernel

__all__ = ["renamed"]


def renamed(
    kernel: Kernel, tensors: Mapping[str, str], called: Callable[[str], str] | None = None
) -> Kernel:
    """Give tensors new names, and locals and parameters what they are `called` then."""

    def change(node: Expr) -> Expr:
        match node:
            case Load(tensor=name) if name in tensors:
                return replace(node, tensor=tensors[name])
            case Local() | Param() if called is not None:
                return replace(node, name=called(node.name))
            case _:
                return node

    return _declared(rewrite_kernel(kernel, change), tensors, called)


def _declared(
    kernel: Kernel, tensors: Mapping[str, str], called: Callable[[str], str] | None
) -> Kernel:
    """Rename where names are declared; their uses already are."""

    def names(old: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(t, name=tensors.get(t.name, t.name)) for t in old)

    def block(old: Block) -> Block:
        if called is None:
            return old
        args = tuple(replace(arg, name=called(arg.name)) for arg in old.args)
        return replace(old, args=args, body=renamed_targets(old.body, called))

    form = kernel.form
    match form:
        case Map() | Row():
            form = replace(form, block=block(form.block))
        case Reduce():
            lift, combine, finish = block(form.lift), block(form.combine), block(form.finish)
            form = replace(form, lift=lift, combine=combine, finish=finish)
        case Chain():
            stages = tuple(_declared(stage, tensors, called) for stage in form.stages)
            form = replace(form, stages=stages)
        case HostCall():
            pass
        case _:
            both = form.combine and block(form.combine)
            form = replace(form, step=block(form.step), combine=both)
    return replace(
        kernel,
        inputs=names(kernel.inputs),
        outputs=names(kernel.outputs),
        params=tuple(replace(p, name=called(p.name)) if called else p for p in kernel.params),
        form=form,
    )
