"""The archive that ensue is shipped in: its own files and those of the packages that it requires.

It is made from the environment of this process, so it fits minions of the same Python and platform;
`other_pythons` makes those for others. Its name has a digest of what is in it: minions fetch an archive only
if they do not have one of that name.
"""

from __future__ import annotations

import hashlib
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

    from packaging.requirements import Requirement

    from ensue.salt.fleet.shipped_files import ShippedFiles

FOLDER: Final = "_ensue"
"""Where archives are, below a file root of the master."""

RELAY_PARTS: Final = ("relay", "signing", "job_folder", "kept_folders")
"""The files of the minion's program."""

_DIGITS: Final = 16
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_SKIPPED: Final = frozenset({"__pycache__", ".git", ".svn", ".hg", FOLDER})
_CHUNK_BYTES: Final = 1 << 20


def abi() -> str:
    """Return what the compiled modules of this environment depend on: the Python and the platform."""
    return str(sysconfig.get_config_var("SOABI"))


def shipped_program(shipped: ShippedFiles) -> str:
    """Make the archive of ensue unless it is there; return its name.

    Args:
        shipped: where it is put.

    Raises:
        OSError: it cannot be written.
    """
    return _archived(shipped, f"ensue-{abi()}", _program_files())


def shipped_tree(shipped: ShippedFiles, roots: Mapping[str, Sequence[Path]]) -> tuple[str, dict[str, str]]:
    """Make the archive of the file roots unless it is there.

    Args:
        shipped: where it is put.
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
            files |= {f"{inside[environment]}/{name}": path for name, path in files_of(root)}
    return _archived(shipped, "tree", files), inside


def shipped_relay(shipped: ShippedFiles) -> dict[str, str]:
    """Copy the files of the minion's program unless they are there.

    Args:
        shipped: where they are put.

    Returns:
        The name of each copy; `relay` is the file that Salt runs, which loads the others.

    Raises:
        OSError: one cannot be written.
    """
    return {part: _copied(shipped, part) for part in RELAY_PARTS}


def _copied(shipped: ShippedFiles, part: str) -> str:
    content = Path(__file__).with_name(f"{part}.py").read_bytes()
    kind = part.replace("_", "-")
    name = f"{kind}-{hashlib.sha256(content).hexdigest()[:_DIGITS]}.py"
    if not shipped.claim(name):
        scratch = shipped.folder / f".{kind}{shipped.scratch}"
        scratch.write_bytes(content)
        shipped.put(scratch, name, kind)
    return name


def own_files() -> dict[str, Path]:
    """Return the files of ensue itself, by their names in an archive."""
    return {f"ensue/{name}": path for name, path in files_of(Path(__file__).parents[2])}


def _program_files() -> dict[str, Path]:
    files = own_files()
    for distribution in installed_requirements():
        for file in distribution.files or ():
            name = file.as_posix()
            if not name.startswith("..") and not name.endswith(".pyc"):
                files[name] = Path(str(distribution.locate_file(file)))
    return files


def installed_requirements() -> Iterator[metadata.Distribution]:
    """Yield the distributions that ensue requires in this environment."""
    return (metadata.distribution(requirement.name) for requirement in required({}))


def required(environment: Mapping[str, str]) -> Iterator[Requirement]:
    """Yield what ensue requires, directly or not, each distribution once.

    Args:
        environment: the variables of an environment's markers (`python_version`) that differ from this one's.
    """
    return _required("ensue", environment, set())


def _required(requirement_text: str, environment: Mapping[str, str], seen: set[str]) -> Iterator[Requirement]:
    """Yield what a requirement such as `asyncssh[bcrypt]` leads to, but not itself."""
    from packaging.requirements import Requirement

    requirement = Requirement(requirement_text)
    asked = ("", *requirement.extras)
    try:
        texts = metadata.requires(requirement.name) or ()
    except metadata.PackageNotFoundError:
        return  # Only another Python needs it.
    for text in texts:
        requirement_ = Requirement(text)
        if requirement_.marker is not None and not any(
            requirement_.marker.evaluate({**environment, "extra": extra}) for extra in asked
        ):
            continue
        key = re.sub(r"[-_.]+", "-", str(requirement_.name)).lower()
        if key not in seen:
            seen.add(key)
            yield requirement_
            yield from _required(f"{requirement_.name}[{','.join(requirement_.extras)}]", environment, seen)


def files_of(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder that an archive gets, each with its name there."""
    return (
        (relative, path)
        for relative, path in files_below(root, skips=_SKIPPED.__contains__, on_error=_fail)
        if is_regular(path) and not relative.endswith(".pyc")
    )


def _fail(error: OSError) -> None:
    raise error


def _archived(shipped: ShippedFiles, kind: str, files: Mapping[str, Path]) -> str:
    """Make an archive of files unless it is there; return its name."""
    name = f"{kind}-{content_digest(files)}.zip"
    return name if shipped.claim(name) else pack(shipped, kind, files)


def pack(shipped: ShippedFiles, kind: str, files: Mapping[str, Path], mark: str = "") -> str:
    """Make an archive of files; return its name.

    Args:
        shipped: where it is put.
        kind: the beginning of its name; only a few archives of a kind are kept that no run claims.
        files: the files by their names in it.
        mark: the end of its name; empty: the digest of its content.

    Raises:
        OSError: it cannot be written, or a file cannot be read.
    """
    scratch = shipped.folder / f".{kind}{shipped.scratch}"
    try:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            # A file may have changed since: the name is that of what is in the archive.
            content = _digest((file, files[file], _add(archive, file, files[file])) for file in sorted(files))
        name = f"{kind}-{mark or content}.zip"
        shipped.put(scratch, name, kind)
    finally:
        scratch.unlink(missing_ok=True)
    return name


def content_digest(files: Mapping[str, Path]) -> str:
    """Return the digest of the names, the modes and the content of files."""
    return _digest((name, files[name], _file_digest(files[name])) for name in sorted(files))


def _digest(contents: Iterable[tuple[str, Path, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, path, content in contents:
        digest.update(f"{name}\0{path.stat().st_mode}\0{content.hex()}\n".encode())
    return digest.hexdigest()[:_DIGITS]


def _file_digest(path: Path) -> bytes:
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
