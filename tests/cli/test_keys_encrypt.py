"""`ensue keys encrypt`, with real keys of gpg."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(
    shutil.which("gpg") is None, reason="needs gpg: apt-get install gpg gpg-agent"
)

ADDRESSES = ("one@example.org", "two@example.org")


@pytest.fixture(scope="module")
def keys() -> Iterator[Path]:
    """A folder with two secret keys; its agent ends with the tests."""
    # The path of a socket is short, so pytest's own folders will not do.
    with tempfile.TemporaryDirectory(prefix="gpg") as folder:
        home = ["--homedir", folder]
        for address in ADDRESSES:
            make = ["gpg", *home, "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", address]
            subprocess.run([*make, "future-default", "default", "never"], check=True, capture_output=True)
        yield Path(folder)
        subprocess.run(["gpgconf", *home, "--kill", "all"], check=True, capture_output=True)


def ensue(root: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "ensue", "--root", str(root), *words]
    return subprocess.run(command, input=given, capture_output=True, check=False)


@pytest.mark.parametrize("form", ["nested", "json"])
def test_a_value_is_encrypted_and_read_from_pillar(tmp_path: Path, keys: Path, form: str) -> None:
    """The message is pasted below a key; the value is what was given, to the byte."""
    secret = "s3cret: 'ü'\n two"
    (tmp_path / "ensue.yaml").write_text(f"id: m\ngpg_keydir: {keys}\n")

    done = ensue(
        tmp_path, "keys", "encrypt", "--recipient", ADDRESSES[0], "--out", form, given=secret.encode()
    )

    assert done.returncode == 0, done.stderr
    assert b"s3cret" not in done.stdout + done.stderr
    message = done.stdout.decode()
    if form == "json":
        message = "".join(f"  {line}\n" for line in json.loads(message)["message"].splitlines())
    (tmp_path / "pillar").mkdir()
    (tmp_path / "pillar" / "top.sls").write_text("base:\n  '*': [p]\n")
    (tmp_path / "pillar" / "p.sls").write_text(f"#!yaml|gpg\nword: |\n{message}")
    (tmp_path / "states").mkdir()
    target = tmp_path / "out"
    (tmp_path / "states" / "a.sls").write_text(
        f"{target}:\n  file.managed:\n    - contents_pillar: word\n    - contents_newline: false\n"
    )
    applied = ensue(tmp_path, "apply", "a")
    assert applied.returncode == 0, applied.stdout
    assert target.read_text() == secret
    assert b"s3cret" not in applied.stdout


def test_of_several_keys_one_has_to_be_named(tmp_path: Path, keys: Path) -> None:
    """The error names all of them."""
    (tmp_path / "ensue.yaml").write_text(f"id: m\ngpg_keydir: {keys}\n")
    done = ensue(tmp_path, "keys", "encrypt", given=b"x")
    assert done.returncode != 0
    assert b"2 secret keys: name one of" in done.stderr


def test_the_only_key_needs_no_name(tmp_path: Path, keys: Path) -> None:
    """Without any key, the error says how to make one."""
    (tmp_path / "ensue.yaml").write_text("id: m\n")
    done = ensue(tmp_path, "keys", "encrypt", given=b"x")
    assert done.returncode != 0
    assert b"there is no folder of keys" in done.stderr
    assert b"--batch --passphrase '' --quick-gen-key" in done.stderr
    assert b"keep the folder out of version control" in done.stderr

    with tempfile.TemporaryDirectory(prefix="gpg") as folder:
        home = ["--homedir", folder]
        exported = ["gpg", "--homedir", str(keys), "--batch", "--export-secret-keys", ADDRESSES[1]]
        secret = subprocess.run(exported, check=True, capture_output=True).stdout
        subprocess.run(["gpg", *home, "--batch", "--import"], input=secret, check=True, capture_output=True)
        (tmp_path / "ensue.yaml").write_text(f"id: m\ngpg_keydir: {folder}\n")
        done = ensue(tmp_path, "keys", "encrypt", given=b"x")
        subprocess.run(["gpgconf", *home, "--kill", "all"], check=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"  -----BEGIN PGP MESSAGE-----")


def test_a_key_that_is_not_there_and_a_value_that_is_no_text(tmp_path: Path, keys: Path) -> None:
    """Both are errors without a traceback, and no key is looked up elsewhere."""
    (tmp_path / "ensue.yaml").write_text(f"id: m\ngpg_keydir: {keys}\n")
    unknown = ensue(tmp_path, "keys", "encrypt", "--recipient", "nobody@example.org", given=b"x")
    binary = ensue(tmp_path, "keys", "encrypt", given=b"\xff\xfe")
    for done in (unknown, binary):
        assert done.returncode != 0
        assert b"Traceback" not in done.stderr
    assert b"nobody@example.org" in unknown.stderr
    assert b"WKD" not in unknown.stderr
    assert b"not UTF-8 text" in binary.stderr
