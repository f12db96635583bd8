"""Growth: what a state causes is rendered, compiled and run as a separate scope.

A delayed rendering happens after its state; an `apply` happens while the state's function waits
for it. The expander compiles a scope, and the scheduler runs it.

Source: SEP 16 (delayed state rendering); derived-resources document ("state_applied").
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from ensue.core.contracts.growth import GrowthRequest
from ensue.core.contracts.target_questions import questions_of_plan
from ensue.core.errors import EnsueError
from ensue.core.model.absent_value import AbsentValueError
from ensue.core.model.events import ScopeClosed, ScopeOpened
from ensue.core.model.returns import RETRIED, ScopeReturn
from ensue.core.model.state_identity import ScopeStep, scope_identity
from ensue.engine.block_waits import failed_producers
from ensue.engine.graph.cycles import CycleError
from ensue.engine.previous_returns import NOTHING, PreviousReturn, PreviousReturns
from ensue.engine.returns import exception_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.growth import GrowthKind, Plan, PlanSource
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.engine.node import Node, Scope
    from ensue.engine.plans.asked_growth import AskedGrowth
    from ensue.engine.recorder import Recorder
    from ensue.engine.services import EngineOptions, EngineServices


_ELSEWHERE: Final = frozenset({"apply", "state"})
"""Growth that may have another target than its caller."""


class ScopeRunner(Protocol):
    """The part of the scheduler that growth needs."""

    def open_scope(self, plan: Plan, caller: Node, *, test: bool, quiet: bool) -> Scope:
        """Open a plan as a scope under a node.

        Raises:
            CycleError: the plan's requisites form a cycle.
        """
        ...

    async def end_of(self, scope: Scope) -> None:
        """Return when a scope has ended; if the waiting task is cancelled, the scope is ended first."""
        ...

    def entry_failed(self, node: Node) -> None:
        """Stop the run, if that is due, because a node's delayed rendering failed."""
        ...

    @property
    def stop_reason(self) -> str:
        """Why nothing new starts; empty while the run goes on."""
        ...


