"""A function's syntax tree, read back from its bytecode: for kernels whose text is gone.

In: a code object. Out: the `def` that means the same, or None where this module does not know an
instruction. Expressions are put together on a stack, as the interpreter would put values; where the
code branches, each branch is followed to its end, so that what comes after an `if` stands in both
of its branches. Names, constants and their order are those of the code; comments and layout are
lost. It knows CPython 3.11 to 3.14 and no more of the language than kernels may use.
"""

from __future__ import annotations

import ast
import copy
import dis
from collections.abc import Callable
from dataclasses import field
from types import CodeType, FunctionType
from typing import Any

from treadle.data import dataclass

__all__ = ["read_back"]

STEPS = 20_000  # instructions followed, each as often as branches lead there

_BINARY = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "%": ast.Mod,
    "**": ast.Pow, "@": ast.MatMult, "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor,
    "<<": ast.LShift, ">>": ast.RShift,
}  # fmt: skip
_COMPARE = {
    "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq,
}  # fmt: skip
_UNARY = {"UNARY_NEGATIVE": ast.USub, "UNARY_NOT": ast.Not, "UNARY_INVERT": ast.Invert}
_IDLE = frozenset((
    "RESUME", "NOP", "CACHE", "PRECALL", "COPY_FREE_VARS", "MAKE_CELL", "EXTENDED_ARG", "TO_BOOL",
    "NOT_TAKEN", "END_FOR",
))  # fmt: skip
_NULL = ast.Name("", ast.Load())  # what the interpreter pushes beside a function to call


class _Unknown(Exception):
    """Something that this module does not read."""


@dataclass(slots=True)
class _Loop:
    """A loop whose body is being read: it begins at `first` and its last jump back is at `last`."""

    first: int
    last: int
    flag: str | None = None  # what says whether a `while` goes on; a `for` has none
    left: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)  # where it was left to


def read_back(function: FunctionType) -> ast.FunctionDef | None:
    """Return a `def` with the name, the arguments and the meaning of a function, or None."""
    try:
        body = _Reader(function.__code__).walk(0, [])
    except (_Unknown, RecursionError, IndexError, KeyError, AttributeError):
        return None
    code = function.__code__
    names = code.co_varnames
    count, named = code.co_argcount, code.co_kwonlyargcount
    if code.co_flags & 0x2AC:  # more arguments as a tuple or a dict, generators, coroutines
        return None
    arguments = ast.arguments(
        posonlyargs=[ast.arg(name) for name in names[: code.co_posonlyargcount]],
        args=[ast.arg(name) for name in names[code.co_posonlyargcount : count]],
        kwonlyargs=[ast.arg(name) for name in names[count : count + named]],
        kw_defaults=[_default(function, name) for name in names[count : count + named]],
        defaults=[_constant(value) for value in function.__defaults__ or ()],
    )
    found = ast.FunctionDef(code.co_name, arguments, body, [], None)
    if "type_params" in ast.FunctionDef._fields:
        setattr(found, "type_params", [])  # noqa: B010  # from 3.12 on
    return ast.fix_missing_locations(found)


def _default(function: FunctionType, name: str) -> ast.expr | None:
    known = function.__kwdefaults__ or {}
    return _constant(known[name]) if name in known else None


def _constant(value: Any) -> ast.expr:
    if isinstance(value, tuple):
        return ast.Tuple([_constant(item) for item in value], ast.Load())
    if isinstance(value, slice):
        parts = [value.start, value.stop, value.step]
        return ast.Slice(*[None if part is None else _constant(part) for part in parts])
    return ast.Constant(value)  # of a default, whatever it is: evaluation asks the function


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


