"""`call`, `resources`, `runs`, `show`, `init`, `explain` on a real project."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell, environment

if TYPE_CHECKING:
    from pathlib import Path


MODULE = """\
async def fails(ctx):
    ctx.command_ended(3)
    return "did not work"

async def tries(ctx):
    return await ctx.call("cmd.run", "exit 3", python_shell=True)

async def returns(ctx, code):
    return {"retcode": code}

FUNCTIONS = {"fails": fails, "tries": tries, "returns": returns}
"""


def test_call_prints_answers_as_salt_does(shell: Shell) -> None:
    """The target's id, and beneath it what the function returned, nested."""
    ended = shell.run("call", "*", "test.ping")
    assert (ended.code, ended.out, ended.err) == (0, "web-01:\n    True\n", "")


def test_call_takes_arguments_as_salt_does(shell: Shell) -> None:
    """Words are numbers, lists and keywords where they look so; JSON is {target id: value}."""
    words = ("test.arg", "1", "text", "[a, b]", "a: b", "key=2.5", "--out", "json")
    ended = shell.run("call", "web-01", *words)
    assert ended.document["web-01"] == {"args": [1, "text", ["a", "b"], "a: b"], "kwargs": {"key": 2.5}}


def test_call_of_no_target(shell: Shell) -> None:
    """A target that matches nothing is an empty document and exit code 2."""
    ended = shell.run("call", "nobody*", "test.ping", "--out", "json")
    assert (ended.code, ended.document) == (2, {})
    assert "no target matched 'nobody*'" in ended.err


def test_call_that_fails(shell: Shell) -> None:
    """A target that fails has its message as value; exit code 2, no traceback."""
    ended = shell.run("call", "*", "file.read", "/no/such/file", "--out", "json")
    assert ended.code == 2
    assert isinstance(ended.document["web-01"], str)
    assert "Traceback" not in ended.err
    shown = shell.run("call", "*", "file.read", "/no/such/file")
    assert shown.out.startswith("web-01:\n    ")


@pytest.mark.parametrize(
    "words",
    [
        ("cmd.run", "exit 3"),
        ("cmd.shell", "exit 3"),
        ("cmd.run_stdout", "exit 3", "python_shell=true"),
        ("cmd.run_all", "exit 3"),
        ("cmd.retcode", "exit 3"),
        ("cmd.script", "salt://fails.sh"),
        ("cmd.script_retcode", "salt://fails.sh"),
        ("cmd.exec_code", "sh", "exit 3"),
        ("mine.fails",),
        ("mine.returns", "3"),
    ],
)
def test_call_of_a_command_that_fails(shell: Shell, words: tuple[str, ...]) -> None:
    """Its output is the answer, its exit code is on stderr, and that of ensue is 2."""
    shell.write("states/fails.sh", "#!/bin/sh\nexit 3\n")
    shell.write("states/_modules/mine.py", MODULE)
    ended = shell.run("call", "*", *words)
    assert (ended.code, ended.err) == (2, "ensue: web-01: the command ended with exit code 3\n")
    assert ended.out.startswith("web-01:\n")
    assert shell.run("call", "*", *words, "--out", "json").code == 2


def test_call_of_a_module_of_salt_that_fails(shell: Shell) -> None:
    """`__context__["retcode"]` is the exit code."""
    shell.write(
        "states/_modules/plain.py", "def x(code):\n    __context__['retcode'] = code\n    return 'hi'\n"
    )
    assert shell.run("call", "*", "plain.x", "0").code == 0
    ended = shell.run("call", "*", "plain.x", "4")
    assert (ended.code, ended.err) == (2, "ensue: web-01: the command ended with exit code 4\n")


@pytest.mark.parametrize(
    "words",
    [
        ("cmd.run", "true; exit 0"),
        ("cmd.run", "exit 3", "ignore_retcode=true"),
        ("cmd.run", "exit 3", "success_retcodes=3"),
        ("cmd.run_bg", "exit 3"),
        ("mine.tries",),
        ("mine.returns", "0"),
        ("test.arg", "retcode"),
    ],
)
def test_call_of_a_command_that_succeeds(shell: Shell, words: tuple[str, ...]) -> None:
    """A code that counts as success, and one that the called function looks at itself, fail no call."""
    shell.write("states/_modules/mine.py", MODULE)
    ended = shell.run("call", "*", *words)
    assert (ended.code, ended.err) == (0, "")


def test_call_of_an_unknown_function(shell: Shell) -> None:
    """A function that does not exist is refused as one document, with a near name."""
    ended = shell.run("call", "*", "test.pong", "--out", "json")
    assert ended.code in {1, 2}
    assert "test.ping" in ended.out + ended.err


