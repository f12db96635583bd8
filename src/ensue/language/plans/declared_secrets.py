"""What the declaration of a state that is not called says of the value that an earlier apply stored.

A reference to such a state reads the stored value. Which parts of it are secret is decided by the declaration
of now, not by that of the apply that stored it: `sensitive: true` may have been added since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ensue.core.contracts.enforced import EnforcedStates
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.state_identity import StateIdentity
    from ensue.language.functions.functions import Functions


class DeclaredSecrets:
    """Conceals the secrets in the stored values of states that a run does not call.

    Args:
        functions: state functions; their modules declare what is secret (`SECRETS`).
        enforced: the stored values.
    """

    def __init__(self, functions: Functions, enforced: EnforcedStates) -> None:
        self._functions = functions
        self._enforced = enforced

    def conceal(self, chunk: Chunk, identity: StateIdentity) -> None:
        """Conceal what a chunk declares as secret; the identity is that of the stored value."""
        if not chunk.arguments:
            return
        secrets = self._functions.attribute(chunk.module, "SECRETS")
        if secrets and (paths := secrets(chunk.function, chunk.arguments)):
            self._enforced.conceal(identity, paths)
