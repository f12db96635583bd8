"""Planted secrets over every sink: no byte of one leaves ensue, whatever the secret and wherever it is used.

One project uses every kind of secret in every way; its commands run once, and all that they write is
searched.
"""

from __future__ import annotations

import os
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pytest
from tests.cli.planted import KINDS, Kind, Sink, broken_files, needles, plant
from tests.cli.shell import Shell

from ensue.cli.crash import crash_line, write_crash_file
from ensue.core.masking import MASK, Masker

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

STATE_OUTPUTS: Final = ("full", "terse", "mixed", "changes", "full_id", "terse_id")
GRAPHS: Final = ("text", "dot", "mermaid", "svg", "json", "yaml")
SHOWN: Final = ("high", "low", "pillar", "top", "enforced")
CALLS: Final = {
    "pillar.items": (),
    "pillar.get": ("planted:nested:secrets",),
    "cmd.run": ("cat /dev/null; echo pl4nted1; exit 3",),
    "http.query": ("http://user:query-pl4nted@127.0.0.1:1/",),
    "mine.explode": ("amqp://user:pl4nted-url@localhost",),
}


@contextmanager
def refusing_server() -> Generator[int]:
    """Yield the port of a server that says to everybody what no HTTP and no SSH client expects."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    asked = connection.recv(65536)
                    connection.sendall(b"HTTP/1.0 401 No\r\nSet-Cookie: sid=header-pl4nted\r\n\r\n" + asked)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """The project with everything planted in it."""
    shell = Shell(tmp_path_factory.mktemp("planted"))
    with refusing_server() as port:
        plant(shell, port)
        (shell.root / "tmp").mkdir()
        yield shell


pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def sinks(shell: Shell) -> dict[str, Sink]:
    """Everything that the commands have written, by where."""
    written = (*_of_runs(shell), *_of_questions(shell), *_of_faults(shell), *_of_files(shell))
    return {sink.name: sink for sink in written}


def _written(shell: Shell, *words: str) -> bytes:
    ended = shell.run(*words, TMPDIR=str(shell.root / "tmp"))
    return f"{ended.out}\n{ended.err}".encode()


def _of_runs(shell: Shell) -> Iterator[Sink]:
    """Yield what runs write while they go on and at their end, and what is shown of them afterwards."""
    yield Sink(name="plan", content=_written(shell, "plan", "all"), proof=b"E0110")
    log = shell.root / "log"
    words = ("apply", "all", "--log-level", "all", "--log-file", str(log))
    yield Sink(name="apply", content=_written(shell, *words), proof=b"ID: fails a key")
    yield Sink(name="log file", content=log.read_bytes())
    yield Sink(name="argv of helpers", content=_own_argv(shell), proof=b"cat /proc")
    yield Sink(name="terminal", content=_on_terminal(shell), proof=b"failed: raises")
    for form in ("json", "yaml", "quiet"):
        yield Sink(name=f"apply {form}", content=_written(shell, "apply", "all", "--out", form))
    last = shell.run("runs", "list", "--out", "json").document[0]["run_id"]
    for how in STATE_OUTPUTS:
        words = ("runs", "show", last, "--state-output", how, "--color", "always")
        yield Sink(name=f"runs show {how}", content=_written(shell, *words), proof=b" unchanged, ")
    for form in ("highstate", "json", "yaml"):
        words = ("runs", "show", last, "--out", form)
        yield Sink(name=f"runs show {form}", content=_written(shell, *words), proof=b"a key")
    for form in GRAPHS:
        words = ("graph", "--run", last, "--out", form)
        yield Sink(name=f"graph of a run {form}", content=_written(shell, *words), proof=b"fails a key")


def _of_questions(shell: Shell) -> Iterator[Sink]:
    """Yield what commands answer that run no state."""
    for form in GRAPHS:
        words = ("graph", "all", "--out", form)
        yield Sink(name=f"graph {form}", content=_written(shell, *words), proof=b"fails a key")
    for what in SHOWN:
        mods = ("all",) if what in {"high", "low"} else ()
        for form in ("json", "yaml"):
            words = ("show", what, *mods, "--out", form)
            yield Sink(name=f"show {what} {form}", content=_written(shell, *words))
    for words in (("list",), ("show", "ssh_host:refused"), ("show", "ssh_host:later"), ("audit",)):
        yield Sink(name=f"resources {' '.join(words)}", content=_written(shell, "resources", *words))
    for function, given in CALLS.items():
        for form in ("json", "yaml"):
            words = ("call", "*", function, *given, "--out", form)
            yield Sink(name=f"call {function} {form}", content=_written(shell, *words))


def _of_faults(shell: Shell) -> Iterator[Sink]:
    """Yield what is said of what cannot be reached or compiled."""
    refused = _written(shell, "call", "ssh_host:refused", "test.ping")
    yield Sink(name="call of a host", content=refused, proof=b"refused")
    for name in broken_files():
        words = ("apply", name, "--log-level", "debug")
        yield Sink(name=f"apply {name}", content=_written(shell, *words), proof=b"error[")
    yield Sink(name="a broken pillar", content=_with_broken_pillar(shell), proof=b"error[")


def _of_files(shell: Shell) -> Iterator[Sink]:
    """Yield what is left on the disk at the end."""
    yield Sink(name="temporary files", content=_all_files(shell.root / "tmp"))
    yield Sink(name="cachedir", content=_all_files(shell.root / ".ensue"), proof=b"NodeFinished")


def _own_argv(shell: Shell) -> bytes:
    """Return the command lines that were seen while commands had secrets in their environment.

    The commands named `argv …` have theirs on the command line, which is what they are warned of.
    """
    lines = (shell.root / "out" / "argv").read_bytes().split(b"\0")
    return b"\n".join(line for line in lines if not line.startswith((b"echo ", b"set -- echo")))


def _on_terminal(shell: Shell) -> bytes:
    """Return what the live display of a run with secrets in its names shows on a terminal."""
    end = shell.root / "end"
    os.mkfifo(end)
    shell.write(
        "states/slow.sls",
        "raises:\n  mine.explode:\n    - what: {{ pillar.planted.percent.password | json }}\n"
        "{{ ('waits ' ~ pillar.planted.unicode.password) | json }}:\n  cmd.run:\n"
        f"    - name: 'cat {end}; : {{{{ pillar.planted.digits.password }}}}'\n",
    )
    master, slave = os.openpty()
    process = shell.start("apply", "slow", stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    while b"waits (sensitive) (cmd.run)" not in shown:
        shown += os.read(master, 65536)
    with end.open("wb"):
        pass
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:  # The other end is closed.
            break
    os.close(master)
    process.wait()
    return shown


def _with_broken_pillar(shell: Shell) -> bytes:
    """Run with a pillar file that does not compile, a secret on and around the line at fault."""
    broken = (
        "db:\n  password: pl4nted1\n  private_key: |\n    QyNTUxOQAAACDvKa91\n   zQ9k=\n  url: amqp://u:pl4nted-url@h\n"
        "  secrets:\n    - 4815162342\n    - [\n"
    )
    other = Shell(shell.root / "broken")
    other.write("pillar/top.sls", "base:\n  '*':\n    - data\n")
    other.write("pillar/data.sls", broken)
    other.write("states/a.sls", "a: test.nop\n")
    return _written(other, "apply", "a", "--log-level", "debug")


def _all_files(folder: Path) -> bytes:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return b"\n".join(str(path).encode() + b"\n" + path.read_bytes() for path in files)


def _leaks(content: bytes) -> dict[str, list[bytes]]:
    matches = {kind: [text for text in texts if text in content] for kind, texts in needles().items()}
    return {kind: texts for kind, texts in matches.items() if texts}


def test_no_sink_holds_a_secret(sinks: dict[str, Sink]) -> None:
    """Every kind of secret is looked for in every byte of every sink, and none is found."""
    for name, sink in sinks.items():
        assert _leaks(sink.content) == {}, name


def test_every_sink_is_what_it_was_to_be(sinks: dict[str, Sink]) -> None:
    """The sinks hold what proves that the commands did their work: an empty one would prove nothing."""
    assert [name for name, sink in sinks.items() if sink.proof not in sink.content] == []
    for kind in KINDS:
        assert f"fails {kind.name}".encode() in sinks["apply"].content
    for name in ("apply", "apply json", "show pillar json", "show low json", "cachedir", "log file"):
        assert MASK.encode() in sinks[name].content, name


def test_the_secrets_were_used(shell: Shell, sinks: dict[str, Sink]) -> None:
    """What was made of the secrets holds them in the clear, in files of their owner alone."""
    assert sinks
    for kind in KINDS:
        path = shell.root / "out" / kind.name
        assert path.read_text(encoding="utf-8").strip() == kind.value.strip()
        if kind.name not in {"a url", "an escaped url", "json text", "dotenv text"}:
            assert path.stat().st_mode & 0o777 == 0o600, kind.name


def test_nothing_is_left_in_temporary_folders(shell: Shell, sinks: dict[str, Sink]) -> None:
    """A run leaves no temporary files behind, in its folder for them and below the cachedir."""
    assert sinks
    assert list((shell.root / "tmp").iterdir()) == []
    assert [path for path in (shell.root / ".ensue").rglob("*") if path.suffix in {".tmp", ".part"}] == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_crash_file_holds_no_secret(tmp_path: Path, kind: Kind) -> None:
    """The traceback of an internal error, which quotes values in any form, is masked as everything else."""
    masker = Masker()
    for other in KINDS:
        masker.add_guessed(*(other.secrets or (other.value,)))
    try:
        raise ValueError(f"{kind.value!r} {kind.value}", kind.value)  # noqa: TRY301 (a secret in every place)
    except ValueError as error:
        file = write_crash_file(error, tmp_path, masker.text)
        line = crash_line(error, file, masker.text)
    assert file is not None
    assert _leaks(file.read_bytes()) == _leaks(line.encode()) == {}
