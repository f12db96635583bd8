"""The target's openssl, run by a real shell: arguments, files, passphrases, and what goes wrong."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import pytest
from tests.reach.certificates.target import (
    SECRET,
    done,
    needs_openssl,
    path_with_openssl,
    programs_without_openssl,
    target,
)

from ensue.core.contracts.connection import Completed
from ensue.core.errors import StateFailedError
from ensue.reach.certificates.openssl import TargetKey, must, pipe, run, succeeded

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_openssl
SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_command_has_its_outcome() -> None:
    """Output and exit code come back, whatever the exit code is."""
    assert done(run(target(), "version")).stdout.startswith(b"OpenSSL ")
    failed = done(run(target(), "x509", "-in", "/nonexistent/a"))
    assert (failed.returncode, failed.stdout) == (1, b"")
    assert b"No such file" in failed.stderr


@pytest.mark.parametrize("text", ["$HOME `id` \\ 'x' \"y\"", "END", "@a", "-----\nEND-0\nÄ"])
def test_a_file_has_the_text_that_is_given(text: str) -> None:
    """No shell reads it; it ends with one newline, and `@` without a file is a word as any other."""
    shown = done(must(target(), "enc", "-base64", "-d", "-A", what="decode", files={"unused": text}))
    assert shown == b""
    shown = done(must(target(), "asn1parse", "-genstr", "UTF8:@b", what="parse", files={"a": text}))
    assert b"@b" in shown
    content = done(must(target(), "enc", "-base64", "-in", "@a", what="encode", files={"a": text}))
    decoded = done(must(target(), "enc", "-d", "-base64", "-in", "@c", what="decode",
                        files={"c": content.decode()}))  # fmt: skip
    assert decoded.decode() == f"{text}\n"


def test_a_first_command_prepares_a_file() -> None:
    """It must succeed, or the second one does not run."""
    files = {"a.b64": "YWJj", "a": ""}
    digest = done(
        must(target(), "dgst", "-sha256", "@a", what="digest", files=files,
             first=["base64", "-d", "-in", "@a.b64", "-out", "@a"])
    )  # fmt: skip
    assert SHA256_OF_ABC in digest.decode()
    with pytest.raises(StateFailedError, match="cannot digest"):
        done(must(target(), "version", what="digest", files=files, first=["x509", "-in", "@a"]))


def test_the_files_are_private_and_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else may read them while openssl runs; a failure removes them as well."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    programs = path_with_openssl(
        tmp_path / "bin", 'for f in "$@"; do stat -c %a "$f" "${f%/*}"; done; exit 1'
    )
    monkeypatch.setenv("PATH", programs)
    failed = done(run(target(), "@a", files={"a": "text"}))
    assert (failed.returncode, failed.stdout) == (1, b"600\n700\n")
    assert [each.name for each in tmp_path.iterdir()] == ["bin"]


def test_passphrases_come_on_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One per line, without the empty ones; they are masked, and in no argument or variable."""
    monkeypatch.setenv("PATH", path_with_openssl(tmp_path / "bin", 'cat; echo "$@"; env'))
    ctx = target()
    stdout = done(run(ctx, "pkey", passphrases=[None, SECRET, "", "second"])).stdout.decode()
    assert stdout.startswith(f"{SECRET}\nsecond\npkey\n")
    assert stdout.count(SECRET) == stdout.count("second") == 1
    assert ctx.masker.text(f"{SECRET} second") == "(sensitive) (sensitive)"


def test_a_pipe_gives_each_command_its_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first reads it from standard input, the second from descriptor 3, as it is; both are masked."""
    monkeypatch.setenv("PATH", path_with_openssl(tmp_path / "bin", 'cat; test "$1" != sink || cat <&3'))
    ctx = target()
    completed = done(pipe(ctx, ["source"], ["sink"], passphrases=(SECRET, "END-asked $HOME `id`")))
    assert completed.stdout.decode() == f"{SECRET}\nEND-asked $HOME `id`\n"
    assert ctx.masker.text(f"{SECRET} END-asked $HOME `id`") == "(sensitive) (sensitive)"
    completed = done(pipe(ctx, ["source"], ["sink"]))
    assert completed.stdout == b"\n\n"


def test_a_pipe_of_real_commands() -> None:
    """What the first writes is what the second reads."""
    completed = done(pipe(target(), ["rand", "3"], ["base64", "-A"]))
    assert (completed.returncode, len(completed.stdout)) == (0, 4)
    assert done(pipe(target(), ["x509", "-in", "/nonexistent"], ["x509"])).returncode == 1


@pytest.mark.parametrize("passphrase", ["two\nlines", "\n"])
def test_a_passphrase_is_one_line(passphrase: str) -> None:
    """Otherwise openssl would read its first line alone; it is masked even so."""
    ctx = target()
    with pytest.raises(StateFailedError, match="a passphrase must be one line"):
        done(run(ctx, "version", passphrases=[passphrase]))
    with pytest.raises(StateFailedError, match="a passphrase must be one line"):
        done(pipe(ctx, ["version"], ["version"], passphrases=(None, passphrase)))


def test_a_target_without_openssl_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By each of the functions, with what to do about it."""
    monkeypatch.setenv("PATH", programs_without_openssl(tmp_path / "bin"))
    ctx = target()
    for work in (
        run(ctx, "version"),
        run(ctx, "version", files={"a": "text"}, first=["version"]),
        pipe(ctx, ["version"], ["version"]),
        must(ctx, "version", what="ask"),
    ):
        with pytest.raises(StateFailedError) as refused:
            done(work)  # type: ignore[arg-type] # one result or another
        assert str(refused.value) == "minion:target has no program `openssl`; install it there"


def test_a_failure_says_what_and_why() -> None:
    """The last three lines of the error output, whatever bytes they are."""
    failed = Completed(returncode=1, stdout=b"", stderr=b"one\ntwo\nthr\xffee\nfour\n\n")
    with pytest.raises(StateFailedError) as refused:
        succeeded(failed, "sign")
    assert str(refused.value) == "cannot sign: two\nthr�ee\nfour"
    assert succeeded(Completed(returncode=0, stdout=b"out", stderr=b"warning"), "sign") == b"out"
    with pytest.raises(StateFailedError, match=r"(?s)cannot read it: .*No such file"):
        done(must(target(), "x509", "-in", "/nonexistent/a", what="read it"))


def test_a_key_never_makes_openssl_ask() -> None:
    """Without a passphrase, an empty one is given on the command line, which is none of a secret's places."""
    assert TargetKey(path="/a").options() == ["-passin", "pass:"]
    assert TargetKey(path="/a", passphrase="").options() == ["-passin", "pass:"]
    assert TargetKey(path="/a", passphrase="x").options() == ["-passin", "stdin"]
