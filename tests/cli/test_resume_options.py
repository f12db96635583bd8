"""A run is resumed with what its command line had: other pillar is refused, other options are taken over."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

SLS = """
release:
  file.managed:
    - name: {root}/release
    - contents: "{{{{ pillar.get('release', 1) }}}}"
ready:
  file.exists:
    - name: {root}/ready
"""
LIMITS = ("--tgt", "web-*", "--batch", "1", "--fail-limit", "0")
SECRET = "tr0ub4dor"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project with two hosts, of which none is ready."""
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: laptop\nfile_roots: {base: [states], dev: [dev]}\n")
    shell.write("pillar/top.sls", "base: {laptop: [hosts]}\n")
    hosts = "".join(f"      web-{number}: {{root: {tmp_path / f'web-{number}'}}}\n" for number in (1, 2))
    shell.write("pillar/hosts.sls", f"resources:\n  minion:\n    hosts:\n{hosts}")
    for number in (1, 2):
        (tmp_path / f"web-{number}").mkdir()
    sls = SLS.format(root="")
    shell.write("states/t.sls", sls)
    shell.write("dev/t.sls", sls.replace("release', 1", "release', 'dev'"))
    return shell


def release(tmp_path: Path, number: int) -> str:
    """Return the release of a host."""
    return (tmp_path / f"web-{number}" / "release").read_text().strip()


def make_ready(tmp_path: Path) -> None:
    """Mend what fails on the hosts."""
    for number in (1, 2):
        (tmp_path / f"web-{number}" / "ready").touch()


def test_other_pillar_is_refused_before_anything_runs(shell: Shell, tmp_path: Path) -> None:
    """The message names the keys and the command; with the same values the run goes on."""
    pillar = ("--pillar", "release=2", "--pillar", f"token={SECRET}")
    limited = shell.run("apply", "t", *LIMITS, *pillar)
    command = "ensue runs resume {} --pillar release=… --pillar token=…"
    run_id = next((shell.root / ".ensue/runs").glob("*.jsonl")).stem
    assert command.format(run_id) in limited.err
    make_ready(tmp_path)

    for given, difference in (
        ((), "without 'release', 'token'"),
        (("--pillar", "release=2"), "without 'token'"),
        (("--pillar", "release=3", "--pillar", "token=x"), "other values of 'release', 'token'"),
        ((*pillar, "--pillar", "more=1"), "'more' in addition"),
    ):
        refused = shell.run("runs", "resume", *given)
        assert (refused.code, release(tmp_path, 1)) == (1, "2"), refused.err
        assert difference in refused.err
        assert command.format(run_id) in refused.err

    (shell.root / "values.yaml").write_text(f"token: {SECRET}\nrelease: 2\n")
    resumed = shell.run("runs", "resume", "--pillar-file", str(shell.root / "values.yaml"))
    assert (resumed.code, release(tmp_path, 1), release(tmp_path, 2)) == (0, "2", "2"), resumed.err
    journals = "".join(path.read_text() for path in (shell.root / ".ensue/runs").glob("*.jsonl"))
    assert SECRET not in journals
    assert "--pillar release=… --pillar token=…" in shell.run("runs", "list").out


def test_pillar_of_a_run_that_had_none_is_refused(shell: Shell, tmp_path: Path) -> None:
    """It would change what the run has done."""
    assert shell.run("apply", "t", *LIMITS).code == 2
    refused = shell.run("runs", "resume", "--pillar", "release=2")
    assert (refused.code, "'release' in addition" in refused.err) == (1, True), refused.err
    make_ready(tmp_path)
    assert (shell.run("runs", "resume").code, release(tmp_path, 1)) == (0, "1")


def test_environments_of_the_command_line_are_taken_over(shell: Shell, tmp_path: Path) -> None:
    """A resumed run takes SLS from where the run before it did; another environment is refused."""
    assert shell.run("apply", "t", *LIMITS, "--saltenv", "dev").code == 2
    make_ready(tmp_path)
    refused = shell.run("runs", "resume", "--saltenv", "base")
    assert refused.code == 1
    assert "had --saltenv dev" in refused.err
    resumed = shell.run("runs", "resume")
    assert (resumed.code, release(tmp_path, 1), release(tmp_path, 2)) == (0, "dev", "dev"), resumed.err


KILLING = """
import os, signal


def killed(ctx, name):
    os.kill(os.getpid(), signal.SIGKILL)


FUNCTIONS = {"killed": killed}
"""


def test_failhard_is_taken_over(shell: Shell) -> None:
    """A resumed run stops at the first failure if the run before it would have."""
    shell.write("states/_states/it.py", KILLING)
    shell.write("states/t.sls", "first: {it.killed: []}\nlast: {test.nop: []}\n")
    assert shell.run("apply", "t", "--failhard").code == -signal.SIGKILL
    shell.write("states/t.sls", "first: {file.exists: [{name: /nowhere/at/all}]}\nlast: {test.nop: []}\n")
    resumed = shell.run("runs", "resume")
    assert (resumed.code, "Not run: 1 state\n  last" in resumed.out) == (2, True), resumed.out
