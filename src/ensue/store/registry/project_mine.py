"""The mine of a project: values of its targets, for the other targets to read.

There is no master. A target's function is called when its value is requested, and the result is stored in the
cachedir, so that a later command has it if the target does not answer.

Source: Salt's documentation, "The Salt Mine".
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import EnsueError, StateFailedError
from ensue.language.settings.mine_functions import definitions
from ensue.store.registry.mine_file import MineFiles

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.srn import Srn
    from ensue.language.settings.mine_functions import MineFunction
    from ensue.language.targets.project_stores import ProjectStores
    from ensue.language.targets.targets import PreparedPillars

_logger = logging.getLogger(__name__)

_AT_ONCE: Final = 100


class ProjectMine:
    """A `Mine`.

    Args:
        stores: the project before anything of it is compiled.
        preparation: compiles the pillar of each target before it is used.
        context: returns the context of a target.
        matching: returns the targets that an expression of an engine matches.
    """

    def __init__(
        self,
        stores: ProjectStores,
        preparation: PreparedPillars,
        context: Callable[[Srn], FunctionContext],
        matching: Callable[[str, str | None], Awaitable[Sequence[Srn]]],
    ) -> None:
        self._matching = matching
        self._stores = stores
        self._preparation = preparation
        self._context = context
        self._files = MineFiles(stores.settings.cachedir, stores.vault)
        self._turns: defaultdict[Srn, asyncio.Lock] = defaultdict(asyncio.Lock)
        # The values that this command has requested, by target and name.
        self._fresh: dict[tuple[Srn, str], Any] = {}
        self._said: set[str] = set()

    async def gathered(
        self, target: str, names: Sequence[str], *, engine: str | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return values of targets, by name and then by id."""
        gathered_: dict[str, dict[str, Any]] = {name: {} for name in names}
        targets = await self._matching(target, engine)
        at_once = asyncio.Semaphore(_AT_ONCE)

        async def ask(srn: Srn) -> dict[str, Any]:
            async with at_once:
                return await self._values(srn, names)

        for srn, values in zip(targets, await asyncio.gather(*map(ask, targets)), strict=True):
            for name, value in values.items():
                gathered_[name][srn.id] = value
        if not targets:
            self._say(f"the mine has nothing of {target!r}: no target of this project matches it")
        for name in [name for name in names if targets and not gathered_[name]]:
            self._say(
                f"the mine has no {name!r} of {', '.join(str(srn) for srn in targets[:3])}: "
                f"write {_definition(name)} in ensue.yaml, or let a run call mine.send"
            )
        return gathered_

    async def names(self, srn: Srn) -> list[str]:
        """Return the names of the values that are stored for a target, sorted."""
        return sorted(await asyncio.to_thread(self._files.read, srn))

    async def keep(self, srn: Srn, values: Mapping[str, Any]) -> None:
        """Store values of a target, in addition to those that it has."""
        async with self._turns[srn]:
            kept = await asyncio.to_thread(self._files.read, srn)
            if any(name not in kept or kept[name] != value for name, value in values.items()):
                await asyncio.to_thread(self._files.write, srn, {**kept, **values})
        self._fresh |= {(srn, name): value for name, value in values.items()}

    async def update(self, srn: Srn) -> list[str]:
        """Call all `mine_functions` of a target, store the results, and return their names."""
        defined = await self._defined(srn)
        await self.keep(
            srn, {name: await self._asked(srn, mine_function) for name, mine_function in defined.items()}
        )
        return sorted(defined)

    async def forget(self, srn: Srn, name: str | None = None) -> None:
        """Remove a value of a target, or all of them."""
        async with self._turns[srn]:
            kept = await asyncio.to_thread(self._files.read, srn)
            left = {} if name is None else {key: kept[key] for key in kept if key != name}
            await asyncio.to_thread(self._files.write, srn, left)
        self._fresh = {
            key: value for key, value in self._fresh.items() if key[0] != srn or name not in {None, key[1]}
        }

    async def _values(self, srn: Srn, names: Sequence[str]) -> dict[str, Any]:
        defined: dict[str, MineFunction] = {}
        if self._stores.minion in self._stores.pillars:
            try:
                defined = await self._defined(srn)
            except EnsueError as error:
                self._say(f"{srn} is not asked for the mine: {error}")
        fresh: dict[str, Any] = {}
        for name in names:
            if name in defined and (srn, name) not in self._fresh:
                try:
                    fresh[name] = await self._asked(srn, defined[name])
                except EnsueError as error:
                    self._say(f"{srn} does not say {name!r} for the mine: {error}")
        if fresh:
            await self.keep(srn, fresh)
        known = {name: self._fresh[srn, name] for name in names if (srn, name) in self._fresh}
        if len(known) < len(names):
            kept = await asyncio.to_thread(self._files.read, srn)
            known = {name: kept[name] for name in names if name in kept} | known
        return known

    async def _defined(self, srn: Srn) -> dict[str, MineFunction]:
        await self._preparation.prepare(srn)
        return definitions(self._stores.settings.values, self._context(srn).pillar)

    async def _asked(self, srn: Srn, mine_function: MineFunction) -> Any:
        context = self._context(srn)
        try:
            return await context.call(mine_function.function, *mine_function.args, **mine_function.kwargs)
        except EnsueError:
            raise
        except Exception as error:
            raise StateFailedError(f"{mine_function.function}: {type(error).__name__}: {error}") from error

    def _say(self, what: str) -> None:
        """Log a warning, once."""
        if what not in self._said:
            self._said.add(what)
            _logger.warning("%s", self._stores.masker.text(what))


def _definition(name: str) -> str:
    """Return the option that puts a value into the mine; a name without a module is an alias."""
    if "." in name:
        return f"`mine_functions: [{name}]`"
    return f"`mine_functions: {{{name}: [{{mine_function: MODULE.FUNCTION}}]}}`"
