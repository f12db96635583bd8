"""Running the commands of `unless`, `onlyif` and `check_cmd` on the target, as the state's options say.

Conditions run in the state's folder, environment, shell and so on (but not with its umask), as far as
`cmd_opts_exclude` does not take one of these out; `check_cmd` runs as the state's user, within the state's
time limit, and has none of the others.

Source: Salt 3008, measured.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.contracts.connection import Command
from ensue.core.contracts.shells import shell_argv
from ensue.core.errors import RemoteFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import Data, DataMap
    from ensue.engine.condition_trouble import Trouble

_DEFAULT_SHELL: Final = "/bin/sh"


class CommandVerdict(NamedTuple):
    """Whether the command of a condition succeeds.

    Args:
        holds: whether it does; None: it cannot run because its folder does not exist.
        trouble: why it has not answered, although it counts as an answer; None: it has.
    """

    holds: bool | None
    trouble: Trouble | None = None


async def condition_holds(context: StateContext, chunk: Chunk, line: str) -> CommandVerdict:
    """Return whether a condition's command succeeds.

    Raises:
        EnsueError: the target cannot run it.
    """
    from ensue.engine.condition_trouble import Trouble, trouble_of

    options = _options(chunk)
    limit = asyncio.timeout(_seconds(options.get("timeout")))
    try:
        # The limit includes connecting to the target.
        async with limit:
            own_shell = _text(options.get("shell")) or _DEFAULT_SHELL
            shell_line, shell = _with_path(line, own_shell, options.get("prepend_path"))
            command = Command(
                shell_line=shell_line,
                shell=shell,
                cwd=_text(options.get("cwd")),
                env=_environment(options.get("env")),
                user=_text(options.get("runas")),
            )
            completed = await context.connection.run(command)
            code = completed.returncode
            if code == 0 or code in _listed(options.get("success_retcodes")):
                return CommandVerdict(holds=True)
            trouble = await trouble_of(completed, line, own_shell, context.connection)
            return CommandVerdict(holds=False, trouble=trouble)
    except RemoteFileError as error:
        return CommandVerdict(
            holds=None, trouble=Trouble("the command of `{}` cannot run", detail=str(error))
        )
    except TimeoutError:
        if not limit.expired():
            raise  # The target did not answer within a limit of its own.
        event = f"the command of `{{}}` has not ended within {_seconds(options.get('timeout')):g} seconds"
        return CommandVerdict(holds=False, trouble=Trouble(event, "`timeout` of the state limits it, too"))


async def failure_of_check(context: StateContext, chunk: Chunk, line: str) -> str:
    """Return how a `check_cmd` fails, empty if it succeeds within the state's `timeout`.

    Raises:
        EnsueError: it cannot be run.
    """
    options = _options(chunk)
    limit = asyncio.timeout(_seconds(options.get("timeout")))
    try:
        async with limit:
            command = Command(shell_line=line, user=_text(options.get("runas")))
            code = (await context.connection.run(command)).returncode
            return f"exited {code}" if code else ""
    except TimeoutError:
        if not limit.expired():
            raise
        return f"has not ended within {_seconds(options.get('timeout')):g} seconds"


def _options(chunk: Chunk) -> Mapping[str, Data]:
    own: DataMap = {"runas": chunk.options.runas, "timeout": chunk.options.timeout_s}
    given = chunk.arguments | {word: value for word, value in own.items() if value is not None}
    for word in _listed(given.get("cmd_opts_exclude")):
        given.pop(str(word), None)
    return given


def _with_path(line: str, shell: str, folder: Data) -> tuple[str, str]:
    """Return a command line that begins with a change of PATH, and the shell that can read it."""
    if not isinstance(folder, str):
        return line, shell
    import shlex

    if shell != _DEFAULT_SHELL:
        line = f"exec {shlex.join(shell_argv(shell, line))}"
    return f'PATH={shlex.quote(folder)}:"$PATH"; export PATH\n{line}', _DEFAULT_SHELL


def _listed(value: Data) -> list[Data]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _text(value: Data) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(value: Data) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _environment(env: Data) -> Mapping[str, str | None] | None:
    """Read a state's `env`: a mapping, or a list of mappings as Salt has it; a null removes a variable."""
    merged: dict[str, str | None] = {}
    for mapping in _listed(env):
        if isinstance(mapping, dict):
            merged |= {key: None if value is None else str(value) for key, value in mapping.items()}
    return merged or None
