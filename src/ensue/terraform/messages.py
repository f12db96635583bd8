"""Parses the output of terraform with `-json`: one message per line, among them changes and errors.

Source: Terraform, "Machine-readable UI".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.model.bounded_json import load_json
from ensue.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHANGES_NOTHING: Final = frozenset({"noop", "read"})
_LONGEST_TAIL_CHARS: Final = 2000


class Messages(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of a command.

    Args:
        planned: the planned actions by address: `create`, `update`, `delete`, `replace`, …; outputs as
            `output.NAME`.
        done: the completed actions, in the same form.
        errors: its errors, each with its position in the configuration.
        log: its human-readable lines.
        declared: the outputs that the configuration declares, by name: whether each is sensitive. Terraform
            lists them before a change, and afterwards leaves out those that are null.
    """

    planned: dict[str, str]
    done: dict[str, str]
    errors: tuple[str, ...]
    log: tuple[str, ...] = ()
    declared: dict[str, bool] = {}


def read_messages(printed: bytes) -> Messages:
    """Parse the messages of a command; other lines are skipped.

    Args:
        printed: its standard output.
    """
    planned: dict[str, str] = {}
    done: dict[str, str] = {}
    errors: list[str] = []
    log: list[str] = []
    declared: dict[str, bool] = {}
    for message in _messages(printed):
        log.append(str(message.get("@message", "")))
        match message.get("type"):
            case "planned_change":
                planned |= _change(message.get("change"))
            case "apply_complete":
                done |= _change(message.get("hook"))
            case "outputs":
                planned |= _outputs(message.get("outputs"))
                declared |= _declared(message.get("outputs"))
            case "diagnostic":
                errors += _error(message.get("diagnostic"))
            case _:
                pass
    return Messages(planned=planned, done=done, errors=tuple(errors), log=tuple(log), declared=declared)


def end_of(printed: bytes) -> str:
    """Return the end of the output of a command without `-json`."""
    text = printed.decode("utf-8", "backslashreplace").strip()
    return text if len(text) <= _LONGEST_TAIL_CHARS else f"…{text[-_LONGEST_TAIL_CHARS:]}"


def _messages(printed: bytes) -> Iterator[dict[str, Any]]:
    for line in printed.splitlines():
        try:
            message: Any = load_json(line)
        except ValueError:
            continue
        if is_mapping(message):
            yield message


def _change(change: Any) -> dict[str, str]:
    if not is_mapping(change) or not is_mapping(resource := change.get("resource")):
        return {}
    action = str(change.get("action"))
    return {} if action in _CHANGES_NOTHING else {str(resource.get("addr")): action}


def _outputs(outputs: Any) -> dict[str, str]:
    """Return the outputs that will change; after the change they are listed without an action."""
    if not is_mapping(outputs):
        return {}
    actions = {name: str(one.get("action", "noop")) for name, one in outputs.items() if is_mapping(one)}
    return {f"output.{name}": action for name, action in actions.items() if action != "noop"}


def _declared(outputs: Any) -> dict[str, bool]:
    """Return the outputs that are declared; one that the configuration no longer has is listed as deleted."""
    if not is_mapping(outputs):
        return {}
    listed = {name: one for name, one in outputs.items() if is_mapping(one) and "action" in one}
    return {name: one.get("sensitive") is True for name, one in listed.items() if one["action"] != "delete"}


def _error(diagnostic: Any) -> list[str]:
    if not is_mapping(diagnostic) or diagnostic.get("severity") != "error":
        return []
    place = diagnostic.get("range")
    where = ""
    if is_mapping(place) and is_mapping(start := place.get("start")):
        where = f"{place.get('filename')}:{start.get('line')}: "
    detail = str(diagnostic.get("detail") or "")
    return [f"{where}{diagnostic.get('summary')}" + (f": {detail}" if detail else "")]
