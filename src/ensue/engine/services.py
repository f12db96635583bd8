"""What the composition root hands to the engine: functions, contexts, growth, a clock, and switches.

Only shapes stand here. Nothing in the engine asks for a global.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import msgspec

from ensue.engine.clock import SystemClock
from ensue.masking import Masker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from random import Random

    from ensue.contracts.arguments import ArgumentResolver
    from ensue.contracts.clock import Clock
    from ensue.contracts.context import StateContext
    from ensue.contracts.functions import StateFunctions
    from ensue.contracts.growth import Expander, Plan
    from ensue.engine.asked_growth import AskedGrowth
    from ensue.model.chunk import Chunk
    from ensue.model.data import DataMap
    from ensue.model.enforced import EnforcedState
    from ensue.model.events import RunEvent
    from ensue.model.returns import ScopeReturn, StateReturn
    from ensue.model.srn import Srn


def _never(_: Srn) -> bool:
    return False


class Reader(Protocol):
    """Keeps what a call reads beside its arguments, so that a run which resumes this one can compare it."""

    reads: list[object] | None


class CallInputs(Protocol):
    """Fingerprints of what calls read; may hold secrets, so the fingerprints are keyed."""

    def mark(self, reads: Sequence[object], arguments: DataMap | None) -> tuple[list[str], str]:
        """Return the names of everything that a call has read, and the fingerprint of its content.

        Args:
            reads: what the contexts of the call have put into `Reader.reads`.
            arguments: the call's arguments when they hold a secret, else None.
        """
        ...

    async def are_same(self, names: Sequence[str], mark: str, arguments: DataMap | None) -> bool:
        """Say whether what is named has the same content now.

        Args:
            names: what `mark` returned.
            mark: the fingerprint.
            arguments: the arguments of the call that is compared, when they count.
        """
        ...


class CallSite(msgspec.Struct, frozen=True):
    """One call of a state function, as the context factory needs to know it.

    Args:
        chunk: what is called.
        plan: the plan it stands in.
        target: the resource it runs against.
        test: whether nothing may be changed; also true for the check of a `prereq` in an apply.
        apply: runs SLS against a resource, or what a source plans, as growth under this call.
        is_superseded: says whether, in a plan, an earlier state is about to register a resource anew.
        changed_watches: for `mod_watch`, what under `watch` has changed, as `module: ID`.
        reader: keeps what the call reads; None when nobody asks.
        is_announced: whether the function may change something, so that its start was reported.
    """

    chunk: Chunk
    plan: Plan
    target: Srn
    test: bool
    apply: Callable[[AskedGrowth], Awaitable[ScopeReturn]]
    is_superseded: Callable[[Srn], bool] = _never
    changed_watches: tuple[str, ...] = ()
    reader: Reader | None = None
    is_announced: bool = True


def _awaits_nothing(_: Chunk) -> None:
    return None


def _outlives_its_run(_: Chunk) -> bool:
    return False


def _made_nothing(_target: Srn, _scope: str, _tag: str) -> EnforcedState | None:
    return None


def _takes_slot(_: Srn) -> bool:
    return True


def _notes_nothing(_scope: str, _tags: Sequence[str]) -> None:
    pass


def _promises_nothing(_: Chunk) -> Sequence[Srn]:
    return ()


class Matched(msgspec.Struct, frozen=True, kw_only=True):
    """What a target matches at the moment.

    Args:
        targets: the resources, sorted.
        faults: why the state cannot run on some of them, as the comments of their returns.
        sources: what those that are derived were derived from, nearest first.
        nothing: when there are none: why, and what else there is.
    """

    targets: tuple[Srn, ...]
    faults: Mapping[Srn, str] = MappingProxyType({})
    sources: Mapping[Srn, tuple[Srn, ...]] = MappingProxyType({})
    nothing: str = ""


class TargetMatcher(Protocol):
    """Finds the resources that a target matches."""

    def may_match(self, expression: str, srn: Srn) -> bool:
        """Say whether a target may match a resource of which nothing but its name is known."""
        ...

    async def matched(self, expression: str) -> Matched:
        """Return what it matches now, and see to it that functions can be called there.

        Raises:
            EnsueError: it does not parse.
        """
        ...


class Hooks(msgspec.Struct, frozen=True, kw_only=True):
    """Points at which the composition root adds what the engine has no notion of.

    Args:
        awaits: the resource that a chunk cannot do without (its target, or the `name` of a function
            that takes a resource), whether or not it is registered already; None when it needs none.
        promises: the resources that a chunk will register.
        arguments: makes what resolves references and slots, at the first state that has one.
        registered: called after a state with `registers` ended with result True, before anything
            that comes after it; what it returns is the state's return. In a plan it registers nothing.
        has_registered: whether an earlier run registered something through a state, by the path of its scope
            and its tag; None: no state did.
        prune: called with what such a state returned; what it returns is the state's return.
        enforced: what the last apply made of a state, by its target, the path of its scope and its tag.
        matcher: finds the resources that a chunk is fanned out to; None when nothing is.
        fanned_out: called with the path of a scope and the tags of the chunks that a chunk of it became.
        is_transient: whether what a chunk does is gone with the process that did it, so that a run which
            resumes another has to call it again.
        takes_slot: whether what runs on a target counts towards the concurrency.
        inputs: compares what calls read; None: a run that resumes calls every state that has read something.
    """

    awaits: Callable[[Chunk], Srn | None] = _awaits_nothing
    promises: Callable[[Chunk], Sequence[Srn]] = _promises_nothing
    arguments: Callable[[], ArgumentResolver] | None = None
    registered: Callable[[CallSite, StateReturn], Awaitable[StateReturn]] | None = None
    has_registered: Callable[[str, str], bool] | None = None
    prune: Callable[[CallSite, StateReturn], Awaitable[StateReturn]] | None = None
    enforced: Callable[[Srn, str, str], EnforcedState | None] = _made_nothing
    matcher: TargetMatcher | None = None
    fanned_out: Callable[[str, Sequence[str]], None] = _notes_nothing
    is_transient: Callable[[Chunk], bool] = _outlives_its_run
    takes_slot: Callable[[Srn], bool] = _takes_slot
    inputs: CallInputs | None = None


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Switches of one run.

    Args:
        test: a plan.
        failhard: stop at the first failure, where a state does not say otherwise.
        concurrency: how many functions that wait for something run at once.
        ordered: states of one target run one at a time, in plan order (`state_auto_order`).
        depth_limit: how many scopes may stand inside each other.
    """

    test: bool = False
    failhard: bool = False
    concurrency: int = 10
    ordered: bool = True
    depth_limit: int = 64


class EngineServices(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the engine calls.

    Args:
        functions: the state functions of a target; may raise an EnsueError for an unknown one.
        context_for: makes what a state function is given; called once a call.
        expander: renders and compiles growth.
        on_event: told of everything that happens, in order; what it raises ends the run.
        hooks: see `Hooks`.
        clock: time.
        random: for the splay of retries; None: whatever comes.
        masker: told of sensitive values before anything is done with a return.
    """

    functions: Callable[[Srn], StateFunctions]
    context_for: Callable[[CallSite], StateContext]
    expander: Expander
    on_event: Callable[[RunEvent], None]
    hooks: Hooks = msgspec.field(default_factory=Hooks)
    clock: Clock = msgspec.field(default_factory=SystemClock)
    random: Random | None = None
    masker: Masker = msgspec.field(default_factory=Masker)
