"""State module `cmd`: commands and scripts.

A command changes something each time it runs; `creates`, `unless`, `onlyif` and requisites, which are
the engine's, say when it has to. The commands themselves are run by the execution module `cmd`.

Source: Salt's state module `cmd`, results, changes and texts as in 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.contracts.functions import also_takes, takes_words
from ensue.errors import StateFailedError
from ensue.model.returns import StateReturn
from ensue.states.cmd.ended import command_name
from ensue.states.cmd.known import OF_RUN, OF_SCRIPT, OUTDATED
from ensue.states.cmd.run import run
from ensue.states.cmd.script import script

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import StateContext


@also_takes(*OF_RUN, outdated=OUTDATED)
@takes_words
def wait(
    ctx: StateContext,  # noqa: ARG001 (every state function has it)
    name: str | list[str],
    **kwargs: Any,  # noqa: ARG001 (kept for mod_watch)
) -> StateReturn:
    """Do nothing until a watched state changes something; then the command is run.

    Args:
        ctx: the state's context.
        name: the command, as for `run`.
        **kwargs: those of `run`.
    """
    return StateReturn(name=command_name(name), result=True)


@also_takes(*OF_SCRIPT, outdated=OUTDATED)
def wait_script(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:  # noqa: ARG001 (kept for mod_watch)
    """Do nothing until a watched state changes something; then the script is run.

    Args:
        ctx: the state's context.
        name: the script, or any name when `source` is given.
        **kwargs: those of `script`.
    """
    return StateReturn(name=name, result=True)


async def mod_watch(
    ctx: StateContext, name: str | list[str], sfun: str = "run", **kwargs: Any
) -> StateReturn:
    """Run the command or script of a state that watches.

    Args:
        ctx: the state's context.
        name: the state's name.
        sfun: the state's function.
        **kwargs: its arguments.

    Raises:
        StateFailedError: that function cannot watch.
    """
    if sfun in {"run", "wait", "watch"}:
        return await run(ctx, name, **kwargs)
    if sfun in {"script", "wait_script"} and isinstance(name, str):
        return await script(ctx, name, **kwargs)
    raise StateFailedError(f"cmd.{sfun} does not work with watch (use cmd.wait or cmd.wait_script)")


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "mod_watch": mod_watch,
    "run": run,
    "script": script,
    "wait": wait,
    "wait_script": wait_script,
    "watch": wait,
}

MOD_WATCH = mod_watch
