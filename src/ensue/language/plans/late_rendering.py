"""Delayed rendering: a block or SLS is rendered and compiled when the state that calls it has ended.

The block that a name means is looked up when the calling scope is compiled.

Source: SEP 16 (delayed state rendering).
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import InternalError
from ensue.language.blocks.calls import Called
from ensue.language.blocks.inline_blocks import is_brief, names_grains
from ensue.language.compiler import Within
from ensue.language.late.outer_ids import OuterIds
from ensue.language.late.repeat_limits import RepeatLimits
from ensue.language.late.scoped_variables import scoped_variables
from ensue.language.targets.target_compiler import compiler_of
from ensue.language.targets.target_context import renderer_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.growth import GrowthRequest, Plan
    from ensue.core.diagnostics import Diagnostic, Span
    from ensue.core.model.srn import Srn
    from ensue.language.renderers.rendering import SlsRenderer
    from ensue.language.renderers.stage import Stream
    from ensue.language.targets.targets import Targets

_log: Final = logging.getLogger(__name__)


class LateRendering:
    """All delayed renderings of one run.

    Args:
        services: the project.
        test: whether the run is a plan.
    """

    def __init__(self, services: Targets, *, test: bool) -> None:
        self._services = services
        self._test = test
        self._limits = RepeatLimits(services.stores.settings.repeat_limit)
        self._blocks: dict[Span, str] = {}
        self._called: set[Span] = set()
        self.warnings: dict[Diagnostic, None] = {}

    async def plan(self, request: GrowthRequest) -> Plan:
        """Return the compiled scope of one entry of a `delayed_render`.

        Raises:
            CompileError: it does not render or compile, or was called too often.
        """
        called = request.caller.options.delayed_calls[request.entry]
        if not isinstance(called, Called):
            raise InternalError(f"{request.caller.id} calls a block or SLS that was not looked up")
        if not request.entry and (given := dict(request.caller.options.other)):
            await self._renew(given, request.target)
        self._limits.take(called, request.caller, request.plan.resource)
        await self._services.preparation.prepare(request.target)
        if self._needs_no_thread(called, request.target):
            return self._compiled(called, request)
        return await asyncio.to_thread(self._compiled, called, request)

    def note(self, plan: Plan) -> None:
        """Record a compiled scope: its blocks, and the compiler's warnings."""
        if plan.tree is None:
            return
        self._blocks.update(plan.tree.delayed_blocks())
        if self._blocks:
            # A call counts, whether or not the block is rendered.
            calls = (called for chunk in plan.chunks for called in chunk.options.delayed_calls)
            self._called.update(called.place for called in calls)
        if plan.scope:
            self.warnings.update(dict.fromkeys(plan.warnings))

    def tell_dropped(self) -> None:
        """Log which blocks no state called."""
        for place, name in self._blocks.items():
            if place not in self._called:
                _log.debug("the delayed block %s (%s) was called by no state and is dropped", name, place)

    def _needs_no_thread(self, called: Called, target: Srn) -> bool:
        """Return whether a block is brief, and nothing that it reads or that compiles it can wait."""
        block, services = called.block, self._services
        if block is None or called.scoped or called.caller.jinja_settings.has_own_signs:
            return False
        if services.compilation.states.may_wait or not is_brief(block):
            return False
        return not names_grains(block) or services.directory.gathered_grains(target) is not None

    async def _renew(self, given: Mapping[str, Any], target: Srn) -> None:
        """Gather again what the caller says that it changed."""
        if given.get("reload_grains") or given.get("reload_modules"):
            await self._services.directory.forget_grains([target])
        if given.get("reload_pillar"):
            await self._services.preparation.renew(target)

    def _compiled(self, called: Called, request: GrowthRequest) -> Plan:
        own = renderer_of(self._services, request.target, test=self._test)
        renderer = own.seeing({"prev_ret": request.prev_ret})
        stream = _rendered(called, renderer)
        compiler = compiler_of(self._services, request.target, test=self._test, renderer=renderer)
        within = Within(scope=request.scope, identity=request.identity, outer_ids=OuterIds(request.plan))
        return compiler.compile_late(called.file, stream, within).plan


def _rendered(called: Called, renderer: SlsRenderer) -> Stream:
    scoped: Mapping[str, Any] = scoped_variables(called.caller) if called.scoped else {}
    if called.block is not None and called.space is not None:
        return renderer.render_block(called.block, called.file, called.space, scoped)
    return msgspec.structs.replace(renderer.render_file(called.file, scoped), inherited=scoped)
