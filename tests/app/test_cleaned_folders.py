"""`clean` keeps what states of the run declare below the folder, required or not; the rest it removes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

DIRECTORY = "d: {{file.directory: [{{name: {root}/d}}, {{clean: true}}]}}\n"
FILES = """
f: {{file.managed: [{{name: {root}/d/sub/a}}, {{contents: x}}, {{makedirs: true}}]}}
sub: {{file.directory: [{{name: {root}/d/sub}}]}}
gone: {{file.absent: [{{name: {root}/d/gone}}]}}
"""
IN_A_BLOCK = """
caller: {{test.nop: [{{delayed_render: [{{block: inner}}]}}]}}
#!delayed_block inner
g: {{file.managed: [{{name: {root}/d/b}}, {{contents: x}}]}}
#!end_delayed_block inner
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project, and a folder with two files that nobody declares."""
    (tmp_path / "d" / "sub").mkdir(parents=True)
    for name in ("stray", "gone", "sub/stray"):
        (tmp_path / "d" / name).write_text("x")
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: here\n")
    return shell


def names(tmp_path: Path) -> list[str]:
    """Return the files of the folder."""
    folder = tmp_path / "d"
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("parts", [(FILES, IN_A_BLOCK, DIRECTORY), (DIRECTORY, FILES)])
def test_what_the_run_declares_stays(shell: Shell, tmp_path: Path, parts: tuple[str, ...]) -> None:
    """In either order, also what a block before it declares; the second apply changes nothing."""
    shell.write("states/t.sls", "".join(parts).format(root=tmp_path))
    applied = shell.run("apply", "t")
    assert applied.code == 0, applied.out
    assert names(tmp_path) == (["b", "sub/a"] if IN_A_BLOCK in parts else ["sub/a"])
    again = shell.run("apply", "t")
    assert (again.code, "0 changed" in again.out) == (0, True), again.out


def test_what_the_chosen_part_leaves_out_stays(shell: Shell, tmp_path: Path) -> None:
    """The SLS declares it, even if this run does not look at it."""
    shell.write("states/t.sls", (FILES + DIRECTORY).format(root=tmp_path))
    (tmp_path / "d" / "sub" / "a").write_text("x")
    assert shell.run("apply", "t", "--only", "d").code == 0
    assert names(tmp_path) == ["sub/a"]


def test_a_plan_says_what_is_removed_as_of_now(shell: Shell, tmp_path: Path) -> None:
    """An earlier state makes something in the folder, so the plan is not certain."""
    shell.write("states/t.sls", (FILES + DIRECTORY).format(root=tmp_path))
    planned = shell.run("plan", "t").out
    removed = ", ".join(f"{tmp_path}/d/{name}: removed - Removed due to clean" for name in ("gone", "stray"))
    assert f"now: The following files will be changed: {removed}" in planned
