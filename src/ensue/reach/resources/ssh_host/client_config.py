"""What `~/.ssh/config` says about a host, for hosts with `ssh_config: true`; asyncssh reads it.

Keys of the host's own configuration override it. It is read when a host is first used.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_list

if TYPE_CHECKING:
    from ensue.reach.resources.ssh_host.settings import SshSettings


def client_config() -> str:
    """Return the path of the user's file."""
    return str(Path("~/.ssh/config").expanduser())


def resolved(settings: SshSettings) -> SshSettings:
    """Return settings with what the file says where the configuration says nothing; reads the file.

    Raises:
        asyncssh.ConfigParseError: the file cannot be read as one.
        OSError: it cannot be read.
    """
    if not settings.ssh_config:
        return settings
    import asyncssh

    given = settings.given
    own: dict[str, Any] = {}
    if "port" in given:
        own["port"] = settings.port
    if settings.user:
        own["username"] = settings.user
    # Keys and agents are of no interest here, and take time.
    options = asyncssh.SSHClientConnectionOptions(
        host=settings.host, config=[client_config()], client_keys=None, agent_path=None, **own
    )
    named = [Path(path).expanduser() for path in _texts(options.known_hosts)]
    known_hosts = [str(path) for path in named if path.exists()]
    return replace(
        settings,
        alias=settings.host,
        host=options.host,
        port=options.port,
        user=options.username,
        known_hosts=settings.known_hosts if "known_hosts" in given or not known_hosts else known_hosts[0],
        connect_timeout_s=settings.connect_timeout_s
        if {"connect_timeout_s", "timeout"} & given
        else float(options.connect_timeout or settings.connect_timeout_s),
        keepalive_s=settings.keepalive_s
        if "keepalive_s" in given
        else float(options.keepalive_interval or settings.keepalive_s),
    )


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if is_list(value) else []
