"""`ensue apply` and `ensue plan`: exit codes, forms of results, what goes where."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.cli.shell import command, environment

if TYPE_CHECKING:
    from tests.cli.shell import Shell

NOP = "test_|-ok_|-ok_|-nop"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("apply",), 0),
        (("apply", "good"), 0),
        (("plan", "good"), 0),
        (("apply", "good", "--test"), 0),
        (("apply", "good", "bad"), 2),
        (("apply", "good,bad"), 2),
        (("apply", "broken"), 1),
        (("apply", "absent"), 1),
        (("apply", "--no-such-option"), 1),
        (("apply", "--concurrency", "0"), 1),
        (("--root", "nowhere", "apply"), 1),
        (("aply",), 1),
    ],
)
def test_exit_codes(shell: Shell, words: tuple[str, ...], code: int) -> None:
    """0 all well, 2 a state failed, 1 refused; never a traceback."""
    ended = shell.run(*words)
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err + ended.out


def test_results_are_on_stdout_alone(shell: Shell) -> None:
    """A run without a fault writes its results to stdout and nothing to stderr."""
    ended = shell.run("apply")
    assert ended.err == ""
    assert ended.out.startswith(
        "web-01:\n----------\n          ID: ok\n    Function: test.nop\n      Result: True\n"
    )
    assert "\n\n1 changed, 1 unchanged, " in ended.out


def test_json_is_one_document(shell: Shell) -> None:
    """With --out json stdout is the returns under the minion id, also when a state failed."""
    ended = shell.run("apply", "good", "bad", "--out", "json", "--id", "me")
    [(minion, returns)] = ended.document.items()
    assert minion == "me"
    assert returns[NOP]["result"] is True
    assert returns[NOP]["__run_num__"] == 0
    assert [returned["result"] for returned in returns.values()] == [True, True, False]


def test_yaml_is_the_same_document(shell: Shell) -> None:
    """With --out yaml stdout means the same as with --out json."""
    returns = yaml.safe_load(shell.run("apply", "--out", "yaml").out)["web-01"]
    assert list(returns) == [NOP, "test_|-more_|-foo_|-succeed_with_changes"]


def test_quiet_prints_nothing(shell: Shell) -> None:
    """With --out quiet the exit code is all there is."""
    ended = shell.run("apply", "bad", "--out", "quiet")
    assert (ended.code, ended.out, ended.err) == (2, "", "")


@pytest.mark.parametrize("form", ["json", "yaml", "highstate"])
def test_a_compile_failure(shell: Shell, form: str) -> None:
    """The messages are the document, the diagnostics are on stderr with their source lines."""
    ended = shell.run("apply", "broken", "--out", form)
    assert ended.code == 1
    assert "  --> states/broken.sls:4" in ended.err
    assert "  4 |   test.noop: []\n    |   ^^^^^^^^^\n" in ended.err
    if form == "highstate":
        assert ended.out == ""
    else:
        [message] = yaml.safe_load(ended.out)["web-01"]
        assert message.startswith("states/broken.sls:4")


def test_a_wrong_command_line_is_one_document_too(shell: Shell) -> None:
    """An unknown option with --out json is refused in JSON, and near names are offered."""
    ended = shell.run("apply", "--out", "json", "--concurency", "3")
    assert ended.code == 1
    [message] = ended.document["errors"]
    assert "--concurrency" in message
    assert "Error: " in ended.err


def test_a_folder_that_is_not_there(shell: Shell) -> None:
    """A project that does not open is refused under the id that was asked for."""
    ended = shell.run("apply", "--root", "nowhere", "--out", "json", "--id", "me")
    assert ended.code == 1
    assert list(ended.document) == ["me"]


@pytest.mark.parametrize("before", [True, False])
def test_global_options_stand_on_either_side(shell: Shell, before: bool) -> None:
    """--root and --log-level mean the same before and after the verb."""
    options = ("--root", str(shell.root), "--log-level", "debug")
    words = (*options, "apply", "good") if before else ("apply", "good", *options)
    ended = shell.run(*words)
    assert ended.code == 0
    assert "[DEBUG   ]" in ended.err


def test_pillar_of_the_command_line(shell: Shell) -> None:
    """--pillar outranks --pillar-file, which outranks the project; nested keys are merged."""
    shell.write("more.yaml", "port: 1\ndb: {host: file}\n")
    ended = shell.run(
        "apply", "pillared", "--pillar-file", "more.yaml", "--pillar", "port=8080", "--pillar", "db:host=cli"
    )
    assert "Comment: 8080 cli u\n" in ended.out


def test_a_failure_is_told_while_it_runs(shell: Shell) -> None:
    """On a pipe progress is a line for each failure, with its place."""
    ended = shell.run("apply", "bad", "--out", "json")
    assert ended.err.startswith("failed: bad (test.fail_without_changes): states/bad.sls:2")


def test_options_of_the_project_lay_out_results(shell: Shell) -> None:
    """`state_output` of ensue.yaml holds until the command line says otherwise."""
    shell.write("ensue.yaml", "id: web-01\nstate_output: terse\nstate_verbose: false\n")
    terse = shell.run("apply").out
    assert "  Name: foo - Function: test.succeed_with_changes - Result: Changed" in terse
    assert "test.nop" not in terse
    assert "    Function: test.nop\n" in shell.run("apply", "--state-output", "full", "--state-verbose").out


def test_a_remark_on_ensue_yaml_is_a_warning(shell: Shell) -> None:
    """An unknown option is shown on stderr with its line, and the run goes on."""
    shell.write("ensue.yaml", "id: web-01\nfail_hard: true\n")
    ended = shell.run("apply")
    assert ended.code == 0
    assert "warning[E0102]" in ended.err
    assert "  --> ensue.yaml:2" in ended.err


def test_a_reader_that_leaves_is_no_fault(shell: Shell) -> None:
    """`ensue apply | head -1` prints one line, and nothing on stderr."""
    shell.write("states/many.sls", "".join(f"s{number}:\n  test.nop: []\n" for number in range(3000)))
    process = shell.start("apply", "many")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"web-01:\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_a_full_disk_is_said(shell: Shell) -> None:
    """Results that cannot be written are a failure with a message, not a success."""
    with open("/dev/full", "wb") as full:  # noqa: PTH123 -- a device
        process = shell.start("apply", stdout=full)
        _, err = process.communicate()
    assert process.returncode == 2
    assert err == b"ensue: the results could not be written: No space left on device\n"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_closed_streams_harm_nothing(shell: Shell, closed: str) -> None:
    """Started without stdin, stdout or stderr, as some schedulers do, a run ends with its own exit code."""
    line = f'exec "$@" {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", line, "sh", *command(), "apply", "bad"],
        cwd=shell.root,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"internal error" not in done.stderr


def test_a_log_file_that_cannot_be_written(shell: Shell) -> None:
    """A --log-file in a folder that is not there is refused before anything runs."""
    ended = shell.run("apply", "--log-file", "no/such/folder/log")
    assert ended.code == 1
    assert "--log-file" in ended.err
    assert not (shell.root / ".ensue").exists()


def test_secrets_are_nowhere(shell: Shell) -> None:
    """A sensitive value is in no form of the results, no log line, no progress and no file of the run."""
    shell.write(
        "states/secret.sls",
        "s:\n  test.present:\n    - new_state: {password: sw0rdfish-9}\n"
        "    - changes: {new: {password: sw0rdfish-9}}\n"
        "    - comment: it is sw0rdfish-9\n    - result: false\n    - sensitive: [password]\n",
    )
    for form in ("highstate", "json", "yaml"):
        ended = shell.run("apply", "secret", "--out", form, "--log-level", "all", "--log-file", "log")
        assert ended.code == 2
        assert "sw0rdfish-9" not in ended.out + ended.err
        assert "(sensitive)" in ended.out
    grep = subprocess.run(
        ["grep", "-rl", "sw0rdfish-9", os.fspath(shell.root)], capture_output=True, text=True, check=False
    )
    assert grep.stdout.split() == [str(shell.root / "states" / "secret.sls")]


def test_commands_can_be_followed(shell: Shell) -> None:
    """Their lines are on stderr before the results; stdout is one document nevertheless."""
    shell.write("states/loud.sls", "loud:\n  cmd.run:\n    - name: echo out; echo err >&2\n")
    done = shell.run("apply", "loud", "--follow", "--out", "json")
    assert sorted(done.err.splitlines()) == ["loud | err", "loud | out"]
    (returned,) = done.document["web-01"].values()
    assert (returned["changes"]["stdout"], returned["changes"]["stderr"]) == ("out", "err")
    assert shell.run("apply", "loud").err == ""
