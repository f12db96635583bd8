"""Drivers are found by the names that definitions have for them, and a broken one fails by name."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError, NotAvailableError, PluginError, StoreError
from ensue.deploy.drivers.loading import Drivers, LoadedDriver
from ensue.testing.driver import driver_request

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

WHOLE = "".join(f"async def {name}(request): ...\n" for name in ("create", "update", "delete", "plan"))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed distributions, with `lab-drivers` in it."""
    folder = tmp_path / "site"
    info = folder / "lab_drivers-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-drivers\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[ensue.drivers]\nlab = lab_whole\nmy-org/lab-2 = lab_whole\necho = lab_whole\n"
        "half = lab_half\nobject = lab_half:HALF\nbroken = lab_broken\n"
    )
    (folder / "lab_whole.py").write_text(WHOLE)
    (folder / "lab_half.py").write_text("async def create(request): ...\nHALF = object()\n")
    (folder / "lab_broken.py").write_text("raise ValueError('not today')\n")
    monkeypatch.syspath_prepend(folder)
    for name in ("lab_whole", "lab_half", "lab_broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder


def test_an_organization_in_front_names_the_driver_behind(tmp_path: Path) -> None:
    """`humanitec/…` is ensue's own; so is any organization's terraform, and no other driver of ensue's."""
    drivers = Drivers()
    for name in ("echo", "humanitec/echo", "state", "humanitec/state"):
        assert drivers.has(name)
        assert drivers.find(name).name == name.rpartition("/")[2]
    assert drivers.has("my-org/terraform")
    for name in ("my-org/echo", "my-org/nothing", "humanitec/nothing", "/", "", "a/b/echo"):
        assert not drivers.has(name), name
        with pytest.raises(NotAvailableError, match="there is no driver"):
            drivers.find(name)
    (tmp_path / "echo.py").write_text(WHOLE)
    assert Drivers([tmp_path]).has("my-org/echo")


def test_a_projects_own_comes_first(tmp_path: Path, site: Path) -> None:
    """The first folder wins; a dash in a name is an underscore in the file's."""
    assert site
    for number, folder in enumerate(("a", "b")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my_db.py").write_text(f"{WHOLE}IS_PURE = {number == 0}\n")
    (tmp_path / "b/lab.py").write_text(f"{WHOLE}ALWAYS_CALLED = True\n")
    drivers = Drivers([tmp_path / "a", tmp_path / "b", tmp_path / "missing"])
    assert drivers.find("my-db").is_pure
    assert drivers.find("my-org/my-db").is_pure
    assert drivers.find("lab").always_called
    assert drivers.find("lab") is drivers.find("lab")


def test_an_installed_driver(site: Path) -> None:
    """Distributions bring drivers, also with an organization in the name; none replaces one of ensue's."""
    assert site
    drivers = Drivers()
    for name in ("lab", "my-org/lab-2"):
        assert drivers.has(name)
        assert drivers.find(name).name == name
    assert drivers.find("echo").is_pure


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("half", r"'half' \(lab_half of lab-drivers\) lacks update, delete, plan"),
        ("object", r"'object' \(lab_half:HALF of lab-drivers\) lacks create, update, delete, plan"),
        ("broken", "'broken' of lab-drivers does not load: ValueError: not today"),
    ],
)
def test_a_broken_one_names_its_distribution(site: Path, name: str, message: str) -> None:
    """And what is wrong with it."""
    assert site
    with pytest.raises(PluginError, match=message):
        Drivers().find(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("async def create(request): ...", r"lab\.py\) lacks update, delete, plan"),
        ("import nowhere", r"lab\.py\) does not load: ModuleNotFoundError"),
        ("def (", "SyntaxError"),
        ("import sys; sys.exit(3)", r"lab\.py\) does not load: SystemExit: 3"),
    ],
)
def test_a_broken_file_names_itself(tmp_path: Path, text: str, message: str) -> None:
    """A driver of the project is named by its file."""
    (tmp_path / "lab.py").write_text(text)
    with pytest.raises(PluginError, match=message):
        Drivers([tmp_path]).find("lab")