class Growth:
    """All growth of one run.

    Args:
        services: the expander is used.
        options: the depth limit is used.
        recorder: records scopes.
        runner: runs them.
    """

    def __init__(
        self, services: EngineServices, options: EngineOptions, recorder: Recorder, runner: ScopeRunner
    ) -> None:
        self._expander = services.expander
        self._previous = PreviousReturns(services.hooks.enforced, services.hooks.former)
        self._depth_limit = options.depth_limit
        self._recorder = recorder
        self._runner = runner
        self._renderings_by_path: dict[str, int] = {}
        # Scopes of the first level below which the depth limit was reached. A block that calls itself twice
        # would reach it a practically unlimited number of times.
        self._runaway: set[Scope] = set()

    async def delayed(self, node: Node, returned: Return) -> None:
        """Render and run what a state has under `delayed_render`, one entry after the other.

        Args:
            node: the state.
            returned: its return; each entry is added to `delayed` as it ends.
        """
        # All renderings see the return as it is now; and whatever a template does to it, the return in the
        # results is unchanged.
        is_rendered = self._is_rendered(returned)
        shown = self._previous.of(node, returned) if is_rendered else NOTHING

        def keep(scope: ScopeReturn) -> None:
            returned.delayed = (*returned.delayed, scope)

        for entry, (kind, name) in enumerate(node.chunk.options.delayed_render):
            if not self._is_rendered(returned):
                self._leave_out(kind, name, node, returned)
                continue
            growth_kind: GrowthKind = "sls" if kind == "sls" else "block"
            request = self._request(node, growth_kind, (name,), node.target, shown=shown, entry=entry)
            scope_return = await self._grow(request, node, keep, test=node.scope.test, quiet=False)
            if scope_return.status == "failed":
                self._runner.entry_failed(node)

    async def apply(self, node: Node, asked: AskedGrowth, *, test: bool, quiet: bool) -> ScopeReturn:
        """Run what a node's function requests: SLS on another target, or the plan of a source."""
        kind = "apply" if asked.source is None else asked.source.kind
        request = self._request(node, kind, asked.names, asked.target, source=asked.source)

        def keep(scope: ScopeReturn) -> None:
            node.applied = (*node.applied, scope)

        return await self._grow(request, node, keep, test=test, quiet=quiet)

    def set_aside(self, node: Node) -> list[str]:
        """Record that a node is tried again; return the paths of the scopes that no longer count."""
        former = [applied for applied in node.applied if applied.counts]
        for scope_return in former:
            scope_return.status = RETRIED
            if not node.scope.quiet:
                self._recorder.emit(
                    ScopeClosed(
                        caller=node.chunk.tag, returned=msgspec.structs.replace(scope_return, returns={})
                    )
                )
        return [applied.scope for applied in former]

    def leave_out_rest(self, node: Node, returned: Return) -> None:
        """Record the entries that were not rendered because the run ended."""
        for kind, name in node.chunk.options.delayed_render[len(returned.delayed) :]:
            self._leave_out(kind, name, node, returned)

    def _is_rendered(self, returned: Return) -> bool:
        return returned.result is True and not self._runner.stop_reason

    def _leave_out(self, kind: str, name: str, node: Node, returned: Return) -> None:
        """Record that an entry is not rendered, and why."""
        if returned.result is None:
            status, comment = "deferred", _deferred(kind, name)
        elif returned.result is False:
            status, comment = "not_rendered", _prevented(kind, name, _failed(node, returned))
        else:
            stop = self._runner.stop_reason or "its scope was ended"
            status, comment = (
                "not_rendered",
                f"not rendered: {kind} {name}, because the run was stopped ({stop})",
            )
        scope = self._path(node, name)
        entry = ScopeReturn(kind=kind, name=name, scope=scope, status=status, comment=comment)
        returned.delayed = (*returned.delayed, entry)
        self._recorder.emit(ScopeClosed(caller=node.chunk.tag, returned=entry))

    def _request(
        self,
        node: Node,
        kind: GrowthKind,
        names: tuple[str, ...],
        target: Srn,
        *,
        shown: PreviousReturn = NOTHING,
        entry: int = 0,
        source: PlanSource | None = None,
    ) -> GrowthRequest:
        name = ",".join(names)
        return GrowthRequest(
            kind=kind,
            names=names,
            scope=self._path(node, name),
            identity=self._identity(node, kind, name, target),
            target=target,
            caller=node.chunk,
            plan=node.scope.plan,
            prev_ret=shown.data,
            depth=node.scope.depth + 1,
            entry=entry,
            source=source,
            missing=shown.missing,
        )

    def _path(self, node: Node, name: str) -> str:
        above = f"{node.scope.path}/" if node.scope.path else ""
        path = f"{above}{node.chunk.id}/{name}"
        known = self._renderings_by_path
        count = known[path] = known.get(path, 0) + 1
        if count == 1:
            return path
        # A block may have the name `b#2`.
        while (numbered := f"{path}#{count}") in known:
            count = known[path] = count + 1
        known[numbered] = 1
        return numbered

    def _identity(self, node: Node, kind: GrowthKind, name: str, target: Srn) -> str:
        """Return the identity of a new scope; in the next attempt of the same state it is the same."""
        if node.opened is None:
            node.opened = {}
        opened = (kind, name, target)
        number = node.opened[opened] = node.opened.get(opened, 0) + 1
        step = ScopeStep(
            caller=node.chunk.tag,
            caller_target=self._recorder.target_text(node.target),
            target=self._recorder.target_text(target),
            kind=kind,
            name=name,
            number=number,
        )
        return scope_identity(node.scope.identity, step)

    async def _grow(
        self,
        request: GrowthRequest,
        node: Node,
        keep: Callable[[ScopeReturn], None],
        *,
        test: bool,
        quiet: bool,
    ) -> ScopeReturn:
        """Grow one scope; `keep` gets its return even if the waiting task is cancelled."""
        scope_return = self._scope_return(request, "failed", "cancelled")
        try:
            await self._fill(scope_return, request, node, test=test, quiet=quiet)
        finally:
            keep(scope_return)
            if not quiet:
                closed = msgspec.structs.replace(scope_return, returns={})
                self._recorder.emit(ScopeClosed(caller=node.chunk.tag, returned=closed))
        return scope_return

    async def _fill(
        self, scope_return: ScopeReturn, request: GrowthRequest, node: Node, *, test: bool, quiet: bool
    ) -> None:
        try:
            plan = await self._expanded(request, node, test=test)
        except AbsentValueError as error:
            scope_return.comment = str(error)
            if error.causes:
                scope_return.status = "not_rendered"
                scope_return.comment = _prevented(request.kind, scope_return.name, " and ".join(error.causes))
            return
        except EnsueError as error:
            scope_return.comment = f"{request.missing}{error}"
            return
        except Exception as error:  # noqa: BLE001 - renderers and their filters are plug-ins
            text = exception_text(error)
            scope_return.comment = f"{request.missing}An exception occurred in this rendering: {text}"
            return
        if isinstance(plan, str):
            scope_return.status, scope_return.waits_for = "deferred", plan
            scope_return.comment = _deferred(request.kind, ",".join(request.names), plan)
            return
        if not quiet:
            self._recorder.emit(self._opened(request, node, len(plan.chunks)))
        try:
            scope = self._runner.open_scope(plan, node, test=test, quiet=quiet)
        except CycleError as error:
            scope_return.comment = f"requisites form a cycle: {error}"
            return
        try:
            await self._runner.end_of(scope)
        finally:
            self._sum_up(scope_return, scope)

    async def _expanded(self, request: GrowthRequest, node: Node, *, test: bool) -> Plan | str:
        """Return the compiled scope; in a plan, why a set of targets that it depends on is not known.

        Raises:
            Exception: it does not render or compile.
        """
        if not test:
            return await self._expand(request, node.scope)
        with questions_of_plan(partial(node.scope.coming.of, node)) as questions:
            try:
                plan = await self._expand(request, node.scope)
            except Exception:
                if questions.waits_for:
                    return questions.waits_for
                raise
        return questions.waits_for or plan

    async def _expand(self, request: GrowthRequest, caller: Scope) -> Plan:
        if self._runaway and (branch := _branch(caller)) in self._runaway:
            raise EnsueError(
                f"scopes below {branch.path} were nested more than {self._depth_limit} deep; "
                f"no more scopes are opened there, so {request.caller.id} ({request.caller.full_function}) "
                f"does not get {', '.join(request.names)}"
            )
        if request.depth > self._depth_limit:
            self._runaway.add(_branch(caller))
            raise EnsueError(
                f"scopes are nested {request.depth} deep, the limit is {self._depth_limit}: "
                f"{request.caller.id} ({request.caller.full_function}) at {request.caller.span()} calls "
                f"{', '.join(request.names)} again; probably two blocks call each other endlessly"
            )
        plan = await self._expander.expand(request)
        return msgspec.structs.replace(plan, identity=request.identity)

    def _opened(self, request: GrowthRequest, node: Node, total: int) -> ScopeOpened:
        return ScopeOpened(
            caller=node.chunk.tag,
            kind=request.kind,
            name=",".join(request.names),
            scope=request.scope,
            target=self._recorder.target_text(request.target),
            total=total,
        )

    def _sum_up(self, scope_return: ScopeReturn, scope: Scope) -> None:
        """Record a scope that was run; an `apply` has failed if a part of it did not run."""
        missing = sum(1 for node in scope.reported_nodes() if node.returned is None)
        were = "state was" if missing == 1 else "states were"
        scope_return.comment = (
            f"{missing} {were} not run: {self._runner.stop_reason or 'ended'}" if missing else ""
        )
        scope_return.status = "failed" if missing and not scope_return.is_delayed else "done"
        scope_return.returns = scope.returns()

    def _scope_return(self, request: GrowthRequest, status: str, comment: str) -> ScopeReturn:
        return ScopeReturn(
            kind=request.kind,
            name=",".join(request.names),
            scope=request.scope,
            status=status,
            comment=comment,
            target=self._recorder.target_text(request.target) if _names_target(request) else "",
        )


def _deferred(kind: str, name: str, reason: str = "") -> str:
    return f"deferred: {kind} {name}{reason and f', {reason}'} (known after apply)"


def _names_target(request: GrowthRequest) -> bool:
    """Return whether growth has, or may have, another target than the states around its caller."""
    home = request.plan.resource or request.plan.target
    return request.kind in _ELSEWHERE or request.target != home


def _prevented(kind: str, name: str, failed: str) -> str:
    """Return that a block or SLS is not rendered because of the failure of states."""
    return f"not rendered: {kind} {name}, because {failed} failed"


def _failed(node: Node, returned: Return) -> str:
    """Return the IDs of the states whose failure prevents a rendering: its own, or some that it waits for."""
    return " and ".join(failed_producers(node)) or returned.id


def _branch(scope: Scope) -> Scope:
    """Return the scope of the first level that contains a scope; for the top, the top itself."""
    while scope.caller is not None and scope.depth > 1:
        scope = scope.caller.scope
    return scope
