"""Finding the Python that a Salt is installed for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import ConfigurationError
from ensue.salt.compare.salt_program import salt_python

if TYPE_CHECKING:
    from pathlib import Path


def _program(path: Path, text: str = "\x7fELF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_python_is_itself(tmp_path: Path) -> None:
    """A program that is no script counts as the interpreter."""
    python = _program(tmp_path / "bin/python3.12")
    assert salt_python(python) == python


def test_an_environment_and_its_commands(tmp_path: Path) -> None:
    """An environment, its folder of commands, and a command that names its interpreter lead to that."""
    python = _program(tmp_path / "env/bin/python3")
    command = _program(tmp_path / "env/bin/salt-call", f"#!{python}\nimport salt\n")
    assert {salt_python(path) for path in (tmp_path / "env", tmp_path / "env/bin", command)} == {python}


def test_a_command_that_a_shell_starts(tmp_path: Path) -> None:
    """Salt's own packages have a shell script beside `bin`, and a link to it in the PATH."""
    python = _program(tmp_path / "salt/bin/python3")
    script = _program(
        tmp_path / "salt/salt-call", '#!/bin/sh\n"exec" "$(dirname "$0")/bin/python3" "$0" "$@"\n'
    )
    link = tmp_path / "usr-bin-salt-call"
    link.symlink_to(script)
    assert salt_python(link) == python


def test_salt_call_in_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where none is named, the `salt-call` of the PATH is taken."""
    python = _program(tmp_path / "env/bin/python3")
    _program(tmp_path / "env/bin/salt-call", f"#!{python}\n")
    monkeypatch.setenv("PATH", str(tmp_path / "env/bin"))
    assert salt_python(None) == python


@pytest.mark.parametrize("name", ["nowhere", "folder", "file"])
def test_what_leads_to_no_python(name: str, tmp_path: Path) -> None:
    """A path that is not there, an empty folder, and a file that is no program are refused by name."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    with pytest.raises(ConfigurationError, match=name) as caught:
        salt_python(tmp_path / name)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E0842"]
