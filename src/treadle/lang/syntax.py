"""Which Python is in the kernel language: checked when a kernel is defined.

In: a Text. Out: nothing, or a KernelSyntaxError that says what to write instead. Types and names
are checked later, when the kernel meets its buffers.
"""

from __future__ import annotations

import ast

from treadle.errors import KernelSyntaxError
from treadle.lang.source import Text

__all__ = ["check"]

DEEPEST = 100  # expressions and statements inside each other
LONGEST = 4_000  # statements of one text: what compilers take for them grows with their square

_ALLOWED = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.If,
    ast.For,
    ast.While,
    ast.Return,
    ast.Pass,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.Starred,
    ast.Constant,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
)

# Looking for a kind in a set takes a tenth of asking isinstance about as many classes.
_KINDS = frozenset(kind for each in _ALLOWED for kind in (each, *each.__subclasses__()))

_INSTEAD: dict[type[ast.AST], str] = {
    ast.Break: "`break` is not in the kernel language; put the condition into a `while`",
    ast.Continue: "`continue` is not in the kernel language; put what follows under an `if`",
    ast.ListComp: "comprehensions are not in the kernel language; write a `for` over range(...)",
    ast.SetComp: "comprehensions are not in the kernel language; write a `for` over range(...)",
    ast.DictComp: "comprehensions are not in the kernel language; write a `for` over range(...)",
    ast.GeneratorExp: "generators are not in the kernel language; write a `for` over range(...)",
    ast.List: "lists are not in the kernel language; use a tuple",
    ast.Dict: "dicts are not in the kernel language; use parameters or a tuple",
    ast.Set: "sets are not in the kernel language; use a tuple",
    ast.Lambda: "lambdas are not in the kernel language; write a function with @treadle.function",
    ast.FunctionDef: "nested functions are not in the kernel language; move it out and mark it "
    "@treadle.function",
    ast.ClassDef: "classes are not in the kernel language",
    ast.Try: "try/except is not in the kernel language; kernels never raise, every operation is "
    "defined for every value",
    ast.Raise: "kernels cannot raise; return a value that says so, or check before submitting",
    ast.Assert: "kernels cannot assert; check before submitting",
    ast.With: "`with` is not in the kernel language",
    ast.Global: "kernels cannot change globals; return the value instead",
    ast.Nonlocal: "kernels cannot change outer variables; return the value instead",
    ast.Import: "import outside the kernel; math functions need no import",
    ast.ImportFrom: "import outside the kernel; math functions need no import",
    ast.JoinedStr: "f-strings are not in the kernel language",
    ast.Await: "kernels cannot await; submit the kernel and await the command",
    ast.Yield: "kernels cannot yield; return the value",
    ast.YieldFrom: "kernels cannot yield; return the value",
    ast.NamedExpr: "`:=` is not in the kernel language; assign on a line of its own",
    ast.Delete: "`del` is not in the kernel language",
    ast.Match: "`match` is not in the kernel language; use if/elif",
}


def check(text: Text, *, variadic: bool = False) -> None:
    """Raise KernelSyntaxError at the first thing outside the kernel language.

    `variadic` allows `*inputs`, a tuple of any number of them."""
    args = text.tree.args
    if (args.vararg and not variadic) or args.kwarg:
        raise text.error(
            KernelSyntaxError,
            "*args and **kwargs are not in the kernel language; name every input, and put "
            "parameters after a bare `*`",
        )
    if not _returns(text):
        raise text.error(KernelSyntaxError, "it never returns a value; add a `return`")
    for position, stmt in enumerate(text.tree.body):
        _statement(text, stmt, loop=False, first=position == 0)


def _returns(text: Text) -> bool:
    """Whether there is a `return`.

    Refuse what is nested so deeply that Python's own stack would end before it is compiled, and
    what is so long that compiling it would not end soon."""
    count, found = 0, False
    stack: list[tuple[ast.AST, int]] = [(text.tree, 0)]
    while stack:
        node, depth = stack.pop()
        nested = isinstance(node, ast.expr)
        if not nested and isinstance(node, ast.stmt):
            nested = True
            count += 1
            found |= isinstance(node, ast.Return)
        if count > LONGEST:
            raise text.error(
                KernelSyntaxError,
                f"it has more than {LONGEST} statements; loop over an input or a parameter instead",
            )
        if depth > DEEPEST:
            raise text.error(
                KernelSyntaxError,
                f"it is nested more than {DEEPEST} deep here (each `elif` counts); give parts "
                "names, or read them from a table",
                node,
            )
        # A long sum is one thing after the other, though Python nests it.
        along = node.left if isinstance(node, ast.BinOp) else None
        for child in _children(node):
            same = child is along and isinstance(child, ast.BinOp)
            stack.append((child, depth if same else depth + nested))
    return found


def _statement(text: Text, stmt: ast.stmt, *, loop: bool, first: bool = False) -> None:
    if isinstance(stmt, ast.Expr):
        docstring = isinstance(stmt.value, ast.Constant) and isinstance(stmt.value.value, str)
        if docstring and first:
            return
        raise text.error(
            KernelSyntaxError,
            "this statement has no effect: kernels only compute a value (no print, no stores; "
            "return every output)",
            stmt,
        )
    _allowed(text, stmt)
    if isinstance(stmt, ast.Return):
        if loop:
            raise text.error(
                KernelSyntaxError,
                "`return` inside a loop is not in the kernel language; assign to a variable and "
                "return it after the loop",
                stmt,
            )
        if stmt.value is None:
            raise text.error(KernelSyntaxError, "return the element's value", stmt)
    if isinstance(stmt, ast.Assign | ast.AugAssign | ast.AnnAssign):
        _target(text, stmt)
    if isinstance(stmt, ast.For | ast.While) and stmt.orelse:
        raise text.error(KernelSyntaxError, "`else` on a loop is not in the kernel language", stmt)
    for name, value in ast.iter_fields(stmt):
        children = value if isinstance(value, list) else [value]
        if name == "annotation":
            continue
        for child in children:
            if isinstance(child, ast.stmt):
                inner = loop or isinstance(stmt, ast.For | ast.While)
                _statement(text, child, loop=inner)
            elif isinstance(child, ast.AST):
                _expression(text, child)


def _target(text: Text, stmt: ast.Assign | ast.AugAssign | ast.AnnAssign) -> None:
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
    for target in targets:
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        for name in names:
            if isinstance(name, ast.Subscript):
                raise text.error(
                    KernelSyntaxError,
                    "kernels never store: one invocation computes one output element; return its "
                    "value instead of assigning to an index",
                    name,
                )
            if not isinstance(name, ast.Name):
                raise text.error(KernelSyntaxError, "assign to plain names", name)


def _expression(text: Text, node: ast.AST) -> None:
    every = [node]
    for each in every:  # which grows: what is inside follows
        _allowed(text, each)
        every += _children(each)


def _children(node: ast.AST) -> list[ast.AST]:
    """As ast.iter_child_nodes, in less time.

    What else hangs on a node is no child: all trees of a process share the nodes of `+` and of
    loads, and what shows tracebacks in notebooks hangs parents on them."""
    found = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


def _allowed(text: Text, node: ast.AST) -> None:
    if type(node) not in _KINDS:
        message = _INSTEAD.get(type(node), f"{type(node).__name__} is not in the kernel language")
        raise text.error(KernelSyntaxError, message, node)
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
        raise text.error(
            KernelSyntaxError,
            "`@` works on whole arrays; in a kernel write the sum as a loop",
            node,
        )
