"""Which printed expressions a template's author has written out: those made of constants and nothing else.

`{% set n = 3 %}` … `{{ "[" * n }}` may print any structure. What is printed of a variable that a macro, an
import or the context gives is not known here.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from jinja2 import nodes
from jinja2.filters import FILTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FUNCTIONS: Final = frozenset({"range", "dict"})


def constant_outputs(template: nodes.Template) -> Iterator[tuple[nodes.Output, int]]:
    """Yield the printed expressions that are made of constants: the output, and the place in it."""
    outputs = list(template.find_all(nodes.Output))
    expressions = [
        (output, place) for output in outputs for place, one in enumerate(output.nodes) if _names(one)
    ]
    if not expressions:
        return
    known = _constants(template)
    for output, place in expressions:
        if known and _is_constant(output.nodes[place], known):
            yield output, place


def _names(node: nodes.Node) -> bool:
    return not isinstance(node, (nodes.TemplateData, nodes.Const)) and (
        isinstance(node, nodes.Name) or node.find(nodes.Name) is not None
    )


def _constants(template: nodes.Template) -> frozenset[str]:
    """Return the variables that hold nothing but constants wherever they are set."""
    values = _bindings(template)
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


def _bindings(template: nodes.Template) -> dict[str, list[nodes.Expr | None]]:
    """Return what each variable is set to; None stands for what is not an expression of this template."""
    values: defaultdict[str, list[nodes.Expr | None]] = defaultdict(list)
    assigned: set[int] = set()
    sets = ((one.target, one.node) for one in template.find_all(nodes.Assign))
    loops = ((one.target, one.iter) for one in template.find_all(nodes.For))
    for target, value in (*sets, *loops):
        if isinstance(target, nodes.Name) and isinstance(value, nodes.Expr):
            assigned.add(id(target))
            values[target.name].append(value)
    for name in template.find_all(nodes.Name):
        if name.ctx != "load" and id(name) not in assigned:
            values[name.name].append(None)
    for imported in _imported(template):
        values[imported].append(None)
    return values


def _imported(template: nodes.Template) -> Iterator[str]:
    yield from (one.target for one in template.find_all(nodes.Import))
    yield from (one.name for one in template.find_all(nodes.Macro))
    for imported in template.find_all(nodes.FromImport):
        yield from (one if isinstance(one, str) else one[1] for one in imported.names)


def _is_constant(expression: nodes.Node, known: frozenset[str]) -> bool:
    return all(_may_be_part(node, known) for node in _with_parts(expression))


def _with_parts(node: nodes.Node) -> Iterable[nodes.Node]:
    yield node
    for child in node.iter_child_nodes():
        yield from _with_parts(child)


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
