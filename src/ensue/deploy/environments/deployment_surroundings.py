"""What provisioning uses of a project, and what a driver's call uses of the state that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.deadlines import READY_ATTEMPT_S
from ensue.deploy.environments.driver_services import NothingRuns, ResourceServices
from ensue.deploy.provisioning.readiness import CommandCheck, HttpCheck, TcpCheck
from ensue.deploy.provisioning.surroundings import DriverCall, ProvisioningServices

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from ensue.core.contracts.driver import DriverServices
    from ensue.core.masking import Masker
    from ensue.core.model.data import DataMap
    from ensue.deploy.environments.deploying_call import DeployingCall
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.provisioning.readiness import Check
    from ensue.deploy.provisioning.requests import Requests

_KEPT_FROM_PROGRAMS: Final = ("ENSUE_KEY",)


def surroundings_of(services: DeployingProject, requests: Requests) -> ProvisioningServices:
    """Return what provisioning uses of a project.

    Args:
        services: the project.
        requests: makes the requests for drivers.
    """

    def mark(content: bytes, context: str, like: str) -> str:
        return services.vault.fingerprint(content, context=context, like=like)

    def learn(secrets: Iterable[str]) -> None:
        services.masker.add_values(*secrets)

    async def probe(check: Check, left_s: float) -> str:
        return await _problem(check, left_s, requests.root, services.masker)

    return ProvisioningServices(
        driver=services.drivers.find,
        active=services.active,
        mark=mark,
        requests=requests,
        idle=NothingRuns(services.vault, services.masker),
        secrets=services.secret_stores.read_all,
        learn=learn,
        masked=services.masker.data,
        probe=probe,
    )


async def _problem(check: Check, left_s: float, root: Path, masker: Masker) -> str:
    """Try a condition once, and return why it does not hold; empty if it does."""
    from ensue.reach.processes.probes import command_problem, http_problem, tcp_problem

    attempt_s = min(left_s, READY_ATTEMPT_S)
    match check:
        case TcpCheck(host, port):
            return await tcp_problem(host, port, most_s=attempt_s)
        case HttpCheck(url, status):
            return await http_problem(url, status, most_s=attempt_s)
        case CommandCheck(argv):
            # A program may wait itself, so the time that is left is its limit.
            return await command_problem(argv, root, masker, most_s=left_s, without=_KEPT_FROM_PROGRAMS)


def driver_call(context: DeployingCall) -> DriverCall:
    """Return the call of a driver on behalf of a state."""

    def services(keep: Callable[[DataMap], Awaitable[None]]) -> DriverServices:
        return ResourceServices(context, keep)

    return DriverCall(services, context.test, context.clock)
