"""The options of a command, read from the keyword arguments that Salt's `cmd` functions share.

This module runs nothing. Arguments that only make sense for Salt's own process (`output_loglevel`,
`use_vt`, …) are accepted and have no effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping

_OCTAL = 8


class CommandOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one command.

    Args:
        cwd: the folder to run in; None for the user's home folder.
        stdin: its input.
        runas: the user, by name or number as text.
        group: the primary group, by name.
        shell: the shell for a command line; None for `/bin/sh`.
        env: environment variables to set.
        clean_env: start from an empty environment.
        prepend_path: a folder to put in front of PATH.
        umask: file mode mask.
        timeout_s: the number of seconds after which it is ended.
        root: a folder to run it in as the root of the file system (chroot).
        background: start it and do not wait for it.
        hide_output: return no output.
        is_quiet: show no output while it runs.
        strip: remove white space at the end of its output.
        success_retcodes: exit codes that count as 0.
        success_stdout: texts in the output that make the exit code count as 0.
        success_stderr: texts in the error output that make the exit code count as 0.
        ignore_retcode: `ensue call` succeeds whatever the exit code is.
        needs_program: fail if the program of a list is missing, instead of returning the exit code 127.
    """

    cwd: str | None = None
    stdin: bytes = b""
    runas: str | None = None
    group: str | None = None
    shell: str | None = None
    env: Mapping[str, str] | None = None
    clean_env: bool = False
    prepend_path: str | None = None
    umask: int | None = None
    timeout_s: float | None = None
    root: str | None = None
    background: bool = False
    hide_output: bool = False
    is_quiet: bool = False
    strip: bool = True
    success_retcodes: frozenset[int] = frozenset()
    success_stdout: tuple[str, ...] = ()
    success_stderr: tuple[str, ...] = ()
    ignore_retcode: bool = False
    needs_program: bool = False


_DEFAULTS: Final = CommandOptions()
_FALSE_AT_FIRST: Final = frozenset({"clean_env", "bg", "hide_output"})


def read_options(given: Mapping[str, Any]) -> CommandOptions:
    """Read keyword arguments with Salt's names.

    Raises:
        StateFailedError: an argument has the wrong type.
    """
    if _says_nothing(given):
        return _DEFAULTS
    return CommandOptions(
        cwd=given.get("cwd") or None,
        stdin=_bytes(given.get("stdin")),
        runas=_text(given.get("runas")),
        group=_text(given.get("group")),
        shell=given.get("shell") or None,
        env=read_environment(given.get("env")),
        clean_env=bool(given.get("clean_env")),
        prepend_path=_text(given.get("prepend_path")),
        umask=_umask(given.get("umask")),
        timeout_s=_seconds(given.get("timeout")),
        root=given.get("root") or None,
        background=bool(given.get("bg")),
        hide_output=bool(given.get("hide_output")),
        is_quiet=given.get("output_loglevel") == "quiet",
        strip=bool(given.get("rstrip", True)),
        success_retcodes=frozenset(map(_whole, _listed(given.get("success_retcodes")))),
        success_stdout=tuple(map(str, _listed(given.get("success_stdout")))),
        success_stderr=tuple(map(str, _listed(given.get("success_stderr")))),
        ignore_retcode=bool(given.get("ignore_retcode")),
    )


def _says_nothing(given: Mapping[str, Any]) -> bool:
    """Return whether no option is set, as for most commands."""
    for name, value in given.items():
        if (value is not None and not (value is False and name in _FALSE_AT_FIRST)) or name == "rstrip":
            return False
    return True


def read_environment(env: Any) -> dict[str, str] | None:
    """Read `env`: a mapping, or a list of mappings.

    Args:
        env: what the user wrote; None and an empty list set nothing.

    Raises:
        StateFailedError: it is something else, or a name is not valid.
    """
    if not env:
        return None
    parts: list[object] = list(env) if isinstance(env, list) else [env]  # pyright: ignore[reportUnknownArgumentType] # a user's list
    if not all(isinstance(part, dict) for part in parts):
        raise StateFailedError(
            f"Invalidly-formatted 'env' parameter: {env!r} (write a mapping, or a list of NAME: value)"
        )
    merged = {str(key): value for part in cast("list[dict[Any, Any]]", parts) for key, value in part.items()}
    for key in merged:
        if not key or "=" in key or "\0" in key:
            raise StateFailedError(f"{key!r} in env is not a valid name of an environment variable")
    return {key: "" if value is None else str(value) for key, value in merged.items()}


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _bytes(value: Any) -> bytes:
    if value is None:
        return b""
    return value if isinstance(value, bytes) else str(value).encode()


def _umask(value: Any) -> int | None:
    if value is None:
        return None
    try:
        return int(str(value), _OCTAL)
    except ValueError:
        raise StateFailedError(f"umask: {value!r} is not an octal number (write it as '022')") from None


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise StateFailedError(f"timeout: {value!r} is not a number of seconds") from None


def _whole(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise StateFailedError(f"success_retcodes: {value!r} is not an exit code") from None


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return [*value] if isinstance(value, (list, tuple)) else [value]  # pyright: ignore[reportUnknownVariableType] # a user's list
