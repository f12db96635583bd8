"""Which state of a run registers a resource: one does, and others may only say the same.

Otherwise the last of them would win, and each run would change what the one before registered.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import ResourceConflictError
from ensue.core.model.state_identity import StateIdentity

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

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

    @contextmanager
    def claim(self, site: CallSite, requests: Sequence[RegistrationRequest]) -> Generator[list[bool]]:
        """Yield, for each request of a state, whether it registers; else another state has said the same.

        The state registers its own in the block. If that fails, the next state that says the same does it.

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
            claims = {
                request.srn: _Claim(owner, chunk.id, place, dict(request.config))
                for request, own in zip(requests, is_own, strict=True)
                if own
            }
            before = {srn: self._claims[srn] for srn in claims if srn in self._claims}
            self._claims.update(claims)
        try:
            yield is_own
        except BaseException:
            self._take_back(claims, before)
            raise

    def _take_back(self, claims: Mapping[Srn, _Claim], before: Mapping[Srn, _Claim]) -> None:
        """Restore what the state had registered before, but for what was unregistered meanwhile."""
        with self._turn:
            for srn, claim in claims.items():
                if self._claims.get(srn) is claim:
                    del self._claims[srn]
                    self._claims.update({srn: before[srn]} if srn in before else {})

    def give_up(self, srns: Iterable[Srn]) -> None:
        """Forget who registered resources that are no longer registered."""
        with self._turn:
            for srn in srns:
                self._claims.pop(srn, None)


def _conflict(srn: Srn, claim: _Claim) -> ResourceConflictError:
    msg = f"E0702: {srn} was registered by {claim.id!r} ({claim.place}) with another configuration"
    return ResourceConflictError(f"{msg} (let one state register it, or give it another id)")
