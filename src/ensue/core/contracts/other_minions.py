"""Where the engine gets the returns of other minions' states from, in a run over minions.

The engine on each minion waits for them; the coordinator of the run has what all minions report, and hands
each return to the minions that wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ensue.core.contracts.enforced import EnforcedStates
    from ensue.core.contracts.growth import Plan
    from ensue.core.contracts.other_resources import OtherResources
    from ensue.core.masking import Masker
    from ensue.core.model.minion_state import MinionReturn, MinionState


class OtherMinions(Protocol):
    """The other minions of a run."""

    @property
    def resources(self) -> OtherResources:
        """Their derived resources."""
        ...

    async def begin(self, plan: Plan, masker: Masker, enforced: EnforcedStates, *, ordered: bool) -> None:
        """Return when the states of this minion may run.

        Args:
            plan: the states.
            masker: learns the secrets in the returns of other minions.
            enforced: what earlier applies enforced on this minion.
            ordered: whether the states run one after the other.

        Raises:
            CompileError: they and states of other minions wait for each other.
        """
        ...

    async def returned(self, state: MinionState) -> MinionReturn:
        """Return what a state of another minion has returned, once it has.

        The secrets in it are known to the masker by then. A state that will never return has a return with
        result False, whose comment says why.
        """
        ...

    def stalled(self) -> None:
        """Note that nothing goes on in the run of this minion until a state of another one has returned."""
        ...
