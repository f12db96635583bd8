"""Whatever is wrong with an input: a diagnostic with its place, and the exit code that goes with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.app.bad_inputs import resources, runs, states, surroundings, targets, templates, yaml_texts

from ensue.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.app.bad_inputs.row import Row

ROWS = [
    (module.__name__.rpartition(".")[2], row)
    for module in (resources, runs, states, surroundings, targets, templates, yaml_texts)
    for row in module.ROWS
]
INNER_FAULTS = ("internal error", "Traceback (most recent call last)", "An exception occurred")


@pytest.mark.parametrize(("row"), [pytest.param(row, id=f"{area}: {row.what}") for area, row in ROWS])
def test_a_bad_input_is_refused(row: Row, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused with its code, its place and exit code 1, or fails the state that needs it, with 2."""
    for name, content in row.files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    code = main(["--root", str(tmp_path), *row.words, "--id", "box"])
    out, err = capsys.readouterr()
    assert not any(words in out + err for words in INNER_FAULTS)
    assert not list(tmp_path.rglob("crash-*"))
    kind, _, words = row.expected.partition(": ")
    if kind == "run":
        assert (code, words in out + err) == (2, True), out + err
    elif kind == "usage":
        assert (code, words in err) == (1, True), err
    else:
        diagnostic, _, place = row.expected.partition(" ")
        assert code == 1
        code, where = _first(err)
        assert code == diagnostic
        # The row names the line; the column is the business of the test of each kind of error.
        assert where == place or re.fullmatch(rf"{re.escape(place)}:\d+", where)


def _first(err: str) -> tuple[str, str]:
    """Return code and place of the first diagnostic."""
    lines = err.splitlines()
    at, head = next((at, line) for at, line in enumerate(lines) if line.startswith("error["))
    place = next((line for line in lines[at + 1 : at + 2] if line.startswith("  --> ")), "")
    return head.removeprefix("error[").partition("]")[0], place.removeprefix("  --> ").partition(": ")[0]


def test_the_table_is_no_shorter_than_it_was() -> None:
    """There are several hundred rows, and no two of one area have the same name."""
    assert len(ROWS) >= 400
    assert len({(area, row.what) for area, row in ROWS}) == len(ROWS)


HALF_A_PAIR = """a:
  cmd.run:
    - name: cat {{ opts.root_dir }}/half.json
b:
  test.present:
    - new_state: ${cmd:a:stdout_json}
"""


@pytest.mark.parametrize("out", ["json", "yaml", "highstate"])
def test_half_a_pair_in_what_a_command_says_is_data(
    out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is bound, kept and shown (as an escape, where there is no other form), and ends no run."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text(HALF_A_PAIR)
    (tmp_path / "half.json").write_text('{"v": "\\ud800"}')
    assert main(["--root", str(tmp_path), "apply", "t", "--out", out]) == 0
    assert "ud800" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("root", "first"),
    [("states", "include: [s1]\nx: test.nop\n"), ("pillar", "include: [s1]\nx: 1\n")],
)
def test_an_include_may_lead_to_another_two_thousand_times(
    root: str, first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A chain of includes has no bound but memory, neither of SLS nor of pillar."""
    for name in ("states", "pillar"):
        (tmp_path / name).mkdir()
    (tmp_path / "states/t.sls").write_text("x: test.nop\n")
    (tmp_path / "pillar/top.sls").write_text("base: {'*': [t]}\n")
    (tmp_path / "pillar/t.sls").write_text("x: 1\n")
    (tmp_path / root / "t.sls").write_text(first)
    value = "test.nop" if root == "states" else "1"
    for number in range(1, 2000):
        (tmp_path / root / f"s{number}.sls").write_text(f"include: [s{number + 1}]\ni{number}: {value}\n")
    (tmp_path / root / "s2000.sls").write_text(f"last: {value}\n")
    words = ("show", "low", "t") if root == "states" else ("show", "pillar")
    assert main(["--root", str(tmp_path), *words, "--out", "json"]) == 0
    out = capsys.readouterr().out
    assert "i1999" in out
    assert "last" in out
