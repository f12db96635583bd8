"""`unless`, `onlyif`, `creates` before a state, `check_cmd` after it.

Commands run on the target through its connection; function calls go through the context.

Source: Salt 3008, measured: all conditions are evaluated, and each adds to the comment.
"""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import RemoteFileError
from ensue.engine.condition_command import check_holds, condition_holds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import Data, DataMap


_SHOWN_CHARS: Final = 80
_NOT_FOUND: Final = (
    "the shell did not find the command of `{}` (exit code 127), which counts as false: {} "
    "(an expression of pillar or grains belongs in {{% if … %}}; `command -v NAME` asks for a command)"
)


class ConditionsResult(msgspec.Struct, frozen=True):
    """The result of a state's conditions.

    Args:
        met: whether the state runs.
        comment: one line per condition.
        warnings: commands that the shell of the target did not find, which counts as false.
    """

    met: bool
    comment: str
    warnings: tuple[str, ...] = ()


MET: Final = ConditionsResult(met=True, comment="")
"""The result without any condition."""


def has_conditions(chunk: Chunk) -> bool:
    """Return whether a chunk has a condition that is evaluated before its function is called."""
    options = chunk.options
    return bool(options.unless or options.onlyif or options.creates)


async def look_at_conditions(context: StateContext, chunk: Chunk) -> ConditionsResult:
    """Evaluate all conditions of a chunk.

    Raises:
        EnsueError: a condition cannot be evaluated.
    """
    options = chunk.options
    context = context.for_conditions
    found: list[ConditionsResult] = []
    warnings: list[str] = []
    if options.onlyif:
        found.append(await _onlyif(context, chunk, warnings))
    if options.unless:
        found.append(await _unless(context, chunk, warnings))
    if options.creates:
        found.append(await _creates(context, options.creates))
    return ConditionsResult(
        all(condition.met for condition in found),
        "\n".join(condition.comment for condition in found),
        tuple(warnings),
    )


async def check_afterwards(context: StateContext, chunk: Chunk) -> ConditionsResult:
    """Run `check_cmd`: the state has succeeded if every command does.

    Raises:
        EnsueError: a command cannot be run.
    """
    context = context.for_conditions
    for line in chunk.options.check_cmd:
        if not await check_holds(context, chunk, line):
            return ConditionsResult(met=False, comment="check_cmd determined the state failed")
    return ConditionsResult(met=True, comment="check_cmd determined the state succeeded")


async def _onlyif(context: StateContext, chunk: Chunk, warnings: list[str]) -> ConditionsResult:
    for entry in chunk.options.onlyif:
        if not _is_condition(entry):
            return ConditionsResult(met=True, comment="onlyif execution failed, bad type passed")
        if not await _holds(context, chunk, entry, "onlyif", warnings):
            return ConditionsResult(met=False, comment="onlyif condition is false")
    return ConditionsResult(met=True, comment="onlyif condition is true")


async def _unless(context: StateContext, chunk: Chunk, warnings: list[str]) -> ConditionsResult:
    for entry in chunk.options.unless:
        if not _is_condition(entry):
            return ConditionsResult(met=True, comment="unless condition is false, bad type passed")
        if await _holds(context, chunk, entry, "unless", warnings) is False:
            return ConditionsResult(met=True, comment="unless condition is false")
    return ConditionsResult(met=False, comment="unless condition is true")


async def _creates(context: StateContext, paths: Sequence[str]) -> ConditionsResult:
    for path in paths:
        if not await _exists(context, path):
            return ConditionsResult(met=True, comment="Creates files not found")
    comment = f"{paths[0]} exists" if len(paths) == 1 else "All files in creates exist"
    return ConditionsResult(met=False, comment=comment)


async def _exists(context: StateContext, path: str) -> bool:
    """Return whether a path exists; a path below a file, or behind a broken link, does not."""
    try:
        return await context.connection.stat(path, follow=True) is not None
    except RemoteFileError:
        return False


async def _holds(
    context: StateContext, chunk: Chunk, entry: Data, option: str, warnings: list[str]
) -> bool | None:
    """Return whether an entry is true; None if that is unknown: then the state is skipped, as in Salt."""
    if isinstance(entry, dict):
        return bool(await _call(context, entry))
    verdict = await condition_holds(context, chunk, str(entry))
    if verdict.is_unknown:
        warnings.append(_NOT_FOUND.format(option, shorten(str(entry), _SHOWN_CHARS, placeholder="…")))
    return verdict.holds


def _is_condition(entry: Data) -> bool:
    """Return whether an entry is a command or a function call."""
    return isinstance(entry, str) or (isinstance(entry, dict) and isinstance(entry.get("fun"), str))


async def _call(context: StateContext, entry: DataMap) -> Any:
    keywords = {key: value for key, value in entry.items() if key not in {"fun", "args", "get_return"}}
    arguments = entry.get("args", [])
    positional = arguments if isinstance(arguments, list) else [arguments]
    answer = await context.call(str(entry["fun"]), *positional, **keywords)
    wanted = entry.get("get_return")
    return _traverse(answer, wanted) if isinstance(wanted, str) else answer


def _traverse(data: Any, path: str) -> Any:
    for key in path.split(":"):
        if isinstance(data, dict) and key in data:
            data = data[key]  # pyright: ignore[reportUnknownVariableType] - a plug-in's own data
        elif isinstance(data, list) and key.isdecimal() and int(key) < len(data):  # pyright: ignore[reportUnknownArgumentType] - same
            data = data[int(key)]  # pyright: ignore[reportUnknownVariableType] - same
        else:
            return None
    return data  # pyright: ignore[reportUnknownVariableType] - same
