"""The reactions to changes that are owed, because they failed, never started, or their run was killed.

How they are kept is not decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ensue.core.model.state_identity import StateIdentity


class OwedReactions(Protocol):
    """The owed reactions of a project; called without I/O on the event loop of a run."""

    def owed_since(self, identity: StateIdentity) -> str | None:
        """Return the earlier run that owes the reaction of a state first; None if none does.

        It is empty if that is a run that this one resumes.

        Args:
            identity: the state.
        """
        ...

    def is_owed(self, identity: StateIdentity) -> bool:
        """Return whether the reaction of a state is owed, by an earlier run or this one.

        Args:
            identity: the state.
        """
        ...
