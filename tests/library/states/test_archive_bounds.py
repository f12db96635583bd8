"""What `archive.extracted` refuses: ways out of the folder, and archives that unpack to too much."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import io
import lzma
import os
import pwd
import stat
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import HERE, context
from tests.library.states.test_archive import FILES, extract, link, tar_of
from tests.support.sshd import running_sshd

from ensue.core.contracts.resource_type import ResourceContext
from ensue.core.errors import StateFailedError
from ensue.core.masking import Masker
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.library.states.archive.extracted import extracted
from ensue.reach.resources import ssh_host
from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ensue.core.contracts.connection import Connection

MIB = 1 << 20


@pytest.fixture(params=["here", pytest.param("ssh", marks=pytest.mark.openssh)])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connection]:
    """This machine, and the same one over SSH."""
    if request.param == "here":
        yield MinionConnection(HERE)
        return
    with running_sshd(tmp_path / "sshd", user=pwd.getpwuid(os.geteuid()).pw_name) as server:
        yield ssh_host.connect(
            ResourceContext(
                srn=Srn("ssh_host", "far"), config=server.config(), opts={}, cache_dir=Path("/nonexistent"),
                masker=Masker(), connect_to=MinionConnection,
            )
        )  # fmt: skip


def unpack(connection: Connection, folder: Path, content: bytes, **more: Any) -> StateReturn:
    ctx = context(connection)
    ctx.sources = {"salt://a.tgz": content}
    more.setdefault("enforce_toplevel", False)

    async def run() -> StateReturn:
        try:
            return await extracted(ctx, str(folder), "salt://a.tgz", **more)
        except StateFailedError as error:
            return StateReturn(name=str(folder), result=False, comment=str(error))
        finally:
            await connection.close()

    return asyncio.run(run())


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def zip_with(name: str, mode: int, content: str = "") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as zipped:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        zipped.writestr(info, content)
    return packed.getvalue()


def test_nothing_is_written_through_a_link_that_was_there(connection: Connection, tmp_path: Path) -> None:
    """`d/l/f` is refused when the link `d/l` leads out, with any options, and extracted when it leads in."""
    outside, folder = tmp_path / "outside", tmp_path / "x"
    outside.mkdir()
    (folder / "d/in").mkdir(parents=True)
    (folder / "d/l").symlink_to(outside)
    (folder / "d/m").symlink_to("../d/in")
    for more in ({}, {"overwrite": True}, {"force": True}):
        refused = unpack(connection, folder, tar_of({"d/l/f": b"bad", "d/ok": b"1"}), **more)
        assert refused.result is False
        assert f"{folder}/d/l leads out of {folder} to {outside}" in refused.comment
    assert (everything(outside), everything(folder)) == ([], ["d", "d/in", "d/l", "d/m"])
    assert unpack(connection, folder, tar_of({"d/m/f": b"good"})).result is True
    assert (folder / "d/in/f").read_bytes() == b"good"
    done = unpack(connection, folder, tar_of({"d/l/f": b"good"}), clean=True)
    assert (done.result, done.changes["removed"]) == (True, [f"{folder}/d"])
    assert ((folder / "d/l/f").read_bytes(), everything(outside)) == (b"good", [])


def test_a_symlink_must_not_lead_out_by_way_of_one_that_was_there(
    connection: Connection, tmp_path: Path
) -> None:
    """`d/m -> l/secret` is refused where `d/l` leads out on the target, and made where it leads in."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "x/d").mkdir(parents=True)
    (tmp_path / "x/d/l").symlink_to(tmp_path / "outside")
    content = tar_of({}, "w:gz", link("d/m", "l/secret"))
    refused = unpack(connection, tmp_path / "x", content)
    assert "'d/m' to 'l/secret', which leads out" in refused.comment
    assert everything(tmp_path / "x") == ["d", "d/l"]
    (tmp_path / "x/d/l").unlink()
    assert unpack(connection, tmp_path / "x", content).result is True
    assert (tmp_path / "x/d/m").readlink() == Path("l/secret")


@pytest.mark.parametrize("target", ["/etc", "../../y", "b/../../.."])
def test_links_that_lead_out_on_request(target: str, tmp_path: Path) -> None:
    """`allow_outside_links`, which the error names, makes them; a second run changes nothing."""
    content = tar_of({"a/f": b"1"}, "w:gz", link("a/l", target), link("a/h", "a/l", tarfile.LNKTYPE))
    assert "(`allow_outside_links: true` makes such links)" in extract(tmp_path / "x", content).comment
    done = extract(tmp_path / "x", content, allow_outside_links=True)
    assert done.result is True, done.comment
    assert [str((tmp_path / "x/a" / name).readlink()) for name in "lh"] == [target, target]
    again = extract(tmp_path / "x", content, allow_outside_links=True)
    assert (again.result, again.changes) == (True, {})