def test_resources_list(shell: Shell) -> None:
    """The document has the fields of each resource by its name; the table has the same for people."""
    shell.write(
        "pillar/data.sls", "resources:\n  ssh_host:\n    hosts:\n      db-01: {host: 127.0.0.1, user: u}\n"
    )
    document = shell.run("resources", "list", "--out", "json").document
    assert document["ssh_host:db-01"] == {
        "type": "ssh_host",
        "id": "db-01",
        "managing_minions": ["web-01"],
        "status": "active",
        "source": None,
    }
    table = shell.run("resources", "list").out.splitlines()
    assert table[0].split() == ["RESOURCE", "STATUS", "SOURCE", "MANAGED", "BY"]
    assert any(line.split() == ["ssh_host:db-01", "active", "pillar", "web-01"] for line in table)


def test_resources_show(shell: Shell) -> None:
    """One resource has its configuration beside it, secrets masked; an id alone will do."""
    shell.write(
        "pillar/data.sls",
        "resources:\n  ssh_host:\n    hosts:\n"
        "      db-01: {host: 127.0.0.1, user: u, password: sw0rdfish-9}\n",
    )
    for name in ("ssh_host:db-01", "db-01"):
        ended = shell.run("resources", "show", name, "--out", "json")
        assert ended.document["config"]["password"] == "(sensitive)"
        assert ended.document["status"] == "active"
    shown = shell.run("resources", "show", "ssh_host:db-01").out
    assert "sw0rdfish-9" not in shown
    assert "        host:\n            127.0.0.1\n" in shown


def test_resources_that_are_not_there(shell: Shell) -> None:
    """An unknown resource is exit code 2; a name that is none is refused."""
    assert shell.run("resources", "show", "ssh_host:x").code == 2
    assert shell.run("resources", "forget", "ssh_host:x").code == 2
    assert shell.run("resources", "invalidate", "starting_state:x").code == 2
    assert shell.run("resources", "forget", "nonsense").code == 1
    assert shell.run("resources", "invalidate", "starting_state:x", "--out", "json").document == []


def test_only_what_was_registered_is_forgotten(shell: Shell) -> None:
    """This machine is there all the same, and the message does not deny it."""
    minion = next(iter(shell.run("resources", "list", "--out", "json").document))

    done = shell.run("resources", "forget", minion, "--out", "json")

    message = f"{minion} is the machine that ensue runs on, so there is nothing to forget"
    assert (done.code, done.document) == (2, {"errors": [message]})
    assert message in done.err


def test_a_derived_resource_from_list_to_forget(shell: Shell) -> None:
    """What a state registered is listed with its source, invalidated with it, and forgotten."""
    shell.write(
        "states/env.sls",
        "env:\n  starting_state.deployed:\n    - name: e1\n    - register_resources: true\n"
        "    - provider: command\n    - command: cat {{ opts['root_dir'] }}/info.json\n",
    )
    info = {"status": "succeeded", "host": "127.0.0.1", "port": 1, "user": "u", "password": "sw0rdfish-9"}
    shell.write("info.json", json.dumps(info))
    applied = shell.run("apply", "env")
    assert applied.code == 0, applied.out
    srn = "ssh_host:jumphost-e1"
    listed = shell.run("resources", "list", "--out", "json").document
    assert listed[srn]["source"] == "starting_state:e1"
    shown = shell.run("resources", "show", srn, "--out", "json")
    assert shown.document["config"]["password"] == "(sensitive)"
    assert shell.run("resources", "invalidate", "starting_state:e1", "--out", "json").document == [srn]
    assert shell.run("resources", "list", "--out", "json").document[srn]["status"] == "invalidated"
    assert "provenance" in shell.run("resources", "show", srn).out
    assert shell.run("resources", "forget", srn).out == f"{srn}\n"
    assert srn not in shell.run("resources", "list", "--out", "json").document
    assert shell.run("resources", "audit", "--verify").code == 0
    audit = shell.root / ".ensue" / "audit.jsonl"
    lines = audit.read_text(encoding="utf-8").splitlines(keepends=True)
    audit.write_text("".join((lines[0].replace("jumphost-e1", "jumphost-e2"), *lines[1:])), encoding="utf-8")
    edited = shell.run("resources", "audit", "--verify", "--out", "json")
    assert (edited.code, edited.document["line"]) == (1, 1)
    assert "audit.jsonl:1:" in edited.err


