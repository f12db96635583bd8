"""Compiling pillar when it is needed: once per target, again on request, or for many targets.

`pillar_compilation` does the compiling.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from ensue.core.errors import EnsueError
from ensue.language.targeting.unasked_grains import without_waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.model.srn import Srn
    from ensue.language.pillars import Pillars
    from ensue.language.targets.directory import Directory
    from ensue.language.targets.known_resources import KnownResources
    from ensue.language.targets.pillar_compilation import PillarCompilation


class PillarPreparation:
    """Makes sure that the pillar of a target is compiled.

    Args:
        compilation: compiles pillar.
        known: takes the resources that this machine's pillar declares.
        directory: knows grains, and opens connections.
        pillars: receive the compiled pillars.
        minion: this machine.
    """

    def __init__(
        self,
        compilation: PillarCompilation,
        *,
        known: KnownResources,
        directory: Directory,
        pillars: Pillars,
        minion: Srn,
    ) -> None:
        self._compilation = compilation
        self._known = known
        self._directory = directory
        self._pillars = pillars
        self._minion = minion

    async def prepare(self, srn: Srn) -> None:
        """Compile a target's pillar, once; that of the minion adds the resources that it declares.

        Raises:
            CompileError: pillar has errors; the exception has all of them.
        """
        if self._minion not in self._pillars:
            await self._prepare_minion()
        if srn not in self._pillars and not await asyncio.to_thread(self._compile_without_grains, srn):
            # No thread waits for a resource, because those that do not answer would use up the threads.
            await self._directory.grains(srn)
            await asyncio.to_thread(self._compile, srn)
        await self._directory.open(srn)

    async def prepare_all(self, srns: Sequence[Srn]) -> None:
        """Compile the pillars of many targets in one thread; `prepare` reports errors in one.

        Those that need grains which have not been gathered are left to `prepare`.
        """

        def compile_all(srns: Sequence[Srn]) -> list[Srn]:
            in_want: list[Srn] = []
            for srn in srns:
                with suppress(EnsueError):
                    if srn not in self._pillars and not self._compile_without_grains(srn):
                        in_want.append(srn)
            return in_want

        if in_want := await asyncio.to_thread(compile_all, srns):
            await self._directory.recall_grains(in_want)
            await asyncio.to_thread(compile_all, in_want)

    async def renew(self, srn: Srn) -> None:
        """Compile a target's pillar again.

        Raises:
            CompileError: pillar has errors; the exception has all of them.
        """
        await self._prepare_minion()
        if srn != self._minion:
            await asyncio.to_thread(self._compile, srn)

    async def rediscover(self) -> None:
        """Compile this machine's pillar again, and discover resources again.

        Raises:
            CompileError: pillar, or what types find, has errors; the exception has all of them.
        """
        before = dict(self._directory.index.static)
        self._known.forget_discovered()
        await self._prepare_minion()
        for srn, config in before.items():
            if self._directory.index.static.get(srn) != config:
                await self._directory.forget(srn)

    async def _prepare_minion(self) -> None:
        compiled, static = await asyncio.to_thread(self._compilation.of_minion)
        await self._known.take(static, compiled.plain)
        self._pillars.put(self._minion, compiled)

    def _compile_without_grains(self, srn: Srn) -> bool:
        """Compile a target's pillar if that needs no gathering of grains; return whether it was compiled."""
        compiled = without_waiting(srn, lambda: self._compilation.of(srn))
        if compiled is None:
            return False
        self._pillars.put(srn, compiled)
        return True

    def _compile(self, srn: Srn) -> None:
        self._pillars.put(srn, self._compilation.of(srn))
