"""What chunks need of the registry and give to it: `registers:`, and modules that say so themselves.

Source: derived-resources document, "Ordering inside a single apply".
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.errors import NotAvailableError, PluginError, ResourceError, StateFailedError
from ensue.model.data import is_list, is_mapping
from ensue.model.fan_out import FannedChunk
from ensue.model.paths import traverse
from ensue.model.srn import MINION_TYPE, Srn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.app.functions import Functions
    from ensue.app.resource_types import Plugins
    from ensue.contracts.registry import DerivedRegistry
    from ensue.engine.services import CallSite
    from ensue.model.chunk import Chunk
    from ensue.model.data import Data, DataMap
    from ensue.model.returns import StateReturn

_SELF: Final = r"\$\{self(?::([^{}]*))?\}"
_MISSING: Final = object()


class Registrations:
    """The engine's hooks on registration.

    Args:
        functions: state functions; their modules say what they await and promise.
        registry: where `registers:` goes.
        plugins: the types that a resource may have.
        exact: the resource that a target names by type and id, None for any other target.
    """

    def __init__(
        self,
        functions: Functions,
        registry: DerivedRegistry,
        plugins: Plugins,
        exact: Callable[[str], Srn | None],
    ) -> None:
        self._exact = exact
        self._functions = functions
        self._registry = registry
        self._plugins = plugins
        self._promising: dict[str, Any] = {}

    def awaits(self, chunk: Chunk) -> Srn | None:
        """Return the resource that a chunk cannot do without."""
        fan_out = chunk.options.fan_out
        if fan_out is not None and (named := self._exact(fan_out.expression)) is not None:
            return named
        if chunk.target is not None and not isinstance(chunk, FannedChunk):
            return None if chunk.target.type == MINION_TYPE else chunk.target
        awaits = self._functions.attribute(chunk.module, "AWAITS")
        srn: Srn | None = awaits(chunk.function, chunk.name) if awaits else None
        return srn

    def promises(self, chunk: Chunk) -> Sequence[Srn]:
        """Return the resources that a chunk will register."""
        module = chunk.module
        if module not in self._promising:
            self._promising[module] = self._functions.attribute(module, "PROMISES")
        promises = self._promising[module]
        if promises is None and not chunk.options.registers:
            return ()
        promised = [Srn.parse(text) for text, _ in chunk.options.registers]
        return [*promised, *promises(chunk.function, chunk.name, chunk.arguments)] if promises else promised

    def is_transient(self, chunk: Chunk) -> bool:
        """Say whether what a chunk does is gone with its run: registrations, and what its module says is."""
        transient = self._functions.attribute(chunk.module, "TRANSIENT") or ()
        return chunk.function in transient or bool(self.promises(chunk))

    async def register(self, site: CallSite, returned: StateReturn) -> StateReturn:
        """Register what a state's `registers:` names, built from its `new_state`.

        Raises:
            StateFailedError: a name, a type or a reference does not make sense; nothing of it is registered.
        """
        configs = [
            (self._srn(text), self._filled(config, returned)) for text, config in site.chunk.options.registers
        ]
        source = Srn(site.chunk.module.replace(".", "_"), site.chunk.name)
        changed: list[Data] = []
        for srn, config in configs:
            if not is_mapping(config):
                msg = f"`registers` of {site.chunk.id!r}: the configuration of {srn} is not a mapping"
                raise StateFailedError(msg)
            try:
                if await asyncio.to_thread(self._changes, srn, config, source, test=site.test):
                    changed.append(str(srn))
            except ResourceError as error:
                raise StateFailedError(str(error)) from None
        if not changed:
            return returned
        return msgspec.structs.replace(
            returned,
            result=None if site.test else returned.result,
            changes={**returned.changes, "registered": changed},
        )

    def _changes(self, srn: Srn, config: DataMap, source: Srn, *, test: bool) -> bool:
        """Register a resource, or look at it in a plan; say whether that changes anything."""
        if test:
            return self._registry.get(srn) != config
        return self._registry.register(
            srn, config, source=source, source_grains={"status": "succeeded"}
        ).changed

    def _srn(self, text: str) -> Srn:
        try:
            srn = Srn.parse(text)
            self._plugins.resource_type(srn.type)
        except (ValueError, NotAvailableError, PluginError) as error:
            raise StateFailedError(f"{text} is not registered: {error}") from None
        return srn

    def _filled(self, value: Any, returned: StateReturn) -> Any:
        if is_mapping(value):
            return {key: self._filled(item, returned) for key, item in value.items()}
        if is_list(value):
            return [self._filled(item, returned) for item in value]
        return _text(value, returned) if isinstance(value, str) else value


def _text(text: str, returned: StateReturn) -> Any:
    whole = re.fullmatch(_SELF, text)
    if whole:
        return _value(whole, returned)
    from ensue.language.references.follow import as_text

    return re.sub(_SELF, lambda found: as_text(_value(found, returned)), text)


def _value(found: re.Match[str], returned: StateReturn) -> Any:
    path = found[1]
    value = traverse(returned.new_state, path, _MISSING) if path else returned.new_state
    if value is _MISSING:
        there = ", ".join(returned.new_state) if is_mapping(returned.new_state) else "nothing"
        msg = f"{found[0]}: the state's new_state has no {path!r} (it has {there})"
        raise StateFailedError(msg)
    return value