def test_runs(shell: Shell) -> None:
    """Runs are listed newest first, and shown as apply showed them."""
    first = shell.run("apply", "good", "--out", "json")
    shell.run("plan", "bad")
    listed = shell.run("runs", "list", "--out", "json").document
    assert [(run["mods"], run["test"], run["exit_code"]) for run in listed] == [
        (["bad"], True, 2),
        (["good"], False, 0),
    ]
    shown = shell.run("runs", "show", listed[1]["run_id"], "--out", "json")
    assert shown.document == first.document
    table = shell.run("runs", "list", "--limit", "1").out.splitlines()
    assert len(table) == 2
    assert table[1].split()[3:] == ["s", "plan", "bad", "failed", "0", "0", "1", "0", "2"]


def test_the_list_of_runs_has_the_counts_of_each_run(shell: Shell) -> None:
    """They are those of the run's last line, with what failhard or a requisite kept from running."""
    shell.write(
        "states/counted.sls",
        "a: test.nop\nb: test.succeed_with_changes\nc: test.fail_without_changes\n"
        "d:\n  test.nop:\n    - require: [test: c]\n"
        "e:\n  test.fail_without_changes:\n    - failhard: true\nf: test.nop\ng: test.nop\n",
    )
    ended = shell.run("apply", "counted")
    assert "1 changed, 1 unchanged, 2 failed, 3 not run, " in ended.out
    [run] = shell.run("runs", "list", "--out", "json").document
    counts = {key: run[key] for key in ("changed", "unchanged", "failed", "not_run", "succeeded", "total")}
    assert counts == {
        "changed": 1, "unchanged": 1, "failed": 2, "not_run": 3, "succeeded": 2, "total": 7,
    }  # fmt: skip
    [table] = shell.run("runs", "list").out.splitlines()[1:]
    assert table.split()[3:] == ["s", "apply", "counted", "failed", "1", "1", "2", "3", "2"]


def test_an_unknown_run(shell: Shell) -> None:
    """A run that is not there is refused, as one document where JSON was asked for."""
    ended = shell.run("runs", "show", "19700101", "--out", "json")
    assert ended.code == 1
    [message] = ended.document["web-01"]
    assert "19700101" in message


@pytest.mark.parametrize("what", ["high", "low", "pillar", "top"])
def test_show(shell: Shell, what: str) -> None:
    """What the language makes of a project is shown under the minion id."""
    ended = shell.run("show", what, "--out", "json", "--id", "me")
    assert ended.code == 0, ended.err
    assert list(ended.document) == ["me"]
    assert shell.run("show", what).out.startswith("web-01:\n")


def test_show_high(shell: Shell) -> None:
    """High data is the declarations of an SLS by ID."""
    assert "ok" in shell.run("show", "high", "good", "--out", "json").document["web-01"]


def test_environments_of_the_command_line(shell: Shell) -> None:
    """`--saltenv` and `--pillarenv` choose where SLS and pillar come from."""
    shell.write(
        "ensue.yaml", "id: web-01\nfile_roots: {dev: [dev]}\npillar_roots: {base: [pillar], dev: [pdev]}\n"
    )
    shell.write("dev/here.sls", "{{ saltenv }}-{{ pillar.get('env', 'none') }}: test.nop\n")
    shell.write("pdev/top.sls", "dev:\n  '*': [it]\n")
    shell.write("pdev/it.sls", "env: of dev\n")
    chosen = ("--saltenv", "dev", "--pillarenv", "dev")
    ended = shell.run("apply", "here", *chosen, "--out", "json")
    assert [returned["__id__"] for returned in ended.document["web-01"].values()] == ["dev-of dev"]
    assert shell.run("show", "pillar", "--out", "json", *chosen).document == {"web-01": {"env": "of dev"}}
    assert shell.run("apply", "here").code == 1


def test_show_what_does_not_compile(shell: Shell) -> None:
    """A broken SLS is refused with the messages under the minion id."""
    shell.write("states/broken.sls", "x: [\n")
    ended = shell.run("show", "high", "broken", "--out", "json")
    assert ended.code == 1
    assert ended.document["web-01"][0].startswith("states/broken.sls")


def test_init_makes_a_project_that_works(tmp_path: Path) -> None:
    """The first apply of a new project changes something, the second nothing."""
    Shell(tmp_path).run("init", "new")
    shell = Shell(tmp_path / "new")
    assert shell.run("plan").code == 0
    assert not (shell.root / "out").exists()
    assert "/gpgkeys/" in (shell.root / ".gitignore").read_text().splitlines()
    first, second = shell.run("apply"), shell.run("apply")
    assert (first.code, second.code) == (0, 0), first.err
    assert "2 changed, 0 unchanged, " in first.out
    assert "0 changed, 2 unchanged, " in second.out


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    """A folder that holds one of the files is left as it is."""
    shell = Shell(tmp_path)
    shell.write("states/top.sls", "mine")
    ended = shell.run("init")
    assert ended.code == 1
    assert "states/top.sls already exists" in ended.err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["states", "top.sls"]


