"""What the composition root gives to the engine: functions, contexts, growth, a clock, and options.

These are only types. The engine uses no globals.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import msgspec

from ensue.core.contracts.reach import Reach
from ensue.core.contracts.system_clock import SystemClock
from ensue.core.masking import Masker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from random import Random

    from ensue.core.contracts.arguments import ArgumentResolver
    from ensue.core.contracts.clock import Clock
    from ensue.core.contracts.context import StateContext
    from ensue.core.contracts.functions import StateFunctions
    from ensue.core.contracts.growth import Expander, Plan
    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.core.contracts.other_resources import CallsElsewhere
    from ensue.core.contracts.owed_reactions import OwedReactions
    from ensue.core.errors import RemoteError
    from ensue.core.model.chunk import Chunk, FanOut
    from ensue.core.model.data import DataMap
    from ensue.core.model.enforced import EnforcedState, FormerState
    from ensue.core.model.events import NodeStarted, RunEvent
    from ensue.core.model.returns import ScopeReturn, StateReturn
    from ensue.core.model.srn import Srn
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.plans.asked_growth import AskedGrowth


def _never(_: Srn) -> bool:
    return False


def _none_below() -> tuple[tuple[str, str, str], ...]:
    return ()


def _none_pending() -> tuple[str, ...]:
    return ()


class Reader(Protocol):
    """Keeps what a call reads in addition to its arguments; a run that resumes this one compares it."""

    reads: list[object] | None


class CallInputs(Protocol):
    """Fingerprints of what calls read; they are keyed, because it may contain secrets."""

    def mark(self, reads: Sequence[object], arguments: DataMap | None) -> tuple[tuple[str, ...], str]:
        """Return the names of everything that a call has read, and the fingerprint of its content.

        Args:
            reads: the readings in `Reader.reads`.
            arguments: the call's arguments if they contain a secret, else None.
        """
        ...

    async def are_same(self, names: Sequence[str], mark: str, arguments: DataMap | None) -> bool:
        """Return whether everything that is named has the same content now.

        Args:
            names: what `mark` returned.
            mark: the fingerprint.
            arguments: the arguments of the compared call, if they count.
        """
        ...


class CallSite(msgspec.Struct, frozen=True):
    """One call of a state function, as the context factory needs to know it.

    Args:
        chunk: the chunk.
        plan: its plan.
        target: its resource.
        test: whether nothing may be changed; also true for the check of a `prereq` in an apply.
        apply: runs SLS on a resource, or the plan of a source, as growth under this call.
        is_superseded: returns whether, in a plan, an earlier state is about to register a resource again.
        changed_watches: for `mod_watch`, the states under `watch` that have changed, as `module: ID`.
        reader: keeps what the call reads; None: that is not needed.
        is_announced: whether the function may change something, so that its start was reported.
        pending: returns the IDs of the states that it requires and that, in a plan, would change something.
        is_planned: whether it belongs to a plan, and is not the check of a `prereq`.
        declared_below: see the function of that name.
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
    pending: Callable[[], tuple[str, ...]] = _none_pending
    is_planned: bool = False
    declared_below: Callable[[], tuple[tuple[str, str, str], ...]] = _none_below


def _awaits_nothing(_: Chunk) -> None:
    return None


def _outlives_its_run(_: Chunk) -> bool:
    return False


def _made_nothing(_: StateIdentity) -> EnforcedState | None:
    return None


def _was_nothing(_identity: StateIdentity) -> FormerState | None:
    return None


def _takes_slot(_: Srn) -> bool:
    return True


def _notes_nothing(_scope: str, _chunk: Chunk, _tags: Sequence[str]) -> None:
    pass


def _promises_nothing(_: Chunk) -> Sequence[Srn]:
    return ()


def _may_do_anything(_: Chunk) -> bool:
    return True


async def _message(error: RemoteError) -> str:
    return str(error)


class Matched(msgspec.Struct, frozen=True, kw_only=True):
    """What a target matches now.

    Args:
        targets: the resources, sorted.
        faults: why the state cannot run on some of them, as the comments of their returns.
        unreachable: those of `faults` that cannot be reached.
        nothing: if there are none: why, and what exists instead.
    """

    targets: tuple[Srn, ...]
    faults: Mapping[Srn, str] = MappingProxyType({})
    unreachable: frozenset[Srn] = frozenset()
    nothing: str = ""


class TargetMatcher(Protocol):
    """Finds the resources that a target matches."""

    def may_match(self, expression: str, srn: Srn) -> bool:
        """Return whether a target may match a resource of which only the name is known."""
        ...

    async def is_registered(self, srn: Srn) -> bool:
        """Return whether a resource is there now."""
        ...

    async def matched(self, expression: str) -> Matched:
        """Return what it matches now, and prepare these resources for calls.

        Raises:
            EnsueError: it does not parse.
        """
        ...


