"""Tiny packages and a repository of them for apk, made without Alpine's tools.

A package is two gzip members: a tar of `.PKGINFO` without its end, and a tar of files with their checksums.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_CHECKSUM = "APK-TOOLS.checksum.SHA1"


def build_package(folder: Path, name: str, version: str, *more: str) -> Path:
    """Write a package that brings one file, `/opt/NAME`, with its version in it.

    Args:
        folder: where it goes.
        name: its name.
        version: with its release, `1.0-r0`.
        *more: further lines of its description.
    """
    data = gzip.compress(_data(name, f"{version}\n".encode()), mtime=0)
    lines = [
        f"pkgname = {name}", f"pkgver = {version}", "pkgdesc = tiny", "url = x", "arch = noarch", "size = 9",
        "license = MIT", *more, f"datahash = {hashlib.sha256(data).hexdigest()}",
    ]  # fmt: skip
    control = gzip.compress(_control("\n".join(lines).encode() + b"\n"), mtime=0)
    path = folder / f"{name}-{version}.apk"
    path.write_bytes(control + data)
    return path


def _control(content: bytes) -> bytes:
    raw = io.BytesIO()
    info = tarfile.TarInfo(".PKGINFO")
    info.size = len(content)
    tarfile.open(fileobj=raw, mode="w").addfile(info, io.BytesIO(content))  # noqa: SIM115 (closed, it would get an end)
    return raw.getvalue()


def _data(name: str, content: bytes) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        folder = tarfile.TarInfo("opt")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(folder)
        file = tarfile.TarInfo(f"opt/{name}")
        file.size = len(content)
        # apk takes SHA-1 to tell files apart here, not to protect anything.
        digest = hashlib.sha1(content, usedforsecurity=False).hexdigest()
        file.pax_headers = {_CHECKSUM: digest}
        tar.addfile(file, io.BytesIO(content))
    return raw.getvalue()
