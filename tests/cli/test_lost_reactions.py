"""A state that reacts to the chosen part of a run, and is left out, is named before the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.cli import main

if TYPE_CHECKING:
    from pathlib import Path

STATES = """\
conf:
  test.succeed_with_changes:
    - tags: deploy
    - listen_in: [cmd: reload]
    - watch_in: [cmd: count]
reload: cmd.wait
count: cmd.wait
note:
  test.nop:
    - onchanges: [conf]
after:
  test.nop:
    - require: [conf]
failed:
  test.nop:
    - onfail: [conf]
last:
  test.succeed_with_changes:
    - listen_in: [cmd: count]
"""


@pytest.mark.parametrize("command", ["apply", "plan"])
@pytest.mark.parametrize(
    ("words", "reacting", "instead"),
    [
        (
            "--only tag:deploy",
            "'conf' runs, and what reacts to its changes is left out: 'reload', 'count', 'note'",
            "add --only reload --only count --only note",
        ),
        (
            "--only conf,reload",
            "'conf' runs, and what reacts to its changes is left out: 'count', 'note'",
            "add --only count --only note",
        ),
        (
            "--start-at last",
            "'last' runs, and what reacts to its changes is left out: 'count'",
            "leave out --start-at, or name the states with --only count",
        ),
        ("--only conf --exclude reload,count,note", "", ""),
        ("--only conf,reload,count,note", "", ""),
        ("--only reload", "'conf' runs, and what reacts to its changes is left out: 'count', 'note'", ""),
        ("--exclude note", "", ""),
        ("", "", ""),
    ],
)
def test_lost_reactions(
    command: str,
    words: str,
    reacting: str,
    instead: str,
    *,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """There is one warning of what reacts, by any word and from either side, unless `--exclude` names it."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text(STATES)
    assert main(["--root", str(tmp_path), command, "t", *words.split(), "--id", "box"]) in {0, 2}
    err = capsys.readouterr().err
    warnings = [line for line in err.splitlines() if line.startswith("warning")]
    assert warnings == ([f"warning[E0899]: {reacting}"] if reacting else [])
    assert instead in err
