"""The keys that a mapping has instead of the one that a template reads from it, found after the failure.

Only attributes and constant keys of variables are followed, and only through mappings: nothing is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import jinja2
from jinja2 import nodes

_MISSING: Any = object()
_READS: Final = (nodes.Getattr, nodes.Getitem)
_SHORT: Final = 3
"""Of a key of so few letters, two that are swapped are half of it."""


def near_keys(
    environment: jinja2.Environment, text: str, line: int, variables: Mapping[str, Any]
) -> tuple[str, list[str]]:
    """Return the key that a line reads and its mapping lacks, and the keys that may have been meant.

    Args:
        environment: parses the template.
        text: the template.
        line: the line, counted from 1.
        variables: the variables of the rendering.

    Returns:
        An empty key if nothing of that kind is on the line.
    """
    import difflib

    try:
        tree = environment.parse(text)
    except jinja2.TemplateError:
        return "", []
    for node in tree.find_all(_READS):
        owner, key = _read(node)
        if node.lineno != line or not isinstance(key, str):
            continue
        data = _mapping(_value(owner, variables))
        if data is not None and key not in data and not hasattr(data, key):
            known = [one for one in data if isinstance(one, str)]
            cutoff = 0.5 if len(key) <= _SHORT else 0.7
            return key, difflib.get_close_matches(key, known, n=2, cutoff=cutoff)
    return "", []


def _read(node: nodes.Node | None) -> tuple[nodes.Node | None, Any]:
    """Return what a node reads an attribute or constant key of, and the key; None for both otherwise."""
    if isinstance(node, nodes.Getattr):
        return node.node, node.attr
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        return node.node, node.arg.value
    return None, None


def _mapping(data: Any) -> Mapping[Any, Any] | None:
    return data if isinstance(data, Mapping) else None  # pyright: ignore[reportUnknownVariableType] - of any keys


def _value(node: nodes.Node | None, variables: Mapping[str, Any]) -> Any:
    """Return the value of a variable, or what is below some keys of it."""
    if isinstance(node, nodes.Name):
        return variables.get(node.name, _MISSING)
    owner, key = _read(node)
    data = None if owner is None else _mapping(_value(owner, variables))
    return _MISSING if data is None else data.get(key, _MISSING)