class Module:
    """A driver that returns, or raises, what it is given."""

    def __init__(self, result: Any) -> None:
        self.result = result

    async def create(self, request: object) -> Any:
        assert request
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result

    update = delete = plan = fingerprint = create

    def check(self, request: object) -> Any:
        assert request
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


def called(tmp_path: Path, function: str, result: Any) -> Any:
    """Return the result of a function of a driver."""
    call: Coroutine[Any, Any, Any] = getattr(LoadedDriver("lab", Module(result)), function)(
        driver_request(tmp_path)
    )
    return asyncio.run(call)


@pytest.mark.parametrize("function", ["create", "update", "delete", "plan", "fingerprint"])
def test_what_a_driver_raises_names_it(tmp_path: Path, function: str) -> None:
    """Errors of ensue's pass as they are; an interrupt does, too."""
    with pytest.raises(DriverError, match=f"the driver lab failed in {function}: KeyError: 'x'"):
        called(tmp_path, function, KeyError("x"))
    with pytest.raises(StoreError, match="full"):
        called(tmp_path, function, StoreError("full"))
    with pytest.raises(asyncio.CancelledError):
        called(tmp_path, function, asyncio.CancelledError())


@pytest.mark.parametrize("function", ["create", "update", "plan"])
@pytest.mark.parametrize("result", [None, {"host": "h"}, "text"])
def test_what_is_no_result_is_refused(tmp_path: Path, function: str, result: Any) -> None:
    """A function that forgets its return value is named."""
    expected = "Planned" if function == "plan" else "Provisioned"
    with pytest.raises(DriverError, match=f"the driver lab: {function} returned .*, not {expected}"):
        called(tmp_path, function, result)


def test_a_check_that_fails_is_an_error_of_the_driver(tmp_path: Path) -> None:
    """Its sentences are text; without a check nothing is wrong."""
    request = driver_request(tmp_path)
    with pytest.raises(DriverError, match="failed in check: ValueError: x"):
        LoadedDriver("lab", Module(ValueError("x"))).check(request)
    assert LoadedDriver("lab", Module(["a", 5])).check(request) == ["a", "5"]
    bare = LoadedDriver("lab", object())
    assert (bare.has_check, bare.check(request)) == (False, [])
    assert asyncio.run(bare.fingerprint(request)) == ""


def test_the_outputs_of_a_plan_are_checked(tmp_path: Path) -> None:
    """What a plan knows is data, too."""
    bad = Planned(outputs=Provisioned(values={"a": object()}))  # type: ignore[dict-item]
    with pytest.raises(DriverError, match=r"the driver lab: plan: values\.a is of the type object"):
        called(tmp_path, "plan", bad)
    assert called(tmp_path, "plan", Planned(comment="x")) == Planned(comment="x")


def test_a_driver_says_which_inputs_are_code(tmp_path: Path) -> None:
    """Ensue's own drivers do, a project's may, and what is no kind of code is refused by name."""
    (tmp_path / "own.py").write_text(WHOLE + "CODE = {'query': 'shell-words'}\n")
    bad = {f"bad{n}": code for n, code in enumerate(("{'query': 'sql'}", "['query']", "{'query': ['hcl']}"))}
    for name, code in bad.items():
        (tmp_path / f"{name}.py").write_text(WHOLE + f"CODE = {code}\n")
    drivers = Drivers([tmp_path])
    assert drivers.find("terraform").code == {"script": "hcl", "files": "hcl"}
    assert drivers.find("opentofu").code == {"script": "hcl", "files": "hcl"}
    assert drivers.find("humanitec/template").code == {"templates": "go-template"}
    assert drivers.find("humanitec/template").inserts_as_data
    assert drivers.find("echo").code == {}
    assert drivers.find("own").code == {"query": "shell-words"}
    assert not drivers.find("own").inserts_as_data
    for name in bad:
        with pytest.raises(PluginError, match=f"{name}: CODE is not a mapping"):
            drivers.find(name)
