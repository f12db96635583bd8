"""State module `zfs`: a program of that name in memory, which answers as OpenZFS's does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.library.states.system_states import context, state, thrice

from ensue.core.contracts.connection import Completed
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Command


class Pool:
    """The file systems of a pool, with their properties as `zfs get -p` shows them."""

    def __init__(self) -> None:
        self.datasets: dict[str, dict[str, str]] = {"tank": {"compression": "off", "quota": "0"}}
        self.asked: list[list[str]] = []

    def __call__(self, command: Command) -> Completed:
        _, verb, *words = map(str, command.argv or ())
        self.asked.append([verb, *words])
        name = words[-1]
        if verb == "list":
            return _completed(f"{name}\n") if name in self.datasets else _completed("", 1)
        if verb == "get":
            properties = self.datasets[name]
            return _completed(
                "".join(f"{key}\t{properties[key]}\n" for key in words[-2].split(",") if key in properties)
            )
        if verb == "destroy":
            del self.datasets[name]
            return _completed("")
        pairs = (word.partition("=") for word in words if "=" in word)
        given = {key: "10737418240" if value == "10G" else value for key, _, value in pairs}
        if verb == "set":
            self.datasets[name].update(given)
        else:
            self.datasets[name] = {"compression": "off", "quota": "0"} | given
        return _completed("")


def _completed(text: str, returncode: int = 0) -> Completed:
    return Completed(returncode=returncode, stdout=text.encode(), stderr=b"", pid=1)


def _target(pool: Pool) -> FakeConnection:
    fake = FakeConnection()
    fake.on_run("zfs *", pool)
    return fake


def test_a_file_system_comes_changes_and_goes() -> None:
    """Sizes are compared in bytes, other properties are left alone, and a second run changes nothing."""
    pool = Pool()
    target = _target(pool)
    given = {"compression": "lz4", "quota": "10G"}
    planned, done = thrice("zfs.filesystem_present", target, "tank/web", properties=given)
    assert (planned.result, planned.changes) == (None, {"tank/web": given})
    assert (done.comment, done.changes) == ("filesystem tank/web was created", {"tank/web": given})
    pool.datasets["tank/web"]["atime"] = "off"
    _, done = thrice("zfs.filesystem_present", target, "tank/web", properties={"compression": False})
    assert done.changes == {"tank/web": {"compression": False}}
    assert pool.datasets["tank/web"] == {"compression": "off", "quota": "10737418240", "atime": "off"}
    _, done = thrice("zfs.filesystem_absent", target, "tank/web", recursive=True)
    assert (done.comment, done.changes) == ("filesystem tank/web was destroyed", {"tank/web": "destroyed"})
    assert ["destroy", "-r", "tank/web"] in pool.asked


def test_a_clone_and_its_parents() -> None:
    """A snapshot is cloned, and what is missing around the new file system is created where asked for."""
    pool = Pool()
    state(
        "zfs.filesystem_present",
        context(_target(pool)),
        "tank/a/b",
        cloned_from="tank@then",
        create_parent=True,
    )
    assert pool.asked[-1] == ["clone", "-p", "tank@then", "tank/a/b"]


def test_what_is_refused() -> None:
    """A target without the program and a name that would be an option are failures."""
    fake = FakeConnection()
    fake.on_run("zfs *", returncode=127)
    assert "has no program `zfs`" in state("zfs.filesystem_present", context(fake), "tank/a").comment
    refused = state("zfs.filesystem_absent", context(_target(Pool())), "-r")
    assert (refused.result, "is not a dataset name" in refused.comment) == (False, True)
