"""Several minions of one run in this process: real projects and a real exchange, and no Salt."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError, EnsueError
from ensue.core.model.events import FannedOut, NodeFinished
from ensue.salt.fleet.desk import ResourceDesk
from ensue.salt.fleet.exchange import Exchange
from ensue.salt.fleet.frames import MinionMessages, packed
from ensue.salt.fleet.link import FleetLink
from ensue.salt.fleet.resource_messages import ResourceAsked, Worked
from ensue.salt.fleet.sealing import RunKey
from ensue.salt.fleet.signing import LAST
from ensue.salt.fleet.value_messages import (
    Asked,
    Given,
    Handed,
    HeldReturn,
    MinionCompiled,
    Stalled,
    held_name,
    kind_of,
    plain,
)
from ensue.store.registry.registry import ResourceRegistry
from ensue.store.runs import journal_form

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ensue.core.model.report import RunReport
    from ensue.core.model.resource_call import ResourceCall
    from ensue.core.model.returns import Return
    from ensue.salt.fleet.frames import Message


@dataclass
class Outcome:
    """What came of a run.

    Args:
        reports: the report of each minion; the messages of one that did not compile.
        sent: the messages to each minion.
        lines: the events of each minion, as they are sent.
        maskers: the secrets of each minion.
        needs: what each minion needed of others.
    """

    reports: dict[str, RunReport | list[str]] = field(default_factory=dict)
    sent: dict[str, list[Handed]] = field(default_factory=dict)
    lines: dict[str, list[bytes]] = field(default_factory=dict)
    maskers: dict[str, Any] = field(default_factory=dict)
    needs: dict[str, list[str]] = field(default_factory=dict)

    def returns(self, minion: str) -> dict[str, Return]:
        """Return the returns of a minion by ID."""
        report = self.reports[minion]
        assert not isinstance(report, list), report
        return {returned.id: returned for returned in report.returns.values()}

    def problem(self, minion: str) -> str:
        """Return the only error of a minion whose states do not compile."""
        report = self.reports[minion]
        assert isinstance(report, list), report
        (problem,) = report
        return problem

    def given(self, minion: str) -> list[Given]:
        """Return what was handed to a minion."""
        return [message for message in self.sent.get(minion, []) if isinstance(message, Given)]


class Together:
    """Runs SLS on several minions.

    Args:
        root: the folder of everything.
        slses: the SLS of each minion.
        test: whether it is a plan.
        options: options of their `ensue.yaml`.
        matched: all minions of the target; those without SLS are in later batches.
    """

    def __init__(
        self,
        root: Path,
        slses: Mapping[str, str],
        *,
        test: bool = False,
        options: Mapping[str, Any] | None = None,
        matched: tuple[str, ...] = (),
        remaining_s: float = 60,
    ) -> None:
        self._root = root
        self._slses = slses
        self._test = test
        self._options = dict(options or {})
        self._remaining_s = remaining_s
        self._key = RunKey()
        self._links: dict[str, FleetLink] = {}
        self.outcome = Outcome()
        self._loses_messages = False
        self._is_silent = False
        self._ends_at: type[Message] | None = None
        self.registry = ResourceRegistry(root / "coordinator", minion_id="master")
        self._desk = ResourceDesk(lambda: self.registry, self._send, self._called, slses)
        self._exchange = Exchange((*slses, *matched), self._send, self._opened, self._desk.asked)
        self.calls: list[tuple[str, ResourceCall]] = []

    def lose_messages(self) -> None:
        """Let no message of the coordinator arrive."""
        self._loses_messages = True

    def answer_no_calls(self) -> None:
        """Let no minion answer that is to call a state on one of its resources."""
        self._is_silent = True

    def end_at(self, message: type[Message]) -> None:
        """Let the coordinator be interrupted when a minion with needs sends such a message."""
        self._ends_at = message

    async def run(self) -> Outcome:
        """Run all of them at the same time."""
        self._exchange.expect(self._slses)
        async with self._desk, asyncio.TaskGroup() as group:
            for minion in self._slses:
                group.create_task(self._run(minion))
        return self.outcome

    def _send(self, minion: str, message: Handed, then: Callable[[], None] = lambda: None) -> None:
        then()
        self.outcome.sent.setdefault(minion, []).append(message)
        if self._loses_messages:
            return
        content = msgspec.json.decode(msgspec.json.encode(plain(message)))
        handler = self._links[minion].handlers[kind_of(message)]
        # At least once.
        asyncio.get_running_loop().call_soon(handler, content)
        asyncio.get_running_loop().call_soon(handler, content)

    async def _called(self, minion: str, question: str, call: ResourceCall) -> Worked:
        """Call a state as the job on the managing minion does, with a project of its own."""
        self.calls.append((minion, call))
        if self._is_silent:
            await asyncio.Event().wait()
        project = AppProject.open(
            self._root / minion, ProjectOptions(minion_id=minion, overrides=self._options)
        )
        async with project:
            try:
                returned = await project.resource_call(call)
            except EnsueError as error:
                return Worked(question, problem=str(error))
        return msgspec.json.decode(msgspec.json.encode(Worked(question, returned)), type=Worked)

    def _opened(self, minion: str, tag: str, sealed: bytes) -> bytes:
        return self._key.opened(sealed, held_name("run", minion, tag))

    async def _run(self, minion: str) -> None:
        folder = self._root / minion
        (folder / "states").mkdir(parents=True, exist_ok=True)
        (folder / "states" / "site.sls").write_text(self._slses[minion])
        messages, number = MinionMessages(), iter(range(10_000))

        def tell(message: Message) -> None:
            for read in messages.add(next(number), LAST + packed(message)):
                self._heard(minion, read)

        link = self._links[minion] = FleetLink(
            run_id="run", minion=minion, key=self._key.public, tell=tell, remaining_s=self._remaining_s
        )
        project = AppProject.open(
            folder, ProjectOptions(minion_id=minion, overrides=self._options, other_minions=link)
        )
        self.outcome.maskers[minion] = project.masker
        lines = self.outcome.lines.setdefault(minion, [])

        def happened(event: Any) -> None:
            line = journal_form.encode(event, project.masker)
            link.happened(event, line)
            lines.append(line)
            shown = journal_form.decode(line)
            if isinstance(shown, NodeFinished):
                self._exchange.returned(minion, shown.returned)
            elif isinstance(shown, FannedOut):
                self._exchange.fanned_out(minion, shown)

        problem = ""
        try:
            async with project:
                self.outcome.reports[minion] = await project.apply(
                    ["site"], RunOptions(test=self._test), on_event=happened
                )
        except CompileError as error:
            texts = [f"{diagnostic.code} {diagnostic.message}" for diagnostic in error.diagnostics]
            self.outcome.reports[minion], problem = texts, "its states do not compile"
        self._exchange.ended(minion, problem)
        self.outcome.needs[minion] = [*self._exchange.needs(minion)]

    def _heard(self, minion: str, message: Message) -> None:
        assert isinstance(message, MinionCompiled | Asked | Stalled | HeldReturn | ResourceAsked)
        self._exchange.heard(minion, message)
        if isinstance(message, self._ends_at or ()) and not (
            isinstance(message, MinionCompiled) and not message.needs
        ):
            self._exchange.give_up("it was interrupted")
