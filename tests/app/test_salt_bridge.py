"""Functions that ensue lacks come from an installed Salt; without one the way to it is named."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ensue.app.project import Project, ProjectOptions, RunOptions
from ensue.errors import CompileError

if TYPE_CHECKING:
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


PROGRAM = """\
programs:
  file.managed:
    - names:
      - {root}/bin/getfacl
      - {root}/bin/setfacl
    - contents: "#!/bin/sh\\necho '# file: {root}'"
    - mode: 755
facl:
  acl.present:
    - name: {root}
    - acl_type: user
    - acl_name: root
    - perms: rwx
    - require:
      - file: programs
after:
  test.nop:
    - require:
      - acl: facl
"""
"""Salt's `acl` loads only where the programs `getfacl` and `setfacl` are in the path."""


def leave_out_acl(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder the only one in the path: it has all programs but those that Salt's `acl` wants."""
    folder.mkdir()
    for above in os.environ["PATH"].split(os.pathsep):
        for program in Path(above).iterdir() if Path(above).is_dir() else ():
            link = folder / program.name
            if program.name not in {"getfacl", "setfacl"} and not link.is_symlink():
                link.symlink_to(program)
    monkeypatch.setenv("PATH", str(folder))


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

    @pytest.mark.parametrize("setting", ["refuse", "fail"])
    def test_a_module_loads_once_its_program_is_there(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
    ) -> None:
        """A state puts the program into the path, and the module that wants it is looked up after that."""
        leave_out_acl(tmp_path / "bin", monkeypatch)
        ensue_yaml = f"on_unknown_function: {setting}\n"
        planned = [*apply(tmp_path, text=PROGRAM, test=True, ensue_yaml=ensue_yaml).returns.values()]
        assert [one.result for one in planned] == [None, None, None, True]
        assert "setfacl binary is not in the path" in planned[2].comment
        applied = [*apply(tmp_path, text=PROGRAM, ensue_yaml=ensue_yaml).returns.values()]
        assert [one.result for one in applied[:2]] == [True, True]
        # What stands in for the programs says nothing that the function could use; it was called.
        assert applied[2].comment == "x"

    def test_a_module_that_never_loads_fails_with_salts_reason(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No state installs the program: the state fails when its turn has come, and the rest runs."""
        leave_out_acl(tmp_path / "bin", monkeypatch)
        text = "facl:\n  acl.present:\n    - name: /x\n    - acl_type: user\n    - perms: r\nrest: test.nop\n"
        failed, rest = apply(tmp_path, text=text).returns.values()
        assert (failed.result, rest.result) == (False, True)
        assert failed.comment == (
            "acl.present is not available: Salt's module does not load: "
            "The linux_acl state cannot be loaded: the getfacl or setfacl binary is not in the path."
        )

    def test_the_arguments_of_such_a_module_are_checked(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What it takes stands in its file; a function that it has not got is refused."""
        leave_out_acl(tmp_path / "bin", monkeypatch)
        text = "a:\n  acl.present:\n    - acl_type: user\n    - perm: r\nb: acl.nothing\n"
        with pytest.raises(CompileError) as caught:
            apply(tmp_path, text=text)
        assert [one.code for one in caught.value.diagnostics] == ["E0402", "E0401"]
        assert "did you mean perms?" in caught.value.diagnostics[0].help

    def test_an_execution_module_is_looked_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A template does not find it, a state that runs once the program is there does."""
        leave_out_acl(tmp_path / "bin", monkeypatch)
        text = (
            "{{{{ 'a' if 'acl.version' in salt else 'b' }}}}: test.nop\n"
            "program:\n  file.managed:\n    - name: {root}/bin/getfacl\n    - mode: 755\n"
            "    - contents: '#!/bin/sh'\n"
            "call:\n  module.run:\n    - acl.version: []\n"
        )
        first, _, called = apply(tmp_path, text=text).returns.values()
        assert first.id == "b"
        assert "is not available" not in called.comment, called.comment

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
