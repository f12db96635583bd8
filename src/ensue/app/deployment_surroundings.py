"""What provisioning uses of a project, and what a driver's call uses of the state that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.app.driver_services import ResourceServices
from ensue.provisioning.surroundings import DriverCall, Surroundings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ensue.app.deploying_call import DeployingCall
    from ensue.app.services import Services
    from ensue.contracts.driver import DriverServices
    from ensue.model.data import DataMap
    from ensue.provisioning.requests import Requests


def surroundings_of(services: Services, requests: Requests) -> Surroundings:
    """Return what provisioning uses of a project.

    Args:
        services: the project.
        requests: makes the requests for drivers.
    """

    def mark(content: bytes, context: str, like: str) -> str:
        return services.vault.fingerprint(content, context=context, like=like)

    def learn(secrets: Iterable[str]) -> None:
        services.masker.add_values(*secrets)

    return Surroundings(
        driver=services.drivers.find,
        active=services.active,
        mark=mark,
        requests=requests,
        secrets=services.secret_stores.read_all,
        learn=learn,
        masked=services.masker.data,
    )


def driver_call(context: DeployingCall) -> DriverCall:
    """Return the call of a driver on behalf of a state."""

    def services(keep: Callable[[DataMap], Awaitable[None]]) -> DriverServices:
        return ResourceServices(context, keep)

    return DriverCall(services, context.test)
