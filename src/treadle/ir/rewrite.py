"""Rebuilding kernels from the bottom up.

In: an expression, statements, a block or a kernel, and a function of an expression. Out: the same,
every expression passed through the function after what is inside it. What did not change is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import is_not

from treadle.ir.host_call import HostCall
from treadle.ir.nodes import (
    Assign,
    Block,
    Cast,
    Chain,
    Expr,
    For,
    Form,
    If,
    Kernel,
    Load,
    Map,
    Op,
    Reduce,
    Row,
    RowFold,
    RowLet,
    Stmt,
    While,
)

__all__ = ["rewrite", "rewrite_block", "rewrite_body", "rewrite_kernel"]


def rewrite(node: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Rebuild an expression bottom up, passing every node through `change`."""
    # What did not change is kept: making nodes is most of the work of a pass.
    if type(node) is Op:
        args = tuple([rewrite(arg, change) for arg in node.args])
        if any(map(is_not, args, node.args)):
            node = Op(node.name, args, node.dtype)
    elif type(node) is Load:
        indices = tuple([rewrite(index, change) for index in node.indices])
        if any(map(is_not, indices, node.indices)):
            node = Load(node.tensor, indices, node.dtype, node.inside)
    elif type(node) is Cast:
        value = rewrite(node.value, change)
        if value is not node.value:
            node = Cast(value, node.dtype)
    return change(node)


def rewrite_body(body: tuple[Stmt, ...], change: Callable[[Expr], Expr]) -> tuple[Stmt, ...]:
    """Rebuild statements, passing every expression node through `change`."""
    return tuple([_rewrite_stmt(stmt, change) for stmt in body])


def _rewrite_stmt(stmt: Stmt, change: Callable[[Expr], Expr]) -> Stmt:
    match stmt:
        case Assign():
            value = rewrite(stmt.value, change)
            return stmt if value is stmt.value else Assign(stmt.name, value)
        case RowLet():
            return RowLet(stmt.name, rewrite(stmt.value, change))
        case RowFold():
            return RowFold(stmt.name, stmt.kind, rewrite(stmt.value, change))
        case If():
            then, orelse = rewrite_body(stmt.then, change), rewrite_body(stmt.orelse, change)
            return If(rewrite(stmt.test, change), then, orelse)
        case For():
            start, stop = rewrite(stmt.start, change), rewrite(stmt.stop, change)
            body = rewrite_body(stmt.body, change)
            return For(stmt.name, start, stop, stmt.step, body, stmt.unrolled)
        case While():
            test, setup = rewrite(stmt.test, change), rewrite_body(stmt.setup, change)
            return While(test, rewrite_body(stmt.body, change), stmt.limit, setup)


def rewrite_block(block: Block, change: Callable[[Expr], Expr]) -> Block:
    """Rebuild a block, passing every expression node through `change`."""
    results = tuple([rewrite(r, change) for r in block.results])
    return Block(block.args, rewrite_body(block.body, change), results)


def rewrite_kernel(kernel: Kernel, change: Callable[[Expr], Expr]) -> Kernel:
    """Rebuild a kernel, passing every expression node of every block through `change`."""
    form = kernel.form
    if isinstance(form, Map | Row):
        new: Form = replace(form, block=rewrite_block(form.block, change))
    elif isinstance(form, Reduce):
        each = (form.lift, form.combine, form.finish)
        new = Reduce(form.axes, form.init, *[rewrite_block(block, change) for block in each])
    elif isinstance(form, Chain):
        new = replace(form, stages=tuple(rewrite_kernel(stage, change) for stage in form.stages))
    elif isinstance(form, HostCall):
        return kernel
    else:
        both = form.combine and rewrite_block(form.combine, change)
        new = replace(form, step=rewrite_block(form.step, change), combine=both)
    return replace(kernel, form=new)
