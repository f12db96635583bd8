"""Every case of a state function, against a target in memory and against a real folder of this machine.

For each: the plan changes nothing and says what the case says; the apply does, too; the second
apply changes nothing.
"""

from __future__ import annotations

import asyncio
import fnmatch
import functools
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.call_state import call_state, context_for
from tests.library.states.case_files import Case, all_cases, content_of, lay_out, state_of

from ensue.core.contracts.connection import Command, Completed
from ensue.core.model.returns import Return
from ensue.core.model.srn import Srn
from ensue.output.change_lines import mark_of
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection
from ensue.testing.memory_tree import MemoryNode

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.connection import Connection
    from ensue.core.model.returns import StateReturn

CASES = all_cases()
CHANGING = {
    "write", "make_directory", "remove", "symlink", "rename", "set_mode", "set_owner", "set_times", "run",
}  # fmt: skip


def memory_target(case: Case) -> FakeConnection:
    fake = FakeConnection(Srn("minion", "target"))
    for path, entry in case.data.get("given", {}).items():
        folder = path.rpartition("/")[0]
        while folder and folder not in fake.tree.nodes:
            asyncio.run(fake.make_directory(folder, parents=True))
        put(fake, path, entry)
    script(fake, case.data.get("commands", {}))
    fake.calls.clear()
    return fake


def put(fake: FakeConnection, path: str, entry: Any) -> None:
    detail = entry if isinstance(entry, dict) else {}
    kind = "directory" if detail.get("directory") else "symlink" if "link" in detail else "file"
    content = detail["link"].encode() if kind == "symlink" else content_of(entry)
    mode = int(detail.get("mode", "0755" if kind == "directory" else "0644"), 8)
    owner = {"user": detail.get("user", "root"), "group": detail.get("group", "root")}
    fake.tree.put(path, MemoryNode(kind=kind, mode=mode, content=content, mtime_s=7.0, **owner))


def script(fake: FakeConnection, commands: dict[str, Any]) -> None:
    for pattern, answer in commands.items():
        fake.on_run(pattern, functools.partial(answered, fake, answer))


def answered(fake: FakeConnection, answer: dict[str, Any], _: Command) -> Completed:
    """Answer as a case says; what the command changes is what others answer from then on."""
    script(fake, answer.get("then", {}))
    for path, entry in answer.get("puts", {}).items():
        put(fake, path, entry)
    return Completed(
        returncode=answer.get("returncode", 0),
        stdout=str(answer.get("stdout", "")).encode(),
        stderr=str(answer.get("stderr", "")).encode(),
        pid=1,
    )


def memory_state(fake: FakeConnection) -> dict[str, tuple[str, str, bytes]]:
    nodes = fake.tree.nodes.items()
    return {path: (node.kind, f"{node.mode:04o}", node.content) for path, node in nodes if path != "/"}


