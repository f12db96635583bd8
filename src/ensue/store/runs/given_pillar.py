"""The pillar of a command line in a journal: its keys, and fingerprints of values that may be secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StoreError, UnknownRunError
from ensue.core.model.resume_command import resume_command
from ensue.store.runs.call_reads import data_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.vault import KeyedVault
    from ensue.core.model.events import RunStarted

_CONTEXT: Final = "pillar of a command line"
_NO_MARK: Final = "-"


def marks_of(pillar: Mapping[str, Any], vault: KeyedVault | None) -> dict[str, str]:
    """Return the keys of a pillar, each with the fingerprint of its value.

    Args:
        pillar: that of the command line.
        vault: makes fingerprints; None: there are none.
    """
    return {str(key): _mark(value, vault) for key, value in pillar.items()}


def _mark(value: Any, vault: KeyedVault | None, like: str = "") -> str:
    if vault is None:
        return _NO_MARK
    try:
        return vault.fingerprint(data_digest(value), context=_CONTEXT, like=like)
    except StoreError:
        return _NO_MARK


def refuse_other_pillar(started: RunStarted, pillar: Mapping[str, Any], vault: KeyedVault) -> None:
    """Refuse to resume a run with other pillar than it had: that would change what it has done.

    Args:
        started: the run to resume.
        pillar: that of this command line.
        vault: makes fingerprints.

    Raises:
        UnknownRunError: the pillar is another one.
    """
    if started.pillar is None:
        return  # A journal of ensue 0.1.0.
    marks, now = started.pillar, {str(key): value for key, value in pillar.items()}
    missing = [key for key in marks if key not in now]
    others = [
        key
        for key, mark in marks.items()
        if key in now and _NO_MARK not in {mark, made := _mark(now[key], vault, mark)} and made != mark
    ]
    more = [key for key in now if key not in marks]
    differences = [
        *([f"is without {_quoted(missing)}"] if missing else []),
        *([f"has other values of {_quoted(others)}"] if others else []),
        *([f"has {_quoted(more)} in addition"] if more else []),
    ]
    if differences:
        raise UnknownRunError(
            f"the pillar of this command line {', and '.join(differences)}: {started.run_id} is resumed with"
            f" the pillar that it had ({resume_command(started.run_id, marks)})"
        )


def _quoted(keys: list[str]) -> str:
    return ", ".join(map(repr, keys))