class _Reader:
    """Follows a code's instructions and collects statements."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.every = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE",)]
        self.place = {i.offset: n for n, i in enumerate(self.every)}
        # The last jump back to each place that is jumped back to: these are loops.
        self.back: dict[int, int] = {}
        for instruction in self.every:
            if "JUMP" in instruction.opname and instruction.argval <= instruction.offset:
                self.back[instruction.argval] = instruction.offset
        self.loops: list[_Loop] = []
        self.made = 0
        self.steps = 0
        self.keywords: tuple[str, ...] = ()

    def temporary(self) -> str:
        """A name that the function does not have."""
        while True:
            self.made += 1
            name = f"_{self.made}"
            if name not in (*self.code.co_varnames, *self.code.co_names):
                return name

    def walk(self, offset: int, stack: list[ast.expr], inside: bool = False) -> list[ast.stmt]:
        """The statements from an offset on, to a return or to where the loop around them ends;
        `inside` says that the offset is where that loop begins."""
        out: list[ast.stmt] = []
        while True:
            ended = None if inside else self._end_of_turn(offset, stack)
            if ended is not None:
                return out + ended
            self.steps += 1
            if self.steps > STEPS:
                raise _Unknown("too long")
            instruction = self.every[self.place[offset]]
            following = self._after(offset)
            if offset in self.back and instruction.opname != "FOR_ITER" and not inside:
                offset, statements = self._while(offset, stack)
                out += statements
                continue
            inside = False
            name = instruction.opname
            if name in ("RETURN_VALUE", "RETURN_CONST"):
                if self.loops:
                    raise _Unknown("a return in a loop")
                value = stack.pop() if name == "RETURN_VALUE" else _constant(instruction.argval)
                return [*out, ast.Return(value)]
            if name == "FOR_ITER":
                offset, statement = self._for(instruction, stack)
                out.append(statement)
            elif name.startswith(("POP_JUMP", "JUMP_IF")):
                return [*out, self._if(instruction, stack)]
            elif name.startswith("JUMP"):
                offset = instruction.argval
            else:
                if name not in _IDLE:
                    self._step(instruction, stack, out)
                offset = following

    def _after(self, offset: int) -> int:
        place = self.place[offset] + 1
        return self.every[place].offset if place < len(self.every) else -1

    # Where the code branches and repeats.

    def _end_of_turn(self, offset: int, stack: list[ast.expr]) -> list[ast.stmt] | None:
        """What ends a turn of the innermost loop at an offset, or None inside of it."""
        if not self.loops:
            return None
        loop = self.loops[-1]
        again = offset == loop.first
        if not again and loop.first < offset <= loop.last:
            return None
        if loop.flag is None:
            if not again:
                raise _Unknown("a loop that is left before its end")
            return []
        if not again:
            loop.left.append((offset, tuple(map(ast.dump, stack))))
        return [_assign(loop.flag, ast.Constant(again))]

    def _if(self, instruction: dis.Instruction, stack: list[ast.expr]) -> ast.stmt:
        name = instruction.opname
        keep = name.startswith("JUMP_IF")  # and pop where it does not jump
        test = stack[-1] if keep else stack.pop()
        if name.endswith("NONE"):
            test = ast.Compare(test, [ast.Is()], [ast.Constant(None)])
        jumps_if = not name.endswith(("FALSE", "FALSE_OR_POP", "NOT_NONE"))
        jumped = self.walk(instruction.argval, list(stack))
        fallen = self.walk(self._after(instruction.offset), stack[:-1] if keep else list(stack))
        yes, no = (jumped, fallen) if jumps_if else (fallen, jumped)
        return ast.If(copy.deepcopy(test), yes or [ast.Pass()], no)

    def _for(self, instruction: dis.Instruction, stack: list[ast.expr]) -> tuple[int, ast.stmt]:
        iterated = stack.pop()
        target = self.temporary()
        first = instruction.offset
        self.loops.append(_Loop(first, self.back[first]))
        body = self.walk(self._after(first), [*stack, _NULL, _name(target)])
        self.loops.pop()
        offset = instruction.argval
        while self.every[self.place[offset]].opname in ("END_FOR", "POP_ITER", "POP_TOP"):
            offset = self._after(offset)
        store = ast.Name(target, ast.Store())
        return offset, ast.For(store, iterated, body or [ast.Pass()], [])

    def _while(self, first: int, stack: list[ast.expr]) -> tuple[int, list[ast.stmt]]:
        """A loop as one that runs as long as a flag says: Python tests at its end."""
        loop = _Loop(first, self.back[first], self.temporary())
        assert loop.flag is not None
        self.loops.append(loop)
        body = self.walk(first, list(stack), inside=True)
        self.loops.pop()
        exits = list(dict.fromkeys(loop.left))
        if any(held != tuple(map(ast.dump, stack)) for _, held in exits):
            raise _Unknown("a loop that leaves something on the stack")
        if len({self._text(offset, stack) for offset, _ in exits}) != 1:
            raise _Unknown("a loop that is left to several places")
        begin = _assign(loop.flag, ast.Constant(True))
        return exits[0][0], [begin, ast.While(_name(loop.flag), body, [])]

    def _text(self, offset: int, stack: list[ast.expr]) -> str:
        """What follows an offset: Python writes short ends of functions several times."""
        made = self.made
        text = ast.dump(ast.Module(self.walk(offset, list(stack)), []))
        self.made = made
        return text

    # Everything else: what one instruction does to the stack.

    def _step(
        self, instruction: dis.Instruction, stack: list[ast.expr], out: list[ast.stmt]
    ) -> None:
        name, arg, value = instruction.opname, instruction.arg or 0, instruction.argval
        if name in _SIMPLE:
            _SIMPLE[name](stack, arg, value)
        elif name in _UNARY:
            stack.append(ast.UnaryOp(_UNARY[name](), stack.pop()))
        elif name.startswith("STORE_FAST_LOAD"):
            self._store(value[0], stack, out)
            stack.append(_name(value[1]))
        elif name.startswith("STORE_FAST_STORE"):
            self._store(value[0], stack, out)
            self._store(value[1], stack, out)
        elif name in ("STORE_FAST", "STORE_DEREF"):
            self._store(value, stack, out)
        elif name == "UNPACK_SEQUENCE":
            names = [self.temporary() for _ in range(arg)]
            targets = ast.Tuple([ast.Name(each, ast.Store()) for each in names], ast.Store())
            out.append(ast.Assign([targets], stack.pop()))
            stack += [_name(each) for each in reversed(names)]
        elif name == "BINARY_OP":
            _binary(stack, instruction.argrepr.removesuffix("="))
        elif name == "COMPARE_OP":
            right, left = stack.pop(), stack.pop()
            sign = instruction.argrepr.removeprefix("bool(").removesuffix(")")
            stack.append(ast.Compare(left, [_COMPARE[sign]()], [right]))
        elif name == "LOAD_GLOBAL":
            stack += [_NULL, _name(value)] if arg & 1 else [_name(value)]
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            called = name == "LOAD_METHOD" or "NULL" in instruction.argrepr
            found = ast.Attribute(stack.pop(), value, ast.Load())
            stack += [_NULL, found] if called else [found]
        elif name == "KW_NAMES":
            self.keywords = self.code.co_consts[arg]
        elif name in ("CALL", "CALL_KW"):
            if name == "CALL_KW":
                given: Any = stack.pop()
                self.keywords = tuple(item.value for item in given.elts)
            _call(stack, arg, self.keywords)
            self.keywords = ()
        elif name == "CALL_INTRINSIC_1" and "LIST_TO_TUPLE" in instruction.argrepr:
            _tuple_of_list(stack, arg, value)
        else:
            raise _Unknown(name)

    def _store(self, name: str, stack: list[ast.expr], out: list[ast.stmt]) -> None:
        """Assign; what waits on the stack and reads the name keeps what it was."""
        value = stack.pop()
        for place, waiting in enumerate(stack):
            if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(waiting)):
                kept = self.temporary()
                out.append(_assign(kept, waiting))
                stack[place] = _name(kept)
        out.append(_assign(name, value))


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _binary(stack: list[ast.expr], sign: str) -> None:
    right, left = stack.pop(), stack.pop()
    if sign == "[]":
        stack.append(ast.Subscript(left, right, ast.Load()))
    else:
        stack.append(ast.BinOp(left, _BINARY[sign](), right))


def _popped(stack: list[ast.expr], count: int) -> list[ast.expr]:
    found = stack[len(stack) - count :]
    del stack[len(stack) - count :]
    return found


def _call(stack: list[ast.expr], count: int, names: tuple[str, ...]) -> None:
    given = _popped(stack, count)
    called = [item for item in _popped(stack, 2) if item is not _NULL]
    (function,) = called
    plain = given[: count - len(names)]
    named = [ast.keyword(n, v) for n, v in zip(names, given[len(plain) :], strict=True)]
    stack.append(ast.Call(function, plain, named))


def _subscript(stack: list[ast.expr], arg: int, value: Any) -> None:
    _binary(stack, "[]")


def _slice(stack: list[ast.expr], arg: int, value: Any) -> None:
    parts = [None if _is_none(part) else part for part in _popped(stack, arg or 2)]
    stack.append(ast.Slice(*parts))


def _binary_slice(stack: list[ast.expr], arg: int, value: Any) -> None:
    _slice(stack, 2, value)
    _binary(stack, "[]")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _tuple_of_list(stack: list[ast.expr], arg: int, value: Any) -> None:
    found = stack.pop()
    assert isinstance(found, ast.List)
    stack.append(ast.Tuple(found.elts, ast.Load()))


def _extend(stack: list[ast.expr], arg: int, value: Any) -> None:
    more = stack.pop()
    held: Any = stack[-arg]
    items = more.elts if isinstance(more, ast.Tuple) else [ast.Starred(more, ast.Load())]
    stack[-arg] = ast.List([*held.elts, *items], ast.Load())


def _append(stack: list[ast.expr], arg: int, value: Any) -> None:
    more = stack.pop()
    held: Any = stack[-arg]
    stack[-arg] = ast.List([*held.elts, more], ast.Load())


def _swap(stack: list[ast.expr], arg: int, value: Any) -> None:
    stack[-1], stack[-arg] = stack[-arg], stack[-1]


def _two(stack: list[ast.expr], arg: int, value: Any) -> None:
    stack.extend(map(_name, value))


def _is(stack: list[ast.expr], arg: int, value: Any) -> None:
    right, left = stack.pop(), stack.pop()
    stack.append(ast.Compare(left, [ast.IsNot() if arg else ast.Is()], [right]))


def _in(stack: list[ast.expr], arg: int, value: Any) -> None:
    right, left = stack.pop(), stack.pop()
    stack.append(ast.Compare(left, [ast.NotIn() if arg else ast.In()], [right]))


def _call_with(stack: list[ast.expr], arg: int, value: Any) -> None:
    if arg & 1:
        raise _Unknown("keywords from a dict")
    given = stack.pop()
    (function,) = (item for item in _popped(stack, 2) if item is not _NULL)
    plain = given.elts if isinstance(given, ast.Tuple) else [ast.Starred(given, ast.Load())]
    stack.append(ast.Call(function, list(plain), []))


def _load(stack: list[ast.expr], arg: int, value: Any) -> None:
    stack.append(_name(value))


_SIMPLE: dict[str, Callable[[list[ast.expr], int, Any], None]] = {
    **dict.fromkeys(
        ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_DEREF", "LOAD_NAME"), _load
    ),
    **dict.fromkeys(("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW"), _two),
    **dict.fromkeys(
        ("LOAD_CONST", "LOAD_SMALL_INT"), lambda stack, arg, value: stack.append(_constant(value))
    ),
    "POP_TOP": lambda stack, arg, value: stack.__delitem__(-1),
    "PUSH_NULL": lambda stack, arg, value: stack.append(_NULL),
    "COPY": lambda stack, arg, value: stack.append(stack[-arg]),
    "SWAP": _swap,
    "GET_ITER": lambda stack, arg, value: None,
    "UNARY_POSITIVE": lambda stack, arg, value: stack.append(ast.UnaryOp(ast.UAdd(), stack.pop())),
    "BINARY_SUBSCR": _subscript,
    "BINARY_SLICE": _binary_slice,
    "BUILD_SLICE": _slice,
    "BUILD_TUPLE": lambda stack, arg, value: stack.append(
        ast.Tuple(_popped(stack, arg), ast.Load())
    ),
    "BUILD_LIST": lambda stack, arg, value: stack.append(ast.List(_popped(stack, arg), ast.Load())),
    "LIST_EXTEND": _extend,
    "LIST_APPEND": _append,
    "LIST_TO_TUPLE": _tuple_of_list,
    "CALL_FUNCTION_EX": _call_with,
    "IS_OP": _is,
    "CONTAINS_OP": _in,
}
