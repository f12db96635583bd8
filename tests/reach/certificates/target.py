"""This machine as the target of `ensue.reach.certificates`: its real openssl, and one in its place."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from ensue.core.model.srn import Srn
from ensue.reach.certificates.keys import KeyKind, Storage, generate
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeFunctionContext

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

_Result = TypeVar("_Result")

SECRET = "hunter2x y$z'"
"""A passphrase with what a shell would read."""

needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl: apt-get install openssl"
)


def target(**fields: Any) -> FakeFunctionContext:
    """Return the context of a function on this machine."""
    return FakeFunctionContext(connection=MinionConnection(Srn("minion", "target")), **fields)


def done(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine and return its result."""
    return asyncio.run(work)


def openssl(*words: str | Path, stdin: bytes = b"") -> str:
    """Return what openssl itself says, errors included; fail if it does not succeed."""
    ran = subprocess.run(
        ["openssl", *map(str, words)],
        input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    return ran.stdout.decode("utf-8", "replace")


def key_at(path: Path, algo: str = "ec", passphrase: str | None = None, encoding: str = "pem") -> TargetKey:
    """Create a key, by the function that is for it."""
    path.touch(mode=0o600)
    storage = Storage(encoding=encoding, passphrase=passphrase)
    done(generate(target(), str(path), KeyKind.wanted(algo, None), storage))
    return TargetKey(path=str(path), passphrase=passphrase)


def programs_without_openssl(folder: Path) -> str:
    """Return a PATH that has the programs of a small machine, except openssl."""
    folder.mkdir()
    for name in ("sh", "cat", "env", "mktemp", "rm", "head", "grep", "mv", "chmod", "chown", "stat"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return str(folder)


def path_with_openssl(folder: Path, script: str) -> str:
    """Return a PATH on which openssl is a script."""
    programs = programs_without_openssl(folder)
    program = folder / "openssl"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return programs
