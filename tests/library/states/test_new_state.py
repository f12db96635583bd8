"""Every state function that ensue ships says what the thing now is, as docs/new-state.md declares.

The checks of each return against the page are in `new_state_tables`; they are made for every state function
that a test in this folder calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.library.states.case_files import all_cases
from tests.library.states.new_state_scenes import POSTGRESQL, SCENES
from tests.library.states.new_state_tables import declared
from tests.library.states.system_states import context, state

from ensue.core.contracts.connection import Completed
from ensue.language.functions.functions import Functions
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ensue.core.model.returns import StateReturn


def catalogue() -> set[str]:
    """Return every state function that comes with ensue."""
    functions = Functions("ensue.library.states")
    return {f"{module}.{name}" for module in functions.modules() for name in functions.names(module)}


def test_the_page_has_every_function_and_no_other() -> None:
    """A function without declared keys, and keys of a function that is nowhere, are faults of the page."""
    assert catalogue() - set(declared()) == set(), "docs/new-state.md lacks them"
    assert set(declared()) - catalogue() == set(), "docs/new-state.md has functions that are not there"


def test_every_function_with_a_new_state_has_a_case_that_shows_it() -> None:
    """A case shows all keys of a function's new_state on the first run and on the second; or a scene does."""
    shown = {
        case.function
        for case in all_cases()
        if case.data["returns"].get("result", True)
        and all(case.data.get(run, {}).get("keys") is not None for run in ("returns", "again"))
    }
    due = {name for name, keys in declared().items() if keys and not name.endswith(".mod_watch")}
    assert due - shown - set(SCENES) == set(), "add a case with `keys` in `returns` and `again`"


def test_every_function_is_run() -> None:
    """Those that have no new_state have a case, too, so that this is checked."""
    run = {case.function for case in all_cases()} | set(SCENES)
    assert {name for name in catalogue() if not name.endswith(".mod_watch")} - run == set()


@pytest.fixture(scope="module", autouse=True)
def _servers() -> Iterator[None]:
    yield
    POSTGRESQL.close()


@pytest.mark.parametrize("function", sorted(SCENES))
def test_a_thing_is_described_on_both_runs(function: str, tmp_path: Path) -> None:
    """A first run and a second say the same of the thing, and so does a plan that would change nothing."""
    with SCENES[function](tmp_path) as act:
        planned = act(True)
        first, second = act(False), act(False)
        replanned = act(True)
    assert planned.result is not False
    assert (first.result, second.result, second.changes) == (True, True, {})
    assert first.new_state is not None
    if planned.result is None:
        assert exists_not(planned) == exists_not(first)
    if not function.startswith("http."):  # Its headers have the time.
        assert second.new_state == first.new_state
    if replanned.result:
        assert replanned.new_state == first.new_state


def exists_not(returned: StateReturn) -> bool:
    """Return whether a state says that what it is about did not exist before."""
    return isinstance(returned.old_state, dict) and returned.old_state.get("exists") is False


def test_what_was_before_is_told() -> None:
    """A changed file has its old size and checksum in old_state, a new one is described as absent before."""
    fake = FakeConnection(files={"/etc/f": b"old\n"})
    changed = state("file.managed", context(fake), "/etc/f", contents="newer")
    assert changed.old_state == {
        "path": "/etc/f", "size": 4, "mode": "0644", "user": "root", "group": "root",
        "sha256": "01d09d19c2139a46aebfb577780d123d7396e97201bc7ead210a2ebff8239dee",
    }  # fmt: skip
    made = state("file.managed", context(fake), "/etc/g", contents="x")
    assert made.old_state == {"path": "/etc/g", "exists": False, "sha256": None, "size": None}
    unchanged = state("file.managed", context(fake), "/etc/g", contents="x")
    assert unchanged.old_state is None


def asked(fake: FakeConnection) -> list[str]:
    """Return what the target was asked since the last time, commands without their arguments."""
    methods = [call.method for call in fake.calls]
    fake.calls.clear()
    return methods


def test_a_file_that_is_as_it_should_be_costs_a_look_and_a_checksum() -> None:
    """Its new_state costs the target no question more, nor does that of a text that is there already."""
    fake = FakeConnection(files={"/etc/f": b"a\n"})
    state("file.managed", context(fake), "/etc/f", contents="a")
    assert asked(fake) == ["stat", "checksum"]
    state("file.append", context(fake), "/etc/f", text="a")
    assert asked(fake) == ["stat", "read"]
    state("file.replace", context(fake), "/etc/f", pattern="x", repl="y")
    assert asked(fake) == ["stat", "read"]
    state("file.directory", context(fake), "/etc", mode="755")
    assert asked(fake).count("stat") <= 3


def test_a_service_that_runs_is_asked_each_thing_once() -> None:
    """What the state has seen of a service is not asked again for its new_state."""
    fake = FakeConnection(files={"/run/systemd/system/x": b""})
    fake.on_run("systemctl *", lambda _: Completed(returncode=0, stdout=b"active\n", stderr=b""))
    done = state("service.running", context(fake), "web", enable=True)
    words = [" ".join(command.argv or ()) for command in fake.commands]
    assert done.new_state == {"name": "web", "running": True, "enabled": True}
    assert len(words) == len(set(words)), words


def test_secrets_are_marked() -> None:
    """The URL of a repository and a mount's options are secrets where there is a password in them."""
    mounted = b"1 0 0:5 / /data rw - cifs //nas/x rw\n"
    fake = FakeConnection(files={"/etc/fstab": b"//nas/x\t/data\tcifs\tpassword=hunter2x\t0\t0\n"})
    fake.on_run("cat /proc/self/mountinfo", stdout=mounted)
    ctx = context(fake)
    done = state(
        "mount.mounted", ctx, "/data", device="//nas/x", fstype="cifs", opts=["ro", "password=hunter2x"],
        persist=False, hidden_opts="ro",
    )  # fmt: skip
    assert (done.result, done.sensitive) == (True, ("opts[1]",))
    assert "hunter2x" not in ctx.masker.text("x hunter2x")


def test_a_second_run_in_a_plan_knows_what_is_there(tmp_path: Path) -> None:
    """A plan of what holds already says the same as the apply before it."""
    here = MinionConnection(context().srn, root=str(tmp_path))
    (tmp_path / "etc").mkdir()
    done = state("file.managed", context(here), "/etc/f", contents="a")
    planned = state("file.managed", context(here, test=True), "/etc/f", contents="a")
    assert planned.new_state == done.new_state
