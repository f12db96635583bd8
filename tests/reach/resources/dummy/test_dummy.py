"""Type `dummy`: contract, persistence, overrides, and what it does not offer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import RemoteFileError
from ensue.core.model.srn import Srn
from ensue.reach.resources.dummy import check
from ensue.reach.resources.dummy.connection import PACKAGES, DummyConnection
from ensue.testing.type_contract import ResourceTypeContract, TypeSubject

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport

PILLAR = """
resources:
  dummy:
    d1: {grains: {role: web}}
    d2: {reachable: false}
"""


class TestDummy(ResourceTypeContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> TypeSubject:
        return TypeSubject(name="dummy", cache_dir=tmp_path, config={"grains": {"role": "web"}})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, pillar__top="base:\n  '*':\n    - r\n", pillar__r=PILLAR)
    return tmp_path


def call(root: Path, target: str, function: str, *args: Any, **kwargs: Any) -> dict[str, tuple[bool, Any]]:
    async def ask() -> dict[str, tuple[bool, Any]]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return {
                answer.target.id: (answer.ok, answer.value)
                async for answer in project.call(target, function, args, kwargs)
            }

    return asyncio.run(ask())


def results(report: RunReport) -> dict[str, tuple[bool | None, str]]:
    return {returned.id: (returned.result, returned.comment) for returned in report.returns.values()}


def test_ping_says_who_answers(project: Path) -> None:
    """A dummy answers, unless its configuration says that it cannot be reached."""
    answers = call(project, "T@dummy", "test.ping")
    assert answers["d1"] == (True, True)
    assert answers["d2"][0] is False
    assert "dummy:d2 cannot be reached" in answers["d2"][1]


def test_grains_are_those_of_its_configuration(project: Path) -> None:
    """Configured grains are added to the dummy's names, and can be targeted."""
    ok, grains = call(project, "d1", "grains.items")["d1"]
    assert ok
    assert grains == {"id": "d1", "resource_id": "d1", "resource_type": "dummy", "role": "web"}
    assert [*call(project, "T@dummy:d1 and G@role:web", "test.ping")] == ["d1"]


def test_packages_persist(project: Path) -> None:
    """A new dummy has Salt's packages; what is installed is there in the next run."""
    assert call(project, "d1", "pkg.list_pkgs")["d1"] == (True, PACKAGES)
    assert call(project, "d1", "pkg.install", "vim", version="9.1")["d1"][1] == {
        "vim": {"old": "", "new": "9.1"}
    }
    call(project, "d1", "pkg.remove", "tinc")
    assert call(project, "d1", "pkg.version", "vim")["d1"] == (True, "9.1")
    assert call(project, "d1", "pkg.is_installed", "tinc")["d1"] == (True, False)


def test_what_a_dummy_does_not_offer_fails_by_name(project: Path) -> None:
    """Commands, and functions that need them or are no part of an override, fail under their own names."""
    assert call(project, "d1", "cmd.run", "true")["d1"] == (False, "cmd.run is not available for dummy")
    assert call(project, "d1", "cron.raw_cron", "root")["d1"] == (
        False,
        "cron.raw_cron is not available for dummy",
    )
    assert "pkg.hold is not available for dummy" in call(project, "d1", "pkg.hold", "vim")["d1"][1]
    assert (
        "environ.setval is not available for dummy"
        in call(project, "d1", "environ.setval", "A", "b")["d1"][1]
    )


def test_states_run_and_a_second_run_changes_nothing(project: Path) -> None:
    """Files, packages and services are brought to their state once."""
    write(
        project,
        states__t="""
/etc/motd:
  file.managed:
    - tgt: T@dummy:d1
    - contents: hello
tools:
  pkg.installed:
    - tgt: T@dummy:d1
    - pkgs: [coreutils, vim: '9.1']
redbull:
  pkg.removed:
    - tgt: T@dummy:d1
samba:
  service.running:
    - tgt: T@dummy:d1
    - enable: true
""",
    )
    planned = apply(project, "t", test=True)
    assert {result for result, _ in results(planned).values()} == {None}
    first = apply(project, "t")
    assert {result for result, _ in results(first).values()} == {True}, results(first)
    assert all(returned.changes for returned in first.returns.values())
    second = apply(project, "t")
    assert {result for result, _ in results(second).values()} == {True}
    assert not any(returned.changes for returned in second.returns.values())
    assert call(project, "d1", "service.status", "samba")["d1"] == (True, True)


