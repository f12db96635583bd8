"""What a `scoped` rendering sees of its caller: the top-level variables at the caller's end.

A template can change a list, a mapping or a Jinja `namespace` in place. Therefore every rendering gets copies
of plain data: its changes never reach the caller or the next rendering.

Source: SEP 16, "Delayed Scope".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream


def scoped_variables(caller: Stream) -> dict[str, Any]:
    """Return the variables of a rendering for its blocks: those it was given, and those it set itself."""
    visible = {**caller.inherited, **caller.exported}
    visible.pop("prev_ret", None)
    known: dict[int, Any] = {}
    return {name: _copied(value, known) for name, value in visible.items()}


def _copied(value: Any, known: dict[int, Any]) -> Any:
    """Return a copy of plain data; shared and circular references are kept in the copy."""
    if id(value) in known:
        return known[id(value)]
    copied: Any = value
    if is_mapping(value):
        copied = known[id(value)] = {}
        copied.update((name, _copied(item, known)) for name, item in value.items())
    elif is_list(value):
        copied = known[id(value)] = []
        copied.extend(_copied(item, known) for item in value)
    elif type(value) is tuple:
        copied = tuple(_copied(item, known) for item in value)  # pyright: ignore[reportUnknownVariableType]
    elif isinstance(value, set):
        copied = value.copy()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    elif type(value).__name__ == "Namespace":
        copied = _copied_namespace(value, known)
    return copied


def _copied_namespace(value: Any, known: dict[int, Any]) -> Any:
    from jinja2.utils import Namespace

    if not isinstance(value, Namespace):
        return value
    attributes = object.__getattribute__(value, "_Namespace__attrs")
    copied = known[id(value)] = Namespace()
    for name, attribute in attributes.items():
        copied[name] = _copied(attribute, known)
    return copied
