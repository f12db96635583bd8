"""The small changes that a test should notice: for each a span of a module's source and what replaces it.

It changes no files; `trials` does. Texts for people (docstrings, messages, `__repr__`),
annotations, decorators and blocks for type checkers are left alone, because no behaviour follows from them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Statement: TypeAlias = ast.Expr | ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.Assign
Replacements: TypeAlias = "Iterator[tuple[ast.expr | ast.stmt, str]]"

_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_FOR_PEOPLE = frozenset({"__repr__", "__str__"})
_WITHOUT_EFFECT = frozenset({"assert_never", "debug"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One change of one module.

    Attributes:
        path: The module below `src`, such as `ensue/engine/retry.py`.
        function: The qualified name of the function around it as `code.co_qualname` has it, or `<module>`.
        line: The line where the change begins, from 1.
        start: The first byte that is replaced.
        end: The byte after the last that is replaced.
        old: The source that is replaced.
        new: What replaces it.
    """

    path: str
    function: str
    line: int
    start: int
    end: int
    old: str
    new: str

    @property
    def change(self) -> str:
        """The old and the new source on one line."""
        return f"{' '.join(self.old.split())}  ->  {self.new}"

    def applied(self, source: bytes) -> bytes:
        """Return the source of the module with this change in it."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutations(path: str, source: bytes) -> list[Mutation]:
    """Return all mutations of a module in the order of its source.

    Args:
        path: The module below `src`.
        source: Its bytes.
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    result: list[Mutation] = []
    for function, node, new in _walk(ast.parse(source), "<module>"):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        old = source[start:end].decode()
        if old != new:
            result.append(
                Mutation(
                    path=path, function=function, line=node.lineno, start=start, end=end, old=old, new=new
                )
            )
    return result


def _walk(node: ast.AST, function: str) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Yield the function around it, the node and what replaces it, for each mutation below a node."""
    for replaced, new in _replacements(node):
        # Python runs the body of a class where the module is imported.
        inside = function.endswith(".<locals>")
        yield function.removesuffix(".<locals>") if inside else "<module>", replaced, new
    inner = _inner_name(node, function)
    for child in _children(node):
        yield from _walk(child, inner)


def _inner_name(node: ast.AST, outer: str) -> str:
    if isinstance(node, Function):
        return f"{_prefix(outer)}{node.name}.<locals>"
    return f"{_prefix(outer)}{node.name}" if isinstance(node, ast.ClassDef) else outer


def _prefix(outer: str) -> str:
    return "" if outer == "<module>" else f"{outer}."


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below a node that decide something: nothing that is for people or type checkers."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            if node.name not in _FOR_PEOPLE:
                yield from (each for each in (*node.args.defaults, *node.args.kw_defaults) if each)
                yield from node.body
        case ast.ClassDef():
            yield from node.body
        case ast.AnnAssign():
            yield from (node.value,) if node.value else ()
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield from node.orelse
        case ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return
        case ast.Call():
            yield from (node.func, *node.args)
            yield from (each.value for each in node.keywords if each.arg != "strict")
        case _:
            yield from ast.iter_child_nodes(node)


def _replacements(node: ast.AST) -> Replacements:
    if isinstance(node, ast.Expr | ast.AugAssign | ast.Raise | ast.Continue | ast.Break | ast.Assign):
        if _is_deletable(node):
            yield node, "pass"
    elif isinstance(node, ast.If | ast.IfExp | ast.While | ast.comprehension | ast.match_case):
        yield from _of_condition(node)
    else:
        yield from _of_operator(node)
        yield from _of_value(node)


def _of_condition(node: ast.If | ast.IfExp | ast.While | ast.comprehension | ast.match_case) -> Replacements:
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.While():  # forced true, it only fails to end
            yield from _forced(node.test, "False")
        case ast.comprehension():
            for condition in node.ifs:
                yield from _forced(condition, "True", "False")
        case ast.match_case():
            if node.guard is not None:
                yield from _forced(node.guard, "True", "False")
        case _:
            yield from _forced(node.test, "True", "False")


def _of_operator(node: ast.AST) -> Replacements:
    match node:
        case ast.Compare(ops=[operator]):
            yield from _of_comparison(node, operator)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, f"({ast.unparse(ast.BoolOp(op=other, values=node.values))})"
        case ast.UnaryOp(op=ast.Not()):
            yield node, f"({ast.unparse(node.operand)})"
        case ast.BinOp(op=ast.Add() | ast.Sub()) if not _has_text(node):
            sign = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield node, f"({ast.unparse(ast.BinOp(left=node.left, op=sign, right=node.right))})"
        case _:
            return


def _of_value(node: ast.AST) -> Replacements:
    match node:
        case ast.Constant(value=bool() as value):
            yield node, str(not value)
        case ast.Constant(value=int() as value):
            yield node, str(value + 1)
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield node, "return None"
        case ast.MatchValue(value=ast.Constant(value=str() as text) as constant):
            yield constant, _another(text)
        case _:
            return


def _of_comparison(node: ast.Compare, operator: ast.cmpop) -> Replacements:
    swapped = ast.Compare(left=node.left, ops=[_SWAPPED[type(operator)]()], comparators=node.comparators)
    yield node, f"({ast.unparse(swapped)})"
    for operand in (node.left, *node.comparators):
        elements = operand.elts if isinstance(operand, ast.Tuple | ast.Set | ast.List) else [operand]
        for element in elements:
            if isinstance(element, ast.Constant) and isinstance(element.value, str):
                yield element, _another(element.value)


def _another(text: str) -> str:
    return repr(f"{text}-mutant")


def _forced(condition: ast.expr, *values: str) -> Replacements:
    # Without its assignment expression a condition leaves a name undefined, which any test notices.
    if not any(isinstance(each, ast.NamedExpr) for each in ast.walk(condition)):
        yield from ((condition, value) for value in values)


def _has_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(
        isinstance(each, ast.JoinedStr | ast.List | ast.Tuple)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in sides
    )


def _is_deletable(node: Statement) -> bool:
    """Report whether a module without a statement still has all its names."""
    match node:
        case ast.Assign():
            return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
        case ast.Expr(value=ast.Await(value=ast.Call() as call) | (ast.Call() as call)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
            return name not in _WITHOUT_EFFECT
        case ast.Expr():
            return False
        case _:
            return True
