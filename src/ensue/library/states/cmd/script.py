"""`cmd.script`: copies a script to the target and runs it, each time the state runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.cmd.command_result import check_environment, command_return, secrecy
from ensue.library.states.cmd.known import FURTHER, OUTDATED
from ensue.library.states.cmd.limited import called_in, within
from ensue.library.states.cmd.stateful import reinterpreted, reports_itself, test_command
from ensue.library.states.file.needs import with_accounts

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode, Seconds
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@also_takes(*FURTHER, outdated=OUTDATED)
async def script(
    ctx: StateContext,
    name: str,
    *,
    source: str | None = None,
    args: str | list[str] | None = None,
    template: str | None = None,
    context: DataMap | None = None,
    defaults: DataMap | None = None,
    cwd: str | None = None,
    runas: str | int | None = None,
    env: DataMap | list[Data] | None = None,
    stateful: bool | list[Data] = False,
    sensitive: bool | list[Data] = False,
    timeout: Seconds | None = None,  # noqa: ASYNC109 (Salt's argument)
    umask: Mode | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Run a script; a non-zero exit code is a failure.

    Args:
        name: the script with its arguments. If `source` is given: any name, and the arguments after the first
            blank.
        source: `salt://…`, http(s), or a path of the managing minion.
        args: arguments of the script, in the syntax of a shell or as a list.
        template: render the script first, with this renderer (`jinja`).
        context: variables for the template.
        defaults: variables for templates; `context` overrides them.
        cwd: the folder to run in, which must exist.
        runas: the user to run it as.
        env: variables to set.
        stateful: the script reports itself whether it changed something, as with `cmd.run`.
        sensitive: the output is a secret, as with `cmd.run`.
        timeout: seconds after which the script is ended, with everything that precedes it.
        umask: file mode mask.
        **kwargs: the further arguments of `cmd.run`.

    Example:
        setup:
          cmd.script:
            - source: salt://scripts/setup.sh
            - args: --fast
            - creates: /var/lib/setup.done

    Returns:
        As for `cmd.run`.
    """
    _check_mappings(context=context, defaults=defaults)
    check_environment(env)
    instead = test_command(stateful)
    if ctx.test and not instead:
        planned = StateReturn.planned(name, f"Command '{name}' would have been executed")
        return await with_accounts(
            ctx.connection,
            reports_itself(name) if stateful else planned,
            user=runas,
            group=kwargs.get("group"),
            folder=cwd,
        )
    line = instead if ctx.test and instead else name
    first, _, rest = line.partition(" ")
    call = partial(
        ctx.call, "cmd.script", source or first, args=args or rest or None, template=template,
        context=context, defaults=defaults, cwd=cwd, runas=runas, env=env, timeout=timeout, umask=umask,
        **{**kwargs, **secrecy(sensitive)},
    )  # fmt: skip
    done = await within(timeout, called_in(ctx, cwd, call), shown="" if kwargs.get("hide_output") else line)
    if done is None:
        return StateReturn.failed(name, f'Desired working directory "{cwd}" is not available')
    if done.get("cache_error"):
        comment = f"Unable to cache script {source or first} from saltenv 'base': {done['stderr']!s}"
        return StateReturn.failed(name, comment, {**done, "stderr": ""})
    returned = command_return(name, done, comment=f"Command '{line}' run", sensitive=sensitive)
    return reinterpreted(returned, ctx) if stateful else returned


def _check_mappings(**given: object) -> None:
    for word, value in given.items():
        if value and not isinstance(value, dict):
            raise StateFailedError(f"Invalidly-formatted '{word}' parameter. Must be formed as a dict.")
