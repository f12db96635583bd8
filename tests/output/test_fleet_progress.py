"""The progress of a run over minions: failures as they happen, counts, and who has not begun."""

from __future__ import annotations

import io

from rich.console import Console
from tests.output.test_progress import Loop

from ensue.core.masking import Masker
from ensue.core.model.events import JobPublished, NodeFinished, NodeStarted, RunStarted
from ensue.core.model.fleet import MinionReport
from ensue.core.model.returns import Return
from ensue.output.colours import PLAIN
from ensue.output.fleet_progress import LiveFleetProgress, PlainFleetProgress
from ensue.output.streams import ErrorLines


def _finished(minion: str, number: int, **more: object) -> NodeFinished:
    given = {
        "tag": f"t{number}",
        "id": f"{minion} one",
        "name": "one",
        "sls": "s",
        "module": "cmd",
        "function": "run",
        "scope": "",
        "target": f"minion:{minion}",
        "result": True,
        "changes": {},
        "comment": "",
        "run_num": number,
    }
    return NodeFinished(Return(**{**given, **more}))  # type: ignore[arg-type]


def test_lines_name_the_minion() -> None:
    """A failed state and a failed minion are one line each; what succeeds is none."""
    stream = io.StringIO()
    progress = PlainFleetProgress(ErrorLines(stream), Masker(["hunter22"]), Loop())
    progress.of_minion("", JobPublished("1", ("web1", "web2")))
    progress.of_minion("web1", _finished("web1", 0))
    progress.of_minion("web2", _finished("web2", 1, result=False, comment="it said hunter22"))
    progress.ended(MinionReport(id="web1"))
    progress.ended(MinionReport(id="web2", problem="it does not answer", ok=False))
    progress.close()
    assert stream.getvalue().splitlines() == [
        "failed: web2 one (cmd.run): it said (sensitive)",
        "ensue: web2: it does not answer",
    ]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _shown(progress: LiveFleetProgress) -> list[str]:
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(progress._tree())
    return [line.strip(" │├└─") for line in console.export_text().splitlines()]


def test_a_terminal_has_counts_and_the_slowest_states() -> None:
    """The headline counts minions and states; the longest state comes first, and who is silent is named."""
    loop = Loop()
    stream = _Terminal()
    progress = LiveFleetProgress(ErrorLines(stream), Masker(()), loop, PLAIN)
    assert progress.headline() == "preparing, 0 s"
    progress.of_minion("", JobPublished("1", tuple(f"m{number}" for number in range(9))))
    progress.of_minion("", JobPublished("2", ("m0",), calls=("of-a-resource",)))
    assert progress.headline() == "0 of 9 minions done, 0 s"
    for number in range(2):
        progress.of_minion(f"m{number}", RunStarted("r", False, 2, "", ()))
        started = NodeStarted("t", f"m{number} one", "cmd.run", "", f"minion:m{number}", number)
        progress.of_minion(f"m{number}", started)
        loop.now += 3
    assert _shown(progress) == [
        "0 of 9 minions done; states: 0 of 4 done, 0 changed, 0 failed, 6 s",
        "m0 one (cmd.run)  6.0 s",
        "m1 one (cmd.run)  3.0 s",
        "not begun: m2, m3, m4, m5, m6 and 2 more",
    ]
    progress.of_minion("m0", _finished("m0", 0, changes={"a": 1}))
    progress.ended(MinionReport(id="m0"))
    progress.ended(MinionReport(id="m8", problem="it does not answer", ok=False))
    assert _shown(progress) == [
        "2 of 9 minions done, 1 failed; states: 1 of 4 done, 1 changed, 0 failed, 6 s",
        "m1 one (cmd.run)  3.0 s",
        "not begun: m2, m3, m4, m5, m6 and 1 more",
    ]
    progress.close()
    assert loop.pending == 0
