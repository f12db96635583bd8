"""Checks the types of a journal's line that another machine wrote, before anything is made of it.

`journal_form.decode` trusts the lines of this process' own journals and does not check the types of fields.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, get_type_hints

import msgspec

from ensue.core.model import events
from ensue.core.model.returns import Return, ScopeReturn

_ANY_DATA: Final = {"Data": Any, "DataMap": dict[str, Any]}
_OF_A_RUN: Final[tuple[type[msgspec.Struct], ...]] = (
    events.RunStarted, events.NodeStarted, events.CommandStarted, events.NodeFinished, events.ScopeOpened,
    events.ScopePlanned, events.StateExcluded, events.ReactionsOwed, events.FannedOut,
    events.ScopeClosed, events.ResourceRegistered, events.ResourceOrphaned, events.RunFinished,
)  # fmt: skip


def has_types(line: str) -> bool:
    """Return whether a line is an event of a run whose fields have the types of its class."""
    try:
        _decoder().decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False
    return True


@cache
def _decoder() -> msgspec.json.Decoder[Any]:
    scope = _twin(ScopeReturn, {**_ANY_DATA, "Return": Any})
    returned = _twin(Return, {**_ANY_DATA, "ScopeReturn": scope})
    known = {**_ANY_DATA, "Return": returned, "ScopeReturn": scope}
    twins: Any = None
    for class_ in _OF_A_RUN:
        twin: Any = _twin(class_, known)
        twins = twin if twins is None else twins | twin
    return msgspec.json.Decoder(twins)


def _twin(class_: type[msgspec.Struct], names: dict[str, Any]) -> type[msgspec.Struct]:
    """Return a struct with the fields of another one, in which any data is of the type Any."""
    hints = get_type_hints(class_, localns=names)
    required = len(class_.__struct_fields__) - len(class_.__struct_defaults__)
    defaults = (*(msgspec.NODEFAULT,) * required, *class_.__struct_defaults__)
    fields: list[Any] = [
        (name, hints[name]) if default is msgspec.NODEFAULT else (name, hints[name], None)
        for name, default in zip(class_.__struct_fields__, defaults, strict=True)
    ]
    return msgspec.defstruct(class_.__name__, fields, tag=class_.__struct_config__.tag, kw_only=True)
