"""Plan, apply and destroy with the real binary; what is kept is encrypted."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.reach.resources.sandbox.conftest import RealVault
from tests.support.sshd import inotify
from tests.support.terraform import BOX, BROKEN, NULLS, configuration, needs_terraform

from ensue.core.errors import StateFailedError
from ensue.core.masking import Masker
from ensue.reach.terraform import Workspace
from ensue.reach.terraform.stored_state import KeptFolder

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.reach.terraform.stored_state import Output


@pytest.fixture(autouse=True)
def terraform() -> None:
    needs_terraform()


def workspace(tmp_path: Path, text: str = BOX, **more: Any) -> Workspace:
    return Workspace(
        name="terraform:box",
        directory=tmp_path / "kept",
        vault=RealVault(),
        masker=more.pop("masker", Masker()),
        source=str(configuration(tmp_path / "box", text)),
        variables=more.pop("variables", {}),
        **more,
    )


def test_the_second_apply_has_nothing_to_do(tmp_path: Path) -> None:
    """The first creates resource and outputs; after it a plan has no changes."""
    box = workspace(tmp_path)
    assert asyncio.run(box.plan()).outputs is None

    done = asyncio.run(box.apply())

    assert done.errors == ""
    assert done.changes["terraform_data.box"] == "create"
    assert done.outputs["size"].value == "small"
    assert asyncio.run(box.plan()).changes == {}
    assert asyncio.run(box.apply()).changes == {}


def test_a_null_output_is_there(tmp_path: Path) -> None:
    """Terraform leaves it out of its state. It is null from the first apply on, in plans as well."""

    def values(outputs: dict[str, Output] | None) -> dict[str, Any]:
        return {name: output.value for name, output in (outputs or {}).items()}

    nulls = {"size": None, "computed": None, "hidden": None, "inner": [None]}
    assert asyncio.run(workspace(tmp_path, NULLS).plan()).outputs is None
    done = asyncio.run(workspace(tmp_path, NULLS).apply())
    assert values(done.outputs) == nulls
    assert {name for name, output in done.outputs.items() if output.sensitive} == {"hidden"}
    planned = asyncio.run(workspace(tmp_path, NULLS).plan())
    assert (planned.changes, values(planned.outputs)) == ({}, nulls)
    assert values(workspace(tmp_path, NULLS).outputs()) == nulls
    big = workspace(tmp_path, NULLS, variables={"size": "big"})
    assert values(asyncio.run(big.apply()).outputs)["size"] == "big"
    assert values(asyncio.run(workspace(tmp_path, NULLS).apply()).outputs) == nulls
    fewer = NULLS.replace('output "size" { value = var.size }', "")
    assert "size" not in asyncio.run(workspace(tmp_path, fewer).apply()).outputs


def test_a_null_output_of_an_earlier_apply(tmp_path: Path) -> None:
    """An apply that did not record it needs no other one: a plan without changes knows it."""
    box = workspace(tmp_path, NULLS)
    done = asyncio.run(box.apply())
    folder = KeptFolder(path=box.directory, vault=box.vault, context=box.name)
    kept = folder.load()
    assert kept is not None
    folder.keep(msgspec.structs.replace(kept, outputs={"inner": done.outputs["inner"]}))
    planned = asyncio.run(box.plan())
    assert planned.changes == {}
    assert planned.outputs == done.outputs


def test_variables_arrive_as_they_are(tmp_path: Path) -> None:
    """Templates of the language in a value stay text; a change of one is planned as an update."""
    odd = 'a ${b} %{c} "d" \\ \n é'
    assert asyncio.run(workspace(tmp_path, variables={"size": odd}).apply()).outputs["size"].value == odd

    planned = asyncio.run(workspace(tmp_path, variables={"size": "big"}).plan())

    assert planned.changes == {"terraform_data.box": "update", "output.size": "update"}


def test_nothing_is_kept_in_the_clear(tmp_path: Path) -> None:
    """Neither state nor outputs; the sensitive ones are masked, also when they are read again."""
    box = workspace(tmp_path)
    asyncio.run(box.apply())

    files = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if b"hunter2" in path.read_bytes()] == []
    assert [path for path in files if path.stat().st_mode & 0o077 and path.parent.name == "kept"] == []
    later = Masker()
    assert workspace(tmp_path, masker=later).outputs() is not None
    assert later.text("hunter2-of-terraform") == "(sensitive)"


def test_settings_of_a_backend_are_not_kept_in_the_clear(tmp_path: Path) -> None:
    """They may hold its credentials; a later run still knows them, and refuses others."""
    backend = 'terraform {\n  backend "local" { path = "NAME.tfstate" }\n}\n'
    box = workspace(tmp_path, backend.replace("NAME", "secret-of-backend") + BOX)
    asyncio.run(box.apply())

    files = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert [path for path in files if b"secret-of-backend" in path.read_bytes()] == []
    assert asyncio.run(box.plan()).changes == {}
    other = workspace(tmp_path, backend.replace("NAME", "elsewhere") + BOX)
    with pytest.raises(StateFailedError, match="Backend configuration changed"):
        asyncio.run(other.plan())


def test_what_was_made_before_a_failure_is_not_made_again(tmp_path: Path) -> None:
    """The first resource is kept in the state of the failed apply, and the next one goes on from it."""
    there = tmp_path / "there"
    box = workspace(tmp_path, BROKEN % there)

    failed = asyncio.run(box.apply())

    assert "local-exec provisioner error" in failed.errors
    assert failed.changes == {"terraform_data.first": "create"}
    assert box.outputs() is None
    there.touch()
    done = asyncio.run(box.apply())
    assert done.errors == ""
    assert "terraform_data.first" not in done.changes
    assert done.outputs["made"].value == "made"


def test_what_a_killed_process_left_is_taken_up(tmp_path: Path) -> None:
    """The state that terraform had written is the newest: the resource in it is not made twice."""
    box = workspace(tmp_path)
    asyncio.run(box.apply())
    sealed = tmp_path / "kept" / "terraform.sealed"
    before = sealed.read_bytes()
    asyncio.run(workspace(tmp_path, variables={"size": "big"}).apply())
    state = box._folder.load()
    assert state is not None
    sealed.write_bytes(before)
    (tmp_path / "kept" / "terraform.tfstate").write_text(state.state)

    planned = asyncio.run(workspace(tmp_path, variables={"size": "big"}).plan())

    assert planned.changes == {}
    assert not (tmp_path / "kept" / "terraform.tfstate").exists()


def test_a_cancelled_apply_lets_terraform_write_its_state(tmp_path: Path) -> None:
    """It is interrupted, not killed: what it had made by then is kept."""
    started = tmp_path / "flag" / "started"
    started.parent.mkdir()
    text = BROKEN.replace("test -e %s", f"touch {started}; sleep 1000")
    box = workspace(tmp_path, text)

    async def cancelled() -> None:
        changes = inotify(started.parent, created=True)
        applying = asyncio.create_task(box.apply())
        await asyncio.to_thread(changes.wait, 60)
        changes.close()
        applying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await applying

    asyncio.run(cancelled())

    kept = box._folder.load()
    assert kept is not None
    assert '"first"' in kept.state
    assert not box._folder.state_path.exists()


def test_it_is_destroyed_without_naming_it_again(tmp_path: Path) -> None:
    """Source and variables are those of the last apply."""
    asyncio.run(workspace(tmp_path, variables={"size": "big"}).apply())
    nameless = Workspace(
        name="terraform:box", directory=tmp_path / "kept", vault=RealVault(), masker=Masker()
    )

    done = asyncio.run(nameless.apply(destroy=True))

    assert done.errors == ""
    assert done.changes["terraform_data.box"] == "delete"
    nameless.forget()
    assert not (tmp_path / "kept").exists()


def test_a_second_run_at_the_same_time_is_refused(tmp_path: Path) -> None:
    """Two applies of one state would lose one another's changes."""
    box = workspace(tmp_path)
    with box._folder.locked(), pytest.raises(StateFailedError, match="in use by another state of this run"):
        asyncio.run(box.apply())


