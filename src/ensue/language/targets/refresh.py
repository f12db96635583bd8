"""`ensue resources refresh`: discover resources, and gather their grains again.

Source: Salt Resources, "Resource Registry" (`refresh`); Salt's `saltutil.refresh_grains`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.origins import with_origins
from ensue.core.errors import EnsueError
from ensue.language.targeting.batch import TimeAllowance
from ensue.language.targets.nodegroups import checked_target
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.model.srn import Srn
    from ensue.language.targeting.expression import Target
    from ensue.language.targets.targets import Targets

_AT_ONCE: Final = 1000


class Refreshed(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a refresh; names of resources, sorted.

    Args:
        added: resources that the previous refresh did not find.
        gone: resources that the previous refresh found and that no longer exist.
        refreshed: resources whose grains were gathered.
        failed: why the grains of other resources could not be gathered.
    """

    added: list[str]
    gone: list[str]
    refreshed: list[str]
    failed: dict[str, str]


async def refresh(
    services: Targets,
    expression: str | None,
    *,
    timeout_s: float | None,
    on_answer: Callable[[int, int], None],
) -> Refreshed:
    """Discover resources, and gather the grains of all at the same time.

    Args:
        services: the project.
        expression: the resources whose grains are gathered; None: all. Those of this machine are not cached.
        timeout_s: how long one resource may take; None: no limit.
        on_answer: called with how many resources have answered, and their total.

    Raises:
        ConfigurationError: the target does not parse.
        CompileError: pillar does not compile, or a type cannot discover.
        StoreError: the result cannot be recorded.
    """
    await services.preparation.rediscover()
    target = await asyncio.to_thread(checked_target, services.names, expression) if expression else None
    directory = services.directory
    records = await asyncio.to_thread(directory.records)
    there = [record.srn for record in records if record.status == "active" and record.srn != services.minion]
    seen = await directory.replace_seen(there)
    now = set(map(str, there))
    refresher = _Refresher(services, target, timeout_s)
    answers = await refresher.go(there, on_answer)
    return Refreshed(
        added=sorted(now - seen),
        gone=sorted(seen - now),
        refreshed=sorted(str(srn) for srn, fault in answers.items() if fault is None),
        failed={str(srn): fault for srn, fault in sorted(answers.items()) if fault is not None},
    )


class _Refresher:
    """Gathers grains again.

    Args:
        services: the project.
        target: the resources whose grains are gathered; None: all.
        timeout_s: how long one resource may take.
    """

    def __init__(self, services: Targets, target: Target | None, timeout_s: float | None) -> None:
        self._services = services
        self._target = target
        self._timeout_s = timeout_s
        self._matcher = ProjectMatcher(services)
        self._at_once = asyncio.Semaphore(_AT_ONCE)

    async def go(self, there: Sequence[Srn], on_answer: Callable[[int, int], None]) -> dict[Srn, str | None]:
        """Return the error per matching resource, None if there was none."""
        asked = [srn for srn in there if self._verdict(srn) is not False]
        await self._services.directory.forget_grains(asked)
        if self._target is not None:
            await self._services.preparation.prepare_all(asked)
        answers: dict[Srn, str | None] = {}
        done = 0

        async def ask(srn: Srn) -> None:
            nonlocal done
            fault = await self._fault(srn)
            if fault is not None or self._verdict(srn):
                answers[srn] = fault
            done += 1
            on_answer(done, len(asked))

        async with asyncio.TaskGroup() as group:
            for srn in asked:
                group.create_task(ask(srn))
        return answers

    def _verdict(self, srn: Srn) -> bool | None:
        return True if self._target is None else self._matcher.verdict(self._target, srn)

    async def _fault(self, srn: Srn) -> str | None:
        allowance = TimeAllowance(self._timeout_s)
        try:
            async with self._at_once, allowance.spent():
                if self._verdict(srn) is not False:
                    await self._services.directory.grains(srn)
                if self._verdict(srn) is None:
                    await self._services.preparation.prepare(srn)
        except EnsueError as error:
            return self._services.stores.masker.text(
                await with_origins(error, self._services.stores.registry)
            )
        except TimeoutError:
            return f"no answer within {self._timeout_s:g} s (--timeout)"
        return None
