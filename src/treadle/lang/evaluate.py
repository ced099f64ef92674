"""Turn the body of a kernel into typed IR, by evaluating its syntax tree.

In: a Text and values for its arguments. Out: statements and results in IR. Python constants stay
Python values until they meet an expression, so static parameters, shapes and loops over constants
disappear here. It knows statements and names; expression.py knows the rest.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from treadle.dtypes import DType
from treadle.errors import KernelError, KernelSyntaxError, KernelTypeError, TreadleError
from treadle.ir.nodes import Assign, Expr, For, If, Local, Op, Stmt, While
from treadle.lang.builder import Builder
from treadle.lang.source import Text
from treadle.lang.turns import is_range, nodes, turns
from treadle.lang.values import Typing, Value, describe, is_number, shown

__all__ = ["Statements", "Undefined"]

# A loop over constants that is longer stays a loop, and so does one that is longer together with
# those inside it: LLVM takes minutes for a thousand bodies of ten lines.
UNROLL_LIMIT = 256
NEST_LIMIT = 16_500  # nodes of syntax, in all turns, beyond which a nest of them stays one, too
STATEMENT_LIMIT = 20_000  # evaluated for one kernel, so that compiling it ends soon
WHILE_LIMIT = 2**20  # iterations after which a `while` stops, so that every kernel ends


@lru_cache(1024)
def _returns(stmt: ast.If) -> bool:
    """Whether there is a `return` in it; a loop's body is evaluated many times."""
    return any(isinstance(n, ast.Return) for n in ast.walk(stmt))


class Undefined:
    """A name that has no value here, with the reason to show when it is used."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def merge_values(typing: Typing, a: Value, b: Value) -> list[DType] | None:
    """The types of the scalars that can hold both values, or None if nothing can."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return None
        parts = [merge_values(typing, x, y) for x, y in zip(a, b, strict=True)]
        return None if None in parts else [d for part in parts if part for d in part]
    numbers = all(isinstance(v, Expr) or is_number(v) for v in (a, b))
    return [typing.branch(a, b)] if numbers else None


