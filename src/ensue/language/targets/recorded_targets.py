"""The targets that a store has entries of: which of them exist, and which of them a target matches.

A resource that was forgotten has no grains and no pillar, so a target matches it by its name alone.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.model.srn import Srn
from ensue.language.targets.nodegroups import checked_target
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import Collection

    from ensue.language.targets.targets import Targets


async def missing_targets(services: Targets, recorded: Collection[str]) -> set[str]:
    """Return which of the recorded targets the project no longer has.

    Args:
        services: the project, its pillar compiled.
        recorded: SRNs, as text.

    Raises:
        StoreError: the resources cannot be read.
    """
    own = str(services.minion)

    def look() -> set[str]:
        config = services.directory.config
        return {target for target in recorded if target != own and config(Srn.parse(target)) is None}

    return await asyncio.to_thread(look)


async def targets_matching(services: Targets, recorded: Collection[str], expression: str) -> set[str]:
    """Return which of the recorded targets a target matches.

    Args:
        services: the project, its pillar compiled.
        recorded: SRNs, as text.
        expression: the target.

    Raises:
        ConfigurationError: the target does not parse, or names what does not exist.
        StoreError: the resources cannot be read.
    """
    await asyncio.to_thread(checked_target, services.names, expression)
    matcher = ProjectMatcher(services)
    matched = {str(srn) for srn in (await matcher.matched(expression)).targets}
    gone = await missing_targets(services, recorded)
    by_name = {target for target in gone if matcher.matches_name(expression, Srn.parse(target))}
    return matched.intersection(recorded) | by_name
