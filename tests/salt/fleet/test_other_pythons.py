"""Archives of ensue for minions with another Python, made by pip of the wheels in a folder."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.salt.fleet import other_pythons
from ensue.salt.fleet.other_pythons import NoWheelsError, OtherPython, fetch_program, programs_there

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.salt.fleet.shipped_files import ShippedFiles

OTHER = OtherPython("cpython-319-x86_64-linux-gnu", "glibc 2.36")


def wheel(folder: Path, pin: str, tag: str) -> None:
    """Write the wheel of a distribution that has one module."""
    name, _, version = pin.partition("==")
    word = name.replace("-", "_")
    about = f"{word}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{word}-{version}-{tag}.whl", "w") as archive:
        archive.writestr(f"{word.lower()}_module.py", "")
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{about}/RECORD", "")


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip takes wheels from; it asks no index."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.parametrize(
    "tag", ["py3-none-any", "cp319-cp319-manylinux_2_28_x86_64", "cp311-abi3-manylinux2014_x86_64"]
)
def test_an_archive_has_the_wheels_of_the_other_python(shipped: ShippedFiles, wheels: Path, tag: str) -> None:
    """It has ensue itself, and what ensue requires, in the versions that are installed here."""
    pins = other_pythons._pins(19)
    for pin in pins:
        wheel(wheels, pin, tag)
    assert programs_there(shipped) == {}
    name = fetch_program(shipped, OTHER)
    with zipfile.ZipFile(shipped.folder / name) as archive:
        names = set(archive.namelist())
    assert "ensue/cli/fleet_minion.py" in names
    assert {f"{pin.partition('==')[0].replace('-', '_').lower()}_module.py" for pin in pins} <= names
    assert programs_there(shipped) == {OTHER.abi: name}


@pytest.mark.parametrize("tag", ["cp318-cp318-manylinux_2_28_x86_64", "cp319-cp319-manylinux_2_40_x86_64"])
def test_what_does_not_load_there_is_not_taken(shipped: ShippedFiles, wheels: Path, tag: str) -> None:
    """Wheels for another Python, or for a newer C library, are not used; the report has pip's reason."""
    for pin in other_pythons._pins(19):
        wheel(wheels, pin, tag)
    with pytest.raises(NoWheelsError, match="pip has no wheels for it: No matching distribution"):
        fetch_program(shipped, OTHER)
    assert not list(shipped.folder.iterdir())


def test_a_python_that_is_too_old_is_named(shipped: ShippedFiles) -> None:
    """A Python that ensue does not support is refused, whatever wheels there are."""
    with pytest.raises(NoWheelsError, match=r"needs Python 3\.11, and it has 3\.10"):
        fetch_program(shipped, OtherPython("cpython-310-x86_64-linux-gnu", ""))


@given(st.text() | st.from_regex(other_pythons._ABI), st.text() | st.from_regex(other_pythons._LIBC))
def test_what_a_minion_says_is_no_option_of_pip(abi: str, libc: str) -> None:
    """The Python that it reports is refused, or only turns into names of platforms."""
    try:
        minor, platforms = other_pythons._parts(OtherPython(abi, libc))
    except NoWheelsError:
        return
    assert minor >= 11
    assert all(platform.isascii() and platform.replace("_", "").isalnum() for platform in platforms)
