"""Execution module `docker`: containers, images, networks and volumes of a container engine.

The target's own `docker` client asks; no library is needed, neither there nor here.

Source: Salt's extension `saltext-dockermod`, 0.1, which was Salt's execution module `docker`: names,
arguments and what they return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.modules.docker import (
    comparing,
    containers,
    creating,
    images,
    lifecycle,
    networks,
    server,
    volumes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **comparing.FUNCTIONS,
    **containers.FUNCTIONS,
    **creating.FUNCTIONS,
    **images.FUNCTIONS,
    **lifecycle.FUNCTIONS,
    **networks.FUNCTIONS,
    **server.FUNCTIONS,
    **volumes.FUNCTIONS,
}
