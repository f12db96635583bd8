"""The example of a server that is waited for: its page runs, and the documentation shows its files."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.cli.shell import Shell
from tests.test_docs import run_examples

EXAMPLE = Path(__file__).parents[2] / "examples/ready"


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    """Every command of the page runs in its order, and its output is what the page shows."""
    project = shutil.copytree(EXAMPLE, tmp_path / "project")
    try:
        run_examples(EXAMPLE / "README.md", project)
    finally:
        Shell(project).run("deploy", "--app", "shop", "--env", "dev", "--destroy")  # Leaves no server.


def test_the_documentation_shows_the_files_of_the_example() -> None:
    """docs/readiness.md and examples/ready are the same project."""
    page = (EXAMPLE.parents[1] / "docs/readiness.md").read_text()
    for path in ("score.yaml", "definitions/server.yaml", "programs/server.py"):
        assert (EXAMPLE / path).read_text() in page, path
