"""The words of options that `ensue.yaml` shares with the command line or with tags.

This module imports nothing.
"""

from __future__ import annotations

from typing import Final

LOG_LEVELS: Final = (
    "all", "garbage", "trace", "debug", "profile", "info", "warning", "error", "critical", "quiet",
)  # fmt: skip
"""What `log_level` may be: Salt's names, the most verbose first."""

STATE_OUTPUTS: Final = (
    "full", "terse", "mixed", "changes", "full_id", "terse_id", "mixed_id", "changes_id",
)  # fmt: skip
"""What `state_output` may be."""

NO_LIMIT: Final = "None"
"""How a tag spells that there is no limit; in YAML it is a text."""
