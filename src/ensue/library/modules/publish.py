"""Execution module `publish`: functions called on other targets of the project.

Args:
    fun: an execution function.
    arg: its arguments, as a list or separated by commas; `name=value` is a keyword argument.
    timeout: has no effect.
    tgt: the target expression.
    tgt_type: what kind of expression `tgt` is (`glob`, `list`, `grain`, `compound`, …).
    returner: where Salt would store the results; ensue does not store them, and logs a warning.
    **kwargs: have no effect.

Source: Salt's execution module `publish`, 3008: names, arguments and shapes.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import EnsueError
from ensue.core.model.bounded_yaml import load_plain_yaml
from ensue.core.model.data import is_list
from ensue.library.modules._target_kinds import engine_of, expression_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_logger = logging.getLogger(__name__)


async def publish(
    ctx: FunctionContext,
    tgt: str | list[str],
    fun: str,
    arg: Any = None,
    tgt_type: str = "glob",
    returner: str = "",
    timeout: int = 5,  # noqa: ASYNC109 (Salt's argument)
    via_master: str | None = None,
    **kwargs: Any,  # `wait`, `form` and others that only a master reads
) -> DataMap:
    """Call a function on every matching target and return the results by id.

    Args:
        ctx: the target that makes the call.
        via_master: has no effect.

    Example:
        ensue call '*' publish.publish 'web-*' grains.items

    Returns:
        The results by id. For a target that failed, it is the error message, and a warning is logged.
    """
    args, named = _arguments(arg)
    if returner:
        _logger.warning(
            "publish: ensue has no returners; the results of %s are not sent to %r", fun, returner
        )
    targets = await ctx.targets(expression_of(tgt_type, tgt), engine=engine_of(tgt_type))
    if not targets:
        _logger.warning("publish: no target of this project matches %r", tgt)
    answers = await asyncio.gather(*[_answer(target, fun, args, named) for target in targets])
    return {target.srn.id: answer for target, answer in zip(targets, answers, strict=True)}


async def full_data(
    ctx: FunctionContext,
    tgt: str | list[str],
    fun: str,
    arg: Any = None,
    tgt_type: str = "glob",
    returner: str = "",
    timeout: int = 5,  # noqa: ASYNC109 (Salt's argument)
    **kwargs: Any,
) -> DataMap:
    """Call a function on every matching target as `publish` does, and return `{id: {ret: result}}`.

    Example:
        ensue call '*' publish.full_data 'web-*' grains.items
    """
    answers = await publish(ctx, tgt, fun, arg, tgt_type, returner, timeout, **kwargs)
    return {key: {"ret": value} for key, value in answers.items()}


async def runner(ctx: FunctionContext, fun: str, arg: Any = None, timeout: int = 5) -> Any:  # noqa: ASYNC109 (Salt's argument)
    """Call a runner, as `saltutil.runner` does.

    Example:
        ensue call '*' publish.runner grains.items
    """
    args, named = _arguments(arg)
    return await ctx.call("saltutil.runner", fun, *args, **named)


def _arguments(given: Any) -> tuple[list[Any], dict[str, Any]]:
    words = given if is_list(given) else str(given).split(",") if given not in {None, ""} else []
    args: list[Any] = []
    named: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=") if isinstance(word, str) else ("", "", word)
        if equals and name.strip().isidentifier():
            named[name.strip()] = _read(value)
        else:
            args.append(_read(word))
    return args, named


def _read(word: Any) -> Any:
    return load_plain_yaml(word) if isinstance(word, str) else word


async def _answer(ctx: FunctionContext, fun: str, args: list[Any], named: dict[str, Any]) -> Any:
    try:
        return await ctx.call(fun, *args, **named)
    except Exception as error:  # noqa: BLE001 - functions are plug-ins
        text = str(error) if isinstance(error, EnsueError) else f"{type(error).__name__}: {error}"
        message = ctx.masker.text(text)
        _logger.warning("publish: %s on %s: %s", fun, ctx.srn, message)
        return message


FUNCTIONS: Final = by_name(full_data, publish, runner)
