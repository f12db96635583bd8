"""The data of `ensue show` for this machine or others: high data, low chunks, pillar, top file matches."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ensue.core.errors import CompileError, ConfigurationError, EnsueError
from ensue.language.collector import Collector
from ensue.language.plans.assigned_sls import AssignedSls
from ensue.language.targets.nodegroups import checked_target
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.model.srn import Srn
    from ensue.language.targets.targets import Targets

ShownKind = Literal["high", "low", "pillar", "top"]


class ShownTarget(msgspec.Struct, frozen=True, kw_only=True):
    """The data of one resource.

    Args:
        ok: whether there is data; False: `value` is the error message.
        value: the data, masked.
    """

    ok: bool
    value: Any


class ShowCommand:
    """Compiles one kind of data.

    Args:
        services: the project; the minion's pillar is compiled.
        what: the kind.
        mods: SLS names; none: the highstate.
    """

    def __init__(self, services: Targets, what: ShownKind, mods: Sequence[str]) -> None:
        self._services = services
        self._what = what
        self._mods = mods
        self._assigned = AssignedSls(services, test=True)

    async def of_minion(self) -> Any:
        """Return the data of this machine.

        Raises:
            CompileError: it does not compile.
        """
        return await asyncio.to_thread(self._of, self._services.minion)

    async def of_target(self, expression: str) -> dict[str, ShownTarget]:
        """Return the data of every resource that a target matches, by id.

        Raises:
            ConfigurationError: the target does not parse, or names what does not exist.
            CompileError: it does not compile for one of them.
        """
        await asyncio.to_thread(checked_target, self._services.names, expression)
        matched = await ProjectMatcher(self._services).matched(expression)
        shown = await asyncio.gather(
            *(self._of_resource(srn, matched.faults.get(srn, "")) for srn in matched.targets)
        )
        return {srn.id: sls for srn, sls in zip(matched.targets, shown, strict=True)}

    async def _of_resource(self, srn: Srn, problem: str) -> ShownTarget:
        if not problem:
            try:
                if self._what != "pillar":
                    await self._services.directory.grains(srn)
                return ShownTarget(ok=True, value=await asyncio.to_thread(self._of, srn))
            except (CompileError, ConfigurationError):
                raise
            except EnsueError as error:
                problem = str(error)
        return ShownTarget(ok=False, value=self._services.stores.masker.text(problem))

    def _of(self, srn: Srn) -> Any:
        from ensue.language.masked_high_low import masked_high, masked_low
        from ensue.language.plans.high_low_data import high_data, low_data

        masker = self._services.stores.masker
        if self._what == "pillar":
            return masker.data(self._services.pillar(srn))
        if self._what == "top":
            return self._top(srn)
        if not self._mods:
            self._assigned.must_have_top_file()
        compiled, _ = self._assigned.compiled(srn, self._mods)
        if self._what == "high":
            return masked_high(high_data(compiled.tree), masker)
        return masked_low(low_data(compiled.tree, compiled.plan), masker)

    def _top(self, srn: Srn) -> dict[str, list[str]]:
        collector = Collector()
        matched: dict[str, list[str]] = {}
        for match in self._assigned.top(srn, collector):
            matched.setdefault(match.saltenv, []).append(match.name)
        collector.stop_on_errors()
        return matched
