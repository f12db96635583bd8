"""Execution module `cron`: crontabs of the target's users, with Salt's comment lines.

Lines above Salt's first comment line are not touched.

Source: Salt's execution module `cron`, 3008: names, comment lines and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.cron.environment import rm_env, set_env
from ensue.library.modules.cron.jobs import get_entry, list_tab, rm_job, rm_special, set_job, set_special
from ensue.library.modules.cron.storing import raw_cron, set_raw_cron

FUNCTIONS: Final = by_name(
    get_entry, list_tab, raw_cron, rm_env, rm_job, rm_special, set_env, set_job, set_raw_cron,
    set_special, ls=list_tab, rm=rm_job,
)  # fmt: skip
