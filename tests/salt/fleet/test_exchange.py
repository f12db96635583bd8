"""Returns are handed to the minions that need them, in any order of the minions' reports."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.minion_state import MinionState
from ensue.core.model.returns import Return
from ensue.salt.fleet.exchange import Exchange
from ensue.salt.fleet.minion_cycles import closed_cycle, path_back
from ensue.salt.fleet.value_messages import (
    Asked,
    Begin,
    Given,
    MinionCompiled,
    Need,
    RunOver,
    Stalled,
    StateName,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.salt.fleet.value_messages import Handed

MINIONS = ("a", "b", "c")
WAITING = "minions wait for each other"

Site = dict[str, list[tuple[bool, tuple[str, int] | None]]]
"""The states of each minion in order: whether they ask late, and the minion and state that each needs."""


def state(minion: str, number: int) -> MinionState:
    """Return a state of another minion."""
    return MinionState(minion=minion, path="test", id=f"s{number}")


def returned(minion: str, number: int, *, ok: bool = True) -> Return:
    """Return the return of a state."""
    return Return(
        tag=tag(number), id=f"s{number}", name=f"s{number}", sls="x", module="test", function="present",
        scope="", target=f"minion:{minion}", result=ok, changes={}, comment="", new_state={"n": number},
    )  # fmt: skip


def tag(number: int) -> str:
    """Return the tag of a state."""
    return f"test_|-s{number}_|-s{number}_|-present"


class Simulated:
    """A minion that runs its states one after the other.

    Args:
        name: its id.
        site: the states of all minions.
        heard: takes its messages.
    """

    def __init__(self, name: str, site: Site, heard: Callable[[str, Any], None]) -> None:
        self.name, self._states, self._tell = name, site[name], heard
        self.answers: dict[MinionState, bool] = {}
        self.problems: list[str] = []
        self._at = 0
        self._asked: set[int] = set()
        self._compiled = False
        self._may_begin = False
        self._stalled = False
        self.is_over = False

    def take(self, message: Handed) -> None:
        """Take a message of the coordinator."""
        assert not isinstance(message, RunOver)
        if isinstance(message, Begin):
            self.is_over = bool(message.cycle)
            self.problems += message.cycle
            self._may_begin = True
            return
        assert message.state not in self.answers, "handed over twice"
        self.answers[message.state] = bool(message.returned.result)
        self.problems += [message.returned.comment] if message.returned.comment else []
        self._stalled = False

    def step(self) -> bool:
        """Go on by one step; return whether there was one."""
        if self.is_over:
            return False
        if not self._compiled:
            self._compile()
            return True
        if not self._may_begin:
            return False
        late, need = self._states[self._at]
        if need is not None and state(*need) not in self.answers:
            return self._wait(state(*need), late=late)
        self._tell(self.name, returned(self.name, self._at, ok=need is None or self.answers[state(*need)]))
        self._at += 1
        self.is_over = self._at == len(self._states)
        return True

    def _compile(self) -> None:
        self._compiled = True
        names = tuple(StateName(tag(n), "test", f"s{n}", f"s{n}") for n in range(len(self._states)))
        first: dict[MinionState, int] = {}
        for number, (late, need) in enumerate(self._states):
            if need is not None and not late:
                first.setdefault(state(*need), number)
        needs = tuple(
            Need(producer, (f"s{number}",), tuple(range(number, len(names))))
            for producer, number in first.items()
        )
        self._may_begin = not needs
        self._tell(self.name, MinionCompiled(names, needs))

    def _wait(self, need: MinionState, *, late: bool) -> bool:
        if late and self._at not in self._asked:
            self._asked.add(self._at)
            self._tell(self.name, Asked((need,)))
            return True
        if not self._stalled:
            self._stalled = True
            self._tell(self.name, Stalled((need,)))
            return True
        return False


def can_all_end(site: Site) -> bool:
    """Return whether all states can end, one after the other on each minion: the reference."""
    ended = dict.fromkeys(site, 0)
    while True:
        before = dict(ended)
        for minion, states in site.items():
            while ended[minion] < len(states):
                need = states[ended[minion]][1]
                if need is not None and ended[need[0]] <= need[1]:
                    break
                ended[minion] += 1
        if ended == before:
            return all(ended[minion] == len(states) for minion, states in site.items())


@st.composite
def sites(draw: st.DrawFn) -> Site:
    """Draw the states of three minions; none needs a state of its own minion."""
    count = {minion: draw(st.integers(1, 4)) for minion in MINIONS}

    def need(minion: str) -> st.SearchStrategy[tuple[bool, tuple[str, int] | None]]:
        others = [(other, number) for other in MINIONS if other != minion for number in range(count[other])]
        return st.tuples(st.booleans(), st.none() | st.sampled_from(others))

    return {minion: [draw(need(minion)) for _ in range(count[minion])] for minion in MINIONS}


@given(sites(), st.randoms(use_true_random=False))
def test_every_run_ends_and_only_cycles_fail(site: Site, random: Any) -> None:
    """With any needs and any order of reports, all minions end; states fail only if there is a cycle."""
    inboxes: dict[str, deque[Handed]] = {minion: deque() for minion in MINIONS}
    exchange = Exchange(
        MINIONS, lambda minion, handed: inboxes[minion].append(handed), lambda _minion, _tag, sealed: sealed
    )
    exchange.expect(MINIONS)

    def heard(minion: str, message: Any) -> None:
        if isinstance(message, Return):
            exchange.returned(minion, message)
        else:
            exchange.heard(minion, message)

    minions = {minion: Simulated(minion, site, heard) for minion in MINIONS}
    ended: set[str] = set()
    while True:
        able = [minion for minion in minions.values() if inboxes[minion.name] or not minion.is_over]
        random.shuffle(able)
        moved = False
        for simulated in able:
            if inboxes[simulated.name] and random.random() < 0.5:
                simulated.take(inboxes[simulated.name].popleft())
                moved = True
            elif simulated.step():
                moved = True
            elif inboxes[simulated.name]:
                simulated.take(inboxes[simulated.name].popleft())
                moved = True
            if simulated.is_over and simulated.name not in ended:
                ended.add(simulated.name)
                exchange.ended(simulated.name, "it was refused" if simulated.problems else "")
        if not moved:
            break
    assert all(minion.is_over for minion in minions.values()), {
        minion.name: minion.answers for minion in minions.values()
    }
    problems = [problem for minion in minions.values() for problem in minion.problems]
    assert bool(problems) is not can_all_end(site), problems


def test_cycles_are_found() -> None:
    """What leads to a cycle is no part of its path."""
    ab, ba = state("b", 0), state("a", 0)
    assert closed_cycle({"c": [("a", ba)], "a": [("b", ab)], "b": [("a", ba)]}) == [("a", ab), ("b", ba)]
    assert closed_cycle({"a": [("b", ab)], "b": [("a", ba)]}) == [("a", ab), ("b", ba)]
    assert path_back(1, {1: [2], 2: [3, 1], 3: [1]}) == [1, 2]
    assert path_back(1, {1: [2], 2: []}) == []


def test_the_end_of_a_run_ends_all_waits() -> None:
    """Every minion that has not ended gets a message, whether or not it is known to wait."""
    sent: list[tuple[str, Any]] = []
    exchange = Exchange(
        MINIONS, lambda minion, handed: sent.append((minion, handed)), lambda _minion, _tag, sealed: sealed
    )
    exchange.expect(("a", "b"))
    exchange.heard("a", MinionCompiled((StateName(tag(0), "test", "s0", "s0"),), (Need(state("b", 0)),)))
    exchange.give_up("interrupted")
    exchange.ended("a", "")
    exchange.give_up("again")
    assert sent == [("a", RunOver("interrupted")), ("b", RunOver("interrupted")), ("b", RunOver("again"))]


def test_a_minion_that_was_killed_gets_everything_again() -> None:
    """A process that continues a killed one reports its needs again, and gets what is known."""
    sent: list[tuple[str, Handed]] = []
    exchange = Exchange(
        ("a", "b"),
        lambda minion, message: sent.append((minion, message)),
        lambda _minion, _tag, sealed: sealed,
    )
    exchange.expect(("a", "b"))
    exchange.heard("b", MinionCompiled((StateName(tag(0), "test", "s0", "s0"),), ()))
    needs = MinionCompiled((StateName(tag(1), "test", "s1", "s1"),), (Need(state("b", 0)),))
    exchange.heard("a", needs)
    exchange.returned("b", returned("b", 0))
    first, sent[:] = [*sent], []
    exchange.heard("a", needs)
    assert [(minion, type(message)) for minion, message in first] == [("a", Begin), ("a", Given)]
    assert sent == first
    exchange.heard("a", Asked((state("b", 0),)))
    assert sent == first
