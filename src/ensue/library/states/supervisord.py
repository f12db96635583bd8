"""State module `supervisord`: programs under supervisord.

Notes:
    `group:` and `group:*` are all programs of a group. If a state that `supervisord.running` watches changes
    something, the program is restarted. A supervisor that does not answer is a failure.

Differences from Salt:
    In a plan of `supervisord.dead`, a program that does not run is correct; Salt's plan always reports that
    it would be stopped.

Source: Salt's state module `supervisord`, 3006: results, changes and comments. Unlike Salt's, a plan has
`changes`, and `dead` succeeds for a program that does not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_STOPPED: Final = frozenset({"STOPPED", "STOPPING", "EXITED", "FATAL", "BACKOFF"})
_HARMLESS: Final = ("already started", "not running", "process group already active")


class _ProgramStates(msgspec.Struct, frozen=True, kw_only=True):
    """The states of the programs that a name means: one program, or with `group:` those of a group."""

    name: str
    states: dict[str, str]

    @property
    def kind(self) -> str:
        return "" if not self.states else " group" if self.name.endswith(":") else " service"

    @property
    def is_stopped(self) -> bool:
        return any(state in _STOPPED for state in self.states.values())

    @property
    def is_running(self) -> bool:
        return bool(self.states) and all(state == "RUNNING" for state in self.states.values())


@also_takes()
async def running(
    ctx: StateContext,
    name: str,
    *,
    restart: bool = False,
    update: bool = False,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
    **kwargs: Any,  # arguments that `mod_watch` passes
) -> StateReturn:
    """Start a program, or with `group:` those of a group; a program that supervisord does not know is added.

    Args:
        name: the program, as in the configuration.
        restart: restart it if it runs.
        update: reload the configuration and apply its changes.
        user: user who runs supervisorctl on the target.
        conf_file: configuration file of supervisord.
        bin_env: path of supervisorctl, or a virtual environment that has it.
        **kwargs: accepted, as in Salt, without effect.

    Example:
        /etc/shop.conf:
          file.managed:
            - source: salt://shop.conf

        shop:
          supervisord.running:
            - restart: false
            - watch: [{file: /etc/shop.conf}]

    Returns:
        `changes` has the action by program; `new_state` has `name` and `running`.

    Raises:
        StateFailedError: supervisorctl fails.
    """
    group = name.removesuffix("*") if name.endswith(":*") else name
    asked = {"user": user, "conf_file": conf_file, "bin_env": bin_env}
    programs = await _found(ctx, group, asked)
    if ctx.test:
        return _planned(group, programs, restart=restart)
    done: list[str] = []
    just_updated = False
    if update or not programs.states:
        output = await _taken_up(ctx, group, asked, update=update)
        if _failed(output):
            return StateReturn.failed(group, output)
        just_updated = f"{group.removesuffix(':')}: updated" in output
        if not programs.states:
            done.append(f"Adding service: {group}")
        elif just_updated:
            done.append("Updating supervisor")
        programs = await _found(ctx, group, asked)
    verb = _verb(programs, restart=restart and not just_updated)
    comment = f"Not starting {'updated' if just_updated else 'already running'}{programs.kind}: {group}"
    if verb:
        comment = f"{verb.capitalize()}ing{programs.kind}: {group}"
        done.append(comment)
        output = await ctx.call(f"supervisord.{verb}", group, **asked)
        if _failed(output):
            return StateReturn.failed(group, output)
    changes: DataMap = {group: " ".join(done)} if done else {}
    new_state: DataMap = {"name": group, "running": True}
    return StateReturn.changed(group, comment, changes, new_state)


@also_takes()
async def dead(
    ctx: StateContext,
    name: str,
    *,
    user: str | None = None,
    conf_file: str | None = None,
    bin_env: str | None = None,
    **kwargs: Any,  # arguments that `mod_watch` passes
) -> StateReturn:
    """Stop a program, or with `group:` those of a group.

    Args:
        name: the program, as in the configuration.
        user: user who runs supervisorctl on the target.
        conf_file: configuration file of supervisord.
        bin_env: path of supervisorctl, or a virtual environment that has it.
        **kwargs: accepted, as in Salt, without effect.

    Example:
        shop:
          supervisord.dead

    Returns:
        `changes` has the action by program; `new_state` has `name` and `running`.

    Raises:
        StateFailedError: supervisorctl fails.
    """
    group = name.removesuffix("*") if name.endswith(":*") else name
    asked = {"user": user, "conf_file": conf_file, "bin_env": bin_env}
    programs = await _found(ctx, group, asked)
    new_state: DataMap = {"name": group, "running": False}
    if not programs.states:
        return StateReturn.unchanged(group, f"Service {group} doesn't exist", new_state)
    if all(state in _STOPPED for state in programs.states.values()):
        return StateReturn.unchanged(group, f"Service {group} is not running", new_state)
    comment = f"Stopping service: {group}"
    changes: DataMap = {group: comment}
    if ctx.test:
        return StateReturn.planned(group, f"Service {group} is set to be stopped", changes)
    output: str = await ctx.call("supervisord.stop", group, **asked)
    if _failed(output):
        return StateReturn.failed(group, output)
    return StateReturn.changed(group, comment, changes, new_state)


@also_takes("update", "user", "conf_file", "bin_env")
async def mod_watch(
    ctx: StateContext, name: str, *, sfun: str = "running", restart: bool = True, **kwargs: Any
) -> StateReturn:
    """Restart a program because a watched state has changes; with `dead`, it stays stopped.

    Args:
        name: the program.
        sfun: the function of the state that watches.
        restart: restart the program if it runs; without it, `running` only starts one that does not run.
        **kwargs: its other arguments.
    """
    if sfun == "dead":
        return await dead(ctx, name, **kwargs)
    return await running(ctx, name, restart=restart, **kwargs)


MOD_WATCH = mod_watch


async def _taken_up(ctx: StateContext, name: str, asked: dict[str, Any], *, update: bool) -> str:
    """Make supervisord reload its configuration; return its output."""
    if update:
        output: str = await ctx.call("supervisord.update", **asked)
        return output
    await ctx.call("supervisord.reread", **asked)
    added: str = await ctx.call("supervisord.add", name, **asked)
    return added


def _verb(programs: _ProgramStates, *, restart: bool) -> str:
    """Return the action for the programs, empty for none."""
    if not programs.states or programs.is_stopped:
        return "start"
    return "restart" if restart else ""


async def _found(ctx: StateContext, name: str, asked: dict[str, Any]) -> _ProgramStates:
    programs: dict[str, dict[str, str]] = await ctx.call("supervisord.status", **asked)
    states = {
        program: about["state"]
        for program, about in programs.items()
        if program == name or (name.endswith(":") and program.startswith(name))
    }
    return _ProgramStates(name=name, states=states)


def _planned(name: str, programs: _ProgramStates, *, restart: bool) -> StateReturn:
    is_group = name.endswith(":")
    if programs.is_running and not restart:
        what = f"All services in group '{name}' are" if is_group else f"Service {name} is"
        new_state: DataMap = {"name": name, "running": True}
        return StateReturn.unchanged(name, f"{what} already running", new_state)
    to_start = [program for program, state in programs.states.items() if state != "RUNNING"]
    if not programs.states:
        what = f"Group '{name}'" if is_group else f"Service {name}"
        comment = f"{what} will be added and started"
    elif not to_start:
        comment = f"{'All services in group ' if is_group else 'Service '}{name} will be restarted"
    elif is_group and len(to_start) < len(programs.states):
        comment = f"The following services will be started: {' '.join(to_start)}"
    else:
        what = f"All services in group '{name}'" if is_group else f"Service {name}"
        comment = f"{what} will be started"
    return StateReturn.planned(name, comment, {name: comment})


def _failed(output: str) -> bool:
    """Return whether supervisorctl failed; its exit code is the same if there was nothing to do."""
    return "ERROR" in output and not any(words in output for words in _HARMLESS)


FUNCTIONS: Final = by_name(dead, mod_watch, running)
ABSENT: Final = ("dead",)
