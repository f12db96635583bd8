"""Plain progress: silence about what is fast, one line about what matters."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.masking import Masker
from ensue.core.model.events import (
    NodeFinished,
    NodeStarted,
    ResourceRegistered,
    RunFinished,
    RunStarted,
    ScopeClosed,
    ScopeOpened,
)
from ensue.core.model.returns import Return, ScopeReturn
from ensue.output.progress import MOST_LINES_OF_A_KIND, PlainProgress
from ensue.output.streams import ErrorLines

if TYPE_CHECKING:
    from collections.abc import Callable


class Loop:
    """A clock that the test advances, and the timers of an event loop."""

    def __init__(self) -> None:
        self.now = 100.0
        self._timers: list[tuple[float, Callable[[], None], Loop.Timer]] = []

    class Timer:
        """One of them."""

        cancelled = False

        def cancel(self) -> None:
            self.cancelled = True

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], None]) -> Loop.Timer:
        timer = Loop.Timer()
        self._timers.append((self.now + delay, callback, timer))
        return timer

    def advance(self, seconds: float) -> None:
        """Let time pass, timer by timer."""
        until = self.now + seconds
        while due := [timer for timer in self._timers if timer[0] <= until and not timer[2].cancelled]:
            first = min(due, key=lambda timer: timer[0])
            self._timers.remove(first)
            self.now = first[0]
            first[1]()
        self.now = until

    @property
    def pending(self) -> int:
        return sum(not timer.cancelled for _, _, timer in self._timers)


class Scene:
    """Progress, its loop, and what it wrote."""

    def __init__(self, *secrets: str) -> None:
        self.loop = Loop()
        self._stream = io.StringIO()
        self.progress = PlainProgress(ErrorLines(self._stream), Masker(secrets), self.loop)

    @property
    def lines(self) -> list[str]:
        return self._stream.getvalue().splitlines()

    def start(self, number: int, id_: str = "a", target: str = "minion:m") -> None:
        self.progress(NodeStarted(f"tag{number}", id_, "cmd.run", "", target, number))

    def finish(self, number: int, **fields: Any) -> None:
        given: dict[str, Any] = {
            "tag": f"tag{number}",
            "id": "a",
            "name": "a",
            "sls": "s",
            "module": "cmd",
            "function": "run",
            "scope": "",
            "target": "minion:m",
            "result": True,
            "changes": {},
            "comment": "",
            "run_num": number,
            **fields,
        }
        self.progress(NodeFinished(Return(**given)))


@pytest.fixture
def scene() -> Scene:
    """A run that begins."""
    return Scene("hunter22")


def test_fast_states_say_nothing(scene: Scene) -> None:
    """A thousand states that succeed at once write no line."""
    scene.progress(RunStarted("r", False, 1000, "", ()))
    for number in range(1000):
        scene.start(number)
        scene.finish(number, changes={"a": 1})
    scene.progress(RunFinished("r", "succeeded", 0, ""))
    assert scene.lines == []


def test_a_failure_is_one_masked_line(scene: Scene) -> None:
    """A failed state is reported with its place and the first line of its comment."""
    scene.start(0)
    scene.finish(
        0, result=False, place="states/a.sls:3:5", comment="\nit said hunter22\nand more", target="ssh_host:x"
    )
    assert scene.lines == ["failed: a (cmd.run) on ssh_host:x: states/a.sls:3:5: it said (sensitive)"]


def test_a_long_state_is_told_once_and_its_end_too(scene: Scene) -> None:
    """After five seconds a running state is named; when it ends, so is the time it took."""
    scene.start(0, "slow")
    scene.loop.advance(2)
    scene.start(1, "slower")
    scene.loop.advance(2.9)
    assert scene.lines == []
    scene.loop.advance(0.2)
    assert scene.lines == ["running for 5 s: slow (cmd.run)"]
    scene.loop.advance(2)
    assert scene.lines[1:] == ["running for 5 s: slower (cmd.run)"]
    scene.loop.advance(60)
    scene.finish(0, id="slow")
    assert scene.lines[2:] == ["done: slow (cmd.run) (67.1 s)"]


def test_a_state_that_starts_after_a_long_one_is_watched_too(scene: Scene) -> None:
    """The timer is set again for whatever starts while a long state is still running."""
    scene.start(0, "long")
    scene.loop.advance(10)
    scene.start(1, "second", "ssh_host:x")
    scene.loop.advance(5)
    assert scene.lines[1:] == ["running for 5 s: second (cmd.run) on ssh_host:x"]


def test_no_timer_is_left(scene: Scene) -> None:
    """When the run has ended no timer keeps the loop."""
    scene.start(0)
    scene.progress(RunFinished("r", "succeeded", 0, ""))
    assert scene.loop.pending == 0


def test_growth_is_told(scene: Scene) -> None:
    """A scope, its failure, and a new resource have a line each; a resource registered again has none."""
    scene.progress(ScopeOpened("tag", "apply", "openvpn.init", "vpn/openvpn.init", "ssh_host:jump", 4))
    scene.progress(ScopeOpened("tag", "block", "b", "vpn/b", "minion:m", 1))
    failed = ScopeReturn(kind="block", name="b", scope="vpn/b", status="failed", comment="undefined x\nmore")
    scene.progress(ScopeClosed("tag", failed))
    scene.progress(ResourceRegistered("ssh_host:jump", "starting_state:env", True))
    scene.progress(ResourceRegistered("ssh_host:jump", "starting_state:env", False))
    assert scene.lines == [
        "vpn/openvpn.init: sls openvpn.init on ssh_host:jump, 4 states",
        "vpn/b: block b on minion:m, 1 state",
        "failed: vpn/b: undefined x",
        "registered: ssh_host:jump, derived from starting_state:env",
    ]


def test_list_of_a_deployment() -> None:
    """What joins the graph for a list is shown under the name of the list, not by the path of a scope."""
    scene = Scene()
    list_ = "subnet#${each.key} of network.default#x"
    caller = f"graph_|-{list_}_|-{list_}_|-expanded"
    scene.progress(ScopeOpened(caller, "deployment", "items", f"{list_}/items", "minion:m", 2))
    assert scene.lines == [f"{list_}: 2 join the graph"]


def test_thousands_of_one_kind_are_cut_short(scene: Scene) -> None:
    """After a hundred failures one line says that more are left out."""
    for number in range(5000):
        scene.start(number)
        scene.finish(number, result=False, comment="no")
    assert len(scene.lines) == MOST_LINES_OF_A_KIND + 1
    assert "left out" in scene.lines[-1]


def test_what_is_cut_is_masked_before() -> None:
    """No part of a secret is shown where a comment is cut in the middle of it."""
    scene = Scene("a-secret-of-thirty-characters-")
    scene.start(1)
    scene.finish(1, result=False, comment="x" * 150 + "a-secret-of-thirty-characters-")
    assert "a-sec" not in "".join(scene.lines)
