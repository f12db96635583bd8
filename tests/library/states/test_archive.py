"""`archive.extracted`: real archives, unpacked by this machine's tar."""

from __future__ import annotations

import asyncio
import hashlib
import io
import lzma
import os
import shutil
import stat
import subprocess
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import HERE, context, needs_root, state

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from ensue.core.model.returns import StateReturn

FILES = {"app/run": b"#!/bin/sh\n", "app/etc/conf": b"a=1\n"}
ABSENT = ", due to absence of one or more files/dirs"


def tar_of(files: dict[str, bytes], mode: str = "w:gz", *extra: tarfile.TarInfo) -> bytes:
    """A tar of files (mode 0775), a symlink `app/link` and what else is given."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as tar:  # type: ignore[call-overload] # the modes are a parameter
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.mode, info.size, info.uid = 0o4775, len(content), 12345
            tar.addfile(info, io.BytesIO(content))
        for info in extra:
            tar.addfile(info)
    return packed.getvalue()


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def zip_of(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFREG | 0o755) << 16
            zipped.writestr(info, content)
        shortcut = zipfile.ZipInfo("app/link")
        shortcut.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(shortcut, "run")
    return packed.getvalue()


def damaged(content: bytes) -> bytes:
    """An archive with a hole in its middle."""
    middle = len(content) // 2
    return content[:middle] + bytes(500) + content[middle + 500 :]


def extract(
    folder: Path, source: bytes, name: str = "a.tgz", *, test: bool = False, **more: Any
) -> StateReturn:
    ctx = context(MinionConnection(HERE), test=test)
    ctx.sources = {f"salt://{name}": source}
    return state("archive.extracted", ctx, str(folder), source=f"salt://{name}", **more)


def archives() -> list[Any]:
    app = link("app/link", "run")
    contents = {
        "a.tar": tar_of(FILES, "w", app),
        "a.tar.gz": tar_of(FILES, "w:gz", app),
        "a.tbz2": tar_of(FILES, "w:bz2", app),
        "a.tar.xz": tar_of(FILES, "w:xz", app),
        "a.tar.lzma": lzma.compress(tar_of(FILES, "w", app), format=lzma.FORMAT_ALONE),
        "a.zip": zip_of(FILES),
    }
    return [pytest.param(name, content, id=name) for name, content in contents.items()]


@pytest.mark.parametrize(("name", "content"), archives())
def test_an_archive_is_unpacked_once(name: str, content: bytes, tmp_path: Path) -> None:
    """Each kind of archive is planned without a change, unpacked whole, and left alone the second time."""
    folder = tmp_path / "opt/it"
    planned = extract(folder, content, name, test=True)
    assert (planned.result, planned.changes, planned.new_state) == (None, {}, None)
    assert planned.comment == f"Archive salt://{name} would be extracted to {folder}/{ABSENT}"
    assert not folder.exists()

    done = extract(folder, content, name)
    assert done.comment == f"salt://{name} extracted to {folder}/{ABSENT}"
    assert done.changes == {
        "directories_created": [f"{folder}/"], "extracted_files": ["app/run", "app/etc/conf", "app/link"],
    }  # fmt: skip
    digest = hashlib.sha256(content).hexdigest()
    assert done.new_state == {
        "path": str(folder),
        "top_level": ["app"],
        "source_hash": f"sha256={digest}",
    }
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    assert (folder / "app/link").readlink() == Path("run")
    run = (folder / "app/run").stat()
    assert (stat.S_IMODE(run.st_mode), run.st_uid) == (0o755, tmp_path.stat().st_uid)

    again = extract(folder, content, name)
    assert (again.result, again.changes) == (True, {})
    assert again.comment == "All files in archive are already present"
    (folder / "app/run").unlink()
    assert extract(folder, content, name).changes["extracted_files"] == done.changes["extracted_files"]


def test_more_than_one_thing_at_the_top_is_refused(tmp_path: Path) -> None:
    """`enforce_toplevel: false` allows it; `trim_output` shortens the list of files."""
    both = tar_of({"a": b"1", "b/c": b"2"})
    refused = extract(tmp_path / "x", both)
    assert (refused.result, "single top-level directory" in refused.comment) == (False, True)
    done = extract(tmp_path / "x", both, enforce_toplevel=False, trim_output=1)
    assert done.changes["extracted_files"] == ["a"]
    assert done.comment.endswith(f"{ABSENT}. Output was trimmed to 1 number of lines")
    assert (tmp_path / "x/b/c").read_bytes() == b"2"


def test_a_path_that_is_there_makes_unpacking_needless(tmp_path: Path) -> None:
    """With `if_missing` only that path is looked at; the source is not even read."""
    ctx = context(MinionConnection(HERE))
    done = state("archive.extracted", ctx, "/nowhere", source="salt://none.tgz", if_missing=str(tmp_path))
    assert (done.result, done.changes, done.comment) == (True, {}, f"Path {tmp_path} exists")
    assert extract(tmp_path / "x", tar_of(FILES), if_missing=str(tmp_path / "no")).result is True


def test_the_checksum_is_looked_at(tmp_path: Path) -> None:
    """A file of this machine with another checksum is not unpacked, and with the right one it is."""
    source = tmp_path / "a.tgz"
    source.write_bytes(tar_of(FILES))
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    for digest, expected in (("0" * 64, False), (sha256, True)):
        ctx = context(MinionConnection(HERE))
        ctx.sources = {str(source): source.read_bytes()}
        folder = str(tmp_path / "x")
        done = state("archive.extracted", ctx, folder, source=str(source), source_hash=f"sha256={digest}")
        assert done.result is expected, done.comment
        assert (tmp_path / "x").exists() is expected


def test_clean_overwrite_and_force_replace_what_is_there(tmp_path: Path) -> None:
    """`overwrite` unpacks again, `clean` first removes the top folders, `force` what is of another kind."""
    extract(tmp_path, tar_of(FILES))
    (tmp_path / "app/run").write_bytes(b"mine")
    (tmp_path / "app/old").write_bytes(b"mine")
    done = extract(tmp_path, tar_of(FILES), overwrite=True)
    assert (done.comment, "directories_created" in done.changes) == (
        f"salt://a.tgz extracted to {tmp_path}/", False,
    )  # fmt: skip
    assert (tmp_path / "app/run").read_bytes() == FILES["app/run"]
    assert (tmp_path / "app/old").exists()
    planned = extract(tmp_path, tar_of(FILES), overwrite=True, clean=True, test=True)
    assert planned.comment.endswith(", after cleaning destination path(s)")
    done = extract(tmp_path, tar_of(FILES), overwrite=True, clean=True)
    assert done.changes["removed"] == [f"{tmp_path}/app"]
    assert not (tmp_path / "app/old").exists()

    (tmp_path / "app/run").unlink()
    (tmp_path / "app/run").mkdir()
    refused = extract(tmp_path, tar_of(FILES))
    assert (refused.result, "set 'force' to True" in refused.comment) == (False, True)
    assert extract(tmp_path, tar_of(FILES), force=True).changes["removed"] == [f"{tmp_path}/app/run"]
    assert (tmp_path / "app/run").is_file()


def test_a_file_where_a_folder_belongs_is_told(tmp_path: Path) -> None:
    """A file at the archive's own top folder is of another kind; one at the destination is refused."""
    (tmp_path / "app").write_text("file")
    refused = extract(tmp_path, tar_of(FILES, "w:gz"))
    assert refused.result is False
    assert (tmp_path / "app").read_text() == "file"
    refused = extract(tmp_path / "app", tar_of(FILES))
    assert refused.comment == f"{tmp_path}/app exists and is not a directory"


