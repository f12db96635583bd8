"""What the last applies made of states that this run does not hold.

An argument may be bound to a state that stands in no SLS of this run: then what the last apply enforced
of it counts. The compiler asks before it calls such a reference a fault; at run time it is asked again
for a producer that was skipped and so says nothing in this run. Where and how entries are stored is not
decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.model.data import Data
    from ensue.model.srn import Srn


class EnforcedState(msgspec.Struct, frozen=True, kw_only=True):
    """What an apply enforced of one state.

    Args:
        tag: the chunk's tag.
        module: the state's module path (`cloud.instance`).
        function: the function in it (`present`).
        id: the declaration's ID.
        name: the state's name.
        sls: the SLS it stood in.
        new_state: what the thing was when that apply ended; secrets in the clear.
        sensitive: colon paths into `new_state` whose values are secrets.
    """

    tag: str
    module: str
    function: str
    id: str
    name: str
    sls: str
    new_state: Data
    sensitive: tuple[str, ...] = ()


class EnforcedStates(Protocol):
    """The enforced states of a project, target by target; scopes of delayed rendering have none."""

    def find(self, target: Srn, path: str, id: str) -> Sequence[EnforcedState]:  # noqa: A002 - the language's word
        """Return every enforced state that a reference could mean; which of them it means is not decided here.

        Whoever implements this tells the masker of the secrets in an entry before it returns it. It is
        called in a thread of its own while SLS are compiled, and on the event loop of a run.

        Args:
            target: the resource the states ran against.
            path: a module path, or a dotted prefix of one: `cloud` finds `cloud.instance`, not `clouds`.
            id: the ID or the name of a state.

        Returns:
            The entries in order of their tags; empty when there are none.
        """
        ...
