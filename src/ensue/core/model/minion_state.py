"""A state of another minion, as a reference or a requisite names it in a run over minions, and its return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from ensue.core.model.reference import Reference


ANY_PATH: Final = "*"
"""The path of a state that a requisite names by its ID alone."""


class MinionState(msgspec.Struct, frozen=True, kw_only=True):
    """A state of another minion.

    Args:
        minion: the id of the minion.
        path: the state's module path, or a dotted prefix of it; `ANY_PATH`: whatever its module is.
        id: its ID or name.
        selector: the name of one of several instances; None when none is named.
    """

    minion: str
    path: str
    id: str
    selector: str | None = None

    def __str__(self) -> str:
        """Return it as the beginning of a reference: `minion[db-01]:cmd:token`."""
        from ensue.core.model.property_grammar import quoted

        selector = "" if self.selector is None else f"[{quoted(self.selector)}]"
        path = "" if self.path == ANY_PATH else f"{self.path}:"
        return f"minion[{self.minion}]:{path}{quoted(self.id)}{selector}"


class MinionReturn(msgspec.Struct, frozen=True, kw_only=True):
    """What the states that name a state of another minion learn of its return.

    Args:
        result: as in `StateReturn`.
        comment: why it failed, or why there is no return.
        has_changes: whether it changed something, or in a plan would.
        new_state: the object's state; None: not known.
        sensitive: property paths into `new_state` whose values are secrets.
        secrets: further secrets, which occur in texts of `new_state`.
        ran: False if its function was not called because of a requisite.
        unknown: whether, in a plan, only an apply can show what the state would do.
        parts: the returns of a state with a `tgt`, by the resource that it ran on; empty for any other state.
        missing: whether there is no such state, so that the states that name it fail whatever they require.
    """

    result: bool | None
    comment: str = ""
    has_changes: bool = False
    new_state: Any = None
    sensitive: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    ran: bool = True
    unknown: bool = False
    parts: dict[str, MinionReturn] = {}
    missing: bool = False


def state_read_by(reference: Reference) -> MinionState:
    """Return the state that a reference to another minion reads."""
    return MinionState(
        minion=reference.minion, path=reference.path, id=reference.id, selector=reference.selector
    )