@pytest.fixture(params=["memory", "real"])
def where(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def pairs() -> list[Any]:
    placed_cases = [(case, "memory") for case in CASES if case.is_in_memory]
    placed_cases += [(case, "real") for case in CASES if case.is_real]
    return [pytest.param(case, place, id=f"{case.title} [{place}]") for case, place in placed_cases]


class Target:
    """One target with a case laid out on it."""

    def __init__(self, case: Case, place: str, folder: Path) -> None:
        self.fake = memory_target(case) if place == "memory" else None
        self.root = folder / "root"
        if self.fake is None:
            (self.root / "tmp").mkdir(parents=True)
            (self.root / "etc").mkdir()
            lay_out(self.root, case.data.get("given", {}))
        self.connection: Connection = self.fake or MinionConnection(
            Srn("minion", "target"), root=str(self.root)
        )

    def state(self) -> dict[str, tuple[str, str, bytes]]:
        return memory_state(self.fake) if self.fake else state_of(self.root)

    def changing_calls(self) -> list[str]:
        """What the target was asked to change since the last time this was asked."""
        calls = [f"{call.method} {call.path}" for call in self.fake.calls] if self.fake else []
        if self.fake:
            self.fake.calls.clear()
        return [call for call in calls if call.split()[0] in CHANGING]


@pytest.mark.parametrize(("case", "place"), pairs())
def test_case(case: Case, place: str, tmp_path: Path) -> None:
    """A state plans without changing, changes what its case says, and changes nothing the second time."""
    target = Target(case, place, tmp_path)
    before = target.state()

    planned = run(case, target, tmp_path, test=True)
    assert target.state() == before, "the plan changed something"
    compare(case.data.get("plan", {}), planned, "plan")
    if planned.result is None:
        assert planned.new_state is None, "a plan knows no new_state of what would change"
    target.changing_calls()

    done = run(case, target, tmp_path, test=False)
    compare(case.data["returns"], done, "returns")
    if planned.result is None and done.result and done.changes:
        assert mark(case.function, planned) == mark(case.function, done), (
            "plan and apply differ on the sign of the change"
        )
    calls = target.changing_calls()
    if target.fake and "calls" in case.data:
        assert [call for call in calls if not call.startswith("run id")] == case.data["calls"]
    check_outcome(case.data.get("then", {}), target.state())
    if done.result is False and not done.changes:
        assert target.state() == before, "a failed state changed something and does not say so"

    again = run(case, target, tmp_path, test=False)
    if "again" in case.data:
        compare(case.data["again"], again, "again")
    elif done.result is not False:
        assert (again.result, again.changes) == (True, {}), "the second run is no run without changes"
        assert [call for call in target.changing_calls() if not call.startswith("run ")] == []


def run(case: Case, target: Target, folder: Path, *, test: bool) -> StateReturn:
    return asyncio.run(call_state(case, context_for(case, target.connection, folder, test=test)))


def mark(called: str, function_return: StateReturn) -> str:
    """Return the sign that the view gives a state."""
    module, _, function = called.rpartition(".")
    returned = Return(
        tag="t", name=function_return.name, id="i", sls="s", module=module, function=function, scope="",
        target="", result=function_return.result, changes=function_return.changes, comment="",
    )  # fmt: skip
    returned.old_state = function_return.old_state
    return mark_of(returned)


def compare(expected: dict[str, Any], got: StateReturn, what: str) -> None:
    if not expected:
        return
    assert got.result is expected.get("result", True), f"{what}: {got.comment}"
    if "changes" in expected:
        changes = {**got.changes, "pid": 0} if "pid" in got.changes else got.changes
        assert changes == expected["changes"], f"{what}: {got.comment}"
    for part in (
        [expected["comment"]] if isinstance(expected.get("comment"), str) else expected.get("comment", [])
    ):
        assert part in got.comment or fnmatch.fnmatch(got.comment, part), f"{what}: {got.comment}"
    for part in expected.get("warnings", []):
        assert any(part in warning for warning in got.warnings), f"{what}: {got.warnings}"
    if "comment_is" in expected:
        assert got.comment == expected["comment_is"], what
    if "keys" in expected:
        assert sorted(got.new_state or {}) == sorted(expected["keys"]), f"{what}: the keys of new_state"
    for key, value in (expected.get("new_state") or {}).items():
        assert isinstance(got.new_state, dict)
        assert got.new_state[key] == value, f"{what}: new_state:{key}"


def check_outcome(expected: dict[str, Any], state: dict[str, tuple[str, str, bytes]]) -> None:
    for path, entry in expected.items():
        if entry is None:
            assert path not in state, f"{path} is there"
            continue
        kind, mode, content = state[path]
        detail = entry if isinstance(entry, dict) else {"content": entry}
        if detail.get("directory"):
            assert kind == "directory"
        elif "link" in detail:
            assert (kind, content) == ("symlink", detail["link"].encode())
        elif "content" in detail or "binary" in detail:
            assert content == content_of(detail)
        assert mode == detail.get("mode", mode), path


def test_every_function_has_cases() -> None:
    """No state function of `test`, `cmd` and `file` is without a case."""
    from ensue.library.states import cmd, file, test

    functions = {
        f"{module}.{name}"
        for module, loaded in (("test", test), ("cmd", cmd), ("file", file))
        for name in loaded.FUNCTIONS
        if name not in {"mod_watch", "watch"}
    }
    assert functions - {case.function for case in CASES} == set()
