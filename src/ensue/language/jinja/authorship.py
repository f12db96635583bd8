"""Marks the signs (`${`, `__slot__`) that the author of a Jinja template wrote, in text and in constants.

The dash of a list item is marked only in constants: formulas join `"- salt:/"` with the parts of a path.

A constant that is compared, looked up, or searched for stays unmarked: there its value matters, and it is not
printed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from jinja2 import nodes

from ensue.language.authored import mark_signs
from ensue.language.marks import ITEM

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNS: Final = ("$", "__slot__")
_ITEM: Final = re.compile(r"([ \t]*)((?:- )+)(?=\S)")
_MAY_HOLD_ITEM: Final = re.compile(r"""["'][ \t]*- """)
_SEARCHING: Final = frozenset(
    (
        *(
            "replace",
            "split",
            "rsplit",
            "startswith",
            "endswith",
            "find",
            "rfind",
            "index",
            "rindex",
            "count",
        ),
        *("strip", "lstrip", "rstrip", "partition", "rpartition", "removeprefix", "removesuffix"),
        *("regex_replace", "regex_search", "regex_match", "regex_escape"),
    )
)
"""Filters and methods of text that search for their arguments."""


def mark_authorship(template: nodes.Template, source: str) -> None:
    """Mark the signs of a parsed template.

    Args:
        template: the template; changed in place.
        source: its text, for a quick check: most templates have no sign.
    """
    if any(sign in source for sign in _SIGNS) or _MAY_HOLD_ITEM.search(source):
        for node in _printed(template):
            if isinstance(node, nodes.TemplateData):
                node.data = mark_signs(node.data)
            elif isinstance(node.value, str):
                node.value = _mark_item(mark_signs(node.value))


def is_searching(node: nodes.Filter | nodes.Call) -> bool:
    """Return whether a filter or method of text searches for its arguments."""
    if isinstance(node, nodes.Filter):
        return node.name in _SEARCHING
    return isinstance(node.node, nodes.Getattr) and node.node.attr in _SEARCHING


def _mark_item(text: str) -> str:
    match = _ITEM.match(text)
    return f"{match[1]}{ITEM}{match[2]}{ITEM}{text[match.end() :]}" if match else text


def _printed(node: nodes.Node) -> Iterator[nodes.TemplateData | nodes.Const]:
    """Yield the pieces of text that may be printed."""
    waiting: list[nodes.Node] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (nodes.TemplateData, nodes.Const)):
            yield part
        else:
            waiting.extend(_parts(part))


def _parts(node: nodes.Node) -> Iterator[Any]:
    match node:
        case nodes.Compare() | nodes.Test():
            return iter(())
        case nodes.Include() | nodes.Import() | nodes.FromImport() | nodes.Extends():
            return iter(())
        case nodes.Getitem():
            return iter((node.node,))
        case nodes.Filter() | nodes.Call() if is_searching(node):
            return iter((node.node,) if node.node is not None else ())
        case _:
            return node.iter_child_nodes()
