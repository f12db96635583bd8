"""What the machine refuses is one diagnostic with its remedy for every command, never a bug in ensue."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from ensue.cli import main
from ensue.cli.machine_trouble import machine_trouble
from ensue.cli.root import root
from ensue.core.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOBODY = 65534
COMMANDS = [
    ["apply", "a"],
    ["apply", "a", "--test", "--out", "json"],
    ["plan", "a"],
    ["plan"],
    ["call", "*", "test.ping"],
    ["call", "minion:m", "cmd.run", "echo hi"],
    ["fleet", "status", "*"],
    ["fleet", "sync", "*"],
    ["resources", "audit"],
    ["resources", "list"],
    ["resources", "show", "dummy:w1"],
    ["resources", "refresh", "dummy:w1"],
    ["resources", "register", "dummy:w2"],
    ["resources", "invalidate", "dummy:w1"],
    ["resources", "forget", "dummy:w1"],
    ["enforced", "forget", "a"],
    ["runs", "list"],
    ["runs", "show"],
    ["runs", "resume"],
    *(["show", what, "a"] for what in ("high", "low")),
    *(["show", what] for what in ("top", "pillar", "enforced", "active", "definitions")),
    ["show", "match", "workload"],
    ["compare", "a"],
    ["deploy", "score.yaml", "--app", "a", "--env", "e", "--env-type", "t"],
    ["deploy", "score.yaml", "--app", "a", "--env", "e", "--env-type", "t", "--plan"],
    ["deployments", "list"],
    ["deployments", "show", "1", "--app", "a", "--env", "e"],
    ["deployments", "diff", "1", "2", "--app", "a", "--env", "e"],
    ["deployments", "expire"],
    ["graph", "a"],
    ["keys", "encrypt"],
    ["keys", "rotate"],
    ["doc", "file.managed"],
    ["schema", "sls"],
    ["init", "new"],
    ["explain", "E0113"],
    ["completion", "bash"],
]
NEED_THE_CACHEDIR = {
    ("apply", "a"),
    ("plan", "a"),
    ("resources", "register", "dummy:w2"),
    ("runs", "resume"),
    ("keys", "rotate"),
}
"""Commands that cannot do their work without writing to the cachedir."""


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command that has no subcommands."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from leaves(inner, (*path, name))
    else:
        yield path


def test_every_command_is_tried() -> None:
    """No command is missing in the table of this test."""
    tried = {tuple(words[:length]) for words in COMMANDS for length in (1, 2)}
    assert set(leaves(root)) - tried == set()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project that was used before, with everything that commands leave in a cachedir."""
    (tmp_path / "ensue.yaml").write_text("id: m\nfile_roots: {base: [states]}\n")
    (tmp_path / "score.yaml").write_text(
        "apiVersion: score.dev/v1b1\nmetadata: {name: web}\ncontainers: {main: {image: nginx}}\n"
    )
    (tmp_path / "states").mkdir()
    (tmp_path / "states" / "top.sls").write_text("base: {'*': [a]}\n")
    (tmp_path / "states" / "a.sls").write_text(
        "x:\n  test.configurable_test_state:\n    - changes: true\n    - result: true\n"
    )
    assert main(["--root", str(tmp_path), "apply", "a"]) == 0
    assert main(["--root", str(tmp_path), "resources", "register", "dummy:w1"]) == 0
    return tmp_path


def foreign(project: Path) -> None:
    """Give the cachedir to another user, who keeps it private."""
    give_away(project / ".ensue")


def readable(project: Path) -> None:
    """Give the cachedir to another user, who lets everybody read it."""
    give_away(project / ".ensue", folder_mode=0o555, file_mode=0o444)


def half_foreign(project: Path) -> None:
    """Give only the files in the cachedir to another user: ensue ran once as root."""
    for path in (project / ".ensue").iterdir():
        give_away(path)


def read_only(project: Path) -> None:
    """Remove the cachedir, and let nobody write to the project."""
    subprocess.run(["rm", "-r", project / ".ensue"], check=True)
    give_away(project, folder_mode=0o555, file_mode=0o444)


