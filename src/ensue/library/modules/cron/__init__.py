"""Execution module `cron`: crontabs of the target's users, with Salt's comment lines.

Lines above Salt's first comment line are not touched.

Source: Salt's execution module `cron`, 3008: names, comment lines and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.cron.environment import rm_env, set_env
from ensue.library.modules.cron.jobs import get_entry, list_tab, rm_job, rm_special, set_job, set_special
from ensue.library.modules.cron.storing import raw_cron, set_raw_cron

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "get_entry": get_entry,
    "list_tab": list_tab,
    "ls": list_tab,
    "raw_cron": raw_cron,
    "rm": rm_job,
    "rm_env": rm_env,
    "rm_job": rm_job,
    "rm_special": rm_special,
    "set_env": set_env,
    "set_job": set_job,
    "set_raw_cron": set_raw_cron,
    "set_special": set_special,
}
