"""The files that Salt loads, and the form of their returns, without a Salt."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import write

import ensue.salt.extension
from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.salt.extension.file_roots import file_roots
from ensue.salt.extension.minion_project import MaskedError, in_project, options_of
from ensue.salt.extension.resource_states import UnknownArgumentError, refuse_others
from ensue.salt.extension.salt_minion import SaltMinion
from ensue.salt.extension.salt_returns import salt_returns
from ensue.salt.extension.state_calls import state_applied

if TYPE_CHECKING:
    from typing import Self

ROOT = Path(__file__).resolve().parents[3]
TYPES = ("container", "k8s_pod", "ssh_host")
MODULES = {"cmd", "file", "grains", "pkg", "service", "state", "test"}
TYPE_FUNCTIONS = {"init", "initialized", "discover", "grains", "grains_refresh", "ping", "shutdown"}
GROWING = """
first:
  test.nop:
    - delayed_render:
      - block: later
#!delayed_block later
first:
  test.nop: []
#!end_delayed_block
"""


def _loaded(name: str) -> ModuleType:
    return importlib.import_module(f"ensue.salt.extension.{name}")


def test_the_entry_point_is_the_package() -> None:
    """Salt finds the folders beside the package that the entry point `salt.loader` names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["salt.loader"] == {"ensue": ensue.salt.extension.__name__}


@pytest.mark.parametrize("type_name", TYPES)
def test_each_type_has_the_same_modules(type_name: str) -> None:
    """A type has seven modules, and their functions count as the files' own, as Salt requires."""
    folder = Path(ensue.salt.extension.__file__).parent / "resources" / type_name / "modules"
    assert {path.stem for path in folder.glob("[a-z]*.py")} == MODULES
    for name in MODULES:
        module = _loaded(f"resources.{type_name}.modules.{name}")
        functions = {key: value for key, value in vars(module).items() if key[0] != "_" and callable(value)}
        assert functions, name
        assert {function.__module__ for function in functions.values()} == {module.__name__}
    assert callable(vars(_loaded(f"resources.{type_name}.modules.cmd"))["run_all"])
    module = _loaded(f"resources.{type_name}")
    functions = {key: value for key, value in vars(module).items() if key[0] != "_" and callable(value)}
    assert functions.keys() == TYPE_FUNCTIONS
    assert {function.__module__ for function in functions.values()} == {module.__name__}
    assert re.search(type_name, module.__doc__ or "")


def test_returns_of_a_run_are_one_mapping(tmp_path: Path) -> None:
    """States of a delayed block are beside the others, and their IDs have the path of their scope."""
    write(tmp_path, states__growing=GROWING)

    async def run() -> dict[str, Any]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            report = await project.apply(["growing"], RunOptions(), on_event=lambda _: None)
            return salt_returns(report, project.masker)

    returns = asyncio.run(run())
    assert [*returns] == [
        "test_|-first_|-first_|-nop",
        f"test_|-{[*returns.values()][1]['__scope__']}/first_|-first_|-nop",
    ]
    assert all(
        {"result", "changes", "comment", "__run_num__"} <= returned.keys() for returned in returns.values()
    )


def test_a_minion_without_a_master_has_its_own_file_roots(tmp_path: Path) -> None:
    """With `file_client: local` nothing is copied."""
    roots = {"base": [str(tmp_path / "states")]}
    salt = SaltMinion(opts={"file_client": "local", "file_roots": roots})
    with file_roots(salt, tmp_path / "ensue") as folders:
        assert folders == roots
    assert not (tmp_path / "ensue").exists()


class _Client:
    """Salt's file client, which has cached one file of the master."""

    def __init__(self, cached: Path) -> None:
        self._cached = cached

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        pass

    def envs(self) -> list[str]:
        return ["base"]

    def cache_master(self, _env: str) -> list[str]:
        return [str(self._cached)]


def test_a_copy_that_fails_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a file cannot be linked, nothing of the copy stays; the next call makes it."""
    cached = tmp_path / "files" / "base" / "one.sls"
    cached.parent.mkdir(parents=True)
    cached.write_text("one")
    salt = SaltMinion(opts={"cachedir": str(tmp_path)}, context={})
    module = ModuleType("salt.fileclient")
    monkeypatch.setattr(module, "get_file_client", lambda _: _Client(cached), raising=False)
    monkeypatch.setitem(sys.modules, "salt.fileclient", module)
    with monkeypatch.context() as patched:
        patched.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space left"), file_roots(salt, tmp_path / "ensue"):
            pass
    roots = tmp_path / "ensue" / "roots" / "base"
    assert [*roots.iterdir()] == []
    with file_roots(salt, tmp_path / "ensue") as folders:
        (folder,) = folders["base"]
        assert (Path(folder) / "one.sls").read_text() == "one"


def test_the_project_is_that_of_runs_over_minions(tmp_path: Path) -> None:
    """The project is below the minion's cachedir, whatever the option `ensue` says."""
    own = {"cachedir": "/elsewhere", "key_source": "keyring"}
    opts = {"id": "web1", "cachedir": str(tmp_path), "ensue": own, "saltenv": None}
    assert options_of(SaltMinion(opts=opts)) == {
        "id": "web1",
        "root": str(tmp_path / "ensue"),
        "cachedir": str(tmp_path / "ensue" / "project"),
        "key_source": "keyring",
    }


SECRET = "correct-horse-battery"


def _minion(tmp_path: Path) -> SaltMinion:
    """Return a minion without a master, which has a secret in its pillar and an SLS that prints it."""
    states = tmp_path / "states"
    states.mkdir()
    (states / "wrong.sls").write_text("one:\n  test.nop:\n    - require: [{cmd: {{ pillar.password }}}]\n")
    opts = {"id": "web1", "cachedir": str(tmp_path), "file_client": "local"}
    own = {"file_roots": {"base": [str(states)]}, "pillar": {"password": SECRET}, "grains": {}}
    return SaltMinion(opts=opts | own)


def test_errors_have_no_secrets(tmp_path: Path) -> None:
    """What Salt stores in its job cache is masked, also if nothing was run."""
    with pytest.raises(MaskedError, match="sensitive") as caught:
        in_project(
            _minion(tmp_path),
            lambda project: project.apply(["wrong"], RunOptions(), on_event=lambda _: None),
        )
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_state_of_salt_that_ensue_refuses_has_no_secrets(tmp_path: Path) -> None:
    """The comment of a state that is not run is masked."""
    minion = _minion(tmp_path)
    scope: dict[str, Any] = {"__opts__": minion.opts, "__salt__": {}, "__context__": {}}
    returned = state_applied(scope, "ssh_host.state_applied", "h", {SECRET: 1, "mods": "a"})
    assert returned["result"] is False
    assert returned["comment"] == "ssh_host.state_applied takes no (sensitive)"


def test_arguments_that_ensue_does_not_have_are_refused() -> None:
    """A misspelt target or pillar of the call is refused; arguments that Salt adds are ignored."""
    refuse_others("ensue.apply", {"__pub_jid": "1", "queue": True})
    with pytest.raises(UnknownArgumentError, match="takes no pillar, tgt"):
        refuse_others("ensue.apply", {"tgt": "T@ssh_host:a", "pillar": "a", "__pub_jid": "1"})