def test_options_strip_folders_and_reach_tar(tmp_path: Path) -> None:
    """`--strip-components` cuts names, `--exclude` is tar's own, letters for decompression are needless."""
    done = extract(
        tmp_path, tar_of(FILES), options="xzvf --strip-components=1 --exclude conf", enforce_toplevel=False
    )
    assert done.changes["extracted_files"] == ["run", "etc/conf"]
    assert (tmp_path / "run").read_bytes() == FILES["app/run"]
    assert not (tmp_path / "etc/conf").exists()
    refused = extract(tmp_path, zip_of(FILES), "a.zip", options="-j")
    assert "without `unzip`" in refused.comment


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (tar_of({"../out": b""}), "leads out of the folder"),
        (zip_of({"app/../../out": b""}), "leads out of the folder"),
        (
            tar_of(FILES, "w:gz", link("app/hard", "../../etc/passwd", tarfile.LNKTYPE)),
            "leads out of the folder",
        ),
        (tar_of(FILES, "w:gz", link("app/device", "", tarfile.CHRTYPE)), "a device or a pipe"),
        (tar_of(FILES)[:-40], "cannot be read as an archive"),
        (damaged(tar_of({"app/x": os.urandom(200_000)}, "w:xz")), "cannot be read as an archive"),
        (damaged(tar_of({"app/x": os.urandom(200_000)}, "w:bz2")), "cannot be read as an archive"),
        (damaged(tar_of({"app/x": os.urandom(200_000)}, "w:gz")), "cannot be read as an archive"),
        (damaged(zip_of({"app/x": os.urandom(200_000)})), "cannot be read as an archive"),
        (b"nothing of the kind", "cannot be read as an archive"),
    ],
    # Bytes that are all ASCII would be part of a test's name, and a gzip's are others each second.
    ids=[
        "tar-leads-out", "zip-leads-out", "hard-link", "device", "cut-off", "damaged-xz", "damaged-bz2",
        "damaged-gz", "damaged-zip", "no-archive",
    ],
)  # fmt: skip
def test_what_must_not_be_unpacked_is_not(content: bytes, why: str, tmp_path: Path) -> None:
    """Names that lead out, devices and broken archives refuse the whole archive; nothing is written."""
    name = "a.zip" if content[:2] == b"PK" else "a.tgz"
    refused = extract(tmp_path / "x", content, name, enforce_toplevel=False)
    assert (refused.result, why in refused.comment) == (False, True), refused.comment
    assert list(tmp_path.iterdir()) == []


