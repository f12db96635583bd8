"""Registers what the `registers:` of a state names, built from its `new_state`.

Source: derived-resources document, "Ordering inside a single apply".
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.errors import NotAvailableError, PluginError, ResourceError, StateFailedError
from ensue.core.model.data import is_mapping, mapped
from ensue.core.model.resource import DeclaredBy, RegistrationRequest
from ensue.core.model.srn import Srn
from ensue.language.targets.registers_check import registered_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.diagnostics import Span
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.reference import Reference
    from ensue.core.model.returns import StateReturn
    from ensue.engine.services import CallSite
    from ensue.language.references.grammar import Malformed
    from ensue.reach.resources.plugins import Plugins
    from ensue.store.registry.run_registry import RunRegistry


class Registrations:
    """The engine's hook on registration.

    Args:
        registry: receives what `registers:` names.
        plugins: the types that a resource may have.
        declare: returns what a registration records about its state.
    """

    def __init__(
        self,
        registry: RunRegistry,
        plugins: Plugins,
        declare: Callable[[CallSite], DeclaredBy],
    ) -> None:
        self._declare = declare
        self._registry = registry
        self._plugins = plugins

    async def register(self, site: CallSite, returned: StateReturn) -> StateReturn:
        """Register what a state's `registers:` names, built from its `new_state`.

        Raises:
            StateFailedError: a name, a type, a reference or a configuration is not valid, or an id is taken;
                nothing is registered.
        """
        chunk = site.chunk
        declared_by = self._declare(site)
        requests = self._requests(chunk, returned, declared_by)
        try:
            changed = await asyncio.to_thread(self._changed, requests, site)
        except ResourceError as error:
            raise StateFailedError(f"{_place(chunk)}: {error}") from None
        if not changed:
            return returned
        return msgspec.structs.replace(
            returned,
            result=None if site.test else returned.result,
            changes={**returned.changes, "registered": changed},
        )

    def _requests(
        self, chunk: Chunk, returned: StateReturn, declared_by: DeclaredBy
    ) -> list[RegistrationRequest]:
        """Fill in the configurations of a state's `registers` and check all of them."""
        source = Srn(chunk.module.replace(".", "_"), chunk.name)
        requests: list[RegistrationRequest] = []
        faults: list[str] = []
        for number, (text, config) in enumerate(chunk.options.registers):
            try:
                srn = registered_name(text)
                filled = _filled({} if config is None else config, returned)
                if not is_mapping(filled):
                    faults.append(f"{_place(chunk, number)}: the configuration of {srn} is not a mapping")
                    continue
                wrong = self._plugins.configuration_faults(srn, filled)
            except (ValueError, NotAvailableError, PluginError, StateFailedError) as error:
                faults.append(f"{_place(chunk, number)}: {text} is not registered: {error}")
                continue
            faults += [f"{_place(chunk, number)}: {srn} is not registered: {problem}" for problem in wrong]
            grains: DataMap = {"status": "succeeded"}
            requests.append(
                RegistrationRequest(
                    srn=srn, config=filled, source=source, source_grains=grains, declared_by=declared_by
                )
            )
        if faults:
            raise StateFailedError("\n".join(faults))
        return requests

    def _changed(self, requests: Sequence[RegistrationRequest], site: CallSite) -> list[Data]:
        """Register resources, all or none, or only compare in a plan; return the changes."""
        registry = self._registry.on_behalf_of(site.target)
        with registry.claims.claim(site, requests) as is_own:
            own = [request for request, is_registered in zip(requests, is_own, strict=True) if is_registered]
            if site.test:
                return self._would_change(own, registry)
            return [str(done.srn) for done in registry.register_many(own) if done.changed]

    def _would_change(self, requests: Sequence[RegistrationRequest], registry: RunRegistry) -> list[Data]:
        """Return, in a plan, the resources that would be registered anew or with another configuration."""
        self._refuse_taken(requests)
        same = [request for request in requests if registry.get(request.srn) == request.config]
        for request in same:
            registry.is_as_registered(request.srn)
        confirmed = {request.srn for request in same if not self._has_another_source(request)}
        return [str(request.srn) for request in requests if request.srn not in confirmed]

    def _has_another_source(self, request: RegistrationRequest) -> bool:
        """Return whether a resource would be registered anew, as it was derived from something else.

        What another project registers with the same configuration stays that project's.
        """
        record = self._registry.record(request.srn)
        if record is None or record.source == request.source:
            return False
        own = request.declared_by
        return own is None or not any(
            declared_by.is_of_other_project(own) and request.srn in srns
            for declared_by, srns in self._registry.declarations().items()
        )

    def _refuse_taken(self, requests: Sequence[RegistrationRequest]) -> None:
        """Raise, in a plan, the error that registering would raise for ids that others have."""
        srns = {request.srn.id: request.srn for request in requests}
        for record in self._registry.find(srns):
            if record.srn != srns[record.srn.id]:
                from ensue.store.registry.registration import id_conflict

                raise id_conflict(srns[record.srn.id], record.srn)


def _place(chunk: Chunk, number: int = 0) -> Span:
    """Return where an entry of a state's `registers` is written."""
    if number >= len(chunk.options.registers_at):
        return chunk.span()
    document, keys = chunk.options.registers_at[number]
    return document.locate(keys)


def _filled(value: Any, returned: StateReturn) -> Any:
    return mapped(value, lambda leaf: _text(leaf, returned) if isinstance(leaf, str) else leaf)


def _text(text: str, returned: StateReturn) -> Any:
    from ensue.core.model.property_values import as_text
    from ensue.language.references.grammar import read_text

    pieces = [
        piece if isinstance(piece, str) else _value(piece, returned) for piece in read_text(text, own=True)
    ]
    return pieces[0] if len(pieces) == 1 else "".join(map(as_text, pieces))


def _value(piece: Reference | Malformed, returned: StateReturn) -> Any:
    from ensue.core.model.property_values import PathError, follow
    from ensue.core.model.reference import Reference

    if not isinstance(piece, Reference):
        raise StateFailedError(f"{piece.text}: {piece.problem}")
    try:
        return follow(returned.new_state, piece.steps)
    except PathError as error:
        raise StateFailedError(f"{piece.text}: {error}") from None
