"""Warnings that `silence_warnings` names are not shown; errors are, whatever it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import Shell

import ensue

if TYPE_CHECKING:
    from pathlib import Path

LOOKALIKE = "make:\n  test.nop: []\nshow:\n  test.show_notification:\n    - text: ${make}\n"


def test_a_silenced_warning_is_not_shown(tmp_path: Path) -> None:
    """The code hides the warning on stderr and in a result of the Python API."""
    shell = Shell(tmp_path)
    shell.write("states/a.sls", LOOKALIKE)
    assert "E0407" in shell.run("plan", "a").err
    assert [one.code for one in ensue.plan("a", root=tmp_path).warnings] == ["E0407"]
    shell.write("ensue.yaml", "silence_warnings: [E0407]\n")
    assert shell.run("plan", "a").err == ""
    assert ensue.plan("a", root=tmp_path).warnings == ()


def test_an_error_is_shown_all_the_same(tmp_path: Path) -> None:
    """The code of an error silences nothing, and what is no code is refused."""
    shell = Shell(tmp_path)
    shell.write("states/a.sls", "make:\n  test.nopp: []\n")
    shell.write("ensue.yaml", "silence_warnings: [E0401]\n")
    assert "E0401" in shell.run("plan", "a").err
    shell.write("ensue.yaml", "silence_warnings: [lookalikes]\n")
    assert "a code such as E0407" in shell.run("plan", "a").err
