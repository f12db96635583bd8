"""How the graph grows while it runs: the engine asks, the composition root compiles.

The engine knows nothing of SLS, Jinja or YAML: an `Expander` is injected, and what it returns is a
`Plan` like the one the run began with.

Source: SEP 16 (delayed state rendering); derived-resources document ("state_applied").
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Mapping

    from ensue.core.diagnostics import Diagnostic, Span
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.requisite import Requisite
    from ensue.core.model.srn import Srn

GrowthKind = Literal["block", "sls", "apply", "deployment", "state"]
"""A delayed block or SLS, or the request of a function: SLS for a target, a resource graph, one state."""


class CompiledTree(Protocol):
    """What the language keeps of the SLS of one scope, for later renderings in it."""

    @property
    def outer_ids(self) -> Container[str]:
        """IDs and names of the scopes around this one."""
        ...

    def whole_slses(self) -> frozenset[str]:
        """Return the keys of the SLS that are in the plan whole; none where something was excluded."""
        ...

    def names_of(self, sls: str, saltenv: str) -> Collection[str]:
        """Return the names by which `sls:` finds an SLS: its own, and those of the SLS that include it."""
        ...

    def delayed_blocks(self) -> Mapping[Span, str]:
        """Return the delayed blocks of these SLS: their names by place."""
        ...


class DeploymentScope(Protocol):
    """The environment whose resources a plan provisions."""

    @property
    def environment(self) -> str:
        """The environment: `[ORG/]APP/ENV`."""
        ...


class Complaint(msgspec.Struct, frozen=True, kw_only=True):
    """An error in the input that becomes a failed return at the end of its scope.

    Args:
        chunk: gives the return its tag; it is never called.
        comment: the error.
        unreachable: whether the error is that its target cannot be reached.
    """

    chunk: Chunk
    comment: str
    unreachable: bool = False


class Excluded(NamedTuple):
    """A chunk that the chosen part of a run leaves out.

    Args:
        chunk: the chunk.
        comment: why.
        is_dependent: whether it is left out because of what it requires.
        is_named: whether `--exclude` names it.
        reactions: the requisites by which it reacts to changes of chunks that run (`watch`, `onchanges`,
            `listen`), as indices into the plan that is left.
        brings: of one that reacts, the other chunks left out that would come along with it.
    """

    chunk: Chunk
    comment: str
    is_dependent: bool
    is_named: bool = False
    reactions: tuple[Requisite, ...] = ()
    brings: tuple[Chunk, ...] = ()


class Event(Protocol):
    """Something that happens once."""

    done: bool

    def on_resolve(self, callback: Callable[[], None]) -> None:
        """Call a function when it happens; at once if it has happened."""
        ...


class Awaited(NamedTuple):
    """A state that a state of another scope waits for.

    Args:
        scope: the path of its scope; one that is not open has ended.
        number: its index in the plan of that scope.
        until: what ends the wait before the end of the state; None: nothing does.
    """

    scope: str
    number: int
    until: Event | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Compiled chunks of one scope.

    Args:
        chunks: in order of execution; requisites are indices into this tuple, never a chunk's own.
        scope: the scope's path, `""` at the top.
        identity: the identity of the scope (`state_identity`), `""` at the top; the engine sets it.
        target: the target of chunks without a `target`.
        tree: what the language keeps of the SLS that it was compiled from; None: it is not from SLS.
        deployment: the environment whose resources it provisions; None: it provisions none.
        warnings: warnings of the compiler.
        complaints: errors that are reported at the end of the scope.
        checks: the chunks that a `prereq` has checked, in the order of their checks, each with the index of
            the chunk that its check precedes; any other is checked before the first chunk that requires it.
        resource: the resource whose own SLS it is, or grew from, in a run with a target; None: this machine.
        awaits: returns the states of any scopes that a chunk waits for beside its requisites, as the graph is
            when the chunk is about to run; None: no chunk waits for others.
        excluded: the chunks of the scope that the chosen part of the run leaves out.
    """

    chunks: tuple[Chunk, ...]
    scope: str
    identity: str = ""
    target: Srn
    tree: CompiledTree | None = None
    deployment: DeploymentScope | None = None
    warnings: tuple[Diagnostic, ...] = ()
    complaints: tuple[Complaint, ...] = ()
    checks: Mapping[int, int] = MappingProxyType({})
    resource: Srn | None = None
    awaits: Callable[[Chunk], Iterable[Awaited]] | None = None
    excluded: tuple[Excluded, ...] = ()


class PlanSource(Protocol):
    """Makes the plan of growth that is not from SLS: a resource graph, a single state."""

    @property
    def kind(self) -> GrowthKind:
        """The kind of growth."""
        ...

    async def plan(self, request: GrowthRequest) -> Plan:
        """Return the plan of the requested scope.

        Raises:
            CompileError: there is none; becomes a failed scope.
        """
        ...


class GrowthRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request of the engine to render and compile something.

    Args:
        kind: what grows.
        names: one name, or the SLS names of an `apply`.
        scope: the new scope's path.
        identity: its identity (`state_identity`).
        target: its target.
        caller: the chunk that requests it.
        plan: the plan of the caller.
        prev_ret: the caller's return; None for an `apply`.
        depth: how many scopes the new one is nested in.
        entry: the index in the caller's `delayed_render`; 0 for the request of a function.
        source: makes the plan; None: it is compiled from SLS or from a block.
        missing: the beginning of the message if it fails: why `prev_ret` may lack what a template needs.
    """

    kind: GrowthKind
    names: tuple[str, ...]
    scope: str
    identity: str
    target: Srn
    caller: Chunk
    plan: Plan
    prev_ret: Mapping[str, object] | None
    depth: int
    entry: int = 0
    source: PlanSource | None = None
    missing: str = ""


class PlanListener(Protocol):
    """Called with each plan of a run before anything of it runs."""

    def __call__(self, plan: Plan, cause: GrowthRequest | None, /) -> None:
        """Record a plan.

        Args:
            plan: of the run itself, of a resource that joins it, or of growth.
            cause: the request that it fulfils; None: there was none.
        """
        ...


class Expander(Protocol):
    """Renders and compiles growth."""

    async def expand(self, request: GrowthRequest) -> Plan:
        """Return the compiled scope.

        Raises:
            CompileError: it does not render or compile, or a limit is exceeded; becomes a failed scope.
        """
        ...
