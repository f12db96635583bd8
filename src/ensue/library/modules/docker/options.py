"""Converts the options of a container, with Salt's names, to options of `docker create`.

Values of environment variables are passed in the client's own environment, since everybody on the target can
read its arguments.

Source: Salt's extension `saltext-dockermod`, 0.1: names, aliases and forms of the options; docker-create(1).
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.library.modules.docker.option_forms import (
    mount_of,
    pairs,
    published,
    rate_of,
    restart_of,
    ulimit_of,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ALIASES: Final = {
    "cmd": "command", "cpuset": "cpuset_cpus", "dns_option": "dns_opt", "env": "environment",
    "expose": "ports", "interactive": "stdin_open", "ipc": "ipc_mode", "label": "labels",
    "memory": "mem_limit",
    "memory_swap": "memswap_limit", "publish": "port_bindings", "publish_all": "publish_all_ports",
    "restart": "restart_policy", "rm": "auto_remove", "sysctl": "sysctls", "security_opts": "security_opt",
    "ulimit": "ulimits", "user_ns_mode": "userns_mode", "volume": "volumes", "workdir": "working_dir",
}  # fmt: skip
"""Aliases of options."""

_TEXTS: Final = {
    "blkio_weight": "blkio-weight", "cgroup_parent": "cgroup-parent", "cgroupns": "cgroupns",
    "cpu_count": "cpu-count", "cpu_percent": "cpu-percent", "cpu_period": "cpu-period",
    "cpu_quota": "cpu-quota",
    "cpu_rt_period": "cpu-rt-period", "cpu_rt_runtime": "cpu-rt-runtime", "cpu_shares": "cpu-shares",
    "cpuset_cpus": "cpuset-cpus", "cpuset_mems": "cpuset-mems", "domainname": "domainname",
    "hostname": "hostname", "ipc_mode": "ipc", "isolation": "isolation", "kernel_memory": "kernel-memory",
    "log_driver": "log-driver", "mac_address": "mac-address", "mem_limit": "memory",
    "mem_reservation": "memory-reservation", "mem_swappiness": "memory-swappiness",
    "memswap_limit": "memory-swap", "network_mode": "network", "oom_score_adj": "oom-score-adj",
    "pid_mode": "pid", "pids_limit": "pids-limit", "platform": "platform", "runtime": "runtime",
    "shm_size": "shm-size", "stop_signal": "stop-signal", "stop_timeout": "stop-timeout", "user": "user",
    "userns_mode": "userns", "uts_mode": "uts", "volume_driver": "volume-driver", "working_dir": "workdir",
}  # fmt: skip
_TRUTHS: Final = {
    "auto_remove": "rm", "init": "init", "oom_kill_disable": "oom-kill-disable", "privileged": "privileged",
    "publish_all_ports": "publish-all", "read_only": "read-only", "stdin_open": "interactive", "tty": "tty",
}  # fmt: skip
_LISTS: Final = {
    "cap_add": "cap-add", "cap_drop": "cap-drop", "device_cgroup_rules": "device-cgroup-rule",
    "devices": "device", "dns": "dns", "dns_opt": "dns-option", "dns_search": "dns-search",
    "group_add": "group-add", "ports": "expose", "security_opt": "security-opt", "volumes": "volume",
    "volumes_from": "volumes-from",
}  # fmt: skip
_PAIRS: Final = {
    "extra_hosts": ("add-host", ":"), "links": ("link", ":"), "log_opt": ("log-opt", "="),
    "storage_opt": ("storage-opt", "="), "sysctls": ("sysctl", "="),
}  # fmt: skip
_STEERS_THE_CLIENT: Final = re.compile(
    r"(DOCKER|BUILDX?|BUILDKIT|COMPOSE|LD|GO|GODEBUG|XDG|SSH|SSL|CONTAINERS?)(_.*)?$"
    r"|PATH$|HOME$|USER$|LOGNAME$|SHELL$|TMPDIR$|PWD$|TERM$|LANG$|LC_.*$|LANGUAGE$|(HTTPS?|FTP|ALL|NO)_PROXY$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")


class CreateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The command line that creates a container.

    Args:
        flags: options of `docker create`.
        command: the words after the image.
        env: environment variables of the client, which it passes to the container.
    """

    flags: list[str]
    command: list[str]
    env: dict[str, str]


def create_options(given: Mapping[str, Any], *, ignore_collisions: bool = False) -> CreateOptions:
    """Read the options of a container.

    Args:
        given: values by Salt's names or aliases; None means absent.
        ignore_collisions: if an option and its alias are both given, use the option.

    Raises:
        StateFailedError: an option is unknown, is given twice, or has an invalid value.
    """
    options = {
        name: value
        for name, value in _without_aliases(given, ignore_collisions=ignore_collisions).items()
        if value is not None
    }
    unknown = sorted(options.keys() - set(OPTIONS))
    if unknown:
        raise StateFailedError(f"a container has no option {unknown[0]!r}; it can have {', '.join(OPTIONS)}")
    _check_together(options)
    env = pairs(options.pop("environment", {}), "=", "environment")
    entrypoint = _command(options.pop("entrypoint", None))
    command = _command(options.pop("command", None))
    flags = [flag for name in sorted(options) for flag in _flags(name, options[name])]
    flags += [f"--env={name}" if _goes_through(name) else f"--env={name}={env[name]}" for name in sorted(env)]
    flags += [f"--entrypoint={entrypoint[0]}"] if entrypoint else []
    through = {name: value for name, value in env.items() if _goes_through(name)}
    return CreateOptions(flags=flags, command=entrypoint[1:] + command, env=through)


