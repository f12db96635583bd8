"""The lines of a journal: encode events as JSON without secrets, and decode them.

There is one line per event, tagged with its class; a `JournalHeader` precedes the first and a
`JournalSummary` follows the last. `journal` and `run_history` handle the files.

An event is masked as data before it is encoded, never as text afterwards: a secret that JSON writes with
escapes would slip through. Events without data of a state (most events of a large run) are encoded
directly, and again with masking only when they contain a secret. While no secret is known, this also holds
for events whose data is plain JSON.

Long texts are cut (`output_bound`), after masking. A text that is in both `changes` and `new_state` is
written once: `shared` names it, and `new_state` has null instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import msgspec

from ensue.core.model.data import mapped
from ensue.core.model.events import (
    CommandStarted,
    FannedOut,
    JobPublished,
    NodeFinished,
    NodeStarted,
    ReactionsOwed,
    ResourceOrphaned,
    ResourceRegistered,
    RunFinished,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
    ScopePlanned,
    StateExcluded,
)
from ensue.core.model.returns import Return, ScopeReturn
from ensue.core.model.sensitive_paths import hide_in_changes, hide_paths
from ensue.store.runs.output_bound import OutputBound

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.masking import Masker
    from ensue.core.model.events import RunEvent

FORMAT: Final = 1
"""Version of the lines."""


class JournalHeader(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Who writes a journal.

    Args:
        run_id: the run.
        pid: the process.
        process: distinguishes this process from a later one with the same pid; see `processes.process_mark`.
        format: version of the lines.
    """

    run_id: str
    pid: int
    process: str
    format: int = FORMAT


