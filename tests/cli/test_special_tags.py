"""The tags `never` and `always` of Ansible are words as any other, and a warning says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.cli import main

if TYPE_CHECKING:
    from pathlib import Path

STATES = """\
plain: test.nop
wipe:
  test.nop:
    - tags: [never, danger]
drop:
  test.nop:
    - tags: never
audit:
  test.nop:
    - tags: always
"""


@pytest.mark.parametrize(
    ("words", "warnings"),
    [
        ("", ["'wipe' has the tag `never` and runs, as 1 more does"]),
        ("--exclude wipe", ["'drop' has the tag `never` and runs"]),
        ("--exclude tag:never", []),
        ("--only tag:danger", ["'audit' has the tag `always` and is left out"]),
        ("--only plain,tag:always", []),
        ("--start-at audit", []),
    ],
)
def test_special_tags(
    words: str, warnings: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is a warning of what runs in spite of `never`, or does not in spite of `always`."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text(STATES)
    assert main(["--root", str(tmp_path), "apply", "t", *words.split(), "--id", "box"]) == 0
    err = capsys.readouterr().err
    assert [line for line in err.splitlines() if line.startswith("warning")] == [
        f"warning[E0891]: {each}" for each in warnings
    ]
