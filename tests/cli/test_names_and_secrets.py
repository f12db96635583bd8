"""Secrets that equal words of an SLS, on the command line: names can be read, values cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project whose passwords are an ID, a module, an environment, an SLS and a function."""
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: m\n")
    shell.write("pillar/top.sls", "base:\n  '*': [p]\n")
    shell.write(
        "pillar/p.sls",
        "a: {password: vagrant}\nb: {password: test}\nc: {password: base}\nd: {password: webserver}\n"
        "e: {password: succeed_with_changes}\nf: {password: correct-horse}\n",
    )
    shell.write(
        "states/webserver.sls",
        "vagrant:\n  test.fail_without_changes: []\n"
        "webserver:\n  test.succeed_with_changes:\n    - require: [test: vagrant]\n"
        "words:\n  test.present:\n    - new_state: {{ pillar.a.password }}\n"
        "{{ pillar.f.password }}:\n  test.nop: []\n",
    )
    return shell


def test_results_and_runs_name_what_failed(project: Shell) -> None:
    """The state that failed is named in the results, and in those of `runs show`; what it prevents, too."""
    applied = project.run("apply", "webserver").out
    (run,) = project.run("runs", "list", "--out", "json").document
    assert run["mods"] == ["webserver"]
    for shown in (applied, project.run("runs", "show", run["run_id"]).out):
        assert "ID: vagrant\n    Function: test.fail_without_changes" in shown
        assert "ID: webserver\n    Function: test.succeed_with_changes" in shown
        assert "Comment: One or more requisite failed: webserver.vagrant" in shown
        assert "ID: (sensitive)\n    Function: test.nop" in shown
        assert "correct-horse" not in shown


def test_documents_have_names_and_no_values(project: Shell) -> None:
    """JSON, high data, low chunks and drawings have all names; the value from pillar is hidden."""
    results = project.run("apply", "webserver", "--out", "json").document["m"]
    tags = [*results]
    assert tags[:2] == [
        "test_|-vagrant_|-vagrant_|-fail_without_changes",
        "test_|-webserver_|-webserver_|-succeed_with_changes",
    ]
    assert [returned["__sls__"] for returned in results.values()] == ["webserver"] * 4
    assert results["test_|-words_|-words_|-present"]["new_state"] == "(sensitive)"

    low = project.run("show", "low", "webserver", "--out", "json").document["m"]
    assert [chunk["__id__"] for chunk in low] == ["vagrant", "webserver", "words", "(sensitive)"]
    assert {chunk["state"] for chunk in low} == {"test"}
    assert {chunk["__env__"] for chunk in low} == {"base"}
    assert low[1]["fun"] == "succeed_with_changes"
    assert low[1]["require"] == [{"test": "vagrant"}]
    assert low[1]["__requisites__"] == {"require": [{"test": "vagrant"}]}
    assert low[2]["new_state"] == "(sensitive)"

    high = project.run("show", "high", "webserver", "--out", "json").document["m"]
    assert [*high] == ["vagrant", "webserver", "words", "(sensitive)"]
    assert high["webserver"]["test"][:2] == [{"require": [{"test": "vagrant"}]}, "succeed_with_changes"]
    assert {"new_state": "(sensitive)"} in high["words"]["test"]

    nodes = project.run("graph", "webserver", "--out", "json").document["m"]["nodes"]
    assert [node["id"] for node in nodes] == ["vagrant", "webserver", "words", "(sensitive)"]


SECRET_OUTPUT = """\
token:
  cmd.run:
    - name: printf 's3cret-%s' output; printf 's3cret-%s' output >&2; touch {root}/made
    - creates: {root}/made
    - sensitive: true
app:
  file.managed:
    - name: {root}/app.conf
    - contents: token ${{cmd:token:stdout}}
wrong:
  cmd.run:
    - name: printf 's3cret-%s' output; echo why >&2; exit 3
    - sensitive: true
"""


def test_the_output_of_a_command_may_be_a_secret(shell: Shell) -> None:
    """Other states bind it, also when the command is skipped, and it is in nothing that ensue writes."""
    shell.write("states/t.sls", SECRET_OUTPUT.format(root=shell.root))
    made = shell.root / "app.conf"
    for words in (("--follow",), ("--out", "json"), ()):
        made.unlink(missing_ok=True)
        ended = shell.run("apply", "t", *words)
        assert ended.code == 2
        assert made.read_text().strip() == "token s3cret-output"
        assert "s3cret-output" not in ended.out + ended.err
        assert "why" not in (ended.out + ended.err).replace("echo why", "")
    shown = [shell.run(*words) for words in (("runs", "show", "last"), ("show", "enforced", "--out", "json"))]
    assert "s3cret-output" not in "".join(command.out + command.err for command in shown)
    kept = [path for path in (shell.root / ".ensue").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if b"s3cret-output" in path.read_bytes()]


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("{password: true}", "cmd.run takes true or false or a list"),
        ("['users[0:pin']", "has 'users[0:pin', which is no property path"),
    ],
)
def test_the_secret_output_of_a_command_is_true_or_a_list_of_paths(
    shell: Shell, given: str, fault: str
) -> None:
    """Anything else is refused before anything runs."""
    shell.write("states/t.sls", f"a:\n  cmd.run:\n    - name: 'true'\n    - sensitive: {given}\n")
    ended = shell.run("plan", "t")
    assert ended.code == 1
    assert fault in " ".join(ended.err.split())


DECLARED_LATER = """\
never:
  test.{never}: []
token:
  cmd.run:
    - name: printf 's3cret-%s' output; touch {root}/made
    - {skips}
    - sensitive: {sensitive}
    - delayed_render: [block: inner]
app:
  file.managed:
    - name: {root}/app.conf
    - contents: token ${{cmd:token:stdout}}
#!delayed_block inner
{root}/inner.conf:
  file.managed:
    - contents: token {{{{ prev_ret.new_state.stdout }}}}
#!end_delayed_block
"""


@pytest.mark.parametrize("part", [(), ("--only", "app")])
@pytest.mark.parametrize("skips", ["creates: {root}/made", "onchanges: [{{test: never}}]"])
def test_a_secret_that_is_declared_after_its_value_was_stored(
    shell: Shell, skips: str, part: tuple[str, ...]
) -> None:
    """The declaration of now decides: plans and applies hide the stored value, and an apply encrypts it."""
    root, skips = shell.root, skips.format(root=shell.root)
    made = root / "app.conf"
    for sensitive, never in ((False, "succeed_with_changes"), (True, "nop")):
        text = DECLARED_LATER.format(root=root, skips=skips, sensitive=sensitive, never=never)
        shell.write("states/t.sls", text)
        if not sensitive:
            assert shell.run("apply", "t").code == 0
    for words in (("plan",), ("apply", "--follow")):
        made.unlink()
        (root / "inner.conf").unlink(missing_ok=True)
        ended = shell.run(words[0], "t", *part, *words[1:])
        assert ended.code == 0
        assert "s3cret-output" not in ended.out + ended.err
        if words[0] == "plan":
            assert "token (sensitive)" in ended.out
            made.touch()
    assert made.read_text().strip() == "token s3cret-output"
    shown = shell.run("show", "enforced", "--out", "json").out
    assert "(sensitive)" in shown
    assert "s3cret-output" not in shown
    stored = (root / ".ensue").glob("enforced.db*")
    assert not [path for path in stored if b"s3cret-output" in path.read_bytes()]