def give_away(top: Path, *, folder_mode: int = 0o700, file_mode: int = 0o600) -> None:
    """Give a tree to another user with these modes; without privileges, take the modes of the owner away."""
    for path in (*top.rglob("*"), top):
        mode = folder_mode if path.is_dir() else file_mode
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
            path.chmod(mode)
        else:
            path.chmod(mode & 0o444 and (0o555 if path.is_dir() else 0o444) if mode & 0o044 else 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("trouble", [foreign, readable, half_foreign, read_only])
def test_a_cachedir_of_another_user_is_reported_by_every_command(
    trouble: Callable[[Path], None], project: Path
) -> None:
    """A command works without the cachedir, or says in its message what is refused and how to mend it."""
    trouble(project)
    try:
        program = [sys.executable, "-m", "tests.cli.without_privileges", json.dumps(with_root(project))]
        done = subprocess.run(
            program, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
        )
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", project], check=True)
    assert done.returncode == 0, done.stderr
    wrong: list[Any] = []
    for words, (code, out, err) in zip(COMMANDS, json.loads(done.stdout), strict=True):
        output = out + err
        if "internal error" in output or "Traceback" in output or code not in {0, 1, 2}:
            wrong.append((words, code, output))
        if tuple(words) in NEED_THE_CACHEDIR and (code != 1 or not explains(output)):
            wrong.append((words, code, output))
        if "ermission denied" in output and words[0] != "init" and not explains(output):
            wrong.append((words, code, output))
    assert wrong == []


def explains(message: str) -> bool:
    """Return whether a message has a path of the cachedir and a remedy."""
    return ".ensue" in message and ("`cachedir:`" in message or "check the owner and mode" in message)


def with_root(project: Path) -> list[list[str]]:
    """Return the commands with the folder of the project."""
    return [["--root", str(project), *words] for words in COMMANDS[:-3]] + [
        ["init", str(project / "new")],
        *COMMANDS[-2:],
    ]


def limited(project: Path, words: list[str], limits: dict[int, int]) -> subprocess.CompletedProcess[str]:
    """Run a command under limits of the kernel."""

    def limit() -> None:
        for kind, value in limits.items():
            resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))

    program = [sys.executable, "-m", "ensue", "--root", str(project), *words]
    return subprocess.run(program, preexec_fn=limit, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("words", [["plan", "a"], ["apply", "a"], ["call", "*", "test.ping"]])
def test_refused_threads_are_reported(words: list[str], project: Path) -> None:
    """A stack that does not fit into the address space makes the kernel refuse every thread."""
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the stack is limited")
    done = limited(project, words, {resource.RLIMIT_STACK: 1 << 46})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error[E0116]: this machine starts no more threads\n")
    assert "ulimit -u" in done.stderr


def test_a_limit_of_memory_is_reported(project: Path) -> None:
    """Whatever the limit, a command does its work, reports E0115, or never becomes ensue."""
    for mebibytes in range(60, 240, 50):
        done = limited(project, ["plan", "a"], {resource.RLIMIT_AS: mebibytes << 20})
        assert "a bug in ensue" not in done.stderr, (mebibytes, done.stderr)
    done = limited(project, ["plan", "a"], {resource.RLIMIT_AS: 60 << 20})
    assert "error[E0115]: there is not enough memory" in done.stderr or done.returncode == 0


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "E0114"),
        (errno.EMFILE, "E0114"),
        (errno.EROFS, "E0113"),
        (errno.EACCES, "E0113"),
        (errno.EAGAIN, "E0114"),
    ],
)
def test_an_error_of_the_machine_is_known_by_its_number(number: int, code: str, tmp_path: Path) -> None:
    """The diagnostic has the path, and a remedy."""
    trouble = machine_trouble(OSError(number, os.strerror(number), str(tmp_path / "x")), tmp_path)
    assert trouble is not None
    assert (trouble.code, bool(trouble.help)) == (code, True)
    assert str(tmp_path / "x") in trouble.detail


def test_errors_of_other_kinds_are_not_the_machines() -> None:
    """A file that is missing, or a store that is damaged, is reported as before."""
    assert machine_trouble(FileNotFoundError(errno.ENOENT, "no such file", "x"), None) is None
    assert machine_trouble(StoreError("the store is damaged"), Path("/x")) is None
    assert machine_trouble(KeyError("x"), None) is None
