"""Finds the printed expressions that a template's author has written out: those made only of constants.

`{% set n = 3 %}` … `{{ "[" * n }}` may print any structure. The origin of variables from a macro, an import
or the context is unknown here.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from jinja2 import nodes
from jinja2.filters import FILTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_FUNCTIONS: Final = frozenset({"range", "dict"})


def constant_outputs(tree: Sequence[nodes.Node]) -> Iterator[tuple[nodes.Output, int]]:
    """Yield the printed expressions that are made of constants: the output node, and the index in it.

    Args:
        tree: all nodes of a template.
    """
    expressions = [
        (output, place)
        for output in tree
        if isinstance(output, nodes.Output)
        for place, one in enumerate(output.nodes)
        if isinstance(one, _COMPUTING)
    ]
    if not expressions:
        return
    known = _constants(tree)
    for output, place in expressions:
        if known and _is_constant(output.nodes[place], known):
            yield output, place


_COMPUTING: Final = (nodes.BinExpr, nodes.Concat, nodes.Filter, nodes.Getitem, nodes.Call, nodes.CondExpr)
"""Expressions that make text of variables; the value of a plain variable is already in the source."""


def all_nodes(root: nodes.Node) -> list[nodes.Node]:
    """Return a node and all nodes below it."""
    found: list[nodes.Node] = [root]
    # The list grows while it is walked.
    for node in found:
        found.extend(node.iter_child_nodes())
    return found


def _constants(tree: Iterable[nodes.Node]) -> frozenset[str]:
    """Return the variables that are only ever set to constants."""
    values = _bindings(tree)
    known = frozenset(name for name, found in values.items() if None not in found)
    while True:
        left = frozenset(
            name
            for name in known
            if all(one is not None and _is_constant(one, known) for one in values[name])
        )
        if left == known:
            return known
        known = left


def _bindings(tree: Iterable[nodes.Node]) -> dict[str, list[nodes.Expr | None]]:
    """Return the expressions that each variable is set to; None for a value from outside this template."""
    values: defaultdict[str, list[nodes.Expr | None]] = defaultdict(list)
    assigned: set[int] = set()
    for node in tree:
        match node:
            case nodes.Assign(target=nodes.Name() as target, node=nodes.Expr() as value):
                assigned.add(id(target))
                values[target.name].append(value)
            case nodes.For(target=nodes.Name() as target, iter=nodes.Expr() as value):
                assigned.add(id(target))
                values[target.name].append(value)
            case nodes.Import(target=str() as name) | nodes.Macro(name=str() as name):
                values[name].append(None)
            case nodes.FromImport():
                for one in node.names:
                    values[one if isinstance(one, str) else one[1]].append(None)
            case nodes.Name() if node.ctx != "load" and id(node) not in assigned:
                values[node.name].append(None)
            case _:
                pass
    return values


def _is_constant(expression: nodes.Node, known: frozenset[str]) -> bool:
    return all(_may_be_part(node, known) for node in all_nodes(expression))


def _may_be_part(node: nodes.Node, known: frozenset[str]) -> bool:
    match node:
        case nodes.Name():
            return node.name in known or node.name in _FUNCTIONS
        case nodes.Filter():
            return node.name in FILTERS
        case nodes.Call():
            return isinstance(node.node, (nodes.Name, nodes.Getattr))
        case _:
            return True
