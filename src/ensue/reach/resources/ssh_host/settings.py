"""The configuration of an `ssh_host`: its keys, its checks, and the settings made from it.

The spellings of a Salt roster (`priv`, `priv_passwd`, `passwd`, `sudo_user`, `timeout`) are keys too; its
other keys are in `roster`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from ensue.core.contracts.deadlines import CONNECT_S, KEEPALIVE_S
from ensue.core.model.numbers import whole_number
from ensue.core.model.srn import Srn
from ensue.reach.resources.config_check import not_positive, unknown_keys, wrong_kinds
from ensue.reach.resources.ssh_host.roster import (
    AGENT_FORWARDING,
    WITHOUT_EFFECT,
    path_parts,
    roster_faults,
    umask_of,
    with_ssh_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import Data, ReadOnlyDataMap

TYPE: Final = "ssh_host"
"""The name of the type."""

FilesMode = Literal["auto", "sftp", "shell"]
"""How files are transferred: through SFTP, through commands, or whichever the host offers."""

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "host": (str,),
    "port": (int, str),
    "user": (str,),
    "password": (str,),
    "passwd": (str,),
    "private_key": (str,),
    "priv": (str,),
    "passphrase": (str,),
    "priv_passwd": (str,),
    "agent": (bool, str),
    "host_key": (str, list),
    "known_hosts": (str,),
    "connect_timeout_s": (int, float),
    "timeout": (int, float),
    "connect_attempts": (int,),
    "keepalive_s": (int, float),
    "jump": (str, list),
    "sudo": (bool, str),
    "sudo_user": (str,),
    "sudo_password": (str,),
    "tty": (bool,),
    "ssh_config": (bool,),
    "identities_only": (bool,),
    "set_path": (str,),
    "cmd_umask": (int, str),
    "ssh_options": (list,),
    "timeout_s": (int, float),
    "files": (str,),
    **dict.fromkeys(WITHOUT_EFFECT, (bool, int, float, str, list, dict)),
}
_TWICE: Final = (
    ("password", "passwd"),
    ("private_key", "priv"),
    ("passphrase", "priv_passwd"),
    ("connect_timeout_s", "timeout"),
)
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_:][A-Za-z0-9_.:%-]*\Z")
"""Names that mean nothing to a shell: `~/.ssh/config` may have commands with the name of a host in them."""
_HIGHEST_PORT: Final = 65535


@dataclass(frozen=True, slots=True, kw_only=True)
class SshSettings:
    """How to reach one host. Fields are named like the configuration's keys.

    Args:
        host: name or address.
        port: TCP port.
        user: user to log in as; empty: the name of the user that ensue runs as.
        password: empty if there is none.
        private_key: text of a private key, empty if there is none.
        private_key_path: file of a private key, empty if there is none.
        passphrase: opens the private key.
        agent: path of the agent's socket; empty: none; None: the environment's, unless credentials are given.
        host_keys: public keys that the host may show; empty: known_hosts decides.
        known_hosts: file of known hosts.
        connect_timeout_s: how long one attempt to connect may take, log-in included.
        connect_attempts: how often a host that refuses the connection is tried.
        keepalive_s: after this much silence, the host is asked whether it is alive.
        jump: resources that the connection goes through, first one first.
        become: user that commands and files belong to through sudo; empty: the user logged in as.
        sudo_password: the password for sudo.
        tty: commands run under the control of a terminal.
        ssh_config: whether `~/.ssh/config` says what the configuration leaves out.
        alias: the name of the host in that file, once it has been read.
        forwards_agent: whether commands on the host may use the agent of this machine.
        umask: file mode mask of commands; None leaves it.
        path: texts around each `$PATH` in the PATH of commands; empty leaves it.
        given: the keys of the configuration.
        timeout_s: limit of a command and of a file operation; None: that of a file operation is `TRANSFER_S`.
        files: how files are transferred.
    """

    host: str
    port: int = 22
    user: str = ""
    password: str = ""
    private_key: str = ""
    private_key_path: str = ""
    passphrase: str = ""
    agent: str | None = None
    host_keys: tuple[str, ...] = ()
    known_hosts: str = ""
    connect_timeout_s: float = CONNECT_S
    connect_attempts: int = 3
    keepalive_s: float = KEEPALIVE_S
    jump: tuple[Srn, ...] = ()
    become: str = ""
    sudo_password: str = ""
    tty: bool = False
    ssh_config: bool = False
    alias: str = ""
    forwards_agent: bool = False
    umask: int | None = None
    path: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    timeout_s: float | None = None
    files: FilesMode = "auto"

    @property
    def place(self) -> str:
        """Its address, for messages."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def configuration_faults(config: ReadOnlyDataMap) -> list[str]:
    """Return what is wrong with a configuration, one sentence per error."""
    faults = unknown_keys(config, _KINDS) + wrong_kinds(config, _KINDS) + roster_faults(config)
    config = with_ssh_options(config)
    faults += not_positive(
        config, ("connect_timeout_s", "timeout", "connect_attempts", "keepalive_s", "timeout_s")
    )
    faults += [
        f"`{first}` and `{other}` mean the same: give one of them"
        for first, other in _TWICE
        if config.get(first) and config.get(other)
    ]
    if config.get("port") is not None and _port(config.get("port")) is None:
        faults.append(f"`port` must be a number from 1 to {_HIGHEST_PORT}, not {config['port']!r}")
    if config.get("files") not in (None, "auto", "sftp", "shell"):
        faults.append(f"`files` must be auto, sftp or shell, not {config['files']!r}")
    if config.get("files") == "sftp" and _become(config):
        faults.append(
            "`files: sftp` does not go with `sudo`: SFTP works as the user logged in (use files: shell)"
        )
    if config.get("ssh_config"):
        faults += [
            f"`{key}` is no plain name, which `ssh_config` needs: {value!r}"
            for key in ("host", "user")
            if isinstance(value := config.get(key), str) and not _PLAIN_NAME.match(_without_brackets(value))
        ]
    faults += [
        f"`host_key` is not a public key: {line[:40]!r} (paste a /etc/ssh/ssh_host_*_key.pub, or SHA256:…)"
        for line in _host_keys(config.get("host_key"))
        if not _looks_like_a_key(line)
    ]
    return faults


