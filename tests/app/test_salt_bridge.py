"""Functions that ensue lacks come from an installed Salt; without one the way to it is named."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from typing import TYPE_CHECKING

import pytest

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return

HAS_SALT = importlib.util.find_spec("salt") is not None

TREE = """\
kept:
  logrotate.set:
    - name: is-{{{{ salt['file.is_hardlink']('/dev/null') | lower }}}}
    - key: rotate
    - value: 2
    - conf_file: {root}/logrotate.conf
after:
  test.nop:
    - require:
      - logrotate: kept
"""


PROGRAM = """\
mdadm:
  file.managed:
    - name: {root}/bin/mdadm
    - contents: "#!/bin/sh"
    - mode: 755
array:
  raid.absent:
    - name: /dev/md77
    - require:
      - file: mdadm
after:
  test.nop:
    - require:
      - raid: array
"""
"""Salt's `raid` loads only where the program `mdadm` is in the path."""


def add_to_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def apply(root: Path, *, test: bool = False, text: str = TREE, ensue_yaml: str = "") -> RunReport:
    (root / "t.sls").write_text(text.format(root=root))
    (root / "ensue.yaml").write_text(ensue_yaml)

    async def run() -> RunReport:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.apply(["t.sls"], RunOptions(test=test), on_event=lambda _: None)

    return asyncio.run(run())


def first(report: RunReport) -> Return:
    return next(iter(report.returns.values()))


if HAS_SALT:

    def test_external_pillars_of_salt_are_found_by_name(tmp_path: Path) -> None:
        """Each receives the id, the pillar so far, and the options and grains of the target."""
        (tmp_path / "stack.cfg").write_text("*.yml\n")
        (tmp_path / "a.yml").write_text("stacked: {{ minion_id }} {{ __grains__['id'] }} {{ pillar['a'] }}\n")
        listed = [{"cmd_yaml": "echo 'a: %s'"}, {"stack": str(tmp_path / "stack.cfg")}]
        shown = "{{ pillar.a }} {{ pillar.stacked }}: test.nop\n"
        report = apply(
            tmp_path, text=shown.replace("{", "{{").replace("}", "}}"), ensue_yaml=f"ext_pillar: {listed}"
        )
        assert first(report).id == "m m m m"

    @pytest.mark.parametrize(
        ("listed", "summary", "why"),
        [
            ({"stack": {"nobody": 1}}, "the external pillar 'stack' failed", "Error: "),
            (
                {"no_such": {}},
                "there is no external pillar 'no_such'",
                "Salt has none of this name that loads",
            ),
        ],
    )
    def test_an_external_pillar_of_salt_that_fails(
        tmp_path: Path, listed: dict[str, object], summary: str, why: str
    ) -> None:
        """It is named with the reason, and nothing runs."""
        with pytest.raises(CompileError) as caught:
            apply(tmp_path, text="a: test.nop\n", ensue_yaml=f"ext_pillar: [{listed}]\n")
        (fault,) = caught.value.diagnostics
        assert (fault.code, fault.summary) == ("E0607", summary)
        assert why in fault.detail

    def test_a_state_of_salts_plans_applies_and_then_changes_nothing(tmp_path: Path) -> None:
        """One state function of Salt's goes through plan, apply and a second apply, its module beside it.

        What it says of the thing is made of what changed, never of what a plan would change.
        """
        path = tmp_path / "logrotate.conf"
        path.write_text("rotate 4\n")
        planned = first(apply(tmp_path, test=True))
        assert (planned.name, planned.result, planned.changes) == ("is-false", None, {"old": 4, "new": 2})
        assert path.read_text() == "rotate 4\n"
        assert planned.new_state is None
        applied = first(apply(tmp_path))
        assert (applied.result, bool(applied.changes)) == (True, True), applied.comment
        assert applied.new_state == {"name": "is-false", **applied.changes}
        assert path.read_text() == "rotate 2\n"
        again = first(apply(tmp_path))
        assert (again.result, again.changes) == (True, {})
        assert again.new_state == {"name": "is-false"}

    def test_salts_functions_are_refused_below_a_root(tmp_path: Path) -> None:
        """A project that works below a folder is not let loose on the whole machine."""
        text = "kept:\n  logrotate.set:\n    - key: rotate\n    - value: 2\n"
        returned = first(apply(tmp_path, text=text, ensue_yaml="minion_root: m\n"))
        assert returned.result is False
        assert "minion_root" in returned.comment

    @pytest.mark.parametrize("setting", ["refuse", "fail"])
    def test_a_module_loads_once_its_program_is_there(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
    ) -> None:
        """A state puts the program into the path, and the module that wants it is looked up after that."""
        add_to_path(tmp_path / "bin", monkeypatch)
        ensue_yaml = f"on_unknown_function: {setting}\n"
        planned = [*apply(tmp_path, text=PROGRAM, test=True, ensue_yaml=ensue_yaml).returns.values()]
        assert [returned.result for returned in planned] == [None, None, True]
        assert [returned.result for returned in planned] == [None, None, True]
        assert "mdadm" in planned[1].comment
        applied = [*apply(tmp_path, text=PROGRAM, ensue_yaml=ensue_yaml).returns.values()]
        assert [returned.result for returned in applied] == [True, True, True]
        assert applied[1].comment == "Raid /dev/md77 already absent"

    def test_a_module_that_never_loads_fails_with_salts_reason(tmp_path: Path) -> None:
        """No state installs the program: the state fails when its turn has come, and the rest runs."""
        text = "array: raid.absent\nrest: test.nop\n"
        failed, rest = apply(tmp_path, text=text).returns.values()
        assert (failed.result, rest.result) == (False, True)
        assert failed.comment == (
            "raid.absent is not available: Salt's module does not load: Unable to locate command: mdadm"
        )

    def test_the_arguments_of_such_a_module_are_checked(tmp_path: Path) -> None:
        """What it takes stands in its file; a function that it has not got is refused."""
        text = (
            "a:\n  raid.absent:\n    - requires: [b]\nb:\n  raid.present:\n    - level: 1\nc: raid.nothing\n"
        )
        with pytest.raises(CompileError) as caught:
            apply(tmp_path, text=text)
        assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E0402", "E0403", "E0401"]
        assert caught.value.diagnostics[0].help == "did you mean require?"

    def test_an_execution_module_is_looked_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A template does not find it, a state that runs once the program is there does."""
        add_to_path(tmp_path / "bin", monkeypatch)
        text = (
            "{{{{ 'there' if 'raid.list' in salt else 'not there' }}}}: test.nop\n"
            "mdadm:\n  file.managed:\n    - name: {root}/bin/mdadm\n    - mode: 755\n"
            "    - contents: '#!/bin/sh'\n"
            "call:\n  module.run:\n    - raid.list: []\n"
        )
        first, _, called = apply(tmp_path, text=text).returns.values()
        assert first.id == "not there"
        assert called.result is True, called.comment

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
        assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E0401"]
