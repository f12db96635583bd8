"""Archives of ensue for minions with another Python or platform than the coordinator's, from wheels of pip.

A minion reports its Python as the name that its compiled modules have (`cpython-312-x86_64-linux-gnu`). The
packages have the versions that the coordinator has; pip takes them from where it is configured to.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.contracts.deadlines import WHEELS_S
from ensue.salt.fleet.bundle import abi, content_digest, files_of, own_files, pack, required

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.salt.fleet.shipped_files import ShippedFiles

_ABI: Final = re.compile(r"cpython-3(\d{1,2})-([a-z0-9_]{1,20})-linux-(gnu|musl)")
_LIBC: Final = re.compile(r"glibc 2\.(\d{1,3})")
_LEAST_MINOR: Final = 11
_OLDEST_GLIBC: Final = 17
_MUSL: Final = ("musllinux_1_2", "musllinux_1_1")


class OtherPython(NamedTuple):
    """A Python that a minion has.

    Args:
        abi: the name that its compiled modules have.
        libc: the version of its C library (`glibc 2.36`); empty if that is not known.
    """

    abi: str
    libc: str


class NoWheelsError(Exception):
    """There can be no archive for a Python; the text says why."""


def programs_there(shipped: ShippedFiles) -> dict[str, str]:
    """Return the archives of this ensue for other Pythons: their names by ABI.

    Args:
        shipped: the archives; the run claims what is returned.

    Raises:
        OSError: a claim cannot be written.
    """
    own = f"ensue-{abi()}-"
    archives = [path.name for path in shipped.folder.glob("ensue-*.zip") if not path.name.startswith(own)]
    if not archives:
        return {}
    end = f"-{_mark()}.zip"
    # One that was removed in this moment is not there any more.
    there = [name for name in archives if name.endswith(end) and shipped.claim(name)]
    return {name.removeprefix("ensue-").removesuffix(end): name for name in there}


def fetch_program(shipped: ShippedFiles, python: OtherPython) -> str:
    """Make the archive of ensue for another Python; return its name.

    Args:
        shipped: where it is put.
        python: the Python of a minion; what it says is data.

    Raises:
        NoWheelsError: ensue does not run there, or there are no wheels for it.
        OSError: the archive cannot be written.
    """
    minor, platforms = _parts(python)
    with tempfile.TemporaryDirectory(prefix="ensue-wheels-") as scratch:
        _run_pip([*_options(minor, platforms), "--target", scratch, *_pins(minor)])
        files = {**own_files(), **dict(files_of(Path(scratch)))}
        return pack(shipped, f"ensue-{python.abi}", files, _mark())


def _parts(python: OtherPython) -> tuple[int, list[str]]:
    """Return the minor version of a Python, and the platforms whose wheels it can load."""
    known = _ABI.fullmatch(python.abi)
    if known is None:
        raise NoWheelsError("its Python or platform is not known to ensue")
    minor, machine = int(known[1]), known[2]
    if minor < _LEAST_MINOR:
        raise NoWheelsError(f"ensue needs Python 3.{_LEAST_MINOR}, and it has 3.{minor}")
    if known[3] == "musl":
        return minor, [f"{libc}_{machine}" for libc in _MUSL]
    libc = _LIBC.fullmatch(python.libc)
    newest = int(libc[1]) if libc else _OLDEST_GLIBC
    versions = range(newest, _OLDEST_GLIBC - 1, -1)
    return minor, [*(f"manylinux_2_{version}_{machine}" for version in versions), f"manylinux2014_{machine}"]


def _options(minor: int, platforms: list[str]) -> list[str]:
    options = ["--no-deps", "--only-binary=:all:", "--no-compile", "--implementation", "cp"]
    options += ["--python-version", f"3.{minor}"]
    for platform in (f"cp3{minor}", "abi3", "none"):
        options += ["--abi", platform]
    for platform in platforms:
        options += ["--platform", platform]
    return options


def _pins(minor: int) -> list[str]:
    """Return what ensue requires of a Python, each in the version that is installed here."""
    markers = {"python_version": f"3.{minor}", "python_full_version": f"3.{minor}.0"}
    return sorted(map(_pin, (str(requirement.name) for requirement in required(markers))))


def _pin(name: str) -> str:
    try:
        return f"{name}=={metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return name


def _run_pip(arguments: list[str]) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", "install"]
    try:
        done = subprocess.run(
            [*pip, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=WHEELS_S,
            errors="replace",
        )
    except subprocess.TimeoutExpired:
        raise NoWheelsError(f"pip fetched no wheels for it within {WHEELS_S:g} s") from None
    if done.returncode:
        errors = list(_errors(done.stderr))
        raise NoWheelsError(
            f"pip has no wheels for it: {errors[-1] if errors else f'exit code {done.returncode}'}"
        )


def _errors(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.startswith("ERROR:") or "No module named pip" in line:
            yield line.removeprefix("ERROR:").strip()


def _mark() -> str:
    """Return the mark of this ensue with the versions of what it requires here."""
    pins = "\n".join(sorted(_pin(str(requirement.name)) for requirement in required({})))
    return hashlib.sha256(f"{content_digest(own_files())}\n{pins}".encode()).hexdigest()[:16]