def settings_from(srn: Srn, config: ReadOnlyDataMap) -> SshSettings:
    """Return the settings of a valid configuration, with defaults for missing keys.

    Args:
        srn: the resource; its id is the default of `host`.
        config: the configuration.
    """
    given = with_ssh_options(config)
    key_file = _text(given, "priv")
    return SshSettings(
        host=_without_brackets(_text(given, "host")) or srn.id,
        port=_port(given.get("port")) or 22,
        user=_text(given, "user"),
        password=_text(given, "password", "passwd"),
        private_key=_text(given, "private_key"),
        private_key_path="" if key_file == AGENT_FORWARDING else _expanded(key_file),
        passphrase=_text(given, "passphrase", "priv_passwd"),
        agent=_agent(given.get("agent", False if given.get("identities_only") else None)),
        host_keys=_host_keys(given.get("host_key")),
        known_hosts=_expanded(_text(given, "known_hosts") or "~/.ssh/known_hosts"),
        connect_timeout_s=_number(given, CONNECT_S, "connect_timeout_s", "timeout"),
        connect_attempts=int(_number(given, 3, "connect_attempts")),
        keepalive_s=_number(given, KEEPALIVE_S, "keepalive_s"),
        jump=_jump(given.get("jump")),
        become=_become(given),
        sudo_password=_text(given, "sudo_password"),
        tty=bool(given.get("tty")),
        ssh_config=bool(given.get("ssh_config")),
        forwards_agent=key_file == AGENT_FORWARDING,
        umask=umask_of(given),
        path=path_parts(given.get("set_path")),
        given=frozenset(given),
        timeout_s=_number(given, 0.0, "timeout_s") or None,
        files=_files(given.get("files")),
    )


def _text(config: ReadOnlyDataMap, *keys: str) -> str:
    values = [config[key] for key in keys if key in config]
    return next((value for value in values if isinstance(value, str)), "")


def _without_brackets(host: str) -> str:
    """Return an IPv6 address without the brackets in which it is written before a port."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def _number(config: ReadOnlyDataMap, default: float, *keys: str) -> float:
    values = [config[key] for key in keys if key in config]
    return next((float(value) for value in values if isinstance(value, int | float)), default)


def _port(value: Data) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    port = whole_number(str(value))
    return port if port is not None and 0 < port <= _HIGHEST_PORT else None


def _agent(value: Data) -> str | None:
    if isinstance(value, str):
        return _expanded(value)
    if value is None:
        return None
    return os.environ.get("SSH_AUTH_SOCK", "") if value else ""


def _become(config: ReadOnlyDataMap) -> str:
    sudo = config.get("sudo")
    if isinstance(sudo, str):
        return sudo
    return (_text(config, "sudo_user") or "root") if sudo else ""


def _files(value: Data) -> FilesMode:
    match value:
        case "sftp" | "shell":
            return value
        case _:
            return "auto"


def _jump(value: Data) -> tuple[Srn, ...]:
    names = value if isinstance(value, list) else [value]
    return tuple(_jump_name(name) for name in names if isinstance(name, str) and name)


def _jump_name(name: str) -> Srn:
    kind, _, id_ = name.partition(":")
    return Srn(TYPE, id_) if kind in {TYPE, "ssh"} and id_ else Srn(TYPE, name)


def _host_keys(value: Data) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value]
    lines = [line.strip() for text in texts if isinstance(text, str) for line in text.splitlines()]
    return tuple(line for line in lines if line and not line.startswith("#"))


def _looks_like_a_key(line: str) -> bool:
    return line.startswith("SHA256:") or any(word.startswith("AAAA") for word in line.split()[1:3])


def _expanded(path: str) -> str:
    return str(Path(path).expanduser()) if path.startswith("~") else path
