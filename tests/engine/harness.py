"""What the engine's tests share: plans written as rows, state functions, and time that does not pass."""

from __future__ import annotations

import asyncio
import selectors
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.growth import Plan
from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError, NotAvailableError
from ensue.core.masking import Masker
from ensue.core.model.chunk import NO_OPTIONS, Chunk, StateOptions
from ensue.core.model.requisite import Requisite, RequisiteKind
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.engine.engine import Engine
from ensue.engine.services import CallSite, EngineHooks, EngineOptions, EngineServices

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence

    from ensue.core.contracts.growth import GrowthRequest
    from ensue.core.model.events import RunEvent
    from ensue.core.model.returns import Return
    from ensue.engine.outcome import EngineOutcome

MINION = Srn("minion", "m")
CHANGES = {"k": {"old": "a", "new": "b"}}


class Document:
    """A source file in which everything is on line 1."""

    path = "states/t.sls"

    def locate(self, _keys: Sequence[str | int]) -> Span:
        return Span(self.path, 1)

    def locate_text(self, _keys: Sequence[str | int], _text: str) -> Span:
        return Span(self.path, 1)


DOCUMENT = Document()


@dataclass
class Row:
    """One chunk of a plan, requisites by ID: `Row("b", require=["a"])`."""

    id: str
    fun: str = "nop"
    arguments: dict[str, Any] = field(default_factory=dict)
    require: list[str] = field(default_factory=list)
    require_any: list[str] = field(default_factory=list)
    watch: list[str] = field(default_factory=list)
    watch_any: list[str] = field(default_factory=list)
    onchanges: list[str] = field(default_factory=list)
    onchanges_any: list[str] = field(default_factory=list)
    onfail: list[str] = field(default_factory=list)
    onfail_any: list[str] = field(default_factory=list)
    onfail_all: list[str] = field(default_factory=list)
    prereq: list[str] = field(default_factory=list)
    listen: list[str] = field(default_factory=list)
    listen_in: list[str] = field(default_factory=list)
    arg_bind: list[str] = field(default_factory=list)
    options: StateOptions = NO_OPTIONS
    target: Srn | None = None
    module: str = "test"
    order: float | None = None


KINDS = {
    "require": (RequisiteKind.REQUIRE, False),
    "require_any": (RequisiteKind.REQUIRE, True),
    "watch": (RequisiteKind.WATCH, False),
    "watch_any": (RequisiteKind.WATCH, True),
    "onchanges": (RequisiteKind.ONCHANGES, False),
    "onchanges_any": (RequisiteKind.ONCHANGES, True),
    "onfail": (RequisiteKind.ONFAIL, True),
    "onfail_any": (RequisiteKind.ONFAIL, True),
    "onfail_all": (RequisiteKind.ONFAIL, False),
    "prereq": (RequisiteKind.PREREQ, False),
    "listen": (RequisiteKind.LISTEN, False),
    "listen_in": (RequisiteKind.LISTEN_IN, False),
    "arg_bind": (RequisiteKind.ARG_BIND, False),
}


def plan_of(rows: Iterable[Row], scope: str = "", target: Srn = MINION) -> Plan:
    """Make a plan of rows in execution order."""
    rows = list(rows)
    places = {row.id: place for place, row in enumerate(rows)}
    chunks = tuple(_chunk(row, place, places) for place, row in enumerate(rows))
    return Plan(chunks=chunks, scope=scope, target=target)


def _chunk(row: Row, place: int, places: dict[str, int]) -> Chunk:
    requisites = tuple(
        Requisite(kind, tuple(places[id_] for id_ in getattr(row, keyword)), any_of)
        for keyword, (kind, any_of) in KINDS.items()
        if getattr(row, keyword)
    )
    return Chunk(
        id=row.id,
        name=row.id,
        module=row.module,
        function=row.fun,
        arguments=row.arguments,
        sls="t",
        order=10000 + place if row.order is None else row.order,
        document=DOCUMENT,
        keys=(row.id, f"{row.module}.{row.fun}"),
        requisites=requisites,
        options=row.options,
        target=row.target,
    )


def nop(_ctx: Any, name: str, **_: Any) -> StateReturn:
    return StateReturn(name=name, result=True, comment="Success!")


def change(ctx: Any, name: str, **_: Any) -> StateReturn:
    return StateReturn(name=name, result=None if ctx.site.test else True, changes=CHANGES, comment="changed")


def fail(_ctx: Any, name: str, **_: Any) -> StateReturn:
    return StateReturn(name=name, result=False, comment="Failure!")


