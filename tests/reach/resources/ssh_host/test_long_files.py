"""Long files go to and from a real OpenSSH server in pieces, over SFTP and over nothing but its shell."""

from __future__ import annotations

import asyncio
import filecmp
import hashlib
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from ensue.core.files.local_content import LocalDigests
from ensue.reach.connections.target_content import content_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.sshd import Sshd

    from ensue.reach.resources.ssh_host.connection import SshConnection

pytestmark = pytest.mark.openssh

LONG_BYTES = 32 << 20
MOST_BYTES = LONG_BYTES // 2


@pytest.mark.parametrize("files", ["sftp", "shell"])
def test_a_long_file_goes_there_and_back(
    sshd: Sshd, ssh: Callable[..., SshConnection], tmp_path: Path, files: str
) -> None:
    """A file is written, hashed and copied with little of it in memory, and what arrives is the same."""
    source = tmp_path / "source"
    content = bytes(range(256)) * (LONG_BYTES // 256)
    source.write_bytes(content)
    expected = hashlib.sha512(content).hexdigest()
    del content

    async def run() -> None:
        target = ssh(sshd.config(files=files))
        try:
            await target.write(str(tmp_path / "there"), await LocalDigests().content(source))
            assert await target.checksum(str(tmp_path / "there"), "sha512") == expected
            copied = await content_at(target, str(tmp_path / "there"))
            await target.write(str(tmp_path / "copy"), copied)
        finally:
            await target.close()

    tracemalloc.start()
    try:
        asyncio.run(run())
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    for name in ("there", "copy"):
        assert filecmp.cmp(source, tmp_path / name, shallow=False)
    assert peak_bytes < MOST_BYTES
