"""Execution module `docker`: containers, images, networks and volumes of a container engine.

They use the target's own `docker` client; no library is required.

Args:
    name: its name or id.
    **options: settings of the command, see `OPTIONS`.
    cmd: a line for the container's shell, or a list of words.
    **others: have no effect.

Source: Salt's extension `saltext-dockermod`, 0.1, which was Salt's execution module `docker`: names,
arguments and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.docker import (
    comparing,
    containers,
    creating,
    images,
    lifecycle,
    networks,
    server,
    volumes,
)

FUNCTIONS: Final = by_name(
    comparing.FUNCTIONS, containers.FUNCTIONS, creating.FUNCTIONS, images.FUNCTIONS,
    lifecycle.FUNCTIONS, networks.FUNCTIONS, server.FUNCTIONS, volumes.FUNCTIONS,
)  # fmt: skip
