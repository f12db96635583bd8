"""State module `cron`: whole crontabs, and jobs and variables that Salt's comments identify.

Notes:
    ensue recognises a crontab of Salt by its markers. Other lines stay, and jobs keep their order. On a
    target with a `root`, the spool folder is written, not the crontab of the machine.

Source: Salt's state module `cron`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.model.returns import StateReturn
from ensue.library.states._crontab_file import file

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return


async def present(
    ctx: StateContext,
    name: str,
    *,
    user: str = "root",
    minute: str | int = "*",
    hour: str | int = "*",
    daymonth: str | int = "*",
    month: str | int = "*",
    dayweek: str | int = "*",
    comment: str | None = None,
    commented: bool = False,
    identifier: str | bool | None = False,
    special: str | None = None,
) -> StateReturn:
    """Add or update a job in a crontab.

    Args:
        name: the command of the job.
        user: user whose crontab is edited.
        minute: the minute; `random` chooses a number once, as in the other fields of the time.
        hour: the hour.
        daymonth: the day of the month.
        month: the month.
        dayweek: the day of the week.
        comment: a comment above the job.
        commented: comment the job out.
        identifier: identifies the job if its command changes; by default the command.
        special: a word (`@daily`) instead of the time.

    Example:
        /usr/local/bin/backup:
          cron.present:
            - user: backup
            - hour: 3
            - minute: random
            - identifier: nightly

    Returns:
        `changes` has the user with the command; `new_state` has `user cmd identifier`.

    Raises:
        StateFailedError: the target has no cron, or cron rejects the crontab.
    """
    command = name.strip()
    found_by = command if identifier is False else identifier
    options: DataMap = {
        "comment": comment,
        "commented": commented is True,
        "identifier": None if found_by is None else str(found_by),
        "test": ctx.test,
    }
    if special is None:
        outcome = await ctx.call(
            "cron.set_job", user, minute, hour, daymonth, month, dayweek, command, **options
        )  # fmt: skip
    else:
        outcome = await ctx.call("cron.set_special", user, special, command, **options)
    new_state: DataMap = {"user": user, "cmd": command, "identifier": options["identifier"]}
    if outcome == "present":
        return StateReturn.unchanged(command, f"Cron {command} already present", new_state)
    if ctx.test:
        what = "added" if outcome == "new" else "updated"
        return StateReturn.planned(command, f"Cron {command} is set to be {what}")
    text = f"Cron {command} added to {user}'s crontab" if outcome == "new" else f"Cron {command} updated"
    return StateReturn.changed(command, text, {user: command}, new_state)


@also_takes("commented", "comment", "daymonth", "dayweek", "hour", "minute", "month", "special")
async def absent(
    ctx: StateContext,
    name: str,
    *,
    user: str = "root",
    identifier: str | bool | None = False,
    special: str | None = None,
    **kwargs: Any,  # Salt accepts the arguments of `present`
) -> StateReturn:
    """Remove a job from a crontab.

    Args:
        name: the command of the job.
        user: user whose crontab is edited.
        identifier: identifies the job; by default the command.
        special: set for a job whose time is a word.
        **kwargs: the other arguments of `present`, without effect.

    Example:
        /usr/local/bin/backup:
          cron.absent:
            - user: backup

    Returns:
        `changes` has the user with the command; `new_state` has `user cmd exists`.

    Raises:
        StateFailedError: the target has no cron.
    """
    command = name.strip()
    found_by = command if identifier is False else identifier
    outcome = await ctx.call(
        "cron.rm_job" if special is None else "cron.rm_special", user, command,
        identifier=None if found_by is None else str(found_by), test=ctx.test,
    )  # fmt: skip
    new_state: DataMap = {"user": user, "cmd": command, "exists": False}
    if outcome == "absent":
        comment = f"Cron {command} is absent" if ctx.test else f"Cron {command} already absent"
        return StateReturn.unchanged(command, comment, new_state)
    if ctx.test:
        return StateReturn.planned(command, f"Cron {command} is set to be removed")
    comment = f"Cron {command} removed from {user}'s crontab"
    return StateReturn.changed(
        command, comment, {user: command}, new_state, old_state={"user": user, "cmd": command}
    )


async def env_present(
    ctx: StateContext, name: str, value: str | float | None = None, user: str = "root"
) -> StateReturn:
    """Set a variable in a crontab.

    Args:
        name: the variable.
        value: its value, written unchanged.
        user: user whose crontab is edited.

    Example:
        MAILTO:
          cron.env_present:
            - value: ops@example.com
            - user: backup

    Returns:
        `changes` has the user with the variable.

    Raises:
        StateFailedError: the target has no cron, or cron rejects the crontab.
    """
    new_state: DataMap = {"user": user, "name": name, "value": "" if value is None else str(value)}
    outcome: str = await ctx.call("cron.set_env", user, name, value=value, test=ctx.test)
    if outcome == "present":
        return StateReturn.unchanged(name, f"Cron env {name} already present", new_state)
    if ctx.test:
        what = "added" if outcome == "new" else "updated"
        return StateReturn.planned(name, f"Cron env {name} is set to be {what}")
    added = f"Cron env {name} added to {user}'s crontab"
    comment = added if outcome == "new" else f"Cron env {name} updated"
    return StateReturn.changed(name, comment, {user: name}, new_state)


async def env_absent(ctx: StateContext, name: str, user: str = "root") -> StateReturn:
    """Remove a variable from a crontab.

    Args:
        name: the variable.
        user: user whose crontab is edited.

    Example:
        PATH:
          cron.env_absent:
            - user: backup

    Returns:
        `changes` has the user with the variable.

    Raises:
        StateFailedError: the target has no cron.
    """
    variable = name.strip()
    gone: DataMap = {"user": user, "name": variable, "exists": False}
    outcome: str = await ctx.call("cron.rm_env", user, variable, test=ctx.test)
    if outcome == "absent":
        what = "is absent" if ctx.test else "already absent"
        return StateReturn.unchanged(variable, f"Cron env {variable} {what}", gone)
    if ctx.test:
        return StateReturn.planned(variable, f"Cron env {variable} is set to be removed")
    comment = f"Cron env {variable} removed from {user}'s crontab"
    return StateReturn.changed(variable, comment, {user: variable}, gone)


def _entries(returned: Return) -> list[str]:
    """Return what a state is about: a line of a crontab, even if its command is the path of a program."""
    return [f"crontab {returned.name}"]


THINGS: Final = _entries

FUNCTIONS: Final = placed(
    by_name(absent, env_absent, env_present, file, present, make_only=("name",)), "user"
)
ABSENT: Final = {"env_present": "env_absent", "file": "absent", "present": "absent"}