def test_nothing_is_unpacked_through_links_that_lead_out_on_request(
    connection: Connection, tmp_path: Path
) -> None:
    """Neither an entry below such a link of the archive, nor a later archive, is unpacked through it."""
    outside, folder = tmp_path / "outside", tmp_path / "x"
    outside.mkdir()
    content = tar_of({"a/l/f": b"bad"}, "w:gz", link("a/l", str(outside)))
    refused = unpack(connection, folder, content, allow_outside_links=True)
    assert "'a/l/f' below it" in refused.comment
    made = unpack(connection, folder, tar_of({}, "w:gz", link("a/l", str(outside))), allow_outside_links=True)
    assert made.result is True, made.comment
    refused = unpack(connection, folder, tar_of({"a/l/f": b"bad"}), allow_outside_links=True)
    assert f"{folder}/a/l leads out of {folder} to {outside}" in refused.comment
    assert everything(outside) == []


def test_a_link_above_the_folder_is_the_users_own(tmp_path: Path) -> None:
    """The folder may be reached through a link, and links in it may name it by either path."""
    (tmp_path / "real").mkdir()
    (tmp_path / "x").symlink_to("real")
    (tmp_path / "real/in").symlink_to(tmp_path / "x/d")
    content = tar_of(
        {"in/f": b"1"}, "w:gz", link("d/up", "../in"), link("d/whole", f"{tmp_path}/x/d/up"), link("o", "o")
    )
    (tmp_path / "real/d").mkdir()
    done = extract(tmp_path / "x", content, enforce_toplevel=False)
    assert done.result is True, done.comment
    assert (tmp_path / "real/d/f").read_bytes() == b"1"


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([link("a/l", "/etc")], "'a/l' to '/etc', which leads out"),
        ([link("a/l", "../../y")], "'a/l' to '../../y', which leads out"),
        ([link("p/q/r", "../.."), link("p/x", "q/r/..")], "'p/x' to 'q/r/..', which leads out"),
        ([link("a/l", "m/../.."), link("a/m", "b/c/d")], None),
        ([link("a/l", "."), tarfile.TarInfo("a/l/f")], "as a symlink and 'a/l/f' below it"),
        ([tarfile.TarInfo("a/l/f"), link("a/l", ".")], "as a symlink and 'a/l/f' below it"),
        ([tarfile.TarInfo("a"), tarfile.TarInfo("a/f")], "'a' as a file and 'a/f' below it"),
        ([link("a/h", "a/none", tarfile.LNKTYPE)], "no such file comes before it"),
        ([link("a/b/l", "../y"), link("h", "a/b/l", tarfile.LNKTYPE)], "'h' to '../y', which leads out"),
        ([link("a/l", "")], "which is not a path"),
        ([link("a/l", "b\nc")], "which is not a path"),
        ([tarfile.TarInfo("a/b\nc")], "control characters"),
        ([tarfile.TarInfo("a/\x1b[2J")], "control characters"),
        ([tarfile.TarInfo("/../etc/x")], "leads out of the folder"),
        ([link("a/p", "", tarfile.FIFOTYPE)], "a device or a pipe"),
        ([link("a/p", "", tarfile.BLKTYPE)], "a device or a pipe"),
    ],
)  # fmt: skip
def test_an_archive_that_leads_out_is_refused_whole(
    entries: list[tarfile.TarInfo], why: str | None, tmp_path: Path
) -> None:
    """By symlinks, hard links, names or devices; nothing is written then, and a plan says the same."""
    content = tar_of({"ok": b"1"}, "w:gz", *entries)
    for test in (True, False):
        refused = extract(tmp_path / "x", content, enforce_toplevel=False, test=test)
        assert (refused.result is False) is (why is not None), refused.comment
        assert (why or "") in refused.comment
        assert (tmp_path / "x").exists() is (why is None and not test)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (zip_with("a/l", stat.S_IFLNK | 0o777, "/etc"), "'a/l' to '/etc', which leads out"),
        (zip_with("a/p", stat.S_IFIFO | 0o644), "a device or a pipe"),
        (zip_with("a/d", stat.S_IFCHR | 0o644), "a device or a pipe"),
        (zip_with("a/b\tc", stat.S_IFREG | 0o644), "control characters"),
    ],
    ids=["symlink", "pipe", "device", "name"],
)
def test_a_zip_is_held_to_the_same(content: bytes, why: str, tmp_path: Path) -> None:
    """Symlinks, devices and names of a zip are looked at as a tar's are."""
    refused = extract(tmp_path / "x", content, "a.zip")
    assert (refused.result, why in refused.comment) == (False, True), refused.comment
    assert everything(tmp_path) == []


