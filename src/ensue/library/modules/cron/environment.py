"""Variables of a crontab. A changed variable keeps its position; a new one is added above the jobs.

Args:
    user: the owner of the crontab.
    name: the variable.
    test: return what would be done without doing it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.library.modules.cron.storing import raw_cron, write_cron
from ensue.library.modules.cron.table import Job, read_table

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def set_env(ctx: FunctionContext, user: str, name: str, value: Any = None, test: bool = False) -> str:
    """Set a variable in a crontab.

    Args:
        value: its value, written as it is; None for an empty text.

    Example:
        ensue call '*' cron.set_env deploy MAILTO

    Returns:
        `new`, `updated` or `present`.

    Raises:
        StateFailedError: name or value contain a line end, or the crontab cannot be written.
    """
    line = f"{name}={'' if value is None else value}"
    line = f'{name}=""' if value is None or value == "" else line
    if "\n" in line or "=" in name:
        raise StateFailedError(f"{line!r} is not a variable of a crontab")
    table = read_table(await raw_cron(ctx, user))
    entries = list(table.entries)
    places = [place for place, entry in enumerate(entries) if variable_name(entry) == name]
    if places and entries[places[-1]] == line:
        return "present"
    if places:
        entries[places[-1]] = line
    else:
        variables = [place for place, entry in enumerate(entries) if variable_name(entry)]
        entries.insert(variables[-1] + 1 if variables else 0, line)
    if not test:
        await write_cron(ctx, user, table.with_entries(entries).text())
    return "updated" if places else "new"


async def rm_env(ctx: FunctionContext, user: str, name: str, test: bool = False) -> str:
    """Remove a variable from a crontab, and return `removed` or `absent`.

    Example:
        ensue call '*' cron.rm_env deploy MAILTO
    """
    table = read_table(await raw_cron(ctx, user))
    left = [entry for entry in table.entries if variable_name(entry) != name]
    if len(left) == len(table.entries):
        return "absent"
    if not test:
        await write_cron(ctx, user, table.with_entries(left).text())
    return "removed"


def variable_name(entry: Job | str) -> str:
    """Return the name of the variable that an entry sets, empty if it sets none."""
    if isinstance(entry, Job) or entry.startswith("#"):
        return ""
    name, equals, _ = entry.partition("=")
    return name.strip() if equals else ""
