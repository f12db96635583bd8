"""The `ctx` of a state or execution function, for tests: a real Masker and Jinja, everything else in memory.

`FakeStateContext(connection, test=True, pillar={...})` is enough for most tests; the connection may
be a `FakeConnection` or a real one. It compiles no SLS: what `apply` returns is set by the test.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.accumulators import Accumulators
from ensue.core.contracts.context import StateDeclaration
from ensue.core.diagnostics import Span
from ensue.core.errors import (
    NotAvailableError,
    NotOfferedError,
    StateFailedError,
    UnknownResourceError,
)
from ensue.core.files.local_content import LocalDigests
from ensue.core.files.trees import files_below, links_below
from ensue.core.masking import Masker
from ensue.core.model.returns import ScopeReturn
from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.language.targeting import TargetSubject, TargetSyntaxError, Vocabulary, matches, read_nodegroups
from ensue.output.documentation import shipped_documentation
from ensue.testing.deployments import FakeDeployments
from ensue.testing.registry import FakeRegistry
from ensue.testing.vault import FakeVault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.content import SourceContent
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.contracts.function_docs import Documentation
    from ensue.core.contracts.provider import EnvironmentProvider
    from ensue.core.model.data import DataMap
    from ensue.core.model.enforced import EnforcedState


class FakeFileSources:
    """`salt://` and other sources from a dict.

    Args:
        sources: content by full source (`salt://openvpn/server.conf`).
        root: a real folder that `salt://` reads too, after the dict.
    """

    def __init__(self, sources: Mapping[str, bytes] | None = None, root: Path | None = None) -> None:
        self.sources = dict(sources or {})
        self.root = root
        self._digests = LocalDigests()

    async def read(self, source: str, *, saltenv: str = "") -> bytes:
        """Return a source's content."""
        if source in self.sources:
            return self.sources[source]
        path = self.local_path(source, saltenv=saltenv)
        if path is None:
            raise StateFailedError(f"{source} is in none of the file roots: {self.root or '(memory)'}")
        return path.read_bytes()

    async def open(self, source: str, *, saltenv: str = "") -> SourceContent:
        """Return a source's content, in chunks when it is a long real file."""
        path = None if source in self.sources else self.local_path(source, saltenv=saltenv)
        return await self.read(source, saltenv=saltenv) if path is None else await self._digests.content(path)

    def local_path(self, source: str, *, saltenv: str = "") -> Path | None:  # noqa: ARG002 (one environment)
        """Return the real file that a source names."""
        if self.root is None or not source.startswith("salt://"):
            return None
        path = self.root / source.removeprefix("salt://")
        return path if path.is_file() else None

    def list_tree(self, source: str, *, saltenv: str = "") -> list[str]:  # noqa: ARG002 (one environment)
        """Return the relative paths below a source."""
        prefix = source.rstrip("/") + "/"
        names = {name.removeprefix(prefix) for name in self.sources if name.startswith(prefix)}
        if self.root is not None and source.startswith("salt://"):
            folder = self.root / source.removeprefix("salt://")
            names |= {relative for relative, _ in files_below(folder)}
        return sorted(names)

    def list_links(self, source: str, *, saltenv: str = "") -> dict[str, str]:  # noqa: ARG002 (one environment)
        """Return the links of the real folder below a source."""
        if self.root is None or not source.startswith("salt://"):
            return {}
        return links_below(self.root / source.removeprefix("salt://"), self.root)


class FakeMine:
    """A mine in memory, of one target: it asks nobody."""

    def __init__(self) -> None:
        self.values: dict[Srn, dict[str, Any]] = {}

    async def gathered(
        self,
        target: str,  # noqa: ARG002 (there is one target)
        names: Sequence[str],
        *,
        engine: str | None = None,  # noqa: ARG002 (the same)
    ) -> dict[str, dict[str, Any]]:
        """Return the kept values."""
        kept = self.values.items()
        return {
            name: {srn.id: kept_values[name] for srn, kept_values in kept if name in kept_values}
            for name in names
        }

    async def names(self, srn: Srn) -> list[str]:
        """Return the names of the kept values."""
        return sorted(self.values.get(srn, {}))

    async def keep(self, srn: Srn, values: Mapping[str, Any]) -> None:
        """Keep values."""
        self.values.setdefault(srn, {}).update(values)

    async def update(self, srn: Srn) -> list[str]:
        """Do nothing: there is nobody to ask."""
        return await self.names(srn)

    async def forget(self, srn: Srn, name: str | None = None) -> None:
        """Forget a value, or all of them."""
        kept = self.values.get(srn, {})
        for key in [key for key in kept if name in {None, key}]:
            del kept[key]


