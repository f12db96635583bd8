"""Execution module `mine`: values that the targets of a project share.

Source: Salt's execution module `mine`, 3008: names, arguments and shapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.library.modules._target_kinds import engine_of, expression_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def get(
    ctx: FunctionContext,
    tgt: str | list[str],
    fun: str | list[str],
    tgt_type: str = "glob",
    exclude_minion: bool = False,
) -> DataMap:
    """Return a value of other targets by id; several values as `{name: {id: value}}`.

    Args:
        tgt: the target expression.
        fun: the name of the value; several as a list or separated by commas.
        tgt_type: what kind of expression `tgt` is (`glob`, `list`, `grain`, `compound`, …).
        exclude_minion: leave out this target.

    Example:
        ensue call '*' mine.get 'web-*' network.ip_addrs

    Raises:
        StateFailedError: the expression does not parse.
    """
    names = list(map(str, fun)) if is_list(fun) else [part.strip() for part in str(fun).split(",")]
    answers = await ctx.mine.gathered(expression_of(tgt_type, tgt), names, engine=engine_of(tgt_type))
    if exclude_minion:
        for values in answers.values():
            values.pop(ctx.srn.id, None)
    by_name: DataMap = {name: values for name, values in answers.items() if values}
    return by_name if is_list(fun) or len(names) > 1 else answers[names[0]]


async def send(ctx: FunctionContext, name: str, *args: Any, **kwargs: Any) -> bool:
    """Call a function on the target and store its result in the mine.

    Args:
        name: the name of the value, and of the function unless `mine_function` is given.
        *args: the function's arguments.
        **kwargs: the function's keyword arguments; `mine_function` is the function.

    Example:
        ensue call '*' mine.send network.ip_addrs
    """
    for key in ("allow_tgt", "allow_tgt_type"):
        kwargs.pop(key, None)
    function = str(kwargs.pop("mine_function", name))
    await ctx.mine.keep(ctx.srn, {name: await ctx.call(function, *args, **kwargs)})
    return True


async def update(ctx: FunctionContext, clear: bool = False, mine_functions: Any = None) -> bool:
    """Call all `mine_functions` of the target, and store their results.

    Args:
        clear: remove the target's stored values first.
        mine_functions: must be empty: definitions belong in `ensue.yaml` and in pillar.

    Raises:
        StateFailedError: a definition is invalid, or a function fails.
    """
    if mine_functions:
        raise StateFailedError("mine.update does not accept definitions: write mine_functions in pillar")
    if clear:
        await ctx.mine.forget(ctx.srn)
    await ctx.mine.update(ctx.srn)
    return True


async def delete(ctx: FunctionContext, fun: str) -> bool:
    """Remove a value of the target.

    Args:
        fun: the name of the value; several as a list or separated by commas.

    Example:
        ensue call '*' mine.delete network.ip_addrs
    """
    await ctx.mine.forget(ctx.srn, fun)
    return True


async def flush(ctx: FunctionContext) -> bool:
    """Remove all values of the target."""
    await ctx.mine.forget(ctx.srn)
    return True


async def valid(ctx: FunctionContext) -> DataMap:
    """Return the names of the target's stored values, each with an empty list."""
    return {name: [] for name in await ctx.mine.names(ctx.srn)}


FUNCTIONS: Final = by_name(delete, flush, get, send, update, valid)
