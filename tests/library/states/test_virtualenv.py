"""State module `virtualenv`: real environments by `venv`, with a package that is made here."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import HERE, context, execute, functions, state, thrice
from tests.library.states.test_pip import lend_pip, make_wheel

from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long


@pytest.fixture
def interpreter(tmp_path: Path) -> str:
    """A program that makes environments with a pip in a moment: `ensurepip` takes its time."""
    place = tmp_path / "fast-venv"
    place.write_text(f'#!/bin/sh\nexec {sys.executable} -m venv --without-pip --symlinks "$@"\n')
    place.chmod(0o755)
    return str(place)


def test_an_environment_with_packages(interpreter: str, tmp_path: Path) -> None:
    """It is made once; packages of a requirements file come, are upgraded, and are there the second time."""
    make_wheel(tmp_path, "1.0")
    make_wheel(tmp_path, "2.0")
    place = tmp_path / "env"
    here = MinionConnection(HERE)
    planned, done = thrice("virtualenv.managed", here, str(place), venv_bin=interpreter)
    assert (planned.result, planned.comment) == (None, f"Virtualenv {place} is set to be created")
    assert done.changes == {"new": f"Python {sys.version.split()[0]}"}
    assert done.comment == "Created new virtualenv"
    lend_pip(place)

    def require(version: str, *, test: bool = False) -> Any:
        ctx = FakeStateContext(
            here,
            test=test,
            functions=functions(),
            sources={"salt://r.txt": f"tiny-thing=={version}\n".encode()},
        )
        arguments = {"requirements": "salt://r.txt", "env_vars": {"PIP_FIND_LINKS": str(tmp_path)}}
        return state("virtualenv.managed", ctx, str(place), no_deps=True, **arguments)

    # Nothing is to be fetched: the index is a folder without packages.
    (tmp_path / "index").mkdir()
    assert require("1.0", test=True).result is True
    assert require("1.0").changes == {"packages": {"new": ["tiny-thing==1.0"], "old": ""}}
    again = require("1.0")
    assert (again.result, again.changes) == (True, {})
    assert require("2.0").changes == {"packages": {"new": ["tiny-thing==2.0"], "old": ["tiny-thing==1.0"]}}
    _, done = thrice("virtualenv.managed", here, str(place), pip_pkgs="tiny-thing")
    assert done.new_state
    assert "tiny-thing==2.0" in done.new_state["packages"]
    packages = execute("virtualenv.get_site_packages", context(here), str(place))
    assert (place / "bin").is_dir()
    assert packages.startswith(str(place))

    cleared = state("virtualenv.managed", context(here), str(place), venv_bin=interpreter, clear=True)
    assert cleared.comment == "Cleared existing virtualenv"
    assert "tiny-thing==2.0" in cleared.changes["cleared_packages"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    """A program that fails half way leaves no folder that a later run takes for an environment."""
    program = tmp_path / "half-venv"
    program.write_text('#!/bin/sh\nmkdir -p "$1/bin"; echo no space >&2; exit 3\n')
    program.chmod(0o755)
    here, place = MinionConnection(HERE), tmp_path / "env"
    done = state("virtualenv.managed", context(here), str(place), venv_bin=str(program))
    assert (done.result, done.comment, place.exists()) == (False, "no space", False)
    done = state("virtualenv.managed", context(here), str(place), requirements="salt://none.txt")
    assert (done.result, place.exists()) == (False, False)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "virtualenv /srv/env"),
        ({"python": "python3.9", "never_download": True},
         "virtualenv --no-download --python=python3.9 /srv/env"),
        ({"venv_bin": "venv", "system_site_packages": True},
         "python3 -m venv --system-site-packages /srv/env"),
        ({"venv_bin": "venv", "python": "/opt/python"}, "/opt/python -m venv /srv/env"),
        ({"venv_bin": "python3.12", "prompt": "a b"}, "python3.12 -m venv --prompt 'a b' /srv/env"),
        ({"venv_bin": "virtualenv-3", "extra_search_dir": "/a,/b"},
         "virtualenv-3 --extra-search-dir=/a --extra-search-dir=/b /srv/env"),
    ],
)  # fmt: skip
def test_what_is_run(arguments: dict[str, Any], expected: str) -> None:
    """The program that is named makes the environment, with options that it knows."""
    fake = FakeConnection()
    fake.on_run("*", stdout=b"")
    execute("virtualenv.create", context(fake), "/srv/env", **arguments)
    assert [call.path for call in fake.calls if call.method == "run"] == [expected]


def test_options_that_a_program_lacks() -> None:
    """`venv` and `virtualenv` are distinguished by their options; a target with neither is an error."""
    fake = FakeConnection()
    fake.on_run("*", returncode=127)
    for arguments, part in (
        ({"venv_bin": "venv", "never_download": True}, "does not support --no-download"),
        ({"venv_bin": "virtualenv", "upgrade": True}, "does not support --upgrade"),
        ({"venv_bin": "python3", "python": "python2"}, "both name an interpreter"),
        ({}, "has no program `python3`"),
    ):
        done = state("virtualenv.managed", context(fake), "/srv/env", **arguments)
        assert done.result is False
        assert part in done.comment


def test_a_requirements_file_is_not_left_behind(tmp_path: Path) -> None:
    """What was brought to the target for pip is removed, also when pip fails."""
    place = tmp_path / "env"
    (place / "bin").mkdir(parents=True)
    program = place / "bin/python"
    program.write_text(
        '#!/bin/sh\nfor last; do :; done\ncase "$*" in *install*) cat "$last"; exit 1;; esac\n'
    )
    program.chmod(0o755)
    ctx = FakeStateContext(
        MinionConnection(HERE), functions=functions(), sources={"salt://r.txt": b"wanted==1\n"}
    )
    done = state("virtualenv.managed", ctx, str(place), requirements="salt://r.txt")
    assert (done.result, done.comment) == (False, "virtualenv exists\nwanted==1\n\n")
    assert shutil.which("python3")
