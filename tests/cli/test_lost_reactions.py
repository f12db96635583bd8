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
NOTIFIERS = """\
base: test.succeed_with_changes
conf:
  test.succeed_with_changes:
    - tags: deploy
vhost:
  test.succeed_with_changes:
    - listen_in: [cmd: hup]
hup:
  cmd.{call}[conf, site]}}, require: [base]]
site: test.succeed_with_changes
"""


@pytest.mark.parametrize(
    ("call", "brings", "count"),
    [
        ("wait: [{listen: ", "'base'", 3),
        ("run: [{onchanges: ", "'base'", 3),
        ("wait: [{watch: ", "'base', 'site'", 4),
    ],
)
def test_a_handler_brings_what_it_requires_and_not_what_triggers_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], call: str, brings: str, count: int
) -> None:
    """The help names what the handler would bring along, and that is what it brings."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text(NOTIFIERS.format(call=call))
    command = ["--root", str(tmp_path), "plan", "t", "--id", "box", "--only", "tag:deploy"]
    assert main(command) == 0
    help_ = "to run them now, add --only hup, which also brings what they require: {}\n"
    assert help_.format(brings) in capsys.readouterr().err
    assert main([*command, "--only", "hup"]) == 0
    assert f"{count} to change" in capsys.readouterr().out


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
        ("--only reload", "", ""),
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


STEADY = """\
{name}:
  test.{function}:
    - tags: deploy{target}
react {name}:
  test.nop:
    - onchanges: [{name}]
"""


@pytest.mark.parametrize(
    ("command", "named"), [("apply", ["same", "each", "changed", "some"]), ("plan", ["changed", "some"])]
)
def test_a_plan_names_what_reacts_to_what_would_change(
    command: str, named: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A state of the part that a plan finds as it should be loses no reaction, also on other targets."""
    each = "\n    - tgt: T@dummy:*"
    (tmp_path / "states").mkdir()
    (tmp_path / "pillar").mkdir()
    (tmp_path / "pillar/top.sls").write_text("base: {'*': [p]}\n")
    (tmp_path / "pillar/p.sls").write_text("resources: {dummy: {x1: {}, x2: {}}}\n")
    (tmp_path / "states/t.sls").write_text(
        STEADY.format(name="same", function="nop", target="")
        + STEADY.format(name="each", function="nop", target=each)
        + STEADY.format(name="changed", function="succeed_with_changes", target="")
        + STEADY.format(name="some", function="succeed_with_changes", target=each)
    )
    assert main(["--root", str(tmp_path), command, "t", "--only", "tag:deploy", "--id", "box"]) == 0
    [warning] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning[E0899]")]
    assert [name for name in ("same", "each", "changed", "some") if f"'react {name}'" in warning] == named