class EngineHooks(msgspec.Struct, frozen=True, kw_only=True):
    """Points at which the composition root adds what the engine does not know.

    Args:
        awaits: the resource that a chunk cannot do without (its target, or the `name` of a function
            that takes a resource), whether or not it is registered already; None when it needs none.
        promises: the resources that a chunk will register.
        may_register_any: returns whether a chunk may register others, which nobody knows before it runs.
        arguments: makes the resolver of references and slots, at the first state that has one.
        registered: called after a state with `registers` ended with result True, before anything
            that comes after it; what it returns is the state's return. In a plan it registers nothing.
        has_registered: whether an earlier run registered something through a state, by the path of its scope
            and its tag; None: no state did.
        prune: called with what such a state returned; what it returns is the state's return.
        enforced: returns what the last apply that ran a state enforced; see `contracts.enforced`.
        skipped: called with each state that is skipped, before anything reads what it enforced earlier.
        former: returns what ran under the ID or the name of a state without a value; see there.
        owed: the reactions that earlier applies owe; None: that is not kept.
        matcher: finds the resources that a chunk is fanned out to; None: nothing is fanned out.
        matched: called with a target as written, the target of its plan, and the resources that it matches.
        fanned_out: called with the path of a scope, a chunk of it, and the tags of the chunks that it became.
        is_transient: returns whether the effect of a chunk ends with its process, so that a resumed run has
            to call it again.
        takes_slot: returns whether functions on a target count towards the concurrency.
        inputs: compares what calls read; None: a resumed run calls every state that has read something.
        reach: the hosts that the run cannot reach.
        described: returns the message of an error of a target, with where the resources in it came from.
        other_minions: has the returns of other minions' states; None: this is not a run over minions.
        elsewhere: calls states on resources that other minions manage; None: this is not a run over minions.
        foreseen: in a plan, returns what a state that would change something registers, and what would then
            be applied (`Return.foreseen`), given the chunk and the path of its scope; None in an apply.
    """

    awaits: Callable[[Chunk], Srn | None] = _awaits_nothing
    promises: Callable[[Chunk], Sequence[Srn]] = _promises_nothing
    may_register_any: Callable[[Chunk], bool] = _may_do_anything
    arguments: Callable[[], ArgumentResolver] | None = None
    registered: Callable[[CallSite, StateReturn], Awaitable[StateReturn]] | None = None
    has_registered: Callable[[str, str], bool] | None = None
    prune: Callable[[CallSite, StateReturn], Awaitable[StateReturn]] | None = None
    enforced: Callable[[StateIdentity], EnforcedState | None] = _made_nothing
    skipped: Callable[[Chunk, StateIdentity], None] | None = None
    former: Callable[[StateIdentity], FormerState | None] = _was_nothing
    owed: OwedReactions | None = None
    matcher: TargetMatcher | None = None
    matched: Callable[[FanOut, Srn, Sequence[Srn]], None] | None = None
    fanned_out: Callable[[str, Chunk, Sequence[str]], None] = _notes_nothing
    is_transient: Callable[[Chunk], bool] = _outlives_its_run
    takes_slot: Callable[[Srn], bool] = _takes_slot
    inputs: CallInputs | None = None
    reach: Reach = msgspec.field(default_factory=Reach)
    described: Callable[[RemoteError], Awaitable[str]] = _message
    other_minions: OtherMinions | None = None
    elsewhere: CallsElsewhere | None = None
    foreseen: Callable[[Chunk, str], DataMap] | None = None


class HostLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run over many hosts goes at a time.

    Args:
        at_once: how many hosts are at work at a time, at least 1.
        failures: how many hosts may fail before no further host begins; None: any number.
    """

    at_once: int
    failures: int | None = None


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Switches of one run.

    Args:
        test: a plan.
        failhard: stop at the first failure, unless a state overrides that.
        concurrency: how many functions that wait for something run at once.
        ordered: states of one target run one at a time, in plan order (`state_auto_order`).
        depth_limit: how deep scopes may be nested.
        host_limits: how many hosts are at work at a time; None: all that have something to do.
    """

    test: bool = False
    failhard: bool = False
    concurrency: int = 10
    ordered: bool = True
    depth_limit: int = 64
    host_limits: HostLimits | None = None


class EngineServices(msgspec.Struct, frozen=True, kw_only=True):
    """Everything the engine calls.

    Args:
        functions: the state functions of a target; may raise an EnsueError for an unknown one.
        context_for: makes the context of a call.
        expander: renders and compiles growth.
        on_event: receives all events but the beginnings of calls, in order; an exception from it ends the
            run.
        begin: records and reports the beginning of a call, which is not made before that; None: `on_event`
            receives beginnings, too.
        hooks: see `EngineHooks`.
        clock: time.
        random: for the splay of retries; None: an unseeded one.
        masker: receives sensitive values before anything is done with a return.
    """

    functions: Callable[[Srn], StateFunctions]
    context_for: Callable[[CallSite], StateContext]
    expander: Expander
    on_event: Callable[[RunEvent], None]
    begin: Callable[[NodeStarted], Awaitable[None]] | None = None
    hooks: EngineHooks = msgspec.field(default_factory=EngineHooks)
    clock: Clock = msgspec.field(default_factory=SystemClock)
    random: Random | None = None
    masker: Masker = msgspec.field(default_factory=Masker)