@pytest.mark.parametrize("path", ["states/web/tls.sls", "pillar/data.sls"])
def test_init_adds_nothing_to_a_project(tmp_path: Path, path: str) -> None:
    """A top file of its own would assign its example to all targets."""
    shell = Shell(tmp_path)
    shell.write(path, "")
    ended = shell.run("init")
    assert (ended.code, "has files already; nothing was written" in ended.err) == (1, True), ended.err
    assert [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()] == [path]


def test_explain(shell: Shell) -> None:
    """A code is explained, an unknown one refused, and without one all are listed."""
    assert shell.run("explain", "e0202").out.startswith("E0202: ")
    assert shell.run("explain", "E9999").code == 1
    assert "E0301  " in shell.run("explain").out


CRASH = """\
import sys
from ensue.app import project
def broken(self, *_): raise RuntimeError("the password is sw0rdfish-9\\nmore")
project.AppProject.runs = broken
opened = project.AppProject.open.__func__
def open(cls, root, options):
    made = opened(cls, root, options); made.masker.add("sw0rdfish-9"); return made
project.AppProject.open = classmethod(open)
from ensue.cli import main
sys.exit(main(["runs", "list", "--out", "json"]))
"""


def test_a_fault_of_ensue_itself(shell: Shell) -> None:
    """An unexpected exception is one line, one document, and a private, masked file with the traceback."""
    done = subprocess.run(
        [sys.executable, "-c", CRASH],
        cwd=shell.root,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    [file] = (shell.root / ".ensue").glob("crash-*.txt")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "RuntimeError: the password is (sensitive)" in file.read_text(encoding="utf-8")
    [line] = json.loads(done.stdout)["errors"]
    assert done.stderr == f"ensue: {line}\n"
    assert line.startswith("internal error: RuntimeError: the password is (sensitive) (")
    assert str(file) in line


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("apply", "--concurrency=-4"), ("'--concurrency'", "-4 is not in the range x>=1")),
        (("apply", "--concurrency", "many"), ("'--concurrency'",)),
        (("plan", "--concurrency", "0"), ("'--concurrency'",)),
        (
            ("apply", "--state-output", "fulll"),
            ("'--state-output'", "full, terse, ", "(did you mean full or full_id?)"),
        ),
        (("apply", "--log-level", "zz"), ("'--log-level'", "not one of all, ", ", quiet")),
        (("apply", "--out", "zz"), ("'--out'", "highstate, short, json, yaml, quiet")),
        (("apply", "--color", "red"), ("'--color'", "auto, always, never")),
        (("apply", "--id", ""), ("'--id'", "it is empty")),
        (("apply", "--saltenv", " "), ("'--saltenv'", "it is empty")),
        (("apply", "web", "--saltenv", "nope"), ("'nope'", "names base")),
        (("call", "*", "test.ping", "--timeout", "nan"), ("'--timeout'", "not a number")),
        (("call", "*", "test.ping", "--timeout", "-1"), ("'--timeout'", "range")),
        (("call", "*", "test.ping", "--batch", "0"), ("the batch is '0'", "25%")),
        (("runs", "list", "--limit", "0"), ("'--limit'", "x>=1")),
        (("completion", "tcsh"), ("bash, zsh, fish",)),
        (
            ("apply", "--concurrency=0", "--state-output=x", "--color=red"),
            ("'--concurrency'", "'--state-output'", "'--color'"),
        ),
    ],
)
def test_a_value_out_of_bounds_is_refused(
    shell: Shell, words: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    """Options of the command line are checked, all of them: exit code 1, and what is possible."""
    ended = shell.run(*words)
    assert (ended.code, ended.out) == (1, ""), ended.err
    assert [text for text in expected if text not in ended.err] == []


@pytest.mark.parametrize("content", [b"", b"SQLite", b"\0" * 5000, b"no database" * 999, None])
def test_a_damaged_store_is_refused_before_a_run(shell: Shell, content: bytes | None) -> None:
    """Its path, what is lost and what to do, with exit code 1; nothing runs and the file stays."""
    shell.write("states/reg.sls", "vm:\n  test.present:\n    - registers: [ssh_host:x: {host: y}]\n")
    assert shell.run("apply", "reg").code == 0
    store = shell.root / ".ensue/store.db"
    store.write_bytes(store.read_bytes()[:-1] if content is None else content)
    before = store.read_bytes()
    for words in (("apply", "reg"), ("plan", "reg"), ("resources", "list"), ("keys", "rotate")):
        ended = shell.run(*words)
        assert (ended.code, ended.out) == (1, ""), words
        assert f"{store}: " in ended.err
        assert "apply the states that register them again" in ended.err
        assert "Traceback" not in ended.err
        assert store.read_bytes() == before
