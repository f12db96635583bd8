"""`unless`, `onlyif`, `creates` before a state, `check_cmd` after it.

Commands run on the target through its connection; function calls go through the context.

Source: Salt 3008, measured: all conditions are evaluated, and each adds to the comment.
"""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.core.errors import RemoteFileError
from ensue.core.model.paths import traverse
from ensue.engine.condition_command import condition_holds, failure_of_check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import Data, DataMap
    from ensue.engine.condition_trouble import Trouble

    _Troubles: TypeAlias = list[tuple[Trouble, str, str, bool | None]]

_SHOWN_LINE_CHARS: Final = 80
_SHOWN_DETAIL_CHARS: Final = 200
_EFFECTS: Final[dict[tuple[str, bool | None], str]] = {
    ("onlyif", False): "false, so the state is skipped",
    ("onlyif", None): "false, so the state is skipped",
    ("unless", False): "false, so `unless` does not skip the state",
    ("unless", None): "true, so the state is skipped",
}
"""What a verdict means for a state, by the word of the condition."""


class ConditionsResult(msgspec.Struct, frozen=True):
    """The result of a state's conditions.

    Args:
        met: whether the state runs.
        comment: one line per condition.
        warnings: commands that did not run or report an error, and what that counts as.
        not_met: the words of the conditions that are not met.
    """

    met: bool
    comment: str
    warnings: tuple[str, ...] = ()
    not_met: tuple[str, ...] = ()


MET: Final = ConditionsResult(met=True, comment="")
"""The result without any condition."""


def has_conditions(chunk: Chunk) -> bool:
    """Return whether a chunk has a condition that is evaluated before its function is called."""
    options = chunk.options
    return bool(options.unless or options.onlyif or options.creates)


async def look_at_conditions(
    context: StateContext, chunk: Chunk, mask: Callable[[str], str]
) -> ConditionsResult:
    """Evaluate all conditions of a chunk.

    Args:
        context: the context of the state.
        chunk: the state.
        mask: takes secrets out of a text. A warning is masked before it is shortened: a part of a secret is
            not recognized later.

    Raises:
        EnsueError: a condition cannot be evaluated.
    """
    options = chunk.options
    context = context.for_conditions
    results: dict[str, ConditionsResult] = {}
    troubles: _Troubles = []
    if options.onlyif:
        results["onlyif"] = await _onlyif(context, chunk, troubles)
    if options.unless:
        results["unless"] = await _unless(context, chunk, troubles)
    if options.creates:
        results["creates"] = await _creates(context, options.creates)
    not_met = tuple(word for word, result in results.items() if not result.met)
    comment = "\n".join(result.comment for result in results.values())
    warnings = tuple(_warning(*trouble, mask) for trouble in troubles)
    return ConditionsResult(not not_met, comment, warnings, not_met)


def paths_in_conditions(chunk: Chunk) -> set[str]:
    """Return the paths that a chunk's conditions name: in command lines and arguments, and their folder."""
    named = _paths_in((*chunk.options.onlyif, *chunk.options.unless))
    folder = str(chunk.arguments.get("cwd", ""))
    return named | {folder} if folder.startswith("/") else named


def _paths_in(entries: Iterable[Data]) -> set[str]:
    words: set[str] = set()
    for entry in entries:
        if isinstance(entry, str):
            words.update(_split(entry))
        elif isinstance(entry, dict):
            words.update(text for value in entry.values() for text in _texts(value))
    return {word for word in words if word.startswith("/")}


def _split(line: str) -> list[str]:
    import shlex

    try:
        return shlex.split(line)
    except ValueError:
        return []  # A quote is not closed.


def _texts(value: Data) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]


async def check_afterwards(context: StateContext, chunk: Chunk) -> ConditionsResult:
    """Run `check_cmd`: the state has succeeded if every command does.

    Raises:
        EnsueError: a command cannot be run.
    """
    context = context.for_conditions
    for line in chunk.options.check_cmd:
        if failure := await failure_of_check(context, chunk, line):
            comment = f"check_cmd determined the state failed: `{line}` {failure}"
            return ConditionsResult(met=False, comment=comment)
    return ConditionsResult(met=True, comment="check_cmd determined the state succeeded")


async def _onlyif(context: StateContext, chunk: Chunk, troubles: _Troubles) -> ConditionsResult:
    for entry in chunk.options.onlyif:
        if not _is_condition(entry):
            return ConditionsResult(met=True, comment="onlyif execution failed, bad type passed")
        if not await _holds(context, chunk, entry, "onlyif", troubles):
            return ConditionsResult(met=False, comment="onlyif condition is false")
    return ConditionsResult(met=True, comment="onlyif condition is true")


async def _unless(context: StateContext, chunk: Chunk, troubles: _Troubles) -> ConditionsResult:
    for entry in chunk.options.unless:
        if not _is_condition(entry):
            return ConditionsResult(met=True, comment="unless condition is false, bad type passed")
        if await _holds(context, chunk, entry, "unless", troubles) is False:
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
    context: StateContext, chunk: Chunk, entry: Data, option: str, troubles: _Troubles
) -> bool | None:
    """Return whether an entry is true; None if that is unknown: then the state is skipped, as in Salt."""
    if isinstance(entry, dict):
        return bool(await _call(context, entry))
    verdict = await condition_holds(context, chunk, str(entry))
    if verdict.trouble is not None:
        troubles.append((verdict.trouble, option, str(entry), verdict.holds))
    return verdict.holds


def _warning(trouble: Trouble, option: str, line: str, holds: bool | None, mask: Callable[[str], str]) -> str:
    """Return the warning of a command that has not answered."""
    event = f"{trouble.event.format(option)}, which counts as {_EFFECTS[option, holds]}"
    command = shorten(mask(line), _SHOWN_LINE_CHARS, placeholder="…")
    detail = shorten(mask(trouble.detail).partition("\n")[0], _SHOWN_DETAIL_CHARS, placeholder="…")
    advice = f" ({trouble.advice})" if trouble.advice else ""
    return ": ".join(filter(None, (event, command, detail))) + advice


def _is_condition(entry: Data) -> bool:
    """Return whether an entry is a command or a function call."""
    return isinstance(entry, str) or (isinstance(entry, dict) and isinstance(entry.get("fun"), str))


async def _call(context: StateContext, entry: DataMap) -> Any:
    keywords = {key: value for key, value in entry.items() if key not in {"fun", "args", "get_return"}}
    arguments = entry.get("args", [])
    positional = arguments if isinstance(arguments, list) else [arguments]
    answer = await context.call(str(entry["fun"]), *positional, **keywords)
    path = entry.get("get_return")
    return traverse(answer, path) if isinstance(path, str) else answer
