"""`ensue resources register`: a resource is added to the cross-run store by hand, without a state.

It is checked like an entry of `registers:`, and all errors in it are reported together.

Source: derived-resources document, "The pattern"; registering from the command line is ours.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError, NotAvailableError, PluginError, ResourceConflictError
from ensue.core.model.secret_values import secret_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.resource import Registration, RegistrationRequest
    from ensue.language.targets.targets import Targets

_UNIQUE = "ids of resources are unique over all types, minions included"


async def register(services: Targets, request: RegistrationRequest) -> Registration:
    """Register a resource, or confirm it.

    Args:
        services: the project; the minion's pillar is compiled.
        request: the resource.

    Raises:
        ConfigurationError: its type or its configuration is not valid, its id is taken, or its source is a
            resource that does not exist.
        ResourceError: its lifetime or its source is not valid.
        StoreError: the store cannot be read or written.
    """
    services.stores.masker.add(*secret_values(request.config))
    if faults := await asyncio.to_thread(lambda: list(_faults(services, request))):
        raise ConfigurationError(faults)
    try:
        (done,) = await asyncio.to_thread(services.stores.registry.register_many, (request,))
    except ResourceConflictError as error:
        raise ConfigurationError([Diagnostic(code="E0702", summary=str(error), detail=_UNIQUE)]) from None
    for changed in (done.srn, *done.invalidated) if done.changed else done.invalidated:
        await services.directory.forget(changed)
    return done


def _faults(services: Targets, request: RegistrationRequest) -> Iterator[Diagnostic]:
    srn = request.srn
    try:
        for fault in services.stores.plugins.configuration_faults(srn, request.config):
            yield Diagnostic(code="E0713", summary=f"{srn}: {services.stores.masker.text(fault)}")
    except NotAvailableError as error:
        yield Diagnostic(code="E0704", summary=str(error), detail=f"{srn} is to be registered")
    except PluginError as error:
        yield Diagnostic(code="E0405", summary=str(error), detail=f"{srn} is to be registered")
    yield from _source_faults(services, request)
    claimed = services.directory.index.declared_as(srn.id)
    if claimed is not None:
        yield Diagnostic(
            code="E0702",
            summary=f"{srn} cannot be registered: {claimed} has its id",
            detail=_UNIQUE,
            help="choose another id, or change what pillar declares"
            if claimed == srn
            else "choose another id",
        )


def _source_faults(services: Targets, request: RegistrationRequest) -> Iterator[Diagnostic]:
    """Yield errors in a source that is a resource; other sources (states) cannot be checked."""
    source, index = request.source, services.directory.index
    if source is None or source == request.srn or not _is_type(services, source.type):
        return
    if index.record(source) is None:
        yield Diagnostic(
            code="E0714",
            summary=index.unknown(str(source)),
            detail=f"{request.srn} is to be derived from it",
            help="correct `--source`, or register the source first",
        )


def _is_type(services: Targets, name: str) -> bool:
    try:
        services.stores.plugins.resource_type(name)
    except NotAvailableError:
        return False
    except PluginError:
        return True
    return True
