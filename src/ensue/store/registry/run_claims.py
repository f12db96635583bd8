"""Which state of a run registers a resource: one does, and others may only say the same.

Otherwise the last of them would win, and each run would change what the one before registered.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import ResourceConflictError
from ensue.core.model.state_identity import StateIdentity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.core.model.data import Data
    from ensue.core.model.resource import RegistrationRequest
    from ensue.core.model.srn import Srn
    from ensue.engine.services import CallSite


class _Claim(msgspec.Struct, frozen=True):
    """A state that registers a resource, where it is declared, and the configuration."""

    owner: StateIdentity
    id: str
    place: str
    config: Mapping[str, Data]


class RunClaims:
    """The registrations of one run by resource; any thread may call."""

    def __init__(self) -> None:
        self._claims: dict[Srn, _Claim] = {}
        self._turn = threading.Lock()

    def claim(self, site: CallSite, requests: Sequence[RegistrationRequest]) -> list[bool]:
        """Return, for each request of a state, whether it registers; else another state has said the same.

        Args:
            site: the call of the state.
            requests: what it is about to register.

        Raises:
            ResourceConflictError: another state has registered one of them with another configuration.
        """
        chunk, place = site.chunk, str(site.chunk.span())
        owner = StateIdentity(str(site.target), site.plan.identity, chunk.tag)
        with self._turn:
            former = [self._claims.get(request.srn) for request in requests]
            is_own = [claim is None or claim.owner == owner for claim in former]
            for request, claim in zip(requests, former, strict=True):
                if claim is not None and claim.owner != owner and claim.config != request.config:
                    raise _conflict(request.srn, claim)
            for request, own in zip(requests, is_own, strict=True):
                if own:
                    self._claims[request.srn] = _Claim(owner, chunk.id, place, dict(request.config))
        return is_own

    def give_up(self, srns: Iterable[Srn]) -> None:
        """Forget who registered resources that are no longer registered."""
        with self._turn:
            for srn in srns:
                self._claims.pop(srn, None)


def _conflict(srn: Srn, claim: _Claim) -> ResourceConflictError:
    msg = f"E0702: {srn} was registered by {claim.id!r} ({claim.place}) with another configuration"
    return ResourceConflictError(f"{msg} (let one state register it, or give it another id)")
