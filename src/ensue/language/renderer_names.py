"""The names of the renderers that come with ensue, for those who read them without loading one."""

from __future__ import annotations

from typing import Final

NAMES: Final = ("gpg", "jinja", "json", "mako", "py", "pyobjects", "stateconf", "text", "yaml", "yamlex")
"""What a pipe may name without a renderer of a project or of a distribution."""