def _without_aliases(given: Mapping[str, Any], *, ignore_collisions: bool) -> dict[str, Any]:
    result = {name: value for name, value in given.items() if name not in ALIASES}
    for alias, name in ALIASES.items():
        if alias not in given:
            continue
        if name in result and not ignore_collisions:
            raise StateFailedError(f"'{alias}' is an alias for '{name}', they cannot both be used")
        result.setdefault(name, given[alias])
    return result


def _check_together(options: Mapping[str, Any]) -> None:
    if options.get("port_bindings") and options.get("publish_all_ports"):
        raise StateFailedError("port_bindings cannot be used when publish_all_ports=True")
    if options.get("hostname") and options.get("network_mode") == "host":
        raise StateFailedError("hostname cannot be used when network_mode is 'host'")


def _goes_through(name: str) -> bool:
    """Return whether a variable has no meaning for the client itself and may be in its environment."""
    return bool(_NAME.match(name)) and not _STEERS_THE_CLIENT.match(name)


def _command(value: Any) -> list[str]:
    if value is None or value == "":
        return []
    if is_list(value):
        return [str(word) for word in value]
    try:
        return shlex.split(str(value))
    except ValueError as error:
        raise StateFailedError(f"the command {value!r} cannot be split into words: {error}") from None


def _flags(name: str, value: Any) -> list[str]:
    """Return the flags of one option."""
    if name in _TEXTS:
        text = value[0] if is_list(value) and len(value) == 1 else value
        return [f"--{_TEXTS[name]}={text}"]
    if name in _TRUTHS:
        return [f"--{_TRUTHS[name]}={'true' if value else 'false'}"]
    if name in _LISTS:
        return [f"--{_LISTS[name]}={word}" for word in words(value)]
    if name in _PAIRS:
        flag, between = _PAIRS[name]
        return [f"--{flag}={key}{between}{text}" for key, text in pairs(value, between, name).items()]
    return _SPECIAL[name](value)


def _binds(value: Any) -> list[str]:
    if is_mapping(value):
        binds = [
            f"{source}:{about['bind']}:{about.get('mode') or ('ro' if about.get('ro') else 'rw')}"
            if is_mapping(about)
            else f"{source}:{about}"
            for source, about in value.items()
        ]
        return [f"--volume={text}" for text in binds]
    return [f"--volume={text}" for text in words(value)]


def _labels(value: Any) -> list[str]:
    labels = pairs(value, "=", "labels", default="")
    return [f"--label={name}={text}" for name, text in labels.items()]


def _log_config(value: Any) -> list[str]:
    if not is_mapping(value):
        raise StateFailedError("log_config must be a mapping with `Type` and `Config`")
    driver = value.get("Type", value.get("type"))
    config = pairs(value.get("Config", value.get("config")) or {}, "=", "log_config")
    return [f"--log-driver={driver}", *(f"--log-opt={name}={text}" for name, text in config.items())]


def _tmpfs(value: Any) -> list[str]:
    if not is_mapping(value):
        return [f"--tmpfs={text}" for text in words(value)]
    return [f"--tmpfs={path}:{text}" if text else f"--tmpfs={path}" for path, text in value.items()]


def _health(value: Any) -> list[str]:
    about: dict[str, Any] = value if is_mapping(value) else {"test": value}
    line = _health_line(about.get("test"))
    if line == "NONE":
        return ["--no-healthcheck"]
    flags = [f"--health-cmd={line}"] if line else []
    for word, flag in (("interval", "interval"), ("timeout", "timeout"), ("start_period", "start-period")):
        if about.get(word):
            # The API's unit is nanoseconds.
            flags.append(f"--health-{flag}={about[word]}{'ns' if str(about[word]).isdigit() else ''}")
    return flags + ([f"--health-retries={about['retries']}"] if about.get("retries") else [])


def _health_line(test: Any) -> str:
    """Return a health test as a line for the shell, the only form that the client accepts."""
    if not is_list(test):
        return str(test or "")
    kind, rest = (str(test[0]), [*map(str, test[1:])]) if test else ("", [])
    if kind == "CMD-SHELL":
        return " ".join(rest)
    return shlex.join(rest) if kind == "CMD" else shlex.join(map(str, test))


_SPECIAL: Final[dict[str, Callable[[Any], list[str]]]] = {
    "binds": _binds,
    "blkio_weight_device": lambda value: [f"--blkio-weight-device={rate_of(word)}" for word in words(value)],
    "detach": lambda _: [],
    "device_read_bps": lambda value: [f"--device-read-bps={rate_of(word)}" for word in words(value)],
    "device_read_iops": lambda value: [f"--device-read-iops={rate_of(word)}" for word in words(value)],
    "device_write_bps": lambda value: [f"--device-write-bps={rate_of(word)}" for word in words(value)],
    "device_write_iops": lambda value: [f"--device-write-iops={rate_of(word)}" for word in words(value)],
    "healthcheck": _health,
    "labels": _labels,
    "log_config": _log_config,
    "mounts": lambda value: [
        f"--mount={mount_of(mount)}" for mount in (value if is_list(value) else [value])
    ],
    "nano_cpus": lambda value: [f"--cpus={int(value) / 1_000_000_000:g}"],
    "network_disabled": lambda value: ["--network=none"] if value else [],
    "port_bindings": lambda value: [f"--publish={text}" for text in published(value)],
    "restart_policy": lambda value: [f"--restart={restart_of(value)}"],
    "tmpfs": _tmpfs,
    "ulimits": lambda value: [f"--ulimit={ulimit_of(word)}" for word in words(value)],
}
OPTIONS: Final = tuple(
    sorted({*_TEXTS, *_TRUTHS, *_LISTS, *_PAIRS, *_SPECIAL, "environment", "entrypoint", "command"})
)
"""The names of all options, without aliases."""