class JournalSummary(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How a run ended; with it, a list of runs need not read whole journals. Fields as in `RunSummary`."""

    status: str
    exit_code: int
    ended_at: str
    succeeded: int
    changed: int
    failed: int
    total: int
    stopped: str = ""
    unchanged: int = 0
    unreachable: int = 0
    not_run: int = 0


_Struct = TypeVar("_Struct", bound=msgspec.Struct)

_CLASSES: Final[dict[str, type[msgspec.Struct]]] = {
    event_class.__name__: event_class
    for event_class in (
        RunStarted,
        JobPublished,
        NodeStarted,
        CommandStarted,
        NodeFinished,
        ScopeOpened,
        ScopePlanned,
        StateExcluded,
        ReactionsOwed,
        FannedOut,
        ScopeClosed,
        ResourceRegistered,
        ResourceOrphaned,
        RunFinished,
        JournalHeader,
        JournalSummary,
    )
}
_SEQUENCES: Final = frozenset({
    "mods", "not_run", "sensitive", "warnings", "tags", "edges", "shared", "minions", "only", "exclude",
    "read", "handles", "owed_not_run", "causes", "placed", "targets", "slses",
})  # fmt: skip
_NAMES: Final = frozenset({
    "run_id", "jid", "minions", "fleet", "status", "minion_id", "module", "function", "sls", "mods", "tgt",
    "only", "exclude", "start_at", "batch", "fail_limit",
    "kind", "target", "start_time", "id", "scope", "scope_identity", "srn", "source", "not_run", "place",
    "handled_by", "owed_not_run", "causes", "targets", "slses",
})  # fmt: skip
"""Fields whose texts are names (`Masker.name`), which ensue and its user have to find again."""
_OWN_WORDS: Final = frozenset({"edges", "counts"})
"""Fields with words of ensue alone: the kinds of requisites, and outcomes of states."""
_TAGS: Final = frozenset({"tag", "tag_", "tags", "caller", "handles"})
"""Fields whose texts are tags of states."""
_ENCODER: Final = msgspec.json.Encoder()
_NEEDED_TO_RESUME: Final = ("name", "changes", "comment", "new_state", "old_state")
_WORTH_SHARING_CHARS: Final = 64
_LARGEST_INTEGER: Final = 2**63 - 1
_TEXT: Final = frozenset({str})
_JSON_SCALARS: Final = frozenset({str, bool, int, float, type(None)})


def encode(event: RunEvent, masker: Masker, bound: OutputBound | None = None) -> bytes:
    """Return an event as a line, newline included, with secrets masked.

    Args:
        event: what happened; data that JSON does not know is written as text.
        masker: the secrets of this process.
        bound: limits long texts, and records what was left out; None: the default limit.
    """
    bound = bound or OutputBound()
    if (not masker.knows_secrets and _is_json(event)) or _is_plain(event):
        try:
            line = _ENCODER.encode(_written_once(event))
        except (TypeError, ValueError):
            # A text that UTF-8 cannot encode, or another type where a text is expected.
            line = b""
        if len(line) > bound.most_bytes and isinstance(event, NodeFinished):
            line = b""  # A text in it may be too long.
        if line and (not masker.knows_secrets or _is_clean(event, line, masker)):
            return line + b"\n"
    fields = _masked_fields(event, masker)
    if isinstance(event, NodeFinished):
        written = fields["returned"]
        bound.shorten(written)
        fields["exact"] = _is_exact(event.returned, written)
        fields["shared"] = shared = _shared(written["changes"], written["new_state"])
        if shared:
            written["new_state"] |= dict.fromkeys(shared)
    return _ENCODER.encode(fields) + b"\n"


def encode_frame(line: JournalHeader | JournalSummary) -> bytes:
    """Return a journal's first or last line."""
    return _ENCODER.encode(line) + b"\n"


def decode(line: bytes) -> RunEvent | JournalHeader | JournalSummary | None:
    """Return the event of a line; None for a truncated line, or one that another version wrote."""
    try:
        fields = msgspec.json.decode(line, type=dict[str, Any])
        class_ = _CLASSES[fields["type"]]
        return cast("RunEvent | JournalHeader | JournalSummary", _built(class_, fields))
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        return None


def _written_once(event: RunEvent) -> RunEvent:
    """Return a return's event without the texts of `new_state` that are also in `changes`."""
    if type(event) is not NodeFinished or not event.returned.changes:
        return event
    returned = event.returned
    shared = _shared(returned.changes, returned.new_state)
    if not shared:
        return event
    rest = cast("dict[str, Any]", returned.new_state) | dict.fromkeys(shared)
    return NodeFinished(msgspec.structs.replace(returned, new_state=rest), event.exact, shared)


def _shared(changes: Any, new_state: Any) -> tuple[str, ...]:
    if changes.__class__ is not dict or new_state.__class__ is not dict:
        return ()
    return tuple(
        key
        for key, value in new_state.items()
        if value.__class__ is str and len(value) >= _WORTH_SHARING_CHARS and changes.get(key) == value
    )


def _is_plain(event: RunEvent) -> bool:
    """Return whether an event holds only names and numbers."""
    match event:
        case NodeFinished(returned=done):
            return not (
                done.changes
                or done.warnings
                or done.sensitive
                or done.applied
                or done.delayed
                or done.new_state is not None
                or done.old_state is not None
            )
        case (
            NodeStarted()
            | CommandStarted()
            | ScopeOpened()
            | ScopePlanned()
            | StateExcluded()
            | ReactionsOwed()
            | FannedOut()
        ):
            return True
        case ScopeClosed(returned=scope):
            return not scope.returns
        case _:
            return False


def _is_json(event: RunEvent) -> bool:
    """Return whether an event's data is plain JSON and needs no conversion."""
    if type(event) is not NodeFinished:
        return False
    done = event.returned
    if done.applied or done.delayed or done.sensitive or done.warnings:
        return False
    return (
        _is_json_data(done.new_state)
        and (done.old_state is None or _is_json_data(done.old_state))
        and (not done.changes or _is_json_data(done.changes))
        and (not done.drift or _is_json_data(done.drift))
    )


def _is_json_data(value: Any) -> bool:
    kind = value.__class__
    if kind is dict:
        items = value.values()
        has_names = _TEXT.issuperset(map(type, value))
        return has_names and (_TEXT.issuperset(map(type, items)) or all(map(_is_json_data, items)))
    if kind in _JSON_SCALARS:
        return kind is not int or -_LARGEST_INTEGER <= value <= _LARGEST_INTEGER
    return kind is list and all(map(_is_json_data, value))


def _is_clean(event: RunEvent, line: bytes, masker: Masker) -> bool:
    # A masker finds a short secret only where it is a whole value.
    if any(map(masker.is_whole_secret, _whole_values(event))):
        return False
    text = line.decode()
    return masker.within(text) == text


def _whole_values(event: RunEvent) -> tuple[str, ...]:
    """Return the values of an event that came from outside unchanged; in names, a short secret stays."""
    match event:
        case NodeFinished(returned=done):
            name = (done.name,) if done.name != done.id else ()
            return (*name, done.comment) if done.ran else name
        case StateExcluded(id=id_, name=name):
            return (name,) if name != id_ else ()
        case CommandStarted(command=command):
            return (command,)
        case ScopeClosed(returned=scope):
            return (scope.comment,)
        case _:
            return ()


def _masked_fields(struct: msgspec.Struct, masker: Masker) -> dict[str, Any]:
    tag = struct.__struct_config__.tag
    fields: dict[str, Any] = {} if tag is None else {"type": tag}
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        # A number or keyword that ensue wrote is not a secret, even if a secret is spelled the same.
        if isinstance(value, int | float) or name in _OWN_WORDS:
            fields[name] = value
        elif name in {"hosts_not_run", "not_run_on"}:
            fields[name] = {masker.name(host): states for host, states in value.items()}
        elif name == "foreseen":
            fields[name] = mapped(value, lambda leaf: masker.name(leaf) if isinstance(leaf, str) else leaf)
        elif shown := _shown_name(struct, name, masker):
            written = _plain_data(value)
            fields[name] = [*map(shown, written)] if isinstance(written, list) else written and shown(written)  # pyright: ignore[reportUnknownArgumentType]  # a list of texts
        else:
            fields[name] = _masked(_without_nested_returns(struct, name, value), masker)
    if isinstance(struct, Return):
        fields["new_state"] = hide_paths(fields["new_state"], struct.sensitive)
        for name in ("old_state", "changes"):
            fields[name] = hide_in_changes(fields[name], struct.sensitive)
    return fields


def _shown_name(struct: msgspec.Struct, field: str, masker: Masker) -> Callable[[str], str] | None:
    """Return what masks a field that has names or tags; None for a field that has values."""
    if field in _TAGS:
        return masker.tag
    is_scope = isinstance(struct, ScopeOpened | ScopeReturn)
    is_id = isinstance(struct, Return) and struct.name == struct.id
    # The comment of a state that was not called names the states that prevented it.
    is_reason = isinstance(struct, Return) and not struct.ran and field == "comment"
    if field in _NAMES or is_reason or (field == "name" and (is_scope or is_id)):
        return masker.name
    return None


def _is_exact(returned: Return, written: dict[str, Any]) -> bool:
    """Return whether the written form of a return is complete enough for a resumed run."""
    return written["read"] == list(returned.read) and all(
        written[name] == getattr(returned, name) for name in _NEEDED_TO_RESUME
    )


def _without_nested_returns(struct: msgspec.Struct, name: str, value: Any) -> Any:
    # The returns of a scope have events of their own; written again here, a deep run would be
    # written once for every scope around a state.
    return {} if isinstance(struct, ScopeReturn) and name == "returns" else value


def _masked(value: Any, masker: Masker) -> Any:
    match value:
        # Only returns: a struct in a state's data (an `Unknown`) becomes text like any other object.
        case Return() | ScopeReturn():
            return _masked_fields(value, masker)
        case list() | tuple() if value and isinstance(value[0], Return | ScopeReturn):
            return [_masked_fields(item, masker) for item in cast("list[msgspec.Struct]", value)]
        case _:
            return masker.data(_plain_data(value))


def _plain_data(value: Any) -> Any:  # noqa: PLR0911  # one return for each kind of data
    match value:
        case None | bool() | float():
            return value
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case int():
            return value if abs(value) <= _LARGEST_INTEGER else str(value)
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case dict():
            return {str(_plain_data(key)): _plain_data(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]  # any data
        case list() | tuple() | set() | frozenset():
            return [_plain_data(item) for item in value]  # pyright: ignore[reportUnknownVariableType]  # any data
        case _:
            # What a plug-in put there (a path, a date, something known only after apply): its text.
            return _plain_data(str(value))


def _built(class_: type[_Struct], fields: dict[str, Any]) -> _Struct:
    """Make a struct from a line's fields; fields that this version does not know are left out."""
    known = {name: fields[name] for name in class_.__struct_fields__ if name in fields}
    for name in known.keys() & _SEQUENCES:
        if isinstance(known[name], list):  # `not_run` of a summary is a count
            known[name] = tuple(known[name])
    if "returned" in known:
        nested: type[msgspec.Struct] = Return if class_ is NodeFinished else ScopeReturn
        known["returned"] = _built(nested, known["returned"])
    if class_ is Return:
        for name in ("delayed", "applied"):
            known[name] = tuple(_built(ScopeReturn, scope) for scope in known.get(name, ()))
    shared = known.pop("shared", ())
    if shared:
        returned: Any = known["returned"]
        returned.new_state |= {key: returned.changes[key] for key in shared}
    return class_(**known)
