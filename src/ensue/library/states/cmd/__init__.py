"""State module `cmd`: runs commands and scripts.

A command is assumed to change something each time it runs. The engine decides by `creates`, `unless`,
`onlyif` and requisites whether it runs. The execution module `cmd` runs it.

Source: Salt's state module `cmd`; results, changes and comments as in 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name, takes_words
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.cmd.command_result import command_name, secret_output
from ensue.library.states.cmd.known import OF_RUN, OF_SCRIPT, OUTDATED
from ensue.library.states.cmd.run import run
from ensue.library.states.cmd.script import script

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


@also_takes(*OF_RUN, outdated=OUTDATED)
@takes_words
def wait(
    ctx: StateContext,
    name: str | list[str],
    **kwargs: Any,  # kept for mod_watch
) -> StateReturn:
    """Do nothing, unless a watched state has changes; then run the command.

    Args:
        name: the command, as for `run`.
        **kwargs: the arguments of `cmd.run`.

    Example:
        /etc/systemd/system/tool.service:
          file.managed:
            - source: salt://tool.service

        systemctl daemon-reload:
          cmd.wait:
            - watch: [{file: /etc/systemd/system/tool.service}]
    """
    return StateReturn(name=command_name(name), result=True)


@also_takes(*OF_SCRIPT, outdated=OUTDATED)
def wait_script(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:  # kept for mod_watch
    """Do nothing, unless a watched state has changes; then run the script.

    Args:
        name: the script, or any text if `source` is given.
        **kwargs: the arguments of `cmd.script`.

    Example:
        /etc/search.conf:
          file.managed:
            - source: salt://search.conf

        reindex:
          cmd.wait_script:
            - source: salt://scripts/reindex.sh
            - watch: [{file: /etc/search.conf}]
    """
    return StateReturn(name=name, result=True)


async def mod_watch(
    ctx: StateContext, name: str | list[str], sfun: str = "run", **kwargs: Any
) -> StateReturn:
    """Run the command or script of a state whose watched states have changes.

    Args:
        name: the state's name.
        sfun: name of the state function.
        **kwargs: its arguments.

    Raises:
        StateFailedError: the function does not support `watch`.
    """
    if sfun in {"run", "wait", "watch"}:
        return await run(ctx, name, **kwargs)
    if sfun in {"script", "wait_script"} and isinstance(name, str):
        return await script(ctx, name, **kwargs)
    raise StateFailedError(f"cmd.{sfun} does not work with watch (use cmd.wait or cmd.wait_script)")


FUNCTIONS: Final = by_name(mod_watch, run, script, wait, wait_script, watch=wait)

MOD_WATCH = mod_watch

SECRETS: Final = secret_output
QUERIES: Final = ("run", "script", "wait", "wait_script", "watch")
"""In a plan, only a command that reads, or reports what it would change, has an output."""
