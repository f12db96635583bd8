"""The pages of the reference, and the links that lead to them."""

from __future__ import annotations

import re
from pathlib import Path

from ensue.output.documentation import KINDS, shipped_documentation, write_reference

DOCS = Path(__file__).parents[2] / "docs"


def test_every_module_has_a_page_with_all_its_functions(tmp_path: Path) -> None:
    """A page has a section for each function; a page that is left of an earlier build is removed."""
    (tmp_path / "states").mkdir()
    left = tmp_path / "states" / "gone.md"
    left.write_text("# gone\n")
    pages = {path.relative_to(tmp_path).as_posix(): path for path in write_reference(tmp_path)}
    assert not left.exists()
    docs = shipped_documentation()
    for kind in KINDS:
        for name in docs.modules(kind):
            module = docs.module(kind, name)
            assert module is not None
            sections = re.findall(r"^## `(.*)`$", pages[f"{kind}/{name}.md"].read_text(), re.MULTILINE)
            assert sections == [f"{name}.{function}" for function in module.functions]


def test_links_to_pages_lead_to_modules(tmp_path: Path) -> None:
    """Each link of the documentation into the reference names a module that there is."""
    pages = {path.relative_to(tmp_path).as_posix() for path in write_reference(tmp_path)}
    links = {
        link
        for page in DOCS.glob("*.md")
        for link in re.findall(r"\]\(reference/([^)#]+)", page.read_text(encoding="utf-8"))
    }
    assert links
    assert links <= pages


def test_cells_of_tables_are_whole(tmp_path: Path) -> None:
    """A `|` in a meaning ends no cell: each row has as many cells as its heading."""
    for path in write_reference(tmp_path):
        width = 0
        for line in path.read_text(encoding="utf-8").splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert not width or not cells or cells == width, f"{path.name}: {line}"
            width = cells
