"""The names of the renderers that come with ensue, available without loading one."""

from __future__ import annotations

from typing import Final

NAMES: Final = ("gpg", "jinja", "json", "mako", "py", "pyobjects", "stateconf", "text", "yaml", "yamlex")
"""The renderers that a pipe may name without plug-ins of a project or a distribution."""
