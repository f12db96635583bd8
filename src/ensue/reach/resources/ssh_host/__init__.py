"""Resource type `ssh_host`: a host with an SSH server.

Keys of Salt's roster without effect are accepted, too. docs/resources.md has more. asyncssh is loaded when a
host is first used.

Args:
    host: name or address; default: the id of the resource
    port: its port (22)
    user: who logs in; default: the user that ensue runs as
    password, passwd: secret: the password of that user
    private_key: secret: the text of a private key
    priv: the file of a private key
    passphrase, priv_passwd: secret: opens the private key
    agent: `true`: the agent of `$SSH_AUTH_SOCK`; a path: that agent; `false`: none
    identities_only: `true`: no agent
    host_key: the public key of the host, a list of them, or a fingerprint `SHA256:…`
    known_hosts: the file used if there is no `host_key` (`~/.ssh/known_hosts`)
    connect_timeout_s, timeout: seconds that one attempt to connect may take (10)
    connect_attempts: how often a host is tried that refuses the connection (3)
    keepalive_s: seconds of silence after which the host is asked for a sign of life (15)
    jump: SRN or id of another `ssh_host` to go through, or a list of them in order
    sudo: `true`: commands and files are those of root; a name: those of that user (`false`)
    sudo_user: who `sudo: true` means (`root`)
    sudo_password: secret: the password for sudo
    tty: `true`: commands are controlled by a terminal (`false`)
    timeout_s: limit in seconds for a command without a `timeout` of its own, and for each file operation
        (files: 3600)
    files: `auto`, `sftp` or `shell`: how files are transferred (`auto`)
    set_path: the `PATH` of commands; `$PATH` in it means that of the host
    cmd_umask: file mode mask of commands, an octal number
    ssh_config: `true`: `~/.ssh/config` says what the configuration leaves out (`false`)
    ssh_options: options of OpenSSH, `Name=value`

Example:
    resources:
      ssh_host:
        web-01: {host: 192.0.2.10, user: deploy, sudo: true}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import ResourceError
from ensue.reach.resources.posix_machine import gathered_grains, runs_a_command
from ensue.reach.resources.ssh_host.connection import SshConnection
from ensue.reach.resources.ssh_host.roster import remarks_about
from ensue.reach.resources.ssh_host.settings import configuration_faults, settings_from

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.resource_type import ResourceContext

SECRET_KEYS: frozenset[str] = frozenset(
    {"password", "passwd", "private_key", "passphrase", "priv_passwd", "sudo_password"}
)
"""Keys of the configuration whose values are secrets."""

IS_REMOTE: bool = True
"""A host costs this machine only a socket, so a host that hangs need not delay others."""


check = configuration_faults
remarks = remarks_about
ping = runs_a_command
grains = gathered_grains


def connect(context: ResourceContext) -> Connection:
    """Return the connection; does no I/O.

    Raises:
        ResourceError: the configuration is invalid; the text lists all errors.
    """
    faults = configuration_faults(context.config)
    if faults:
        raise ResourceError(f"{context.srn} is not configured properly: {'; '.join(faults)}")
    settings = settings_from(context.srn, context.config)
    return SshConnection(
        context.srn, settings, context.connect_to, leftovers=context.leftovers, reach=context.reach
    )