def test_a_state_that_needs_commands_is_a_failed_result(project: Path) -> None:
    """`cmd.run` on a dummy fails under the state's name, in a plan too; nothing runs on this machine."""
    write(project, states__t="touch here:\n  cmd.run:\n    - tgt: T@dummy:d1\n")
    for test in (True, False):
        (result,) = results(apply(project, "t", test=test)).values()
        assert result == (False, "cmd.run is not available for dummy")
    assert not (project / "here").exists()


def test_a_condition_that_needs_commands_fails_too(project: Path) -> None:
    """`unless` on a dummy is a failure, not a condition that holds."""
    write(project, states__t="a:\n  test.nop:\n    - tgt: T@dummy:d1\n    - unless: exit 0\n")
    (result,) = results(apply(project, "t")).values()
    assert result[0] is False
    assert "is not available for dummy" in result[1]


def test_the_compiler_knows_what_a_dummy_lacks(project: Path) -> None:
    """A function that the type's override leaves out is refused before anything runs."""
    write(project, states__t="vim:\n  pkg.held:\n    - tgt: T@dummy\n")
    with pytest.raises(Exception, match=r"t\.sls:2.*pkg\.held is not available for dummy"):
        apply(project, "t")


@pytest.mark.parametrize("id_", ["..", ".", "a/b", "../../escape", "ü" * 200, "x y"])
def test_ids_never_leave_the_cachedir(tmp_path: Path, id_: str) -> None:
    """Whatever an id holds, its files are in a folder of their own below the cachedir."""
    cache = tmp_path / "deep/er/cache"
    connection = DummyConnection(Srn("dummy", id_), cache)
    asyncio.run(connection.write("/etc/motd", b"x"))
    asyncio.run(connection.change_packages({"vim": "1"}))
    (written,) = tmp_path.rglob("motd")
    assert written.relative_to(cache / "resources/dummy").parts[1:] == ("files", "etc", "motd")
    (state,) = tmp_path.rglob("state.json")
    assert state.parent == written.parents[2]


def test_concurrent_changes_are_all_kept(tmp_path: Path) -> None:
    """Changes that are made at the same time lose nothing of each other."""
    connection = DummyConnection(Srn("dummy", "d"), tmp_path)

    async def change() -> dict[str, str]:
        await asyncio.gather(*(connection.change_packages({f"p{index}": "1"}) for index in range(20)))
        return await connection.packages()

    assert set(asyncio.run(change())) == {*PACKAGES, *(f"p{index}" for index in range(20))}


def test_a_state_file_that_was_edited_is_an_error_with_its_path(tmp_path: Path) -> None:
    """What is not what a dummy wrote is refused, and not replaced."""
    connection = DummyConnection(Srn("dummy", "d"), tmp_path)
    asyncio.run(connection.change_packages({"vim": "1"}))
    (state,) = tmp_path.rglob("state.json")
    for broken in ("{", "[]", '{"packages": 1, "services": {}}'):
        state.write_text(broken)
        with pytest.raises(RemoteFileError, match=r"state\.json"):
            asyncio.run(connection.packages())
    assert state.read_text() == broken


def test_configurations_are_checked() -> None:
    """Unknown keys and values of the wrong kind are named."""
    assert check({"grains": {}, "reachable": False}) == []
    assert "reachable" in check({"reachabel": False})[0]
    assert len(check({"grains": [], "reachable": "no"})) == 2


@pytest.mark.parametrize(
    "declared",
    [
        "{dummy: {resource_ids: [d1, d2], grains: {role: db}}}",
        "{dummy: {grains: {role: db}, hosts: {d1: , d2: {}}}}",
        "{dummy: {d1: {grains: {role: db}}, d2: {grains: {role: db}}}}",
    ],
)
def test_pillar_shapes(tmp_path: Path, declared: str) -> None:
    """Salt's list of ids, hosts beside defaults, and the short map declare the same dummies."""
    write(tmp_path, pillar__top="base:\n  '*':\n    - r\n", pillar__r=f"resources: {declared}\n")
    answers = call(tmp_path, "T@dummy", "grains.get", "role")
    assert answers == {"d1": (True, "db"), "d2": (True, "db")}