def test_a_symlink_does_not_lead_what_follows_out(tmp_path: Path) -> None:
    """An archive with a symlink to elsewhere and a file through it writes nothing there."""
    (tmp_path / "elsewhere").mkdir()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        tar.addfile(link("app/out", str(tmp_path / "elsewhere")))
        tar.addfile(tarfile.TarInfo("app/out/bad"))
    extract(tmp_path / "x", packed.getvalue())
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.skipif(shutil.which("zip") is None, reason="needs zip: apt-get install zip")
def test_a_password_opens_a_zip(tmp_path: Path) -> None:
    """With the password it is unpacked, with another it is not, and the password is masked from then on."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app/x").write_text("secret")
    subprocess.run(["zip", "-q", "-P", "pa55word", "a.zip", "app/x"], cwd=tmp_path, check=True)
    content = (tmp_path / "a.zip").read_bytes()
    for wrong in (None, "other"):
        assert extract(tmp_path / "out", content, "a.zip", password=wrong).result is False
    assert extract(tmp_path / "out", content, "a.zip", password="pa55word").result is True
    assert (tmp_path / "out/app/x").read_text() == "secret"


@needs_root
def test_owners_are_set_and_kept(tmp_path: Path) -> None:
    """All of the archive gets the owner; one that was changed is put right, which a plan says."""
    done = extract(tmp_path / "x", tar_of(FILES), user="daemon", group="daemon")
    assert done.changes["updated ownership"] is True
    conf = tmp_path / "x/app/etc/conf"
    assert (conf.owner(), conf.parent.group()) == ("daemon", "daemon")
    assert extract(tmp_path / "x", tar_of(FILES), user="daemon", group="daemon").changes == {}
    asyncio.run(MinionConnection(HERE).set_owner(str(conf), user="root"))
    planned = extract(tmp_path / "x", tar_of(FILES), user="daemon", test=True)
    assert (planned.result, planned.changes) == (None, {"updated ownership": True})
    assert extract(tmp_path / "x", tar_of(FILES), user="daemon").changes == {"updated ownership": True}
    failed = extract(tmp_path / "x", tar_of(FILES), user="nosuchuser")
    assert (failed.result, "unable to change ownership" in failed.comment) == (False, True)


def test_tar_that_fails_leaves_no_new_folder(tmp_path: Path) -> None:
    """What tar complains of is the comment, and a folder made for it is gone again."""
    failed = extract(tmp_path / "x", tar_of(FILES), options="--no-such-option")
    assert (failed.result, failed.changes) == (False, {})
    assert "no-such-option" in failed.comment
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"archive_format": "rar"}, "Invalid archive_format"),
        ({"trim_output": "many"}, "Invalid value for trim_output"),
        ({"if_missing": "here"}, "not an absolute path"),
        ({"enforce_ownership_on": "/etc"}, "must be within"),
        ({"signature": "x"}, "signatures are not checked"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(
    arguments: dict[str, Any], why: str, tmp_path: Path
) -> None:
    """Each is a result False with its reason, in a plan too."""
    for test in (True, False):
        refused = extract(tmp_path / "x", tar_of(FILES), test=test, **arguments)
        assert (refused.result, why in refused.comment) == (False, True), refused.comment
    assert "archive_format" in extract(tmp_path / "x", tar_of(FILES), "a.bin").comment
