"""What ensue does on a minion of a fleet: an order and messages from stdin, messages to stdout, one per line.

Run as `python -m ensue.cli.fleet_minion` by `fleet.relay`, which seals, signs and sends the messages. The
file roots are unpacked on the minion, pillar and grains come with the order.
"""

from __future__ import annotations

import asyncio
import base64
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.contracts.deadlines import FLEET_RUN_S, FLEET_TAKEOVER_S
from ensue.core.diagnostics import Severity
from ensue.core.errors import DiagnosticError, EnsueError
from ensue.core.model.events import RunStarted
from ensue.salt.fleet.continuation import begun_run, ended_run
from ensue.salt.fleet.frames import Answered, Happened, Refused, Warned, packed
from ensue.salt.fleet.inbox import Inbox, stdin_lines
from ensue.salt.fleet.link import FleetLink
from ensue.salt.fleet.resource_messages import ResourceWork, Worked
from ensue.store.runs import journal_form

if TYPE_CHECKING:
    from ensue.core.model.events import RunEvent
    from ensue.core.model.resource_call import ResourceCall
    from ensue.salt.fleet.frames import Message

_FULL_BYTES: Final = 64 * 1024
_LATEST_S: Final = 0.5
REFUSED: Final = 3
"""The exit code after `Refused`; `relay` takes 1 for a process that has failed without a report."""

INTERRUPTED: Final = 130
"""The exit code of a process whose relay has ended."""


class MinionOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order as the relay passes it on; the fields of `model.fleet.FleetOrder`, and the minion's own.

    Args:
        run_id: the run of the coordinator.
        minion: the id of this machine.
        root: the folder that holds the file roots; messages name files below it.
        cachedir: the folder for what persists between runs.
        file_roots: the folders of each environment.
        pillar: the pillar that the master compiled for this minion.
        grains: what Salt knows about this machine.
        options: further options of the project.
        key: the public key of the run, in base64.
        remaining_s: how long the run may still go on.
        continues: whether an earlier process has begun the job, and was killed.
        run_file: the file for the id of this machine's own run; empty: none is kept. For calls on resources
            it has the ids of those that have ended.
        work: calls on resources of this machine, for other minions.
    """

    run_id: str
    verb: str
    minion: str
    root: str
    cachedir: str
    file_roots: dict[str, list[str]]
    pillar: dict[str, Any]
    grains: dict[str, Any]
    options: dict[str, Any]
    mods: tuple[str, ...] = ()
    test: bool = False
    concurrency: int | None = None
    failhard: bool | None = None
    function: str = ""
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    key: str = ""
    remaining_s: float = FLEET_RUN_S
    continues: bool = False
    run_file: str = ""
    work: ResourceWork = ResourceWork()


class Reporter:
    """Writes messages: events together, at the latest after half a second.

    Args:
        descriptor: where they are written.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: list[str] = []
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    def happened(self, line: bytes) -> None:
        """Report an event."""
        self._lines.append(line.decode().removesuffix("\n"))
        self._bytes += len(line)
        if self._bytes >= _FULL_BYTES:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_LATEST_S, self.flush)

    def flush(self) -> None:
        """Write the events that are waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        lines, self._lines, self._bytes = self._lines, [], 0
        if lines:
            self._write(Happened(tuple(lines)))

    def tell(self, message: Message) -> None:
        """Report anything else, after the events before it."""
        self.flush()
        self._write(message)

    def _write(self, message: Message) -> None:
        content = base64.b64encode(packed(message)) + b"\n"
        # Without the relay nobody reads any more: the run ends, and its journal has what happened.
        with suppress(BrokenPipeError):
            while content:
                content = content[os.write(self._descriptor, content) :]


async def carry_out(order: MinionOrder, reporter: Reporter, link: FleetLink | None = None) -> int:
    """Do what an order says, and report it; return the exit code.

    Args:
        order: the order.
        reporter: gets the reports.
        link: has what states of other minions return; None: nothing has.
    """
    overrides: dict[str, Any] = {
        **order.options,
        "id": order.minion,
        "cachedir": order.cachedir,
        "file_roots": order.file_roots,
        "pillar_roots": {"base": [str(Path(order.cachedir) / "no-pillar")]},
        "grains": order.grains,
    }
    project = AppProject.open(
        Path(order.root),
        ProjectOptions(minion_id=order.minion, pillar=order.pillar, overrides=overrides, other_minions=link),
    )
    try:
        async with project:
            if order.verb == "call":
                return await _called(project, order, reporter)
            if order.verb == "work":
                return await _worked(project, order, reporter)
            return await _applied(project, order, reporter, link)
    except DiagnosticError as error:
        wrong = [diagnostic for diagnostic in error.diagnostics if diagnostic.severity is Severity.ERROR]
        messages = [diagnostic.message for diagnostic in wrong or error.diagnostics]
    except EnsueError as error:
        messages = [str(error)]
    except Exception as error:  # noqa: BLE001 -- a bug must not look like a machine that is silent
        sys.stderr.write(project.masker.text(traceback.format_exc()))
        messages = [f"{type(error).__name__}: {error} (a bug in ensue; its log on the minion has more)"]
    reporter.tell(Refused(tuple(map(project.masker.text, messages))))
    return REFUSED


async def _applied(
    project: AppProject, order: MinionOrder, reporter: Reporter, link: FleetLink | None
) -> int:
    def tell(event: RunEvent) -> None:
        line = journal_form.encode(event, project.masker)
        if link is not None:
            link.happened(event, line)
        reporter.happened(line)
        if isinstance(event, RunStarted) and order.run_file:
            Path(order.run_file).write_text(event.run_id)

    resume = await begun_run(project.cachedir, Path(order.run_file)) if order.continues else None
    if resume is not None and (ended := ended_run(project.cachedir, resume)) is not None:
        for event in ended:
            reporter.happened(journal_form.encode(event, project.masker))
        reporter.flush()
        return 0
    options = RunOptions(
        test=order.test,
        concurrency=order.concurrency,
        failhard=order.failhard,
        resume=resume,
        # The process before may be ending what it had begun.
        wait_for_lock=FLEET_TAKEOVER_S if order.continues else False,
    )
    report = await project.apply(order.mods, options, on_event=tell)
    if report.warnings:
        reporter.tell(
            Warned(tuple(project.masker.text(diagnostic.message) for diagnostic in report.warnings))
        )
    reporter.flush()
    return report.exit_code


async def _called(project: AppProject, order: MinionOrder, reporter: Reporter) -> int:
    from ensue.output.presentable import presentable

    code = 2
    async for outcome in project.call(f"L@{order.minion}", order.function, order.args, order.kwargs):
        reporter.tell(Answered(ok=outcome.succeeded, value=presentable(outcome.value, project.masker)))
        code = 0 if outcome.succeeded else 2
    return code


async def _worked(project: AppProject, order: MinionOrder, reporter: Reporter) -> int:
    """Call states on resources of this minion for other minions, at the same time, each once."""
    run_file = Path(order.run_file)
    ended = await asyncio.to_thread(_ended_calls, run_file) if order.continues else set[str]()

    async def work(question: str, call: ResourceCall) -> None:
        try:
            worked = Worked(question, await project.resource_call(call))
        except (EnsueError, ValueError) as error:
            worked = Worked(question, problem=project.masker.text(str(error)))
        reporter.tell(worked)
        await asyncio.to_thread(_note_call, run_file, question)

    async with asyncio.TaskGroup() as group:
        for question, call in order.work.calls.items():
            if question not in ended:
                group.create_task(work(question, call))
    return 0


def _ended_calls(run_file: Path) -> set[str]:
    try:
        return set(run_file.read_text().split())
    except FileNotFoundError:
        return set()


def _note_call(run_file: Path, question: str) -> None:
    with run_file.open("a") as file:
        file.write(f"{question}\n")


async def run_order(messages: int) -> int:
    """Read an order, carry it out, and return the exit code.

    Args:
        messages: the descriptor that messages are written to.
    """
    lines = await stdin_lines(sys.stdin.buffer)
    order = msgspec.json.decode(await lines.readline(), type=MinionOrder)
    reporter = Reporter(messages)
    inbox = Inbox(lines, lambda warning: reporter.tell(Warned((warning.message,))))
    link = FleetLink(
        run_id=order.run_id,
        minion=order.minion,
        key=base64.b64decode(order.key),
        tell=reporter.tell,
        remaining_s=order.remaining_s,
    )
    for kind, handler in link.handlers.items():
        inbox.on(kind, handler)
    listening = asyncio.create_task(inbox.listen())
    work = asyncio.create_task(carry_out(order, reporter, link if order.verb == "apply" else None))
    # The end of stdin is that of the relay, without which nobody hears of this process: what runs ends,
    # nothing new starts, and the journal has what the next process needs to go on.
    listening.add_done_callback(lambda _: work.cancel())
    try:
        return await work
    except asyncio.CancelledError:
        return INTERRUPTED
    finally:
        listening.cancel()


def main() -> int:
    """Carry out the order on stdin, and return the exit code."""
    # What any plug-in prints must not be taken for a message.
    messages = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return asyncio.run(run_order(messages))


if __name__ == "__main__":
    sys.exit(main())
