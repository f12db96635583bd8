"""The values of options that `ensue.yaml` shares with the command line or with tags.

This module imports nothing else.
"""

from __future__ import annotations

from typing import Final

LOG_LEVELS: Final = (
    "all", "garbage", "trace", "debug", "profile", "info", "warning", "error", "critical", "quiet",
)  # fmt: skip
"""The values of `log_level`: Salt's names, the most verbose first."""

STATE_OUTPUTS: Final = (
    "full", "terse", "mixed", "changes", "full_id", "terse_id", "mixed_id", "changes_id",
)  # fmt: skip
"""The values of `state_output`."""

NO_LIMIT: Final = "None"
"""The spelling of "no limit" in a tag; in YAML it is a text."""
