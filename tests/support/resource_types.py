"""Resource types of a project under test: their files, and the modules that they leave loaded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write_types(root: Path, files: Mapping[str, str]) -> Path:
    """Write the files of a project's types.

    Args:
        root: the project.
        files: text by path below `_resources` (`box/__init__.py`).

    Returns:
        The project.
    """
    for name, content in files.items():
        path = root / "states/_resources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def unload_types() -> None:
    """Let the next project load its types from their files, whatever former ones of their names were."""
    for name in [name for name in sys.modules if name.startswith("ensue_type_")]:
        del sys.modules[name]
