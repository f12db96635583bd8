"""`cmd.run`: runs a command line each time the state runs.

Source: Salt's state module `cmd`, 3008.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.contracts.functions import also_takes, takes_words
from ensue.core.errors import NotOfferedError, StateFailedError
from ensue.core.model.returns import StateReturn, UnknownReturn
from ensue.library.states.cmd.command_result import check_environment, command_name, command_return, secrecy
from ensue.library.states.cmd.known import FURTHER, OUTDATED
from ensue.library.states.cmd.limited import called_in, within
from ensue.library.states.cmd.stateful import reinterpreted, reports_itself, test_command
from ensue.library.states.file.needs import with_accounts

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode, Seconds
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@also_takes(*FURTHER, outdated=OUTDATED)
@takes_words
async def run(
    ctx: StateContext,
    name: str | list[str],
    *,
    cwd: str | None = None,
    root: str | None = None,
    runas: str | int | None = None,
    shell: str | None = None,
    env: DataMap | list[Data] | None = None,
    prepend_path: str | None = None,
    stateful: bool | list[Data] = False,
    read_only: bool = False,
    hide_output: bool = False,
    sensitive: bool | list[Data] = False,
    timeout: Seconds | None = None,  # noqa: ASYNC109 (Salt's argument)
    ignore_timeout: bool = False,
    umask: Mode | None = None,
    success_retcodes: int | list[int] | None = None,
    success_stdout: str | list[str] | None = None,
    success_stderr: str | list[str] | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Run a command; a non-zero exit code is a failure.

    Args:
        name: command line for the shell, or a list (program and arguments), which runs without a shell.
        cwd: the folder to run in, which must exist.
        root: run it with this folder as the root of the file system.
        runas: the user to run it as, by name or number.
        shell: the shell that reads the line; `/bin/sh` by default, whatever the login shell is.
        env: variables to set, as a mapping or a list of mappings.
        prepend_path: a folder to add at the start of PATH.
        stateful: the command reports itself whether it changed something: its last line of output is
            `changed=yes comment='…'`, or its output is JSON. `[test_name: COMMAND]` names a command for
            plans.
        read_only: the command only reads: a plan runs it, too, unless a state that it requires would change
            something, and it reports no change unless it fails.
        hide_output: leave the output out of the return.
        sensitive: the output is a secret: it can be bound, and is hidden wherever ensue writes it. The error
            output is left out. `[password]` lists the property paths of the secrets in an output that is
            JSON: the rest of `stdout_json` is shown.
        timeout: seconds after which the command is ended, with everything that precedes it.
        ignore_timeout: succeed after a timeout.
        umask: file mode mask.
        success_retcodes: exit codes that count as success.
        success_stdout: texts in the output that mean success.
        success_stderr: texts in the error output that mean success.
        **kwargs: `stdin`, `bg`, `clean_env`, `group`, and arguments that concern only Salt itself.

    Example:
        build:
          cmd.run:
            - name: make install
            - cwd: /usr/local/src/tool
            - creates: /usr/local/bin/tool

    Returns:
        `changes` and `new_state` have `pid retcode stdout stderr`. `new_state` also has `stdout_json` if the
        output is JSON, and `exit_code` if another code than 0 counts as success. In a plan the result is
        None and there is no `new_state`, unless it is `read_only`.
    """
    if not ctx.connection.can_run:
        # Told in a plan too, which runs nothing.
        raise NotOfferedError("run", target_type=ctx.srn.type)
    check_environment(env)
    command = name
    name = command_name(command)
    instead = test_command(stateful)
    if read_only and stateful:
        raise StateFailedError(
            "give either `read_only` or `stateful`: a command that only reads changes nothing"
        )
    if ctx.test and read_only and ctx.pending_states:
        names = ", ".join(f"'{each}'" for each in ctx.pending_states)
        return UnknownReturn(name=name, result=None, comment=f"waits for {names} (known after apply)")
    if ctx.test and not instead and not read_only:
        planned = StateReturn.planned(name, f'Command "{name}" would have been executed', {"cmd": name})
        return await with_accounts(
            ctx.connection,
            reports_itself(name) if stateful else planned,
            user=runas,
            group=kwargs.get("group"),
            folder=cwd,
        )
    if ctx.test and instead:
        command = instead
    call = partial(
        ctx.call, "cmd.run_all", command, cwd=cwd, root=root, runas=runas, shell=shell, env=env,
        prepend_path=prepend_path, hide_output=hide_output, timeout=timeout, umask=umask,
        success_retcodes=success_retcodes, success_stdout=success_stdout, success_stderr=success_stderr,
        **{**kwargs, **secrecy(sensitive), "python_shell": True},
    )  # fmt: skip
    done = await within(timeout, called_in(ctx, cwd, call), shown="" if hide_output else name)
    if done is None:
        return StateReturn.failed(name, f'Desired working directory "{cwd}" is not available')
    if ignore_timeout and done["retcode"] == 1 and "Timed out after" in str(done["stdout"]):
        done = {**done, "retcode": 0}
    comment = f'Command "{instead if ctx.test and instead else name}" run'
    returned = command_return(name, done, comment=comment, sensitive=sensitive)
    # A failure is described by its exit code and output, which are in the changes.
    if read_only and returned.result:
        return msgspec.structs.replace(returned, changes={})
    return reinterpreted(returned, ctx) if stateful else returned
