"""Execution module `supervisord`: programs managed by Supervisor, through the target's `supervisorctl`.

Args:
    user: the user of the target who runs supervisorctl.
    conf_file: the path of the configuration file.
    bin_env: the path of supervisorctl, or of a virtual environment that contains it.

Source: Salt's execution module `supervisord`, 3008: names and return values; the manual of supervisorctl.
"""

from __future__ import annotations

import configparser
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data, DataMap

_CONFIGS: Final = ("/etc/supervisor/supervisord.conf", "/etc/supervisord.conf")
_STATES: Final = frozenset(
    {"STOPPED", "STARTING", "RUNNING", "BACKOFF", "STOPPING", "EXITED", "FATAL", "UNKNOWN"}
)


class _Control(msgspec.Struct, frozen=True):
    """How to call supervisorctl: its user, configuration and path."""

    user: str | None = None
    conf_file: str | None = None
    bin_env: str | None = None


_DOCSTRING: Final = """{what} a program, or with `name:` all programs of a group.

Args:
    name: the program, or `all`.

Example:
    ensue call '*' supervisord.{word} shop

Returns:
    The output of supervisorctl; it contains `ERROR` if it fails.

Raises:
    StateFailedError: the target has no supervisorctl.
"""


def _controlled(word: str) -> Callable[..., Awaitable[str]]:
    async def control(
        ctx: FunctionContext,
        name: str = "all",
        user: str | None = None,
        conf_file: str | None = None,
        bin_env: str | None = None,
    ) -> str:
        return await _run(ctx, _Control(user, conf_file, bin_env), word, _group(name))

    control.__doc__ = _DOCSTRING.format(word=word, what=word.capitalize())
    return control


async def add(
    ctx: FunctionContext,
    name: str,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
) -> str:
    """Activate a program of the configuration; arguments and return value are those of `start`.

    Args:
        name: the program or group.

    Example:
        ensue call '*' supervisord.add shop
    """
    return await _run(ctx, _Control(user, conf_file, bin_env), "add", _bare(name))


async def remove(
    ctx: FunctionContext,
    name: str,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
) -> str:
    """Deactivate a stopped program; arguments and return value are those of `start`.

    Args:
        name: the program or group.

    Example:
        ensue call '*' supervisord.remove shop
    """
    return await _run(ctx, _Control(user, conf_file, bin_env), "remove", _bare(name))


async def reread(
    ctx: FunctionContext, user: str | None = None, conf_file: str | None = None, bin_env: str | None = None
) -> str:
    """Reread the configuration without starting anything; the return value is that of `start`."""
    return await _run(ctx, _Control(user, conf_file, bin_env), "reread")


async def update(
    ctx: FunctionContext,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
    name: str | None = None,
) -> str:
    """Reread the configuration and add, restart and remove programs accordingly.

    Args:
        name: the group; None for all.
    """
    words = [_bare(name)] if name else []
    return await _run(ctx, _Control(user, conf_file, bin_env), "update", *words)


async def status(
    ctx: FunctionContext,
    name: str | None = None,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
) -> dict[str, dict[str, str]]:
    """Return the programs by name, each with `state` and `reason`.

    Args:
        name: the program; None for all.

    Raises:
        StateFailedError: supervisord cannot be reached.
    """
    raw = await status_raw(ctx, name, user, conf_file, bin_env)
    programs: dict[str, dict[str, str]] = {}
    for line in file_lines(raw):
        fields = line.split(None, 2)
        if len(fields) > 1 and fields[1] in _STATES:
            programs[fields[0]] = {"state": fields[1], "reason": fields[2] if len(fields) > 2 else ""}  # noqa: PLR2004 (three)
        elif line.strip() and name is None:
            # An error, such as an unreachable supervisord: an empty result would be wrong.
            raise StateFailedError(f"supervisorctl status: {raw.strip()}")
    return programs


async def status_raw(
    ctx: FunctionContext,
    name: str | None = None,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
) -> str:
    """Return the output of `supervisorctl status`.

    Args:
        name: the program; None for all.
    """
    control = _Control(user, conf_file, bin_env)
    return await _output(ctx, control, "status", *([name] if name else []))


async def status_bool(
    ctx: FunctionContext,
    name: str,
    expected_state: str | None = None,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
) -> bool:
    """Return whether a program exists, or with `expected_state` whether it is in that state (`RUNNING`).

    Args:
        name: the program.
        expected_state: the state to compare with (`RUNNING`).

    Example:
        ensue call '*' supervisord.status_bool shop
    """
    program = (await status(ctx, name, user, conf_file, bin_env)).get(name)
    return program is not None and expected_state in {None, program["state"]}


async def custom(
    ctx: FunctionContext,
    command: str,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
) -> str:
    """Run any command of supervisorctl and return its output.

    Args:
        command: the command of supervisorctl, with its arguments.

    Example:
        ensue call '*' supervisord.custom pid
    """
    return await _run(ctx, _Control(user, conf_file, bin_env), *command.split())


async def options(ctx: FunctionContext, name: str, conf_file: str | None = None) -> DataMap:
    """Return a program's options from the configuration file, ignoring included files.

    Args:
        name: the program.

    Example:
        ensue call '*' supervisord.options shop

    Raises:
        StateFailedError: there is no configuration file, or the program is not in it.
    """
    paths = [conf_file] if conf_file else _CONFIGS
    existing = [path for path in paths if await ctx.connection.stat(path, follow=True)]
    if not existing:
        raise StateFailedError(f"{ctx.srn} has no configuration of supervisord in {', '.join(paths)}")
    parser = configparser.RawConfigParser(strict=False)
    path = existing[0]
    try:
        parser.read_string((await ctx.connection.read(path)).decode("utf-8", "replace"))
    except configparser.Error as error:
        raise StateFailedError(f"{path} cannot be read: {error}") from None
    if not parser.has_section(f"program:{name}"):
        raise StateFailedError(f"Process '{name}' not found in {path}")
    return {key: _value(text.split(";")[0].strip()) for key, text in parser.items(f"program:{name}")}


def _value(text: str) -> Data:
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        return text


def _group(name: str) -> str:
    """Return supervisorctl's notation for all programs of a group."""
    return name.removesuffix("*") if name.endswith(":*") else name


def _bare(name: str) -> str:
    return name.removesuffix("*").removesuffix(":")


async def _run(ctx: FunctionContext, control: _Control, *words: str) -> str:
    return await _output(ctx, control, *words, marks_errors=True)


async def _output(ctx: FunctionContext, control: _Control, *words: str, marks_errors: bool = False) -> str:
    program = await _program(ctx, control.bin_env)
    conf = ["-c", control.conf_file] if control.conf_file else []
    answer = await ask(ctx, program, *conf, *words, runas=control.user)
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `{program}`; install supervisor there")
    text = answer.stdout.strip() or answer.stderr.strip()
    return text if answer.is_success or "ERROR" in text or not marks_errors else f"ERROR: {text}"


async def _program(ctx: FunctionContext, bin_env: str | None) -> str:
    if not bin_env:
        return "supervisorctl"
    file_stat = await ctx.connection.stat(bin_env, follow=True)
    is_environment = file_stat is not None and file_stat.kind == "directory"
    return f"{bin_env.rstrip('/')}/bin/supervisorctl" if is_environment else bin_env


FUNCTIONS: Final = by_name(
    add,
    custom,
    options,
    remove,
    reread,
    status,
    status_bool,
    status_raw,
    update,
    {word: _controlled(word) for word in ("restart", "start", "stop")},
)