@dataclass(slots=True, kw_only=True)
class AppliedSls:
    """One recorded call of `ctx.apply`.

    Args:
        target: the given target, as text.
        mods: the SLS names.
    """

    target: str
    mods: tuple[str, ...]


@dataclass(slots=True)
class FakeFunctionContext:
    """The context of an execution function.

    Args:
        connection: the target.
        test: whether this is a plan.
        pillar: the target's pillar.
        grains_data: what `grains()` returns.
        opts: the project's options.
        sources: content by source, for `files`.
        file_root: a real folder behind `salt://`.
        functions: execution functions by full name, each called with this context first.
        masker: the process's secrets.
        cache_dir: the project's cachedir.
        config: the target's configuration.
        minion_context: the managing minion; by default this context itself.
        mine: the values that targets share.
        documentation: that of the target's functions; by default, of those that come with ensue.
        exit_codes: the codes that functions have reported.
    """

    connection: Connection
    test: bool = False
    pillar: DataMap = field(default_factory=dict[str, Any])
    grains_data: DataMap = field(default_factory=dict[str, Any])
    opts: DataMap = field(default_factory=dict[str, Any])
    sources: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    file_root: Path | None = None
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict[str, Any])
    masker: Masker = field(default_factory=Masker)
    cache_dir: Path = Path("/nonexistent/ensue-cache")
    config: DataMap = field(default_factory=dict[str, Any])
    minion_context: FunctionContext | None = None
    mine: FakeMine = field(default_factory=FakeMine)
    documentation: Documentation = field(default_factory=shipped_documentation)
    exit_codes: list[int] = field(default_factory=list[int])

    @property
    def srn(self) -> Srn:
        """The target's name."""
        return self.connection.srn

    @property
    def files(self) -> FakeFileSources:
        """Reader of sources."""
        return FakeFileSources(self.sources, self.file_root)

    async def grains(self) -> DataMap:
        """Return the grains that the test gave."""
        return self.grains_data

    async def grains_changed(self) -> None:
        """Do nothing: no grains are cached."""

    async def ping(self) -> bool:
        """Return True: the target answers."""
        return True

    def minion(self) -> FunctionContext:
        """Return the managing minion's context."""
        return self.minion_context or self

    async def matches(
        self, target: str, *, engine: str | None = None, delimiter: str = ":", minion_id: str = ""
    ) -> bool:
        """Return whether an expression matches this target; `nodegroups` are those of `opts`."""
        groups: Any = self.opts.get("nodegroups") or {}
        names = Vocabulary(read_nodegroups(groups)[0])
        subject = TargetSubject(
            srn=Srn(MINION_TYPE, minion_id) if minion_id else self.srn,
            managing_minions=(str(self.opts.get("id", "")),),
            grains=lambda: self.grains_data,
            pillar=lambda: self.pillar,
            vocabulary=names,
        )
        try:
            parsed = names.parse(target) if engine is None else names.word(engine, target, delimiter)
        except TargetSyntaxError as error:
            raise StateFailedError(str(error)) from None
        return matches(parsed, subject)

    async def targets(self, target: str, *, engine: str | None = None) -> Sequence[FunctionContext]:
        """Return this context if an expression matches it."""
        return [self] if await self.matches(target, engine=engine) else []

    async def pillar_changed(self) -> None:
        """Do nothing: the pillar is the one that the test gave."""

    async def call(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call one of `functions` on this target."""
        function_ = self.functions.get(function)
        if function_ is None:
            raise NotAvailableError(f"{function} is not available for {self.srn.type}")
        try:
            result = function_(self, *args, **kwargs)
            return await result if inspect.isawaitable(result) else result
        except NotOfferedError as error:
            raise error.needed_by(function) from None

    def command_ended(self, exit_code: int) -> None:
        """Keep the exit code in `exit_codes`."""
        self.exit_codes.append(exit_code)

    async def render_template(
        self, text: str, *, renderer: str = "jinja", name: str = "", context: Mapping[str, Any] | None = None
    ) -> str:
        """Render Jinja with `salt grains pillar opts` and the given context."""
        import jinja2

        if renderer != "jinja":
            raise StateFailedError(f"{name}: the fake context renders jinja, not {renderer}")
        environment = jinja2.Environment(
            undefined=jinja2.StrictUndefined,
            keep_trailing_newline=True,
            autoescape=False,  # noqa: S701 (configuration files, not HTML)
        )
        try:
            return environment.from_string(text).render(self._variables() | dict(context or {}))
        except jinja2.TemplateSyntaxError as fault:
            raise StateFailedError(f"{name}:{fault.lineno}: {fault.message}") from fault
        except jinja2.TemplateError as fault:
            raise StateFailedError(f"{name}: {fault.message}") from fault

    async def render_data(
        self,
        text: str,
        *,
        renderer: str = "jinja|yaml",
        name: str = "",
        context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Render with the pipes `jinja`, `yaml` and `jinja|yaml`; a first line that names one is not read."""
        first, _, last = renderer.partition("|")
        if "jinja" in (first, last):
            text = await self.render_template(text, name=name, context=context)
        if "yaml" not in (first, last):
            return text
        import yaml

        return yaml.safe_load(text)

    def _variables(self) -> dict[str, Any]:
        salt = {key: partial(function, self) for key, function in self.functions.items()}
        return {"salt": salt, "grains": self.grains_data, "pillar": self.pillar, "opts": self.opts}


class FakeClock:
    """A clock that never waits: `sleep` advances it and returns.

    Args:
        slept_s: the durations of all sleeps, in order, in seconds.
    """

    def __init__(self) -> None:
        self.slept_s: list[float] = []

    def time_of_day(self) -> str:
        """Return a constant time of day."""
        return "12:00:00.000000"

    def monotonic(self) -> float:
        """Return the sum of all sleeps."""
        return sum(self.slept_s)

    async def sleep(self, seconds: float) -> None:
        """Record the wait and return at once."""
        self.slept_s.append(seconds)


@dataclass(slots=True)
class FakeStateContext(FakeFunctionContext):
    """The context of a state function.

    Args:
        clock: see `FakeClock`.
        declaration: the declaration it is called for.
        registry: derived resources.
        accumulators: texts accumulated for files.
        pending_states: the states that it requires and that, in a plan, would change something.
        run_notes: what states of the target note for each other in one run.
        enforced: the state's enforced state from the last apply.
        vault: see `FakeVault`.
        providers: environment providers by name.
        others: contexts of other resources, by SRN as text or by id.
        applied_return: what `apply` returns; by default, a finished scope without returns.
        applied: the calls of `apply`, in order.
        deployments: resource graphs.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    declaration: StateDeclaration = field(
        default_factory=lambda: StateDeclaration(
            id="test_id", sls="test", function="test.nop", scope="", span=Span("states/test.sls", 1)
        )
    )
    registry: FakeRegistry = field(default_factory=FakeRegistry)
    accumulators: Accumulators = field(default_factory=Accumulators)
    pending_states: tuple[str, ...] = ()
    run_notes: dict[str, Any] = field(default_factory=dict[str, Any])
    enforced: EnforcedState | None = None
    vault: FakeVault = field(default_factory=FakeVault)
    providers: dict[str, EnvironmentProvider] = field(default_factory=dict[str, Any])
    others: dict[str, FunctionContext] = field(default_factory=dict[str, Any])
    applied_return: ScopeReturn | None = None
    applied: list[AppliedSls] = field(default_factory=list[AppliedSls])
    deployments: FakeDeployments = field(default_factory=FakeDeployments)

    @property
    def plan_notes(self) -> dict[str, Any] | None:
        """Return `run_notes` in a plan."""
        return self.run_notes if self.test else None

    @property
    def for_conditions(self) -> FakeStateContext:
        """Return this context: it has no options of a state."""
        return self

    def provider(self, name: str) -> EnvironmentProvider:
        """Return one of `providers`."""
        if name not in self.providers:
            known = ", ".join(self.providers)
            raise NotAvailableError(f"no environment provider {name!r}; there are: {known}")
        return self.providers[name]

    async def on(self, target: Srn | str) -> FunctionContext:
        """Return one of `others`."""
        ctx = self.others.get(str(target)) or self.others.get(str(target).partition(":")[2])
        if ctx is None:
            raise UnknownResourceError(f"no such resource: {target}", target=str(target))
        return ctx

    async def apply_state(self, function: str, name: str, arguments: DataMap) -> ScopeReturn:  # noqa: ARG002 (recorded)
        """Record the call of the function, and return what the test set."""
        return await self.apply(self.srn, [function])

    async def apply(self, target: Srn | str, mods: Sequence[str]) -> ScopeReturn:
        """Record the call and return what the test set."""
        await self.on(target)
        self.applied.append(AppliedSls(target=str(target), mods=tuple(mods)))
        if self.applied_return is not None:
            return self.applied_return
        name = ",".join(mods)
        scope = f"{self.declaration.id}/{name}"
        return ScopeReturn(kind="apply", name=name, scope=scope, status="done", target=str(target))
