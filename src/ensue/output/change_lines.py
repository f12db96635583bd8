"""What a state changes, or would change, in one line and, for longer texts such as a diff, lines below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast

from ensue.core.model.data import is_list
from ensue.output.colours import on_one_line, without_escapes
from ensue.output.foreseen import only_applies
from ensue.output.own_part import is_nested_only
from ensue.store.runs.run_counts import counted_as

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.model.returns import Return
    from ensue.output.colours import Palette

Mark = Literal["+", "~", "-", "-/+", "?", "!", "="]
"""Created, changed, removed, changed by destroying something, known after apply, failed, unchanged."""

_CUT_CHARS: Final = 60
_MOST_ITEMS: Final = 4
_MOST_LINES: Final = 40
_REMOVING: Final = frozenset(
    {"absent", "purged", "removed", "deleted", "destroyed", "missing", "uninstalled", "pruned"}
)
_DESTROYING: Final = ("replace", "delete", "replaced", "destroyed")
"""What terraform, and what a deployment, does to something."""
_GONE: Final = frozenset({"delete", "destroyed"})
_MADE: Final = frozenset({"create", "created"})
_NEW: Final = ("New file", "new", "New Dir")
"""What states write instead of a value for something that did not exist before."""


def mark_of(returned: Return) -> Mark:
    """Return the mark for what happens to what a state describes."""
    if returned.result is False:
        return "!"
    if returned.unknown or only_applies(returned):
        return "?"
    if is_nested_only(returned) or counted_as(returned) == "unchanged":
        return "="
    return _mark_of_change(returned)


def _mark_of_change(returned: Return) -> Mark:
    if returned.function in _REMOVING:
        return "-"
    if destroys(returned):
        return "-" if _made_and_gone(returned) <= _GONE else "-/+"
    if _is_new(returned):
        return "+"
    pairs = _pairs(returned)
    return "-" if pairs and all(not pair.get("new") for pair in pairs) else "~"


def destroys(returned: Return) -> bool:
    """Return whether a state destroys what a configuration or a deployment made, or makes it anew."""
    if returned.function == "destroyed":
        return bool(returned.changes)
    return _is_owner(returned) and not _made_and_gone(returned).isdisjoint(_DESTROYING)


def _is_owner(returned: Return) -> bool:
    """Return whether a state reports what is done to each resource of a configuration or deployment."""
    return returned.module == "graph" or (returned.module, returned.function) == ("terraform", "applied")


def _made_and_gone(returned: Return) -> set[str]:
    """Return what is done to the resources of a configuration, or of a deployment; an output is none."""
    changes = returned.changes.items()
    if returned.module == "graph":
        return {change for change, _ in changes}
    return {str(action) for address, action in changes if not address.startswith("output.")}


def _is_new(returned: Return) -> bool:
    """Return whether a state creates something that did not exist before."""
    changes, old, pairs = returned.changes, returned.old_state, _pairs(returned)
    actions = _made_and_gone(returned) if _is_owner(returned) else set[str]()
    if "newfile" in changes or (actions and actions <= _MADE):
        return True
    leaves = list(_leaves(changes))
    if leaves and all(value in _NEW for _, value in leaves):
        return True
    if isinstance(old, dict) and old.get("exists") is False:
        return True
    return bool(pairs) and all(not pair.get("old") for pair in pairs)


def _pairs(returned: Return) -> list[Mapping[str, Any]]:
    return [value for _, value in _leaves(returned.changes) if _is_pair(value)]


def with_old(changes: Mapping[str, Any], before: Any, name: str) -> Mapping[str, Any]:
    """Return changes in which a plain new value has the old one beside it, if the state before has that.

    Args:
        changes: of the return, masked.
        before: its `old_state`, masked.
        name: the state's name; what changes of a folder is below it.
    """
    old: Mapping[str, Any] = cast("Mapping[str, Any]", before) if isinstance(before, dict) else {}
    return {
        key: {"old": old[key], "new": value}
        if _is_plain(value) and _is_plain(old.get(key)) and old[key] != value
        else with_old(cast("Mapping[str, Any]", value), before, "")
        if key == name and isinstance(value, dict)
        else value
        for key, value in changes.items()
    }


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != "" and not is_long(value)


def change_items(changes: Mapping[str, Any], name: str) -> str:
    """Return what changes, on one line: only short values, and only the first of many.

    Args:
        changes: of the return, masked.
        name: the state's name; a value that repeats it is left out, and so is a path that begins with it.
    """
    # Salt's changes of a folder have its attributes twice: by its path, and bare.
    items = [
        *dict.fromkeys(
            f"{path.removeprefix(f'{name}:')}: {_short(value)}"
            for path, value in _leaves(changes)
            if value not in ("", name, *_NEW) and not is_long(value) and not _is_noise(path, changes)
        )
    ]
    more = f", and {len(items) - _MOST_ITEMS} more" if len(items) > _MOST_ITEMS else ""
    return on_one_line(", ".join(items[:_MOST_ITEMS])) + more


def change_texts(changes: Mapping[str, Any], palette: Palette) -> Iterator[str]:
    """Yield the lines of the longer texts in changes: diffs without their header, output of commands."""
    for path, value in _leaves(changes):
        if is_long(value):
            lines = without_escapes(value).replace("\r", "").splitlines()
            if is_diff(value):
                # `file.append` ends its header lines twice, as Salt does; no line of a file is empty here.
                body = [line for line in lines if line][2:]
                yield from _bounded([_coloured(line, palette) for line in body])
            else:
                yield f"{on_one_line(path)}:"
                yield from _bounded([f"  {line}" for line in lines])


def is_diff(value: Any) -> bool:
    """Return whether a value in changes is a unified diff."""
    return isinstance(value, str) and value.startswith("--- ") and "\n+++" in value


def preview_lines(preview: str, palette: Palette) -> Iterator[str]:
    """Yield the lines of content that would be written, each with a `+`.

    Args:
        preview: the beginning of the content, masked.
        palette: the colours.
    """
    for line in without_escapes(preview).replace("\r", "").splitlines():
        yield palette.paint(palette.green, f"+ {line}")


def drift_lines(drift: Mapping[str, Any], palette: Palette, *, cause: str = "") -> Iterator[str]:
    """Yield, as a diff, how an apply would restore what differs from the state that the last apply left.

    Args:
        drift: of the return, masked.
        palette: the colours.
        cause: who caused it, as the end of a sentence; empty: that is not known.
    """
    yield on_one_line(f"drift since the last apply{cause}:")
    for path, change in drift.items():
        yield palette.paint(palette.red, on_one_line(f"- {path}: {_short(change['new'])}"))
        yield palette.paint(palette.green, on_one_line(f"+ {path}: {_short(change['old'])}"))


def _bounded(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… {len(lines) - _MOST_LINES} more lines"


def _coloured(line: str, palette: Palette) -> str:
    colours = {"+": palette.green, "-": palette.red, "@": palette.cyan}
    colour = colours.get(line[:1])
    return palette.paint(colour, line) if colour else line


def _leaves(data: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of nested mappings with their paths; a pair of old and new is one value."""
    for key, value in data.items():
        inner = f"{path}:{key}" if path else str(key)
        if isinstance(value, dict) and value and not _is_pair(value):
            yield from _leaves(cast("Mapping[str, Any]", value), inner)
        else:
            yield inner, value


def _is_pair(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    pair = cast("Mapping[str, Any]", value)
    return bool(pair) and set(pair) <= {"old", "new"}


def is_long(value: Any) -> bool:
    """Return whether a value is a text of several lines."""
    return isinstance(value, str) and "\n" in value.rstrip("\n")


def _is_noise(path: str, changes: Mapping[str, Any]) -> bool:
    """Return whether a value means nothing to a person, such as the pid of a command that has ended."""
    return path == "pid" and "retcode" in changes


def _listed(values: Sequence[Any]) -> str:
    """Return a list of plain values as a person writes it; one with lists or mappings as data."""
    if any(isinstance(value, list | tuple | dict) for value in values):
        return str(values)
    return ", ".join(map(str, values))


def _short(value: Any) -> str:
    if _is_pair(value):
        pair = cast("Mapping[str, Any]", value)
        if not pair.get("old"):
            return _short(pair.get("new"))
        return f"{_short(pair['old'])} -> {_short(pair['new']) if pair.get('new') else '(nothing)'}"
    text = _listed(value) if is_list(value) and value else str(value).rstrip("\n")
    return text if len(text) <= _CUT_CHARS else text[:_CUT_CHARS] + "…"