class Statements:
    """Evaluates statements; Expressions (expression.py) adds the expressions."""

    text: Text
    builder: Builder
    typing: Typing
    env: dict[str, Value]
    returned: ast.expr | None = None  # what was returned last

    def expression(self, node: ast.expr) -> Value:
        """Evaluate an expression."""
        raise NotImplementedError

    def fail(
        self, message: str, node: ast.AST | None, kind: type[KernelError] = KernelTypeError
    ) -> KernelError:
        """Build an error that shows `node`."""
        return self.text.error(kind, message, node)

    def run(self, body: Sequence[ast.stmt]) -> Value | None:
        """Evaluate statements; return the value of `return`, or None if there was none."""
        for position, stmt in enumerate(body):
            returns = isinstance(stmt, ast.If) and _returns(stmt)
            try:
                result = self.statement(stmt, body[position + 1 :] if returns else (), returns)
            except (TypeError, OverflowError, ValueError) as error:
                if isinstance(error, TreadleError):
                    raise
                raise self.fail(str(error), stmt) from None
            if returns or isinstance(stmt, ast.Return):
                return result
        return None

    def statement(self, stmt: ast.stmt, rest: Sequence[ast.stmt], returns: bool) -> Value | None:
        """Evaluate one statement; where an `if` returns, with the `rest` that follows it."""
        self.builder.evaluated += 1
        if self.builder.evaluated > STATEMENT_LIMIT:
            raise self.fail(
                f"it expands to more than {STATEMENT_LIMIT} statements; loops over constants are "
                "unrolled, and what follows an `if` that may return or not is expanded twice: loop "
                "over a runtime bound, or return in every branch",
                stmt,
                KernelSyntaxError,
            )
        match stmt:
            case ast.Return(value=ast.expr() as value):
                self.returned = value
                return self.expression(value)
            case ast.Assign():
                value_of = self.expression(stmt.value)
                for target in stmt.targets:
                    self.assign(target, value_of)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign(stmt.target, self.expression(value))
            case ast.AugAssign(target=ast.Name() as name):
                read = ast.copy_location(ast.Name(name.id, ast.Load()), name)
                whole = ast.copy_location(ast.BinOp(read, stmt.op, stmt.value), stmt)
                self.assign(name, self.expression(whole))
            case ast.If():
                return self.branch(stmt, rest, returns)
            case ast.For():
                self.repeat(stmt)
            case ast.While():
                self.loop(stmt)
            case _:
                pass
        return None

    def assign(self, target: ast.expr, value: Value) -> None:
        """Bind a target to a value, unpacking tuples."""
        if isinstance(target, ast.Name):
            if value is None or isinstance(value, Undefined):
                raise self.fail("this has no value", target)
            self.env[target.id] = self.builder.bind(target.id, value)
            return
        assert isinstance(target, ast.Tuple)
        if not isinstance(value, tuple):
            raise self.fail(f"cannot unpack {describe(value)}", target)
        if len(value) != len(target.elts):
            what = f"{len(target.elts)} names for {len(value)} values"
            hint = ""
            if hasattr(value, "shape"):
                hint = f"; the output has {len(value)} dimensions here"
            raise self.fail(what + hint, target)
        for element, item in zip(target.elts, value, strict=True):
            self.assign(element, item)

    # if

    def branch(self, stmt: ast.If, rest: Sequence[ast.stmt], returns: bool) -> Value | None:
        """An `if`: one side if the test is constant, else both, joined."""
        test = self.convert_test(stmt.test)
        if isinstance(test, bool):
            result = self.run([*(stmt.body if test else stmt.orelse), *rest])
            if returns and result is None:
                raise self.fail("not every path returns a value", stmt, KernelSyntaxError)
            return result
        before = self.env
        sides: list[tuple[dict[str, Value], list[Stmt], Value | None]] = []
        for part in (stmt.body, stmt.orelse):
            outer = self.builder.scope()
            self.env = dict(before)
            result = self.run([*part, *rest])
            if returns and result is None:
                raise self.fail(
                    "not every path returns a value; add an `else` or a final `return`",
                    stmt,
                    KernelSyntaxError,
                )
            sides.append((self.env, self.builder.body, result))
            self.builder.body = outer
        (then_env, then_body, then_value), (else_env, else_body, else_value) = sides
        # What both sides agree on, also where they set it to the same; the rest is merged below.
        self.env = {name: v for name, v in then_env.items() if else_env.get(name) is v}
        changed = {} if returns else self.differing(then_env, else_env)
        if returns:
            changed = {"result": (then_value, else_value)}
        merged = self.merge(test, changed, then_body, else_body)
        if returns:
            if isinstance(merged["result"], Undefined):
                raise self.fail(
                    f"the branches return {describe(then_value)} and {describe(else_value)}", stmt
                )
            return merged["result"]
        self.env.update(merged)
        return None

    def differing(self, a: dict[str, Value], b: dict[str, Value]) -> dict[str, tuple[Value, Value]]:
        """Names whose values differ between two branches."""
        missing = Undefined("it is set in only one branch of an `if`; set it before, or in both")
        return {
            name: (a.get(name, missing), b.get(name, missing))
            for name in {**a, **b}
            if a.get(name, missing) is not b.get(name, missing)
        }

    def merge(
        self,
        test: Expr,
        changed: dict[str, tuple[Value, Value]],
        then_body: list[Stmt],
        else_body: list[Stmt],
    ) -> dict[str, Value]:
        """Join two branches: each changed name becomes one local (in a row: a select)."""
        flat = self.builder.row_axis is not None
        if flat:
            self.builder.body += then_body + else_body
        merged: dict[str, Value] = {}
        slots: list[tuple[Value, Value, str, DType]] = []
        for name, (a, b) in changed.items():
            if type(a) is type(b) and not isinstance(a, Expr | Undefined) and a == b:
                merged[name] = a
                continue
            dtypes = merge_values(self.typing, a, b)
            if dtypes is None:
                known = [v for v in (a, b) if isinstance(v, Undefined)]
                merged[name] = (
                    known[0] if known else Undefined("it has different kinds of value by branch")
                )
                continue
            merged[name] = self.join(test, a, b, name, slots, flat)
        if not flat:
            for a, b, slot, dtype in slots:
                then_body.append(Assign(slot, self.typing.expr(a, dtype)))
                else_body.append(Assign(slot, self.typing.expr(b, dtype)))
            self.builder.body.append(If(test, tuple(then_body), tuple(else_body)))
        return merged

    def join(
        self,
        test: Expr,
        a: Value,
        b: Value,
        name: str,
        slots: list[tuple[Value, Value, str, DType]],
        flat: bool,
    ) -> Value:
        """One value that is `a` or `b`: a local set in both branches, or a select."""
        if isinstance(a, tuple):
            return tuple(
                self.join(test, x, y, f"{name}{k}", slots, flat)
                for k, (x, y) in enumerate(zip(a, b, strict=True))
            )
        dtype = self.typing.branch(a, b)
        if flat:
            operands = (test, self.typing.expr(a, dtype), self.typing.expr(b, dtype))
            made = self.builder.assign(self.builder.fresh(name), Op("select", operands, dtype))
        else:
            made = Local(self.builder.fresh(name), dtype)
            slots.append((a, b, made.name, dtype))
        kept = self.builder.kept(a)
        if kept is None or self.builder.kept(b) is not kept:
            return made
        return self.builder.keep(made, kept)

    def convert_test(self, node: ast.expr) -> Any:
        """Evaluate a condition."""
        try:
            test = self.typing.condition(self.expression(node))
        except TypeError as error:
            if isinstance(error, KernelError):
                raise
            raise self.fail(str(error), node) from None
        return self.builder.bind("test", test)

    # Loops

    def repeat(self, stmt: ast.For) -> None:
        """A `for` over range(...) or a tuple."""
        if not isinstance(stmt.target, ast.Name):
            raise self.fail("a loop has one variable", stmt.target, KernelSyntaxError)
        name = stmt.target.id
        if not is_range(stmt.iter):
            items = self.expression(stmt.iter)
            if not isinstance(items, tuple):
                raise self.fail("a `for` goes over range(...) or a tuple", stmt.iter)
            self.unroll(stmt, name, items)
            return
        assert isinstance(stmt.iter, ast.Call)
        bounds = [self.expression(arg) for arg in stmt.iter.args]
        start, stop, step = self.range_bounds(bounds, stmt.iter)
        if isinstance(start, int) and isinstance(stop, int):
            span = range(start, stop, step)
            if not span:
                self.never(stmt, name)
                return
            if not span[UNROLL_LIMIT:]:
                within = turns(stmt.body, self.env, self.expression, UNROLL_LIMIT)
                every = len(span) * within
                long = every > UNROLL_LIMIT or (within > 1 and every * nodes(stmt) > NEST_LIMIT)
                if not long or not self.stays(stmt, start, stop, step):
                    self.unroll(stmt, name, tuple(span))
                return
        self.rolled(stmt, start, stop, step)

    def stays(self, stmt: ast.For, start: int, stop: int, step: int) -> bool:
        """Keep a loop over constants a loop; return False, with nothing changed, where its body
        makes sense for constants alone."""
        env, body, names = dict(self.env), self.builder.body, self.builder.checkpoint()
        length = len(body)
        try:
            self.rolled(stmt, start, stop, step)
        except KernelError:
            self.env, self.builder.body = env, body
            del body[length:]
            self.builder.rewind(names)
            return False
        return True

    def rolled(self, stmt: ast.For, start: Value, stop: Value, step: int) -> None:
        """A loop that is one in IR, too."""
        assert isinstance(stmt.target, ast.Name)
        name = stmt.target.id
        low, high = (self.typing.expr(bound, DType.S32) for bound in (start, stop))
        self.refuse_in_row(stmt)
        variable = self.builder.fresh(name)
        body = self.carry(stmt, {name: Local(variable, DType.S32)})
        self.builder.body.append(For(variable, low, high, step, body))

    def range_bounds(self, bounds: list[Value], node: ast.expr) -> tuple[Value, Value, int]:
        """Start, stop and step of a range."""
        for bound in bounds:
            whole = isinstance(bound, int) or (isinstance(bound, Expr) and bound.dtype.is_integer)
            if not whole:
                raise self.fail(f"range takes integers, got {describe(bound)}", node)
        if len(bounds) == 1:
            return 0, bounds[0], 1
        step = bounds[2] if len(bounds) == 3 else 1
        if not isinstance(step, int) or step == 0:
            raise self.fail("the step of range must be a constant other than 0", node)
        if not all(isinstance(bound, int) for bound in bounds) and abs(step) >= 2**31:
            raise self.fail(f"a step of {shown(step)} does not fit s32, in which loops count", node)
        return bounds[0], bounds[1], step

    def unroll(self, stmt: ast.For, name: str, items: tuple[Value, ...]) -> None:
        """Evaluate the body once for each item."""
        for item in items:
            self.env[name] = item
            self.run(stmt.body)

    def never(self, stmt: ast.For, name: str) -> None:
        """A loop that is over before it begins: weak numbers take the types that it would give
        them, so that a sum over no elements has the type of any other."""
        env, body, names = dict(self.env), self.builder.body, self.builder.checkpoint()
        try:
            carried = self.carried(stmt)
            counter = Local(self.builder.fresh(name), DType.S32)
            dtypes, _ = self.settled(stmt, carried, {name: counter})
        except KernelError:  # its body makes sense for constants alone, or not at all
            carried, dtypes = {}, []
        self.env, self.builder.body = env, body
        self.builder.rewind(names)
        for variable, dtype in zip(carried, dtypes, strict=True):
            if is_number(self.env[variable]):
                self.env[variable] = self.typing.expr(self.env[variable], dtype)

    def loop(self, stmt: ast.While) -> None:
        """A `while`."""
        self.refuse_in_row(stmt)
        carried, before, names = self.carried(stmt), dict(self.env), self.builder.checkpoint()
        dtypes, _ = self.settled(stmt, carried, {})
        self.env = dict(before)  # once more, with what the test needs apart
        self.builder.rewind(names)
        for (name, slot), dtype in zip(carried.items(), dtypes, strict=True):
            self.builder.body.append(Assign(slot, self.typing.expr(before[name], dtype)))
        self.enter(carried, dtypes)
        outer = self.builder.scope()
        test = self.typing.expr(self.convert_test(stmt.test), DType.BOOL)
        setup = tuple(self.builder.body)
        self.builder.body = []
        self.run(stmt.body)
        body = self.leave(carried, dtypes)
        self.builder.body = outer
        self.after_loop(before, carried, dtypes)
        self.builder.body.append(While(test, body, WHILE_LIMIT, setup))

    def refuse_in_row(self, stmt: ast.stmt) -> None:
        """Raise if this builds a row."""
        if self.builder.row_axis is not None:
            raise self.fail(
                "a row kernel has no loops over runtime bounds; use sum, max, min, prod or mean of "
                "a whole row, or a @treadle.kernel",
                stmt,
                KernelSyntaxError,
            )

    def carry(self, stmt: ast.For, extra: dict[str, Value]) -> tuple[Stmt, ...]:
        """Evaluate a loop's body with its carried variables as locals; return the IR body."""
        carried, before = self.carried(stmt), dict(self.env)
        dtypes, body = self.settled(stmt, carried, extra)
        for (name, slot), dtype in zip(carried.items(), dtypes, strict=True):
            self.builder.body.append(Assign(slot, self.typing.expr(before[name], dtype)))
        self.after_loop(before, carried, dtypes)
        return body

    def carried(self, stmt: ast.For | ast.While) -> dict[str, str]:
        """Variables that exist before the loop and change in it, each with the local that holds
        it."""
        names: dict[str, None] = {}
        if isinstance(stmt, ast.For) and isinstance(stmt.target, ast.Name):
            names[stmt.target.id] = None  # as in Python it holds its last value afterwards
        for inner in stmt.body:
            for node in ast.walk(inner):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    names[node.id] = None
        found: dict[str, str] = {}
        for name in names:
            if name not in self.env or isinstance(self.env[name], Undefined):
                continue
            value = self.env[name]
            if isinstance(value, tuple):
                raise self.fail(
                    f"{name!r} is a tuple and changes in a loop; use one variable for each part",
                    stmt,
                )
            if not isinstance(value, Expr) and not is_number(value):
                raise self.fail(f"{name!r} is {describe(value)} and cannot change in a loop", stmt)
            found[name] = self.builder.fresh(name)
        return found

    def settled(
        self, stmt: ast.For | ast.While, carried: dict[str, str], extra: dict[str, Value]
    ) -> tuple[list[DType], tuple[Stmt, ...]]:
        """Evaluate a body with types that one more iteration does not change; return both.

        The evaluation that finds that out is the one that counts: where loops are nested, each
        further one would have the inner ones evaluated again."""
        env, names = dict(self.env), self.builder.checkpoint()
        ends = self.iteration(stmt, carried, None, extra)[1]
        # A weak start takes the type of what the body makes of it; a strong one keeps its own.
        dtypes = [
            end if is_number(env[name]) else self.typing.branch(env[name], Local("", end))
            for name, end in zip(carried, ends, strict=True)
        ]
        for _ in range(4):
            self.env = dict(env)
            self.builder.rewind(names)
            names = self.builder.checkpoint()
            body, found = self.iteration(stmt, carried, dtypes, extra)
            if found == dtypes:
                return dtypes, body
            dtypes = found
        raise self.fail("the types of the loop's variables do not settle", stmt)

    def iteration(
        self,
        stmt: ast.For | ast.While,
        carried: dict[str, str],
        dtypes: list[DType] | None,
        extra: dict[str, Value],
    ) -> tuple[tuple[Stmt, ...], list[DType]]:
        """One evaluation of a loop's body: its statements and the types that come out."""
        if dtypes is not None:
            self.enter(carried, dtypes)
        self.env.update(extra)
        outer = self.builder.scope()
        if isinstance(stmt, ast.While):
            self.convert_test(stmt.test)
        self.run(stmt.body)
        ends = [self.env[name] for name in carried]
        held = [()] * len(ends) if dtypes is None else [(Local("", d),) for d in dtypes]
        found = [self.typing.branch(end, *hold) for end, hold in zip(ends, held, strict=True)]
        body = self.leave(carried, found)
        self.builder.body = outer
        return body, found

    def enter(self, carried: dict[str, str], dtypes: list[DType]) -> None:
        """Make carried variables locals of the given types."""
        for (name, slot), dtype in zip(carried.items(), dtypes, strict=True):
            self.env[name] = Local(slot, dtype)

    def leave(self, carried: dict[str, str], dtypes: list[DType]) -> tuple[Stmt, ...]:
        """Store the carried variables at the end of the body; return the body."""
        for (name, slot), dtype in zip(carried.items(), dtypes, strict=True):
            value = self.typing.expr(self.env[name], dtype)
            if value != Local(slot, dtype):
                # Two variables may swap: read all new values before the first slot changes.
                temp = self.builder.assign(self.builder.fresh(f"{name}_next"), value)
                self.env[name] = temp
        for (name, slot), dtype in zip(carried.items(), dtypes, strict=True):
            value = self.typing.expr(self.env[name], dtype)
            if value != Local(slot, dtype):
                self.builder.body.append(Assign(slot, value))
        return tuple(self.builder.body)

    def after_loop(
        self, before: dict[str, Value], carried: dict[str, str], dtypes: list[DType]
    ) -> None:
        """What is visible after a loop: what was before, with carried variables as locals."""
        inside = Undefined("it is set only inside a loop; set it before the loop")
        self.env = {name: before.get(name, inside) for name in {**before, **self.env}}
        self.enter(carried, dtypes)
