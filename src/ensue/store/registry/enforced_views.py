"""Enforced states as values: what a row holds, what a return becomes, and the encoding of a new state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import mapped
from ensue.core.model.enforced import EnforcedState
from ensue.core.model.kept_output import shortened

if TYPE_CHECKING:
    from ensue.core.model.data import Data
    from ensue.core.model.kept_output import DataPath
    from ensue.core.model.returns import Return
    from ensue.store.registry.enforced_form import EnforcedRow

_DECODE: Final = msgspec.msgpack.decode


class ShownState(msgspec.Struct, frozen=True, kw_only=True):
    """An entry in the form that is shown to users.

    Args:
        target: the SRN, as text.
        scope: the path of its scope.
        identity: the identity of its scope.
        state: the entry, secrets masked.
        run_id: the run that last wrote it.
        environment: the environment that it belongs to, in the words of the command line.
        is_former: whether its declaration is about something else by now, so that nothing reads it.
        target_exists: whether the project still has the target.
    """

    target: str
    scope: str
    identity: str
    state: EnforcedState
    run_id: str
    environment: str = ""
    is_former: bool = False
    target_exists: bool = True


def shown_state(row: EnforcedRow) -> ShownState:
    """Return an entry as it is shown, secrets masked."""
    return ShownState(
        target=row.target,
        scope=row.entry.path or row.scope,
        identity=row.scope,
        state=state_of_row(row, row.entry.shown),
        run_id=row.run_id,
        environment=row.environment,
        is_former=row.entry.is_former,
    )


def state_of_row(row: EnforcedRow, new_state: bytes) -> EnforcedState:
    """Return the entry of a row.

    Args:
        row: the row.
        new_state: its new state as MessagePack: as it is shown, or in the clear.
    """
    entry = row.entry
    return EnforcedState(
        tag=row.tag,
        module=entry.module,
        function=entry.function,
        id=entry.id,
        name=entry.name,
        sls=entry.sls,
        new_state=_DECODE(new_state),
        sensitive=entry.sensitive,
        cut=entry.cut,
        arguments=entry.arguments,
        run_id=row.run_id,
        environment=row.environment,
    )


def state_of_return(returned: Return) -> EnforcedState:
    """Return the entry that a return becomes."""
    return EnforcedState(
        tag=returned.tag,
        module=returned.module,
        function=returned.function,
        id=returned.id,
        name=returned.name,
        sls=returned.sls,
        new_state=returned.new_state,
        sensitive=returned.sensitive,
        arguments=returned.fingerprint,
    )


def encoded(data: Data) -> bytes:
    """Return a new state as MessagePack."""
    try:
        return msgspec.msgpack.encode(data, enc_hook=str)
    except (OverflowError, UnicodeEncodeError):
        return msgspec.msgpack.encode(mapped(data, _encodable, _encodable), enc_hook=str)


def kept_state(new_state: Data, most_bytes: int) -> tuple[bytes, tuple[DataPath, ...]]:
    """Return a new state as it is written, and where it is cut to a length."""
    content = encoded(new_state)
    if len(content) <= most_bytes:
        return content, ()
    kept, cut = shortened(new_state, most_bytes)
    return (encoded(kept), tuple(cut)) if cut else (content, ())


def _encodable(value: Any) -> Any:
    """Return a key or leaf as MessagePack can write it.

    An integer of more than 64 bits becomes text, and half of a surrogate pair an escape.
    """
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case int() if not -(2**63) <= value < 2**64:
            return str(value)
        case _:
            return value


def sealing_context(row: EnforcedRow) -> str:
    """Return what the encrypted content of a row is bound to, so that no other row can have it."""
    # ensue 0.1.0 knew no environments: without one, the context is the one that it had.
    environment = f"{row.environment}:" if row.environment else ""
    return f"enforced:{environment}{row.target}:{row.scope}:{row.tag}"


def with_declaration(row: EnforcedRow, **changes: bool) -> EnforcedRow:
    """Return a row with changes to what it says of its declaration."""
    by = row.entry.by
    if by is None:
        return row
    by = msgspec.structs.replace(by, **changes)
    return msgspec.structs.replace(row, entry=msgspec.structs.replace(row.entry, by=by))