def test_the_process_of_another_run_is_named(tmp_path: Path) -> None:
    """The lock is the kernel's; the file says who has it."""
    box = workspace(tmp_path)
    with box._folder.locked():
        (box.directory / "lock").write_text("4711")
        with pytest.raises(StateFailedError, match=r"terraform:box is in use by process 4711 \(wait until"):
            asyncio.run(box.plan())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("resource {", "main.tf"),
        ('output "a" { value = var.nowhere }', "main.tf:1: Reference to undeclared input variable"),
        ('terraform { required_version = "> 99" }', "Unsupported Terraform Core version"),
    ],
)
def test_a_broken_configuration_says_what_and_where(tmp_path: Path, text: str, message: str) -> None:
    """Terraform's own words, with its place; nothing is kept."""
    with pytest.raises(StateFailedError, match=message):
        asyncio.run(workspace(tmp_path, text).plan())


def test_a_binary_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With the option that names another."""
    with pytest.raises(StateFailedError, match="terrafrom is not on this machine's PATH"):
        asyncio.run(workspace(tmp_path, binary="terrafrom").plan())


def test_the_key_of_the_project_is_not_in_terraforms_environment(tmp_path: Path) -> None:
    """Credentials that are meant for it are."""
    text = 'resource "terraform_data" "a" {\n provisioner "local-exec" { command = "env > %s" }\n}'
    os.environ["ENSUE_KEY"] = "the-key-of-the-project"
    try:
        asyncio.run(workspace(tmp_path, text % (tmp_path / "env"), environment={"CLOUD": "token"}).apply())
    finally:
        del os.environ["ENSUE_KEY"]

    environment = (tmp_path / "env").read_text()
    assert "CLOUD=token" in environment
    assert "the-key-of-the-project" not in environment


def test_the_options_of_ensue_are_no_warning(tmp_path: Path) -> None:
    """Nobody else can do anything about an option that terraform deprecates."""
    box = workspace(tmp_path)
    assert asyncio.run(box.plan()).warnings == ()
    assert asyncio.run(box.apply(approve=lambda _: None)).warnings == ()
    done = asyncio.run(box.apply())
    assert (done.warnings, "Deprecated flag" in done.log) == ((), False)


MOVED = """\
moved {
  from = terraform_data.a
  to   = terraform_data.b
}
removed {
  from = terraform_data.gone
  lifecycle { destroy = false }
}
import {
  to = terraform_data.found
  id = "an-id"
}
resource "terraform_data" "b" {}
resource "terraform_data" "found" {}
"""


@pytest.mark.parametrize("is_approved", [False, True])
def test_an_apply_reports_what_changes_the_state_alone(tmp_path: Path, *, is_approved: bool) -> None:
    """What is moved, imported, and removed from the state, in the words of the plan."""
    before = 'resource "terraform_data" "a" {}\nresource "terraform_data" "gone" {}\n'
    asyncio.run(workspace(tmp_path, before).apply())
    box = workspace(tmp_path, MOVED)
    planned = asyncio.run(box.plan())
    done = asyncio.run(box.apply(approve=(lambda _: None) if is_approved else None))
    names = {"b": "move", "found": "import", "gone": "remove"}
    assert done.changes == planned.changes == {f"terraform_data.{key}": value for key, value in names.items()}
    assert asyncio.run(box.plan()).changes == {}


def test_the_outputs_of_a_killed_apply_that_has_made_everything_are_known(tmp_path: Path) -> None:
    """Terraform has nothing to do; only the record is not whole, and a plan leaves it so."""
    box = workspace(tmp_path)
    asyncio.run(box.apply())
    folder = KeptFolder(path=box.directory, vault=box.vault, context=box.name)
    kept = folder.load()
    assert kept is not None
    folder.keep(msgspec.structs.replace(kept, outputs={}, is_whole=False))
    folder.lay_out_state(folder.load())
    planned = asyncio.run(box.plan())
    assert (planned.changes, planned.is_recorded) == ({}, False)
    assert (planned.outputs or {})["size"].value == "small"
    assert asyncio.run(box.apply()).changes == {}
    assert asyncio.run(box.plan()).is_recorded
