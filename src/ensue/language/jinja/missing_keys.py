"""The keys that a mapping has instead of the one that a template reads from it, found after the failure.

Only attributes and constant keys of variables are followed, and only through mappings: nothing is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import jinja2
from jinja2 import nodes

MISSING: Any = object()
"""The value of what variables do not have."""
READS: Final = (nodes.Getattr, nodes.Getitem)
"""The expressions that read a part of a value."""
_PREFERRED: Final = "new_state"
"""The part of `prev_ret` that a template reads most."""
_MOST_KEYS: Final = 20
_SHORT: Final = 3
"""Of a key of so few letters, two that are swapped are half of it."""


class MissingKey(NamedTuple):
    """A key that a template reads and its mapping lacks.

    Args:
        key: the key.
        near: what may have been meant: similar keys, or where the key is further below.
        known: the keys of the mapping; empty if they are many, or if it has a similar one.
        owner: how the template reads the mapping, `pillar.app`; empty for other expressions.
        line: the line that reads it.
    """

    key: str
    near: list[str]
    known: list[str]
    owner: str
    line: int


def missing_key(
    environment: jinja2.Environment, text: str, line: int, variables: Mapping[str, Any], message: str
) -> MissingKey | None:
    """Return the key that a line, or a variable set before it, reads and its mapping lacks; None without one.

    Args:
        environment: parses the template.
        text: the template.
        line: the line, counted from 1.
        variables: the variables of the rendering.
        message: Jinja's message, which has the key.
    """
    try:
        tree = environment.parse(text)
    except jinja2.TemplateError:
        return None
    here = [node for node in tree.find_all(READS) if node.lineno == line]
    # A key may be missing unnoticed until the variable that was set to it is used.
    before = [node for node in tree.find_all(READS) if node.lineno < line]
    for node in (*here, *before):
        owner, key = read_of(node)
        if not isinstance(key, str) or f"'{key}'" not in message:
            continue
        data = _mapping(value_of(owner, variables))
        if data is not None and key not in data and not hasattr(data, key):
            return _missing(key, data, written(owner), node.lineno)
    return None


def _missing(key: str, data: Mapping[Any, Any], owner: str, line: int) -> MissingKey:
    import difflib

    known = [item for item in data if isinstance(item, str)]
    cutoff = 0.5 if len(key) <= _SHORT else 0.7
    if near := difflib.get_close_matches(key, known, n=2, cutoff=cutoff):
        return MissingKey(key, near, [], owner, line)
    inner = [parent for parent in known if key in (_mapping(data[parent]) or {})] if owner else []
    below = [f"{owner}.{parent}.{key}" for parent in sorted(inner, key=_PREFERRED.__eq__, reverse=True)]
    shown = [key_ for key_ in known if not key_.startswith("_")]
    return MissingKey(key, below[:2], shown if len(shown) <= _MOST_KEYS else [], owner, line)


def written(node: nodes.Node | None) -> str:
    """Return how a template reads a value by names and attributes; empty for other expressions.

    Args:
        node: the expression.
    """
    if isinstance(node, nodes.Name):
        return node.name
    owner, key = read_of(node)
    path = written(owner)
    return f"{path}.{key}" if path and isinstance(key, str) and key.isidentifier() else ""


def read_of(node: nodes.Node | None) -> tuple[nodes.Node | None, Any]:
    """Return what an expression reads an attribute or constant key of, and the key; None for both otherwise.

    Args:
        node: the expression.
    """
    if isinstance(node, nodes.Getattr):
        return node.node, node.attr
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        return node.node, node.arg.value
    return None, None


def _mapping(data: Any) -> Mapping[Any, Any] | None:
    return data if isinstance(data, Mapping) else None  # pyright: ignore[reportUnknownVariableType] - of any keys


def value_of(node: nodes.Node | None, variables: Mapping[str, Any]) -> Any:
    """Return the value of a variable, or what is below some keys of it.

    Args:
        node: the expression.
        variables: the variables of the rendering.
    """
    if isinstance(node, nodes.Name):
        return variables.get(node.name, MISSING)
    owner, key = read_of(node)
    data = None if owner is None else _mapping(value_of(owner, variables))
    return MISSING if data is None else data.get(key, MISSING)
