"""A deployment: workloads, and the resources that they and their environment request.

These are the values that `score_files` and `deployment_sets` read; `building` puts them into a graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.deploy.provisioning.identity import DEFAULT_CLASS, WORKLOAD, ResourceKey

if TYPE_CHECKING:
    from ensue.deploy.provisioning.written import TemplatedData, TextPlace

APPLICATION_KINDS = ("environment", "service")
"""Score's types that are values of the environment rather than resources."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A resource that a file requests.

    Args:
        key: the resource.
        params: its parameters; None: none are set.
        place: the place of the request.
    """

    key: ResourceKey
    params: TemplatedData | None
    place: TextPlace


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A workload.

    Args:
        name: its name.
        module: its module, as in a deployment set: `id`, `spec`, `externals`, …
        requests: the resources that it declares.
        place: the place of its declaration.
    """

    name: str
    module: TemplatedData
    requests: tuple[Request, ...]
    place: TextPlace

    @property
    def key(self) -> ResourceKey:
        """The key of the workload's own resource."""
        return workload_key(self.name)


class Deployment(msgspec.Struct, frozen=True, kw_only=True):
    """Workloads and resources that are deployed together.

    Args:
        workloads: the workloads.
        shared: resources that no single workload owns.
    """

    workloads: tuple[Workload, ...] = ()
    shared: tuple[Request, ...] = ()


def workload_key(name: str) -> ResourceKey:
    """Return the key of a workload's resource."""
    return ResourceKey(WORKLOAD, DEFAULT_CLASS, f"modules.{name}")


def private_id(workload: str, name: str) -> str:
    """Return the id of a resource that one workload owns."""
    return f"modules.{workload}.externals.{name}"


def shared_id(name: str) -> str:
    """Return the id of a resource that workloads share."""
    return f"shared.{name}"
