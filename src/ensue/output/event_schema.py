"""The JSON Schema of the lines of `--events`, from the classes of the events."""

from __future__ import annotations

from typing import Any, Final

from ensue.core.model.events import NodeFinished, ScopeClosed
from ensue.core.model.returns import ScopeReturn
from ensue.output.event_lines import EVENTS_LOST, INTERNAL, KINDS, MINION_ENDED

_TEXT: Final = {"type": "string"}
_TYPES: Final[dict[str, dict[str, Any]]] = {
    "str": {"type": "string"},
    "str | None": {"type": ["string", "null"]},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "int | None": {"type": ["integer", "null"]},
    "float": {"type": "number"},
}
_ANYTHING: Final[dict[str, Any]] = {}
_FINISHED: Final[dict[str, Any]] = {
    "tag": _TEXT,
    "name": _TEXT,
    "result": {"type": ["boolean", "null"]},
    "changes": _ANYTHING,
    "comment": _TEXT,
    "new_state": _ANYTHING,
    "old_state": _ANYTHING,
    "__id__": _TEXT,
    "__sls__": _TEXT,
    "__run_num__": {"type": "integer"},
    "__scope__": _TEXT,
    "__target__": _TEXT,
    "start_time": _TEXT,
    "duration": {"type": "number"},
}
_ENDED: Final = {"minion": _TEXT, "ok": {"type": "boolean"}, "problem": _TEXT}
_LOST: Final = {"count": {"type": "integer"}}


def events_schema() -> dict[str, Any]:
    """Return the schema of one line."""
    lines = [_line(kind, _keys(event)) for event, kind in KINDS.items()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of --events",
        "oneOf": [*lines, _line(MINION_ENDED, _ENDED), _line(EVENTS_LOST, _LOST)],
    }


def _line(kind: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one kind of lines; later versions may have further keys."""
    return {
        "type": "object",
        "properties": {"event": {"const": kind}, "minion": _TEXT, **keys},
        "required": ["event", *keys],
    }


def _keys(event: type) -> dict[str, Any]:
    if event is NodeFinished:
        return _FINISHED
    keys = _properties(event)
    if event is ScopeClosed:
        keys |= _properties(ScopeReturn)
    return {key.removesuffix("_"): schema for key, schema in keys.items() if key not in INTERNAL}


def _properties(struct: type) -> dict[str, Any]:
    """Return the schemas of a struct's fields, which are texts in its annotations."""
    return {name: _schema(annotation) for name, annotation in struct.__annotations__.items()}


def _schema(annotation: str) -> dict[str, Any]:
    if annotation.startswith("tuple["):
        return {"type": "array"}
    return _TYPES.get(annotation, {"type": "object"} if annotation.startswith("dict[") else {})
