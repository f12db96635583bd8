"""The example of checked params: its page runs, and the documentation shows its files."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.test_docs import run_examples

EXAMPLE = Path(__file__).parents[2] / "examples/checks"


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    """Every command of the page runs in its order, and its output is what the page shows."""
    run_examples(EXAMPLE / "README.md", shutil.copytree(EXAMPLE, tmp_path / "project"))


def test_the_documentation_shows_the_files_of_the_example() -> None:
    """docs/params-schemas.md and examples/checks are the same project."""
    page = (EXAMPLE.parents[1] / "docs/params-schemas.md").read_text()
    for path in ("score.yaml", "definitions/bucket.yaml"):
        assert (EXAMPLE / path).read_text() in page, path
