"""The reactions to changes that earlier applies owe, because they failed or never started.

How they are kept is not decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.state_identity import StateIdentity


class OwedReactions(Protocol):
    """The owed reactions of a project; called without I/O on the event loop of a run."""

    def owed_since(self, identity: StateIdentity) -> str:
        """Return the run that owes the reaction of a state first; empty if none does.

        Args:
            identity: the state.
        """
        ...

    def note_reaction(self, chunk: Chunk, identity: StateIdentity, path: str, *, is_done: bool) -> None:
        """Note that a state of this run reacted to a change, or should have.

        Args:
            chunk: the state.
            identity: its identity.
            path: the path of its scope.
            is_done: whether its reaction succeeded; if not, it is owed from now on.
        """
        ...
