"""Parses the output of terraform with `-json`: one message per line, among them changes and errors.

Source: Terraform, "Machine-readable UI".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.bounded_json import load_json
from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CHANGES_NOTHING: Final = frozenset({"noop", "read"})
_DESTROYS: Final = frozenset({"delete", "replace"})
_TAINTED: Final = "tainted"
_LONGEST_TAIL_CHARS: Final = 2000
_TAKE_VARIABLES: Final = {"terraform": (1, 10), "tofu": (1, 11)}
"""The first versions that have ephemeral variables."""
_ABOUT_OPTIONS: Final = frozenset({
    "Deprecated flag: -state", "Value for undeclared variable", "Values for undeclared variables",
})  # fmt: skip
"""Summaries of warnings about the options and the file of variables that ensue gives, which users cannot
change. Terraform prefers the path of a local backend, but only the files of the configuration, which are the
users', can declare a backend. `declared_variables` reports undeclared variables in the users' terms.
"""


class Messages(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of a command.

    Args:
        planned: the planned actions by address: `create`, `update`, `delete`, `replace`, …; outputs as
            `output.NAME`.
        destroyed: the addresses of what the plan destroys or replaces, except what an earlier apply has begun
            to make and did not finish.
        done: the completed actions, in the same form.
        errors: its errors, each with its position in the configuration.
        warnings: its warnings, likewise.
        log: its human-readable lines.
        takes_variables: whether this version of the binary takes variables again when it applies a saved
            plan, as it needs for ephemeral ones.
        declared: the outputs that the configuration declares, by name: whether each is sensitive. Terraform
            lists them before a change, and afterwards leaves out those that are null.
    """

    planned: dict[str, str]
    done: dict[str, str]
    errors: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    destroyed: tuple[str, ...] = ()
    takes_variables: bool = False
    declared: dict[str, bool] = {}


def read_messages(printed: bytes) -> Messages:
    """Parse the messages of a command; other lines, and warnings about ensue's own options, are skipped.

    Args:
        printed: its standard output.
    """
    planned: dict[str, str] = {}
    done: dict[str, str] = {}
    destroyed: list[str] = []
    errors: list[str] = []
    warnings: list[str] = []
    log: list[str] = []
    declared: dict[str, bool] = {}
    takes_variables = False
    for message in _messages(printed):
        log.append(str(message.get("@message", "")))
        match message.get("type"):
            case "planned_change":
                planned |= _change(message.get("change"))
                destroyed += _destruction(message.get("change"))
            case "version":
                takes_variables = _takes_variables(message)
            case "apply_complete":
                done |= _change(message.get("hook"))
            case "outputs":
                planned |= _outputs(message.get("outputs"))
                declared |= _declared(message.get("outputs"))
            case "diagnostic":
                errors += _texts(message.get("diagnostic"), "error")
                warnings += (" ".join(text.split()) for text in _texts(message.get("diagnostic"), "warning"))
            case _:
                pass
    return Messages(
        planned=in_order(planned),
        done=done,
        errors=tuple(errors),
        warnings=tuple(warnings),
        log=tuple(log),
        destroyed=tuple(sorted(destroyed)),
        takes_variables=takes_variables,
        declared=declared,
    )


def end_of(printed: bytes) -> str:
    """Return the end of the output of a command without `-json`; its errors come before all else."""
    text = printed.decode("utf-8", "backslashreplace").strip()
    parts = [part.strip() for part in re.split(r"^(?=(?:Error|Warning): )", text, flags=re.MULTILINE)]
    # In the order of the output, except that Python puts False before True.
    parts.sort(key=lambda part: not part.startswith("Error: "))
    text = "\n\n".join(filter(None, parts))
    if len(text) <= _LONGEST_TAIL_CHARS:
        return text
    return (
        f"{text[:_LONGEST_TAIL_CHARS]}…" if text.startswith("Error: ") else f"…{text[-_LONGEST_TAIL_CHARS:]}"
    )


def _messages(printed: bytes) -> Iterator[dict[str, Any]]:
    for line in printed.splitlines():
        try:
            message: Any = load_json(line)
        except ValueError:
            continue
        if is_mapping(message) and not _is_about_options(message.get("diagnostic")):
            yield message


def _is_about_options(diagnostic: Any) -> bool:
    return is_mapping(diagnostic) and str(diagnostic.get("summary")) in _ABOUT_OPTIONS


def _change(change: Any) -> dict[str, str]:
    if not is_mapping(change) or not is_mapping(resource := change.get("resource")):
        return {}
    action = str(change.get("action"))
    return {} if action in _CHANGES_NOTHING else {str(resource.get("addr")): action}


def _destruction(change: Any) -> list[str]:
    """Return the address of what a change destroys, if it does."""
    is_finished = is_mapping(change) and change.get("reason") != _TAINTED
    return [address for address, action in _change(change).items() if is_finished and action in _DESTROYS]


def _takes_variables(message: Mapping[str, Any]) -> bool:
    for binary, first in _TAKE_VARIABLES.items():
        numbers = re.match(r"([0-9]+)\.([0-9]+)", str(message.get(binary, "")))
        if numbers is not None:
            return (int(numbers[1]), int(numbers[2])) >= first
    return False


def _outputs(outputs: Any) -> dict[str, str]:
    """Return the outputs that will change; after the change they are listed without an action."""
    if not is_mapping(outputs):
        return {}
    actions = {
        name: str(output.get("action", "noop")) for name, output in outputs.items() if is_mapping(output)
    }
    return {f"output.{name}": action for name, action in actions.items() if action != "noop"}


def _declared(outputs: Any) -> dict[str, bool]:
    """Return the outputs that are declared; one that the configuration no longer has is listed as deleted."""
    if not is_mapping(outputs):
        return {}
    listed = {name: output for name, output in outputs.items() if is_mapping(output) and "action" in output}
    return {
        name: value.get("sensitive") is True for name, value in listed.items() if value["action"] != "delete"
    }


def _texts(diagnostic: Any, severity: str) -> list[str]:
    if not is_mapping(diagnostic) or diagnostic.get("severity") != severity:
        return []
    place = diagnostic.get("range")
    where = ""
    if is_mapping(place) and is_mapping(start := place.get("start")):
        where = f"{place.get('filename')}:{start.get('line')}: "
    detail = str(diagnostic.get("detail") or "")
    return [f"{where}{diagnostic.get('summary')}" + (f": {detail}" if detail else "")]


def in_order(actions: Mapping[str, str]) -> dict[str, str]:
    """Return actions by address, outputs last: terraform reports resources as it happens to look at them."""
    addresses = sorted(actions, key=lambda address: (address.startswith("output."), address))
    return {address: actions[address] for address in addresses}
