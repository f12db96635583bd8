"""Loops of a template over a mapping, which yields its keys, as if it yielded its values or its items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import nodes

from ensue.language.jinja.filters.kinds import is_mapping
from ensue.language.jinja.missing_keys import value_of, written

if TYPE_CHECKING:
    from collections.abc import Mapping


def loop_over_mapping(
    environment: jinja2.Environment, text: str, line: int, variables: Mapping[str, Any]
) -> str:
    """Return how to loop over the mapping that an error is about; empty if it is about none.

    Args:
        environment: parses the template.
        text: the template.
        line: the line of the error, counted from 1: of the loop, or of what reads its variable.
        variables: the variables of the rendering.
    """
    try:
        tree = environment.parse(text)
    except (jinja2.TemplateError, ValueError, RecursionError):
        return ""
    known = {**variables, **_set_values(tree, variables)}
    for loop in tree.find_all(nodes.For):
        if not is_mapping(value_of(loop.iter, known)) or not (path := written(loop.iter)):
            continue
        if (isinstance(loop.target, nodes.Tuple) and loop.lineno == line) or _reads_target(loop, line):
            return f"a mapping yields its keys: write {{% for key, value in {path}.items() %}}"
    return ""


def _set_values(tree: nodes.Template, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the variables that a template sets to a constant, or to what is below some keys of another."""
    values: dict[str, Any] = {}
    for assign in tree.find_all(nodes.Assign):
        value = assign.node
        if isinstance(assign.target, nodes.Name) and isinstance(value, nodes.Expr):
            name = assign.target.name
            try:
                values[name] = value.as_const()
            except nodes.Impossible:
                values[name] = value_of(value, {**variables, **values})
    return values


def _reads_target(loop: nodes.For, line: int) -> bool:
    """Return whether a line reads something of the variable of a loop, `{{ port.key }}`."""
    name = loop.target.name if isinstance(loop.target, nodes.Name) else None
    reads: Any = loop.find_all((nodes.Getattr, nodes.Getitem))
    return any(
        read.lineno == line and isinstance(read.node, nodes.Name) and read.node.name == name for read in reads
    )
