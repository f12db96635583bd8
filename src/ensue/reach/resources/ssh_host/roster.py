"""Keys of a Salt roster that mean something else here, or nothing: what becomes of each.

`ssh_options` are read as far as they say what the configuration of a host may say. Those that start programs
of this machine (`ProxyCommand`), or accept any host key, are not: a configuration may come from a run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import Data, DataMap, ReadOnlyDataMap

WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "thin_dir": "ensue copies no program to a host",
    "minion_opts": "no minion runs on a host; options are in ensue.yaml",
    "ssh_pre_flight": "a state can do what has to be done first (`cmd.script`)",
    "ssh_pre_flight_args": "a state can do what has to be done first (`cmd.script`)",
    "remote_port_forwards": "ensue forwards no ports",
    "mods": "`apply` has the names of SLS",
}
"""Keys that are accepted without effect, and why."""

AGENT_FORWARDING: Final = "agent-forwarding"
"""A value of `priv` that is no path."""

_OPTIONS: Final[Mapping[str, str]] = {
    "hostname": "host",
    "port": "port",
    "user": "user",
    "identityfile": "priv",
    "connecttimeout": "connect_timeout_s",
    "connectionattempts": "connect_attempts",
    "serveraliveinterval": "keepalive_s",
    "userknownhostsfile": "known_hosts",
}
_OTHER_NAMES: Final = {"connect_timeout_s": "timeout", "priv": "private_key"}
_NUMBERS: Final = frozenset({"connect_timeout_s", "connect_attempts", "keepalive_s"})
_PATH: Final = re.compile(r"\$PATH\b|\$\{PATH\}")
_OCTAL: Final = 8
_HIGHEST_UMASK: Final = 0o777


def remarks_about(config: ReadOnlyDataMap) -> list[str]:
    """Return what a valid configuration has without effect, one sentence each."""
    remarks = [f"`{key}` has no effect: {why}" for key, why in WITHOUT_EFFECT.items() if config.get(key)]
    if names := [name for name, _ in _ssh_options(config) if name.lower() not in _OPTIONS]:
        remarks.append(f"`ssh_options`: {', '.join(names)} has no effect (see `ssh_config`)")
    return remarks


def roster_faults(config: ReadOnlyDataMap) -> list[str]:
    """Return what is wrong with the values of these keys, one sentence per error."""
    faults: list[str] = []
    if config.get("cmd_umask") is not None and umask_of(config) is None:
        faults.append(f"`cmd_umask` must be octal, from 0 to 0777, not {config['cmd_umask']!r}")
    options = config.get("ssh_options")
    faults += [
        f"`ssh_options` must have texts like `Port=22`, not {option!r}"
        for option in (options if isinstance(options, list) else ())
        if not isinstance(option, str) or not option.replace("=", " ", 1).split()
    ]
    return faults


def with_ssh_options(config: ReadOnlyDataMap) -> DataMap:
    """Return a configuration with what its `ssh_options` say where it has no key of its own."""
    given: DataMap = {key: value for key, value in config.items() if value is not None}
    for name, value in _ssh_options(config):
        key = _OPTIONS.get(name.lower())
        if key is not None and value and not given.keys() & {key, _OTHER_NAMES.get(key, key)}:
            given[key] = float(value) if key in _NUMBERS and value.isdecimal() else value
    return given


def umask_of(config: ReadOnlyDataMap) -> int | None:
    """Return `cmd_umask`: a number, or octal digits as text; None if it is neither."""
    value = config.get("cmd_umask")
    if isinstance(value, str) and re.fullmatch("[0-7]{1,4}", value):
        value = int(value, _OCTAL)
    is_umask = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _HIGHEST_UMASK
    return value if is_umask and isinstance(value, int) else None


def path_parts(value: Data) -> tuple[str, ...]:
    """Return the texts of a `set_path` between its `$PATH`; empty if there is none."""
    return tuple(_PATH.split(value)) if isinstance(value, str) and value else ()


def _ssh_options(config: ReadOnlyDataMap) -> list[tuple[str, str]]:
    options = config.get("ssh_options")
    texts = [option for option in options if isinstance(option, str)] if isinstance(options, list) else []
    parts = [text.replace("=", " ", 1).split(None, 1) for text in texts]
    return [(part[0], part[1].strip().strip('"') if len(part) > 1 else "") for part in parts if part]
