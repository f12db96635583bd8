"""Public names: each leads to something, none is loaded before it is used, and documents use no others."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ("ensue", "ensue.plugin", "ensue.testing", "ensue.derived", "ensue.workload_output")
_IMPORT = re.compile(r"^\s*(?:from (ensue[\w.]*) import|import (ensue[\w.]*))", re.MULTILINE)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there(name: str) -> None:
    """What `__all__` lists can be had, and `dir()` shows it; another name is an AttributeError."""
    module = importlib.import_module(name)
    assert {exported for exported in module.__all__ if getattr(module, exported) is None} <= {
        "current_registry"
    }
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match="no attribute 'of_nobody'"):
        _ = module.of_nobody


@pytest.mark.parametrize("name", ["ensue", "ensue.plugin", "ensue.testing"])
def test_importing_loads_nothing(name: str) -> None:
    """A package of public names loads no other module of ensue until a name is used."""
    script = f"import sys, {name}; print(*sorted(one for one in sys.modules if one.startswith('ensue')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {
        "ensue",
        name,
        "ensue.core",
        "ensue.core.public_names",
        "ensue.version",
    }


def _pages() -> list[Path]:
    examples = (path for kind in ("py", "md") for path in (ROOT / "examples").rglob(f"*.{kind}"))
    return [*sorted((ROOT / "docs").glob("*.md")), *sorted(examples), ROOT / "README.md"]


def test_documents_and_examples_use_public_names_alone() -> None:
    """Nobody who follows a page or copies an example imports what is internal."""
    internal = [
        f"{page.relative_to(ROOT)}: {match[0].strip()}"
        for page in _pages()
        for match in _IMPORT.finditer(page.read_text())
        if (match[1] or match[2]) not in PUBLIC
    ]
    assert not internal


def test_documents_name_public_modules_alone() -> None:
    """A page that sends its reader to a name in code sends him to a public one."""
    named = re.compile(r"`(ensue(?:\.\w+)+)\b")
    internal = {
        f"{page.name}: {match[1]}"
        for page in _pages()
        for match in named.finditer(page.read_text())
        if not _is_public(match[1]) and not _is_entry_point_group(match[1])
    }
    assert not internal


def _is_public(dotted: str) -> bool:
    module, _, name = dotted.rpartition(".")
    return dotted in PUBLIC or (module in PUBLIC and name in importlib.import_module(module).__all__)


def _is_entry_point_group(dotted: str) -> bool:
    kinds = ("drivers", "library.modules", "library.states", "providers", "renderers", "resources", "yaml")
    return dotted in {f"ensue.{kind}" for kind in kinds}
