"""The enforced states of earlier applies, for states that are not in this run.

An argument may be bound to a state that is in no SLS of this run: then the value that the last apply
enforced counts. The compiler looks it up before it refuses such a reference; at run time it is looked up
for a producer that was skipped and therefore has no value in this run. Where and how entries are stored is
not decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.model.enforced import EnforcedState
    from ensue.model.srn import Srn


class EnforcedStates(Protocol):
    """The enforced states of a project, target by target; scopes of delayed rendering have none."""

    def find(self, target: Srn, path: str, id: str) -> Sequence[EnforcedState]:  # noqa: A002
        """Return every enforced state that a reference could mean; the caller chooses among them.

        An implementation adds the secrets in an entry to the masker before it returns the entry. It is
        called in a separate thread while SLS are compiled, and without I/O on the event loop of a run.

        Args:
            target: the resource the states ran against.
            path: a module path, or a dotted prefix of one: `cloud` finds `cloud.instance`, not `clouds`.
            id: the ID or the name of a state, without the resource id that returns have in front of it.

        Returns:
            The entries in order of their tags; empty when there are none.
        """
        ...