def test_what_is_safe_keeps_working(tmp_path: Path) -> None:
    """Links within the folder, hard links, names that begin with a slash and bytes that are no text."""
    entries = [
        link("app/etc/up", "../run"), link("app/hard", "app/run", tarfile.LNKTYPE), link("app/gone", "none"),
        link("app/self", "self"), tarfile.TarInfo("/app/rooted"), tarfile.TarInfo("app/\udcff"),
    ]  # fmt: skip
    done = extract(tmp_path, tar_of(FILES, "w:gz", *entries))
    assert done.result is True, done.comment
    assert (tmp_path / "app/hard").samefile(tmp_path / "app/run")
    assert (tmp_path / "app/etc/up").read_bytes() == FILES["app/run"]
    assert (tmp_path / "app/rooted").is_file()
    assert "app/\ufffd" in str(done.changes["extracted_files"])
    assert extract(tmp_path, tar_of(FILES, "w:gz", *entries)).changes == {}


def bomb(mib: int) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        info = tarfile.TarInfo("app/zeros")
        info.size = mib * MIB
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    return packed.getvalue()


def zip_bomb(mib: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("app/zeros", bytes(mib * MIB))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.tgz", lambda: gzip.compress(bomb(20))),
        ("a.tbz2", lambda: bz2.compress(bomb(20))),
        ("a.txz", lambda: lzma.compress(bomb(20))),
        ("a.zip", lambda: zip_bomb(20)),
    ],
    ids=["gzip", "bzip2", "xz", "zip"],
)
def test_a_bomb_is_refused_by_its_ratio(name: str, make: Callable[[], bytes], tmp_path: Path) -> None:
    """Twenty megabytes of nothing in a few kilobytes are refused, and unpacked with a higher `max_ratio`."""
    content = make()
    refused = extract(tmp_path / "x", content, name)
    assert refused.result is False
    assert f"{len(content)} bytes and unpacks to more than 200 times as many, the limit `max_ratio`" in (
        refused.comment
    )
    assert everything(tmp_path) == []
    assert extract(tmp_path / "x", content, name, max_ratio=1_000_000).result is True
    assert (tmp_path / "x/app/zeros").stat().st_size == 20 * MIB


@pytest.mark.parametrize(
    ("name", "make"),
    [("a.tar", bomb), ("a.tgz", lambda mib: gzip.compress(bomb(mib))), ("a.zip", zip_bomb)],
    ids=["tar", "gzip", "zip"],
)
def test_an_archive_is_refused_by_its_size(name: str, make: Callable[[int], bytes], tmp_path: Path) -> None:
    """What unpacks to more than `max_size` is refused; what is below both limits is not."""
    content = make(3)
    refused = extract(tmp_path / "x", content, name, max_size="2MiB")
    assert (refused.result, "more than 2097152 bytes, the limit `max_size`" in refused.comment) == (
        False,
        True,
    )
    assert everything(tmp_path) == []
    assert extract(tmp_path / "x", content, name, max_size="4M").result is True


def test_holes_count_as_what_they_unpack_to(tmp_path: Path) -> None:
    """A sparse file of a terabyte, and many empty files, are refused without being read."""
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 1 << 40)
    content = tmp_path / "a.tar"
    subprocess.run(["tar", "-cSf", str(content), "-C", str(tmp_path), "sparse"], check=True)
    assert content.stat().st_size < MIB
    refused = extract(tmp_path / "x", content.read_bytes(), "a.tar", enforce_toplevel=False)
    assert "the limit `max_size`" in refused.comment
    many = tar_of({f"app/{number}": b"" for number in range(3000)})
    assert "max_size" in extract(tmp_path / "x", many, max_size="1MiB").comment
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("word", "value"),
    [("max_size", 0), ("max_size", "much"), ("max_ratio", 0), ("max_ratio", "high"), ("max_ratio", True)],
)
def test_a_limit_is_a_number_above_zero(word: str, value: Any, tmp_path: Path) -> None:
    """Anything else is refused by the argument's name."""
    refused = extract(tmp_path / "x", tar_of(FILES), **{word: value})
    assert (refused.result, word in refused.comment) == (False, True)
