"""Resource type `container`: a running container of podman or docker on this machine.

docs/resources.md has more about it.

Args:
    engine: `podman`, `docker`, or the path of a program with their command line; default: the first that is
        installed
    container: name or id of the container; default: the id of the resource
    user: the user who runs commands and owns files; default: the user of the image
    workdir: the folder in which commands start; default: the home of the user
    env: variables of every command
    connect_timeout_s: seconds until a command must have started (30)
    timeout_s: limit in seconds for a command without a `timeout` of its own, and for each file operation
        (files: 3600)

Example:
    resources:
      container:
        web-01: {container: shop_web_1}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.reach.resources.exec_config import checked_name, exec_faults, exec_settings, text
from ensue.reach.resources.posix_machine import gathered_grains, runs_a_command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.model.data import ReadOnlyDataMap

SECRET_KEYS: frozenset[str] = frozenset()
"""No key of this type's configuration is a secret."""

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {"engine": (str,), "container": (str,)}


def check(config: ReadOnlyDataMap) -> list[str]:
    """Return what is wrong with a configuration, one sentence per error."""
    faults = exec_faults(config, _KINDS, ("container",))
    engine = config.get("engine")
    if isinstance(engine, str) and engine not in {"podman", "docker"} and not engine.startswith("/"):
        faults.append(f"`engine` must be podman, docker or an absolute path, not {engine!r}")
    return faults


def connect(context: ResourceContext) -> Connection:
    """Return the connection; does no I/O.

    Raises:
        ResourceError: the configuration is invalid; the text lists all errors.
    """
    from ensue.reach.resources.container.engine import ContainerEngine
    from ensue.reach.resources.exec_connection import ExecConnection

    config = context.config
    name = checked_name(context, check(config), "container")
    settings = exec_settings(config)
    engine = ContainerEngine(
        context.srn,
        engine=text(config, "engine"),
        container=name,
        user=text(config, "user"),
        limit_s=settings.connect_timeout_s,
    )
    return ExecConnection(context.srn, settings, engine, context.reach)


ping = runs_a_command
grains = gathered_grains
