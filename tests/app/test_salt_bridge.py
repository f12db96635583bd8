"""Functions that ensue lacks come from an installed Salt; without one the way to it is named."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import TYPE_CHECKING

import pytest

from ensue.app.project import Project, ProjectOptions, RunOptions
from ensue.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.model.report import RunReport
    from ensue.model.returns import Return

HAS_SALT = importlib.util.find_spec("salt") is not None

TREE = """\
pipe:
  file.mknod:
    - name: {root}/{{{{ salt['file.is_fifo']('/dev/null') | lower }}}}.pipe
    - ntype: p
    - mode: '0640'
after:
  test.nop:
    - require:
      - file: pipe
"""


def apply(root: Path, *, test: bool = False, text: str = TREE, ensue_yaml: str = "") -> RunReport:
    (root / "t.sls").write_text(text.format(root=root))
    (root / "ensue.yaml").write_text(ensue_yaml)

    async def run() -> RunReport:
        async with Project.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.apply(["t.sls"], RunOptions(test=test), on_event=lambda _: None)

    return asyncio.run(run())


def pipe(report: RunReport) -> Return:
    return next(iter(report.returns.values()))


if HAS_SALT:

    def test_a_state_of_salts_plans_applies_and_then_changes_nothing(tmp_path: Path) -> None:
        """One state function of Salt's goes through plan, apply and a second apply, its module beside it.

        What it says of the thing is made of what changed, never of what a plan would change.
        """
        path = tmp_path / "false.pipe"
        planned = pipe(apply(tmp_path, test=True))
        assert (planned.result, bool(planned.changes), path.exists()) == (None, False, False)
        assert planned.new_state is None
        applied = pipe(apply(tmp_path))
        assert (applied.result, bool(applied.changes)) == (True, True), applied.comment
        assert applied.new_state == {"name": str(path), **applied.changes}
        assert path.is_fifo()
        again = pipe(apply(tmp_path))
        assert (again.result, again.changes) == (True, {})
        assert again.new_state == {"name": str(path)}

    def test_salts_functions_are_refused_below_a_root(tmp_path: Path) -> None:
        """A project that works below a folder is not let loose on the whole machine."""
        text = "pipe:\n  file.mknod:\n    - name: /x\n    - ntype: p\n"
        returned = pipe(apply(tmp_path, text=text, ensue_yaml="minion_root: m\n"))
        assert returned.result is False
        assert "minion_root" in returned.comment

    def test_a_function_that_neither_has_is_an_error(tmp_path: Path) -> None:
        """Salt is asked, has none, and nothing is left to install."""
        with pytest.raises(CompileError) as caught:
            apply(tmp_path, text="a: nothing.of_this_name\n")
        assert "ensue[salt]" not in str(caught.value)

else:

    def test_without_salt_the_extra_is_named(tmp_path: Path) -> None:
        """A function that only Salt has is refused, and the message says what brings it."""
        with pytest.raises(CompileError, match=r"install ensue\[salt\]") as caught:
            apply(tmp_path, text="pipe:\n  xml.value_present:\n    - name: /x\n")
        assert [one.code for one in caught.value.diagnostics] == ["E0401"]
