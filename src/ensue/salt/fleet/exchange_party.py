"""What the exchange of a run knows about one minion.

There may be thousands of minions, and few of them have what others need. So the names of a minion's states
are kept packed, and so are its returns, of which only those that were looked up are values.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.language.references.producers import ProducerIdentity, meant
from ensue.salt.fleet.value_messages import MOST_COMPILATIONS, Need, StateName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.minion_state import MinionState
    from ensue.core.model.returns import Return
    from ensue.salt.fleet.packed_run import PackedRun
    from ensue.salt.fleet.value_messages import MinionCompiled

_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(tuple[StateName, ...])


class ExchangeParty:
    """One minion.

    Args:
        name: its id.

    Attributes:
        needs: the states of others that it needs, with the states that name them.
        answered: the needs that were answered; False: in a plan, only an apply shows what was asked.
        waits_to_begin: whether it has asked whether it may begin.
        stalled: the needs that all of its run waits for; None: something goes on there.
        has_ended: whether it reports nothing more.
        problem: why it did not execute its order, or empty; known when it has ended.
        held: returns that events do not have in full, sealed, by tag.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._packed = b""
        self._found: dict[MinionState, tuple[tuple[int, StateName], ...]] = {}
        self._run: PackedRun | None = None
        self._recent: dict[str, Return] = {}
        self._looked_up: dict[str, Return | None] = {}
        self._compilations = 0
        self._instances: dict[str, tuple[str, ...]] = {}
        self._declared: dict[str, str] = {}
        self.needs: dict[MinionState, Need] = {}
        self.answered: dict[MinionState, bool] = {}
        self.waits_to_begin = False
        self.stalled: frozenset[MinionState] | None = None
        self.has_ended = False
        self.problem = ""
        self.held: dict[str, bytes] = {}

    @property
    def has_compiled(self) -> bool:
        """Whether its states are known."""
        return bool(self._packed)

    @property
    def is_stalled(self) -> bool:
        """Whether nothing goes on there, as far as is known."""
        return not self.has_ended and self.stalled is not None and self.stalled.isdisjoint(self.answered)

    def compile(self, message: MinionCompiled) -> None:
        """Take its states and needs; a minion that was killed and goes on needs everything again.

        Raises:
            ValueError: it does so too often.
        """
        self._compilations += 1
        if self._compilations > MOST_COMPILATIONS:
            msg = f"its states have compiled more than {MOST_COMPILATIONS} times in one job"
            raise ValueError(msg)
        self._found.clear()
        self._instances.clear()
        self._declared.clear()
        self.answered.clear()
        self.stalled = None
        self._packed = zlib.compress(_ENCODER.encode(message.states), 1)
        self.needs = {need.state: need for need in message.needs}
        self.waits_to_begin = bool(message.needs)

    def take(self, returned: Return) -> None:
        """Take the return of a state, until it is packed."""
        self._recent[returned.tag] = returned
        if returned.tag in self._looked_up:
            self._looked_up[returned.tag] = returned

    def fan_out(self, tag: str, tags: tuple[str, ...]) -> None:
        """Note which states take the place of one with a `tgt`, by tag."""
        self._instances[tag] = tags
        self._declared |= dict.fromkeys(tags, tag)

    def instances(self, tag: str) -> tuple[str, ...]:
        """Return the tags of the states that take the place of one; none if it runs as it is."""
        return self._instances.get(tag, ())

    def declared_tag(self, tag: str) -> str:
        """Return the tag of a state as it is compiled, of which a tag may be an instance."""
        return self._declared.get(tag, tag)

    def pack(self, run: PackedRun) -> None:
        """Take all of its events; another run, in place of that before, has its own returns."""
        if run is not self._run:
            self._run = run
            self._looked_up.clear()
        self._looked_up |= {
            tag: state_return for tag, state_return in self._recent.items() if tag in self._looked_up
        }
        self._recent.clear()

    def end(self, problem: str, unended: Mapping[str, Return]) -> None:
        """Note that it reports nothing more.

        Args:
            problem: why it did not execute its order; empty if it did.
            unended: stand-ins for the states whose end was not reported, by tag.
        """
        self.has_ended, self.problem = True, problem
        self._looked_up |= unended

    def states(self) -> tuple[StateName, ...]:
        """Return the names of its states in the order of its plan; none while it has not compiled."""
        return _DECODER.decode(zlib.decompress(self._packed)) if self._packed else ()

    def find(self, state: MinionState) -> tuple[tuple[int, StateName], ...]:
        """Return the states that a need may mean, each with its place in `states`; one if it is correct."""
        if not self._packed:
            return ()
        if state not in self._found:
            self._found[state] = tuple(meant(state, enumerate(self.states()), _identity))
        return self._found[state]

    def returned(self, tag: str) -> Return | None:
        """Return the return of one of its own states; None while it has none."""
        if tag not in self._looked_up:
            packed = self._run.returned(tag) if self._run and tag not in self._recent else None
            self._looked_up[tag] = self._recent.get(tag, packed)
        return self._looked_up[tag]


def _identity(placed: tuple[int, StateName]) -> ProducerIdentity:
    _, state = placed
    return ProducerIdentity(
        state.module, state.id, state.name, state.resource_name, is_fanned=state.is_fanned
    )
