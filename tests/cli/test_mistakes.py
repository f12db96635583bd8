"""Mistakes of newcomers are answered with what is wrong, where, and how to mend it."""

from __future__ import annotations

import re
import shlex
import sys
from base64 import b64encode
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.cli.mistakes import (
    ansible,
    ansible_commands,
    ansible_projects,
    deployments,
    other_tools,
    results,
    sls,
    targets,
    terraform,
)
from tests.cli.mistakes.mistake import SECRET

from ensue.cli import main
from ensue.store.runs.lock import project_lock

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.mistakes.mistake import Mistake

AREAS = {
    "sls": sls,
    "other tools": other_tools,
    "terraform": terraform,
    "targets": targets,
    "results": results,
    "ansible": ansible,
    "commands of ansible": ansible_commands,
    "projects of ansible": ansible_projects,
    "deployments": deployments,
}
ROWS = [(area, row) for area, module in AREAS.items() for row in module.ROWS]
INNER = re.compile(
    r"Traceback|internal error|\bensue\.[a-z]+\.[a-z]+|<class|sqlalchemy"
    r"|\b(?:dict|str|int|bool|list|NoneType) object\b"
)


REGISTERS = """\
{0}:
  test.present:
    - new_state: {{x: 1}}
    - registers: [dummy:web: {{grains: {{owner: {0}}}}}]
"""


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{area}: {row.what}") for area, row in ROWS])
def test_a_mistake_is_answered(
    row: Mistake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer has what is wrong, its place, how to mend it, and neither secrets nor names of classes."""
    monkeypatch.chdir(tmp_path)
    for name, content in row.files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    for words in row.before:
        assert _run(tmp_path, words) == 0
    capsys.readouterr()
    code = _run(tmp_path, row.words)
    out, err = capsys.readouterr()
    answer = " ".join(f"{out} {err}".split())
    assert code == row.code, answer
    assert row.says in answer, answer
    assert row.mends in answer, answer
    assert row.at in answer, answer
    assert SECRET not in answer
    assert not INNER.search(answer), answer
    assert not list(tmp_path.rglob("crash-*"))


def test_a_lock_that_is_held_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answer says which command holds it, and how to wait for it."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text("a: test.nop\n")
    started = datetime(2026, 1, 1, tzinfo=UTC)
    with project_lock(tmp_path / ".ensue").acquire(command="ensue apply web", now=started):
        assert _run(tmp_path, "apply t") == 1
    answer = " ".join(capsys.readouterr().err.split())
    assert "this project is being applied by ensue apply web (process" in answer
    assert "(wait until it has ended, for example with --wait)" in answer


def test_an_extra_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer has the place that needs it, and what to install."""
    for name in [module for module in sys.modules if module.startswith("ensue.language.mako")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("mako", "mako.template", "mako.lookup"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text("#!mako|yaml\na: test.nop\n")
    assert _run(tmp_path, "apply t") == 1
    answer = " ".join(capsys.readouterr().err.split())
    assert "--> states/t.sls:1" in answer
    assert "needs Mako, which is not installed" in answer
    assert "help: install ensue[mako]" in answer


def test_a_host_of_another_project_is_not_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a store that two projects share, the answer names the other project and its SLS."""
    monkeypatch.setenv("ENSUE_KEY", b64encode(bytes(32)).decode())
    store = f"store_url: sqlite:///{tmp_path}/store.db\n"
    for name in ("one", "two"):
        (tmp_path / name / "states").mkdir(parents=True)
        (tmp_path / name / "ensue.yaml").write_text(store)
        (tmp_path / name / "states/t.sls").write_text(REGISTERS.format(name))
    assert _run(tmp_path / "one", "apply t") == 0
    capsys.readouterr()
    assert _run(tmp_path / "two", "apply t") == 2
    answer = " ".join("".join(capsys.readouterr()).split())
    assert f"dummy:web is registered by the SLS t of {tmp_path}/one with another configuration" in answer
    assert "(choose another id, or run: ensue resources forget dummy:web)" in answer


def test_the_table_has_the_usual_mistakes() -> None:
    """There are more than a hundred, and no two of one area have the same name."""
    assert len(ROWS) >= 100
    assert len({(area, row.what) for area, row in ROWS}) == len(ROWS)


def _run(root: Path, words: str) -> int:
    """Run a command in a project of an id that no other machine has."""
    line = shlex.split(words)
    given = [] if "--root" in line else ["--root", str(root)]
    takes_id = line[0] in {"apply", "call", "plan"}
    return main([*given, *line, *(["--id", "box"] if takes_id else [])])
