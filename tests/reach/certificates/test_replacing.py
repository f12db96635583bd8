"""Replacing a file that a program on the target writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.reach.certificates.target import done, target

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.replacing import replaced

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """New content is nobody else's to read until it is complete; owner and mode stay."""
    path = tmp_path / "a.key"
    path.write_text("before")
    path.chmod(0o640)
    before = path.stat()

    def others() -> list[Path]:
        return [each for each in tmp_path.iterdir() if each != path]

    async def write() -> None:
        async with replaced(target(), str(path)) as temporary:
            (other,) = others()
            assert (str(other), other.stat().st_mode & 0o777) == (temporary, 0o600)
            other.write_text("after")
            assert path.read_text() == "before"

    done(write())
    after = path.stat()
    assert (path.read_text(), after.st_mode, after.st_uid) == ("after", before.st_mode, before.st_uid)
    assert others() == []


def test_an_error_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    """What was written so far is removed."""
    path = tmp_path / "a.key"
    path.write_text("before")

    async def fail() -> None:
        async with replaced(target(), str(path)) as temporary:
            await target().connection.write(temporary, b"half")
            raise StateFailedError("openssl failed")

    with pytest.raises(StateFailedError, match="openssl failed"):
        done(fail())
    assert [(each, each.read_text()) for each in tmp_path.iterdir()] == [(path, "before")]


def test_a_symlink_gives_no_more_rights(tmp_path: Path) -> None:
    """The mode that stays is that of the file behind it: a symlink itself seems to be open to everybody."""
    path, link = tmp_path / "a.key", tmp_path / "link"
    path.write_text("before")
    path.chmod(0o600)
    link.symlink_to(path)

    async def write() -> None:
        async with replaced(target(), str(link)) as temporary:
            await target().connection.write(temporary, b"after")

    done(write())
    assert (link.read_text(), link.stat().st_mode & 0o777) == ("after", 0o600)


def test_a_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    """Nothing is made in its place."""

    async def write() -> None:
        async with replaced(target(), str(tmp_path / "a.key")):
            pytest.fail("it is gone")

    with pytest.raises(StateFailedError, match="no longer exists"):
        done(write())
    assert not [*tmp_path.iterdir()]
