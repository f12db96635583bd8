"""A secret on a command line is warned of once, with its places and the way out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.diagnostics import Severity

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.diagnostics import Diagnostic

OPTIONS = ProjectOptions(minion_id="m", pillar={"db": {"password": "hunter22"}})


def warnings_of(root: Path, sls: str, *, test: bool = False, options: ProjectOptions = OPTIONS) -> Any:
    """Apply an SLS and return its report's warnings; every state has to succeed."""
    (root / "states").mkdir(exist_ok=True)
    (root / "states" / "a.sls").write_text(sls)

    async def run() -> tuple[Diagnostic, ...]:
        async with AppProject.open(root, options) as project:
            report = await project.apply(["a"], RunOptions(test=test), on_event=lambda _: None)
            assert all(returned.result is not False for returned in report.returns.values()), report.returns
            return report.warnings

    return asyncio.run(run())


@pytest.mark.parametrize("test", [False, True])
def test_a_secret_in_a_command_is_warned_of_with_its_place(tmp_path: Path, test: bool) -> None:
    """The warning has file and line and the way out, in a plan too, and does not hold the secret."""
    sls = "fine: test.nop\nx:\n  cmd.run:\n    - name: ': {{ pillar.db.password }}'\n"
    (warning,) = warnings_of(tmp_path, sls, test=test)
    assert (warning.code, warning.severity, str(warning.span)) == (
        "E0110",
        Severity.WARNING,
        "states/a.sls:3",
    )
    assert "env:" in warning.help
    assert "stdin:" in warning.help
    assert "hunter22" not in warning.message


def test_all_places_share_one_warning(tmp_path: Path) -> None:
    """However often it happens, in commands, conditions and scripts, there is one warning per run."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "s.sh").write_text("#!/bin/sh\n")
    sls = (
        "x:\n  cmd.run:\n    - name: ': {{ pillar.db.password }}'\n"
        "y:\n  cmd.run:\n    - name: ':'\n    - unless: 'test {{ pillar.db.password }} = x'\n"
        "z:\n  cmd.script:\n    - name: salt://s.sh\n    - args: --password={{ pillar.db.password }}\n"
        "w:\n  module.run:\n    - cmd.run_all:\n      - cmd: [echo, '{{ pillar.db.password }}']\n"
    )
    (warning,) = warnings_of(tmp_path, sls)
    places = [str(place) for place in (warning.span, *(place for place, _ in warning.related))]
    assert [place.split(":")[1] for place in places] == ["2", "5", "9", "13"]


def test_a_template_that_runs_such_a_command_is_warned_of(tmp_path: Path) -> None:
    """A command that a template runs has no place of a state, and is warned of all the same."""
    sls = "{{ salt['cmd.run']('echo ' ~ pillar.db.password) }}: test.nop\n"
    (warning,) = warnings_of(tmp_path, sls)
    assert warning.span is None
    assert "template" in warning.detail


def test_a_secret_in_env_or_stdin_is_no_fault(tmp_path: Path) -> None:
    """The ways out that the warning names are none to warn of, nor is a file's content."""
    sls = (
        'x:\n  cmd.run:\n    - name: \'test "$PW" = "$(cat)"\'\n    - env:\n'
        "      - PW: {{ pillar.db.password }}\n    - stdin: {{ pillar.db.password }}\n"
        f"{tmp_path}/f:\n  file.managed:\n    - contents_pillar: db:password\n"
    )
    assert warnings_of(tmp_path, sls) == ()


def test_a_password_in_a_url_of_any_state_counts(tmp_path: Path) -> None:
    """A plan, too, looks for it in all command lines, also in those of the states before it."""
    sls = "".join(f"s{number}: test.nop\n" for number in range(150))
    sls = (
        "x: {cmd.run: [name: 'echo hunter2222']}\n"
        + sls
        + "y: {test.configurable_test_state: [name: 'postgres://u:hunter2222@h/db', changes: false]}\n"
    )
    (warning,) = warnings_of(tmp_path, sls, test=True, options=ProjectOptions(minion_id="m"))
    assert (warning.code, str(warning.span)) == ("E0110", "states/a.sls:1:5")


def test_without_secrets_there_is_nothing_to_warn_of(tmp_path: Path) -> None:
    """Values of pillar that are no secrets may be in any command."""
    options = ProjectOptions(minion_id="m", pillar={"db": {"user": "hunter22"}})
    assert warnings_of(tmp_path, "x: {cmd.run: [name: 'echo {{ pillar.db.user }}']}\n", options=options) == ()
