"""The names that plug-ins use."""

from __future__ import annotations

import ast
from pathlib import Path

from ensue import plugin


def test_each_name_is_what_type_checkers_see() -> None:
    """The import for type checkers, the list of names and what is loaded agree."""
    tree = ast.parse(Path(plugin.__file__).read_text(encoding="utf-8"))
    (checked,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(seen) == sorted(plugin.__all__)
    assert seen == plugin._PLACES
