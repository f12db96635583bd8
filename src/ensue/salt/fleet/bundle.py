"""The archive that ensue is shipped in: its own files and those of the packages that it requires.

It is made from the environment of this process, so it fits minions of the same Python and platform. Its name
has a digest of what is in it: minions fetch an archive only if they do not have one of that name.
"""

from __future__ import annotations

import hashlib
import os
import re
import sysconfig
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.files.regular_files import is_regular
from ensue.core.files.trees import files_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FOLDER: Final = "_ensue"
"""Where archives are, below a file root of the master."""

_DIGITS: Final = 16
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_SKIPPED: Final = frozenset({"__pycache__", ".git", ".svn", ".hg", FOLDER})
_KEEP: Final = 5
_CHUNK_BYTES: Final = 1 << 20


def abi() -> str:
    """Return what the compiled modules of this environment depend on: the Python and the platform."""
    return str(sysconfig.get_config_var("SOABI"))


def shipped_program(folder: Path) -> str:
    """Make the archive of ensue unless it is there; return its name.

    Args:
        folder: where it is put.

    Raises:
        OSError: it cannot be written.
    """
    return _archived(folder, f"ensue-{abi()}", _program_files())


def shipped_tree(folder: Path, roots: Mapping[str, Sequence[Path]]) -> tuple[str, dict[str, str]]:
    """Make the archive of the file roots unless it is there.

    Args:
        folder: where it is put.
        roots: the folders of each environment; the first that has a file wins, as in Salt.

    Returns:
        Its name, and the folder inside it of each environment.

    Raises:
        OSError: it cannot be written, or a file cannot be read.
    """
    inside = {
        environment: environment if environment.isidentifier() else f"env-{number}"
        for number, environment in enumerate(roots)
    }
    files: dict[str, Path] = {}
    for environment, folders in roots.items():
        for root in reversed(folders):
            files |= {f"{inside[environment]}/{name}": path for name, path in _below(root)}
    return _archived(folder, "tree", files), inside


def shipped_relay(folder: Path) -> dict[str, str]:
    """Copy the files of the minion's program unless they are there.

    Returns:
        The name of each copy; `relay` is the file that Salt runs, which loads the others.
    """
    return {part: _copied(folder, part) for part in ("relay", "signing", "job_folder")}


def _copied(folder: Path, part: str) -> str:
    content = Path(__file__).with_name(f"{part}.py").read_bytes()
    name = f"{part.replace('_', '-')}-{hashlib.sha256(content).hexdigest()[:_DIGITS]}.py"
    if not (folder / name).exists():
        _replace(folder / name, content)
    return name


def _program_files() -> dict[str, Path]:
    own = Path(__file__).parents[2]
    files = {f"ensue/{name}": path for name, path in _below(own)}
    for distribution in _required("ensue", set()):
        for one in distribution.files or ():
            name = one.as_posix()
            if not name.startswith("..") and not name.endswith(".pyc"):
                files[name] = Path(str(distribution.locate_file(one)))
    return files


def _required(wanted: str, seen: set[str]) -> Iterator[metadata.Distribution]:
    """Yield the distributions that a requirement such as `asyncssh[bcrypt]` leads to, but not its own."""
    from packaging.requirements import Requirement

    requirement = Requirement(wanted)
    asked = ("", *requirement.extras)
    for text in metadata.requires(requirement.name) or ():
        one = Requirement(text)
        if one.marker is not None and not any(one.marker.evaluate({"extra": extra}) for extra in asked):
            continue
        key = re.sub(r"[-_.]+", "-", str(one.name)).lower()
        if key not in seen:
            seen.add(key)
            yield metadata.distribution(one.name)
            yield from _required(f"{one.name}[{','.join(one.extras)}]", seen)


def _below(root: Path) -> Iterator[tuple[str, Path]]:
    return (
        (relative, path)
        for relative, path in files_below(root, skips=_SKIPPED.__contains__, on_error=_fail)
        if is_regular(path) and not relative.endswith(".pyc")
    )


def _fail(error: OSError) -> None:
    raise error


def _archived(folder: Path, kind: str, files: Mapping[str, Path]) -> str:
    """Make an archive of files unless it is there; return its name."""
    name = _archive_name(kind, ((name, files[name], _content_digest(files[name])) for name in sorted(files)))
    if (folder / name).exists():
        return name
    scratch = folder / f".{name}.{os.getpid()}"
    try:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            # A file may have changed since: the name is that of what is in the archive.
            name = _archive_name(
                kind, [(one, files[one], _add(archive, one, files[one])) for one in sorted(files)]
            )
        scratch.replace(folder / name)
    finally:
        scratch.unlink(missing_ok=True)
    _forget_old(folder, kind)
    return name


def _archive_name(kind: str, contents: Iterable[tuple[str, Path, bytes]]) -> str:
    """Return the name of an archive from the names, the modes and the content digests of its files."""
    digest = hashlib.sha256()
    for name, path, content in contents:
        digest.update(f"{name}\0{path.stat().st_mode}\0{content.hex()}\n".encode())
    return f"{kind}-{digest.hexdigest()[:_DIGITS]}.zip"


def _content_digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _add(archive: zipfile.ZipFile, name: str, path: Path) -> bytes:
    """Add a file to an archive; return the digest of what was added."""
    digest = hashlib.sha256()
    with path.open("rb") as file, archive.open(_entry(name, path), "w") as added:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            added.write(chunk)
    return digest.digest()


def _entry(name: str, path: Path) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    facts = path.stat()
    entry.external_attr = facts.st_mode << 16
    entry.file_size = facts.st_size  # By it zipfile decides whether the entry needs its 64-bit form.
    return entry


def _forget_old(folder: Path, kind: str) -> None:
    found = sorted(folder.glob(f"{kind}-*.zip"), key=lambda one: one.stat().st_mtime, reverse=True)
    for old in found[_KEEP:]:
        old.unlink(missing_ok=True)


def _replace(target: Path, content: bytes) -> None:
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    scratch.write_bytes(content)
    scratch.replace(target)
