"""The configuration keys that containers and pods share: checks them, and returns the settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.deadlines import START_S
from ensue.core.errors import ResourceError
from ensue.reach.resources.config_check import not_positive, unknown_keys, wrong_kinds
from ensue.reach.resources.exec_connection import ExecSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.model.data import ReadOnlyDataMap

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "user": (str, int),
    "workdir": (str,),
    "env": (dict,),
    "connect_timeout_s": (int, float),
    "timeout_s": (int, float),
}
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
"""What a client accepts as the name of a container or pod, and not as an option."""
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def exec_faults(
    config: ReadOnlyDataMap, kinds: Mapping[str, tuple[type, ...]], names: tuple[str, ...]
) -> list[str]:
    """Return what is wrong with a configuration, one sentence per error.

    Args:
        config: the configuration.
        kinds: types of the values of the type's own keys.
        names: keys whose values must be names that the client accepts.
    """
    all_kinds = {**_KINDS, **kinds}
    faults = unknown_keys(config, all_kinds) + wrong_kinds(config, all_kinds)
    faults += not_positive(config, ("connect_timeout_s", "timeout_s"))
    faults += [
        f"`{key}` is not a name: {value!r} (letters, digits, `_`, `.` and `-`, a letter or digit first)"
        for key in names
        if isinstance(value := config.get(key), str) and not _NAME.match(value)
    ]
    workdir = config.get("workdir")
    if isinstance(workdir, str) and not workdir.startswith("/"):
        faults.append(f"`workdir` must be an absolute path, not {workdir!r}")
    env = config.get("env")
    if isinstance(env, dict):
        faults += [
            f"`env` has an invalid variable name: {name!r}" for name in env if not _VARIABLE.match(name)
        ]
        faults += [
            f"`env` must have text or a number for `{name}`"
            for name, value in env.items()
            if isinstance(value, bool) or not isinstance(value, str | int | float)
        ]
    return faults


def exec_settings(config: ReadOnlyDataMap) -> ExecSettings:
    """Return the common settings of a valid configuration."""
    env = config.get("env")
    return ExecSettings(
        workdir=text(config, "workdir"),
        env={name: str(value) for name, value in env.items()} if isinstance(env, dict) else {},
        connect_timeout_s=_number(config, "connect_timeout_s") or START_S,
        timeout_s=_number(config, "timeout_s"),
    )


def checked_name(context: ResourceContext, faults: Sequence[str], key: str) -> str:
    """Return the name of a container or pod: a value of its configuration, or the id of the resource.

    Args:
        context: the resource.
        faults: what is wrong with its configuration.
        key: the key of the name, which is also the word for what it names.

    Raises:
        ResourceError: there are faults, or a client would not accept the id as a name.
    """
    name = text(context.config, key) or context.srn.id
    if not faults and not _NAME.match(name):
        faults = [f"its id {name!r} is not the name of a {key} (set `{key}`)"]
    if faults:
        raise ResourceError(f"{context.srn} is not configured properly: {'; '.join(faults)}")
    return name


def text(config: ReadOnlyDataMap, key: str) -> str:
    """Return a value as text, empty if it is not given."""
    value = config.get(key)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _number(config: ReadOnlyDataMap, key: str) -> float | None:
    value = config.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