def fail_with_changes(_ctx: Any, name: str, **_: Any) -> StateReturn:
    return StateReturn(name=name, result=False, changes=CHANGES, comment="Failure!")


def mod_watch(_ctx: Any, name: str, sfun: str, **_: Any) -> StateReturn:
    return StateReturn(name=name, result=True, changes={"watched": sfun}, comment="Watch statement fired.")


async def sleep(_ctx: Any, name: str, seconds: float = 1.0, **_: Any) -> StateReturn:
    await asyncio.sleep(seconds)
    return StateReturn(name=name, result=True, comment=f"slept {seconds}")


@dataclass
class Functions:
    """State functions of a target."""

    table: dict[str, Callable[..., Any]]
    watches: dict[str, Callable[..., Any]]

    def state(self, module: str, function: str) -> Callable[..., Any]:
        try:
            return self.table[f"{module}.{function}"]
        except KeyError:
            raise NotAvailableError(f"{module}.{function} is not available for minion") from None

    def mod_watch(self, module: str) -> Callable[..., Any] | None:
        return self.watches.get(module)


class Context:
    """As much of a state context as these tests' functions use."""

    def __init__(self, site: CallSite, connection: Any) -> None:
        self.site = site
        self.test = site.test
        self.connection = connection

    @property
    def for_conditions(self) -> Context:
        return self

    async def grains(self) -> dict[str, Any]:
        return {}

    async def call(self, function: str, /, *args: Any, **_: Any) -> Any:
        return {"test.true": True, "test.false": False, "test.echo": args and args[0]}[function]


class VirtualClock:
    """The event loop's time; it jumps to the next timer when nothing else is left to do."""

    def time_of_day(self) -> str:
        start = datetime(2025, 1, 1, tzinfo=UTC)
        return (start + timedelta(seconds=self.monotonic())).time().isoformat()

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _JumpingSelector(selectors.DefaultSelector):
    elapsed_s = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout > 0:
            self.elapsed_s += timeout
            timeout = 0
        return super().select(timeout)


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop on which waiting costs nothing."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.elapsed_s

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 - the loop's own interface
        # Threads end in real time: a timeout in virtual time would have passed before they do.
        await super().shutdown_default_executor()


def run_virtually(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)


@dataclass
class Lab:
    """An engine with fake services, and the events that it reported."""

    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)
    growth: Mapping[str, Any] = field(default_factory=dict)
    hooks: EngineHooks = field(default_factory=EngineHooks)
    connection: Any = None
    events: list[RunEvent] = field(default_factory=list)
    masker: Masker = field(default_factory=Masker)
    requests: list[GrowthRequest] = field(default_factory=list)
    watches: dict[str, Callable[..., Any]] = field(default_factory=lambda: {"test": mod_watch})

    async def expand(self, request: GrowthRequest) -> Plan:
        """Look the scope's rows up by name; a text is a compile error, a callable makes rows."""
        self.requests.append(request)
        rows = self.growth[",".join(request.names)]
        if callable(rows):
            rows = rows(request)
        if isinstance(rows, str):
            raise CompileError([Diagnostic(code="E0000", summary=rows)])
        return plan_of(rows, scope=request.scope, target=request.target)

    def services(self) -> EngineServices:
        table = {
            "test.nop": nop,
            "test.change": change,
            "test.fail": fail,
            "test.fail_with_changes": fail_with_changes,
            "test.sleep": sleep,
            "bare.nop": nop,
            **{f"test.{name}": function for name, function in self.functions.items()},
        }
        functions = Functions(table, self.watches)
        return EngineServices(
            functions=lambda _: functions,
            context_for=lambda site: Context(site, self.connection),  # type: ignore[arg-type, return-value] # a test's context is smaller
            expander=self,
            on_event=self.events.append,
            hooks=self.hooks,
            clock=VirtualClock(),
            random=Random(0),  # noqa: S311 - a splay is no secret
            masker=self.masker,
        )

    def engine(self, **options: Any) -> Engine:
        return Engine(self.services(), EngineOptions(**options))

    def run(self, rows: Iterable[Row], **options: Any) -> EngineOutcome:
        """Run rows to their end in virtual time."""
        return run_virtually(self.engine(**options).run(plan_of(rows)))

    def returns(self, rows: Iterable[Row], **options: Any) -> dict[str, Return]:
        """Run rows and return their returns by ID."""
        return by_id(self.run(rows, **options).returns)


def by_id(returns: Mapping[str, Return]) -> dict[str, Return]:
    return {returned.id: returned for returned in returns.values()}


def starts(outcome: EngineOutcome) -> list[str]:
    """IDs in order of start."""
    return [returned.id for returned in outcome.returns.values()]
