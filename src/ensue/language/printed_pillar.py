"""Finds the values of pillar that a template prints into states with a `tgt`.

Only `pillar` in the state's own text counts, as in `printed_grains.py`. Keys that are variables are not
followed: the value before them is the one that is read. `targets/pillar_comparison.py` compares the values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import jinja2
import msgspec
from jinja2 import nodes

from ensue.core.model.chunk import PrintedPillar
from ensue.language.printed_grains import printed_expressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.model.data import Place
    from ensue.language.chunks import Draft
    from ensue.language.tree import SlsTree

_PILLAR: Final = "pillar"
_FUNCTIONS: Final = frozenset({("salt", "pillar.get"), ("salt", "pillar", "get")})
_DELIMITER: Final = ":"
_READING_A_KEY: Final = (nodes.Getitem, nodes.Operand)


def note_printed_pillar(drafts: Iterable[Draft], tree: SlsTree) -> None:
    """Note in the targets of states which values of pillar the texts of the states print.

    Args:
        drafts: the states with a `tgt`.
        tree: the tree that they were read from.
    """
    environment = jinja2.Environment(autoescape=False)  # noqa: S701 - it only parses
    for draft in drafts:
        printed = tuple(
            PrintedPillar(keys, place)
            for place, expression in printed_expressions(draft.declaration, tree, _PILLAR)
            for keys in _pillar_read(environment, expression)
        )
        if printed and draft.options.fan_out is not None:
            fan_out = msgspec.structs.replace(draft.options.fan_out, printed_pillar=printed)
            draft.options = msgspec.structs.replace(draft.options, fan_out=fan_out)


def _pillar_read(environment: jinja2.Environment, expression: str) -> Iterator[Place]:
    """Yield the keys of each value of pillar that an expression of a template reads."""
    try:
        tree = environment.parse(f"{{{{ {expression} }}}}")
    except jinja2.TemplateError:
        return
    yield from _read_below(tree)


def _read_below(node: nodes.Node) -> Iterator[Place]:
    keys = _keys(node)
    if keys is not None:
        yield keys
        return
    for child in node.iter_child_nodes():
        # `pillar[name]` and `name in pillar` read one key, which the text does not say.
        if not (isinstance(node, _READING_A_KEY) and _keys(child) == ()):
            yield from _read_below(child)


def _keys(node: nodes.Node) -> Place | None:
    """Return the keys of the value of pillar that a node reads; None for other nodes."""
    if isinstance(node, nodes.Name):
        return () if node.name == _PILLAR else None
    if isinstance(node, nodes.Call):
        return _keys_of_call(node)
    if isinstance(node, nodes.Getattr):
        owner, key = _keys(node.node), node.attr
    elif isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        owner, key = _keys(node.node), node.arg.value
    elif isinstance(node, nodes.Getitem):
        return _keys(node.node) or None
    else:
        return None
    return None if owner is None else (*owner, key)


def _keys_of_call(call: nodes.Call) -> Place | None:
    """Return the keys that `pillar.get('KEY')`, `salt['pillar.get']('KEY:KEY')` or another method reads."""
    first = call.args[0].value if call.args and isinstance(call.args[0], nodes.Const) else None
    if _names(call.node) in _FUNCTIONS:
        return tuple(first.split(_DELIMITER)) if isinstance(first, str) else None
    if not isinstance(call.node, nodes.Getattr) or (owner := _keys(call.node.node)) is None:
        return None
    if call.node.attr == "get" and isinstance(first, str):
        return (*owner, first)
    return owner or None


def _names(node: nodes.Node) -> tuple[str, ...]:
    """Return a name with its attributes and constant keys; empty for other nodes."""
    if isinstance(node, nodes.Name):
        return (node.name,)
    if isinstance(node, nodes.Getattr):
        owner, key = _names(node.node), node.attr
    elif isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        owner, key = _names(node.node), str(node.arg.value)
    else:
        return ()
    return (*owner, key) if owner else ()
