"""Resource type `k8s_pod` of Salt Resources: running pods of a Kubernetes cluster.

Its resources are those of ensue: what pillar declares, and what states register.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.salt.extension import resource_type as _type

if TYPE_CHECKING:
    from collections.abc import Mapping


def init(opts: Mapping[str, Any]) -> None:
    """Do nothing: a connection is opened when it is used."""


def initialized() -> bool:
    """Return True."""
    return True


def discover(opts: Mapping[str, Any]) -> list[str]:
    """Return the ids of the resources that the minion manages.

    Args:
        opts: the options of the minion.
    """
    return _type.discovered(opts, "k8s_pod")


def grains() -> dict[str, Any]:
    """Return the grains of the resource."""
    return _type.grains_of(globals())


def grains_refresh() -> dict[str, Any]:
    """Gather the grains of the resource again, and return them."""
    return _type.grains_of(globals(), again=True)


def ping() -> bool:
    """Return whether the resource answers."""
    return _type.answers(globals())


def shutdown(opts: Mapping[str, Any]) -> None:
    """Do nothing: each call closes its connections."""
