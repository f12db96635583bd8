"""Which resources are made from files that have changed since: a module, a repository, a program.

A record has the inputs of the last successful call of the driver, and a mark of them and of the driver's
fingerprint. So the fingerprint of now, with the same inputs, gives the same mark unless a source has changed.

Source: Humanitec, "Active Resources" (listing the active resources that a definition change affects).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ensue.core.errors import EnsueError
from ensue.deploy.environments.deployment_surroundings import surroundings_of
from ensue.deploy.provisioning.recorded_inputs import recorded_inputs
from ensue.deploy.provisioning.requests import Requests
from ensue.deploy.provisioning.settling import FINGERPRINTS_AT_ONCE
from ensue.deploy.provisioning.steps import mark_context

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.provisioning.active import ActiveResource
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.deploy.provisioning.impact import SourceChange


async def changed_sources(
    services: DeployingProject, active: Sequence[tuple[Context, ActiveResource]]
) -> dict[tuple[Context, ResourceKey], SourceChange]:
    """Return the resources whose sources have changed, or cannot be read; drivers read them.

    Args:
        services: the project.
        active: the resources to check. One whose last call failed, or whose driver is not installed, is left
            out.
    """
    changes: dict[tuple[Context, ResourceKey], SourceChange] = {}
    places = asyncio.Semaphore(FINGERPRINTS_AT_ONCE)

    async def compare(context: Context, record: ActiveResource) -> None:
        try:
            async with places:
                if not await _is_as_before(services, context, record):
                    changes[context, record.key] = "source changed"
        except EnsueError:
            changes[context, record.key] = "source cannot be read"

    with_sources = _drivers_with_sources(services, {record.driver for _, record in active})
    async with asyncio.TaskGroup() as group:
        for context, record in active:
            if record.inputs_mark and record.driver in with_sources:
                group.create_task(compare(context, record))
    return changes


def _drivers_with_sources(services: DeployingProject, names: Iterable[str]) -> set[str]:
    drivers = services.drivers
    return {name for name in names if drivers.has(name) and drivers.find(name).has_fingerprint}


async def _is_as_before(services: DeployingProject, context: Context, record: ActiveResource) -> bool:
    inputs = recorded_inputs(record)
    if inputs is None:
        return True
    settings, driver = services.settings, services.drivers.find(record.driver)
    requests = Requests(context, settings.root, settings.cachedir / "drivers", "")
    run_services = surroundings_of(services, requests)
    request = requests.of_record(record, inputs, run_services.idle)
    content = inputs.content(driver.name, await driver.fingerprint(request))
    before = record.inputs_mark
    return run_services.mark(content, mark_context(request.guresid), before) == before
