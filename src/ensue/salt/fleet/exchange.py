"""Hands the returns of states to the minions that refer to them.

The coordinator of a run sees all frames of all minions. What a minion needs is handed to it once, when the
state has returned, or when it is certain that it never will.

A minion whose states need others begins when all the minions that these depend on have compiled, so that a
cycle over minions is found before its states run. A cycle that closes later (a delayed block refers to a
state that waits for its caller) is found when every minion of it has reported that nothing goes on there.

Nothing here waits or sends: every method returns after it has given messages to `send`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

import msgspec

from ensue.core.model.minion_state import MinionReturn
from ensue.salt.fleet.exchange_party import ExchangeParty
from ensue.salt.fleet.exchange_returns import (
    MOST_SHOWN,
    combined_return,
    failed_return,
    missing_return,
    shown_return,
    why_not_one,
)
from ensue.salt.fleet.minion_cycles import closed_cycle, path_back
from ensue.salt.fleet.packed_run import is_of_top_scope
from ensue.salt.fleet.resource_messages import ResourceAsked, Worked
from ensue.salt.fleet.value_messages import (
    MOST_NEEDS,
    MOST_VALUE_BYTES,
    Asked,
    Begin,
    Given,
    HeldReturn,
    MinionCompiled,
    Need,
    RunOver,
    RunPaused,
    RunResumed,
    Stalled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ensue.core.model.events import FannedOut
    from ensue.core.model.minion_state import MinionState
    from ensue.core.model.returns import Return
    from ensue.salt.fleet.packed_run import PackedRun
    from ensue.salt.fleet.resource_messages import ResourceMessage
    from ensue.salt.fleet.value_messages import Handed, ValueMessage

_RETURN: Final = msgspec.json.Decoder(MinionReturn)

Open: TypeAlias = "Callable[[str, str, bytes], bytes]"
"""Opens a held return of a minion (minion, tag, sealed); raises ValueError if it was altered."""


class Exchange:
    """The returns of one run's minions, for each other.

    Args:
        minions: all minions that the target of the run matches.
        send: sends a message to a minion.
        opened: opens a held return.
        asked: takes what a minion asks about resources; None: nobody does.
    """

    def __init__(
        self,
        minions: Iterable[str],
        send: Callable[[str, Handed], None],
        opened: Open,
        asked: Callable[[str, ResourceAsked], None] | None = None,
    ) -> None:
        self._all = frozenset(minions)
        self._asked = asked
        self._send = send
        self._opened = opened
        self._parties: dict[str, ExchangeParty] = {}
        self._beginners: dict[str, set[str]] = {}
        self._waiting: dict[str, dict[MinionState, set[str]]] = {}

    def expect(self, minions: Iterable[str]) -> None:
        """Note that a job is published for minions; others are asked in later batches, or never."""
        self._parties.update({minion: ExchangeParty(minion) for minion in minions})

    def heard(self, minion: str, message: ValueMessage | ResourceMessage) -> None:
        """Take a message of a minion.

        Raises:
            ValueError: the minion asks for too much.
        """
        match message:
            case MinionCompiled():
                self.compiled(minion, message)
            case Asked(states=states):
                self.asked(minion, states)
            case Stalled(waiting=waiting):
                self.stalled(minion, waiting)
            case HeldReturn(of=tag, sealed=sealed):
                self.held(minion, tag, sealed)
            case ResourceAsked():
                if self._asked is not None:
                    self._asked(minion, message)
            case Worked():
                pass  # Nobody has asked for it in this job.
            case _ as never:
                assert_never(never)

    def compiled(self, minion: str, message: MinionCompiled) -> None:
        """Take the states of a minion, and what they need of others.

        Raises:
            ValueError: it has compiled too often.
        """
        party = self._parties[minion]
        party.compile(message)
        self._let_begin(minion)
        self._look_up(minion, party.needs)
        self._answer_waiting(minion)

    def asked(self, minion: str, states: Iterable[MinionState]) -> None:
        """Take further needs of a minion.

        Raises:
            ValueError: it has too many.
        """
        party = self._parties[minion]
        further = {state: Need(state) for state in states if state not in party.needs}
        party.needs |= further
        if len(party.needs) > MOST_NEEDS:
            msg = f"it asks for more than {MOST_NEEDS} states of other minions"
            raise ValueError(msg)
        self._look_up(minion, further)

    def stalled(self, minion: str, waiting: Iterable[MinionState]) -> None:
        """Note that nothing goes on in a minion's run until it has the return of one of these states."""
        party = self._parties[minion]
        party.stalled = frozenset(party.needs).intersection(waiting) or None
        self._break_cycle(minion)

    def held(self, minion: str, tag: str, sealed: bytes) -> None:
        """Keep what a state has returned, sealed; it replaces what the event of the state has."""
        self._parties[minion].held[tag] = sealed

    def returned(self, minion: str, returned: Return) -> None:
        """Take the return of a state, as its event has it: without secrets."""
        if is_of_top_scope(returned):
            party = self._parties[minion]
            party.take(returned)
            self._answer_waiting(minion, party.declared_tag(returned.tag))

    def fanned_out(self, minion: str, event: FannedOut) -> None:
        """Note which states take the place of one with a `tgt`."""
        if not event.scope:
            self._parties[minion].fan_out(event.tag_, event.tags)

    def packed(self, minion: str, run: PackedRun) -> None:
        """Take all events of a minion: the returns that were taken are read from them from now on."""
        self._parties[minion].pack(run)

    def ended(self, minion: str, problem: str, unended: Mapping[str, Return] | None = None) -> None:
        """Note that a minion reports nothing more.

        Args:
            minion: the minion.
            problem: why it did not execute its order; empty if it did.
            unended: stand-ins for the states whose end was not reported, by tag; None: there are none.
        """
        self._parties[minion].end(problem, unended or {})
        self._let_begin(minion)
        self._answer_waiting(minion)

    def is_asked(self, minion: str) -> bool:
        """Return whether an id is that of a minion of the run."""
        return minion in self._all

    def give_up(self, why: str) -> None:
        """Let no minion wait any longer: the run has ended.

        Args:
            why: why it has ended.
        """
        self._send_to_all(RunOver(why))

    def pause(self, wait_s: float) -> None:
        """Let minions wait for a coordinator that resumes the run.

        Args:
            wait_s: how long.
        """
        self._send_to_all(RunPaused(wait_s))

    def resume(self, minions: Iterable[str]) -> None:
        """Let minions know that the run is resumed; those that have ended ignore it."""
        for minion in minions:
            if not self._parties[minion].has_ended:
                self._send(minion, RunResumed())

    def _send_to_all(self, message: Handed) -> None:
        for minion, party in self._parties.items():
            if not party.has_ended:
                self._send(minion, message)

    def needs(self, minion: str) -> Iterator[str]:
        """Yield what states of a minion need of other minions, and whether it is known."""
        party = self._parties[minion]
        for state, need in party.needs.items():
            by = ", ".join(need.by[:MOST_SHOWN]) or "a delayed block"
            verb = "need" if len(need.by) > 1 else "needs"
            after = "" if party.answered.get(state, True) else " (known after apply)"
            yield f"{by} {verb} {state}{after}"

    def _look_up(self, consumer: str, states: Iterable[MinionState]) -> None:
        """Hand to a minion what is known of the states that it needs, and let it wait for the others."""
        for state in states:
            returned = self._known(state)
            if returned is not None:
                self._give(consumer, state, returned)
            else:
                self._waiting.setdefault(state.minion, {}).setdefault(state, set()).add(consumer)

    def _answer_waiting(self, minion: str, tag: str = "") -> None:
        """Hand what is known of a minion's states to those that wait for it: of one state, or of all."""
        waiting = self._waiting.get(minion, {})
        for state in [
            minion_state
            for minion_state in waiting
            if not tag or _tag(self._parties[minion], minion_state) == tag
        ]:
            returned = self._known(state)
            if returned is not None:
                for consumer in sorted(waiting.pop(state)):
                    self._give(consumer, state, returned)

    def _give(self, consumer: str, state: MinionState, returned: MinionReturn) -> None:
        party = self._parties[consumer]
        if state not in party.answered and not party.has_ended:
            party.answered[state] = returned.result is not None
            self._send(consumer, Given(state, returned))

    def _known(self, state: MinionState) -> MinionReturn | None:
        """Return the return of a state, or why it has none; None while that is not known."""
        minion = state.minion
        producer = self._parties.get(minion)
        if producer is None:
            later = f"{minion} is in a later batch (--batch)"
            return missing_return(
                later if minion in self._all else f"the target of this run does not match {minion}"
            )
        if producer.has_compiled:
            return self._returned_by(producer, state)
        if not producer.has_ended:
            return None
        return failed_return(f"{minion} has run nothing: {producer.problem or 'it reported no states'}")

    def _returned_by(self, producer: ExchangeParty, state: MinionState) -> MinionReturn | None:
        minion, tag = state.minion, _tag(producer, state)
        if not tag:
            return missing_return(why_not_one(producer, state))
        instances = producer.instances(tag)
        if not instances:
            if (returned := producer.returned(tag)) is not None:
                return self._return(minion, producer, shown_return(returned), tag)
            return self._not_run(producer, minion) if producer.has_ended else None
        parts: dict[str, MinionReturn] = {}
        for returned in filter(None, map(producer.returned, instances)):
            parts[returned.target] = self._return(minion, producer, shown_return(returned), returned.tag)
        if len(parts) == len(instances):
            return combined_return(state, parts)
        return self._not_run(producer, minion) if producer.has_ended else None

    @staticmethod
    def _not_run(producer: ExchangeParty, minion: str) -> MinionReturn:
        why = f": {producer.problem}" if producer.problem else ""
        return failed_return(f"it was not run on {minion}{why}")

    def _return(self, minion: str, producer: ExchangeParty, returned: MinionReturn, tag: str) -> MinionReturn:
        if tag in producer.held:
            try:
                exact = _RETURN.decode(self._opened(minion, tag, producer.held[tag]))
            except (ValueError, RecursionError) as error:
                return failed_return(f"what {minion} holds of it cannot be read: {error}")
            returned = msgspec.structs.replace(
                returned, new_state=exact.new_state, sensitive=exact.sensitive, secrets=exact.secrets
            )
        if len(msgspec.json.encode(returned)) > MOST_VALUE_BYTES:
            return failed_return(f"its new_state has more than {MOST_VALUE_BYTES >> 10} KiB")
        return returned

    def _let_begin(self, compiled: str) -> None:
        """Let minions begin that waited for a minion to compile, unless they wait for another, or in a cycle.

        Args:
            compiled: the minion; it may have to wait itself.
        """
        for minion in sorted(self._beginners.pop(compiled, set()) | {compiled}):
            party = self._parties[minion]
            if not party.waits_to_begin or party.has_ended:
                continue
            reached, missing = self._reached_from(minion)
            if missing:
                self._beginners.setdefault(missing, set()).add(minion)
            else:
                party.waits_to_begin = False
                self._send(minion, Begin(self._cycle_through(minion, reached)))

    def _reached_from(self, minion: str) -> tuple[set[str], str]:
        """Return the minions that a minion's needs lead to, and one that has yet to compile or end."""
        reached, waiting = {minion}, [minion]
        while waiting:
            name = waiting.pop()
            party = self._parties[name]
            if not (party.has_compiled or party.has_ended):
                return reached, name
            for state in party.needs:
                if state.minion in self._parties and state.minion not in reached:
                    reached.add(state.minion)
                    waiting.append(state.minion)
        return reached, ""

    def _cycle_through(self, minion: str, reached: set[str]) -> tuple[str, ...]:
        """Return the steps of a cycle that a need of a minion is part of; empty if there is none."""
        following = {
            (name, state): self._next_needs(state) for name in reached for state in self._parties[name].needs
        }
        for state in self._parties[minion].needs:
            if path := path_back((minion, state), following):
                return tuple(self._step(name, need) for name, need in path)
        return ()

    def _next_needs(self, state: MinionState) -> list[tuple[str, MinionState]]:
        """Return the needs that the state waits for which a need names."""
        producer = self._parties.get(state.minion)
        states = producer.find(state) if producer is not None else ()
        if producer is None or len(states) != 1:
            return []
        place, _ = states[0]
        return [(state.minion, other) for other, need in producer.needs.items() if place in need.after]

    def _step(self, minion: str, state: MinionState) -> str:
        need = self._parties[minion].needs[state]
        return f"{', '.join(need.by[:MOST_SHOWN]) or 'a delayed block'} on {minion} waits for {state}"

    def _break_cycle(self, minion: str) -> None:
        """Fail what minions wait for if nothing goes on in any minion that a minion waits for.

        A cycle closes when the last of its minions stalls, and then all that this one waits for are in it or
        lead to it.
        """
        waits: dict[str, list[tuple[str, MinionState]]] = {}
        waiting = [minion]
        while waiting:
            name = waiting.pop()
            if name in waits:
                continue
            party = self._parties.get(name)
            if party is None or not party.is_stalled:
                return
            waits[name] = [(state.minion, state) for state in party.stalled or ()]
            waiting += [other for other, _ in waits[name]]
        path = closed_cycle(waits)
        steps = "; ".join(self._step(name, state) for name, state in path)
        for name, state in path:
            self._give(name, state, failed_return(f"minions wait for each other: {steps}"))


def _tag(producer: ExchangeParty, state: MinionState) -> str:
    """Return the tag of the state that a need means; empty if it does not mean exactly one."""
    states = producer.find(state)
    return states[0][1].tag if len(states) == 1 else ""
