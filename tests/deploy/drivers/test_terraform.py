"""The driver `terraform` on the real binary, with configurations of its built-in provider."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.support.sshd import inotify
from tests.support.terraform import BOX, BROKEN, NULLS, configuration, needs_terraform

from ensue.core.contracts.driver import InputRemark
from ensue.core.errors import DestructionRefusedError, DriverError
from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers import opentofu, terraform
from ensue.testing.driver import FakeDriverServices, driver_request

if TYPE_CHECKING:
    from ensue.core.contracts.driver import DriverRequest, Provisioned


@pytest.fixture(autouse=True)
def binary() -> None:
    needs_terraform()


def request(tmp_path: Path, values: Any = None, **fields: Any) -> DriverRequest:
    return driver_request(tmp_path, values={"script": BOX} if values is None else values, **fields)


def created(made: DriverRequest) -> Provisioned:
    return asyncio.run(terraform.create(made))


def again(made: DriverRequest, done: Provisioned | None = None, **fields: Any) -> DriverRequest:
    """Return the request of a later call: it has the cookie."""
    assert isinstance(made.services, FakeDriverServices)
    cookie = made.services.kept[-1] if done is None else done.cookie
    return msgspec.structs.replace(made, cookie=cookie, **fields)


def deletion(made: DriverRequest, done: Provisioned | None = None) -> DriverRequest:
    """Return the request of a delete: it has no inputs."""
    return again(made, done, params={}, values={}, secrets={}, account=None)


def terraform_version() -> tuple[int, ...]:
    completed = subprocess.run(["terraform", "version", "-json"], check=True, capture_output=True)
    return tuple(map(int, json.loads(completed.stdout)["terraform_version"].split("-")[0].split(".")))


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_outputs_are_those_of_terraform(tmp_path: Path) -> None:
    """Those that are declared sensitive are secrets."""
    done = created(request(tmp_path, {"script": BOX, "variables": {"size": "big"}}))

    assert done.values == {"size": "big"}
    assert done.secrets == {"password": "hunter2-of-terraform"}
    assert done.changed
    assert done.comment == "applied the configuration: 1 to create (terraform_data.box)"


def test_a_null_output_is_null(tmp_path: Path) -> None:
    """It is an output all the same, of an update without a change as well."""
    made = request(tmp_path, {"script": NULLS})
    first = created(made)
    assert first.values == {"size": None, "computed": None, "inner": [None]}
    assert first.secrets == {"hidden": None}
    second = asyncio.run(terraform.update(again(made, first)))
    assert (second.values, second.secrets) == (first.values, first.secrets)


def test_an_update_without_a_change_changes_nothing(tmp_path: Path) -> None:
    """It returns the same outputs and the same cookie."""
    made = request(tmp_path)
    first = created(made)

    second = asyncio.run(terraform.update(again(made, first)))

    assert not second.changed
    assert (second.values, second.secrets, second.cookie) == (first.values, first.secrets, first.cookie)


def test_an_update_applies_what_has_changed(tmp_path: Path) -> None:
    """A variable has another value; the plan said so before."""
    made = request(tmp_path)
    first = created(made)
    other = again(made, first, values={"script": BOX, "variables": {"size": "big"}})

    planned = asyncio.run(terraform.plan(other))
    second = asyncio.run(terraform.update(other))

    assert planned.comment == "would apply the configuration: 1 to update (terraform_data.box)"
    assert second.changed
    assert second.values == {"size": "big"}
    assert asyncio.run(terraform.plan(again(other, second))).outputs is not None


def test_a_plan_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither before the first apply nor after it; the second says that there is nothing to do."""
    made = request(tmp_path)
    planned = asyncio.run(terraform.plan(made))
    assert planned.would_change
    assert planned.comment == "would apply the configuration: 1 to create (terraform_data.box)"
    assert not made.directory.exists()

    done = created(made)
    before = files_in(made.directory)
    later = asyncio.run(terraform.plan(again(made, done)))

    assert not later.would_change
    assert later.outputs is not None
    assert later.outputs.values == {"size": "small"}
    assert files_in(made.directory) == before


def test_a_plan_names_what_is_not_known_yet(tmp_path: Path) -> None:
    """Terraform is not run: it could not tell either."""
    unknown = Unknown("${resources.base-env.outputs.size}")
    made = request(tmp_path, {"script": "not HCL", "variables": {"size": unknown}})

    planned = asyncio.run(terraform.plan(made))

    assert planned.would_change
    assert "${resources.base-env.outputs.size}" in planned.comment
    assert terraform.check(made) == []


def test_a_delete_needs_no_inputs(tmp_path: Path) -> None:
    """Variables, files and environment are in the cookie; a second delete is no error."""
    gone = tmp_path / "gone"
    text = """\
    variable "path" {}
    resource "terraform_data" "a" {
      input = var.path
      provisioner "local-exec" {
        when    = destroy
        command = "cat note.txt > ${self.input}; printf $TOKEN >> ${self.input}"
      }
    }
    """
    values = {
        "script": text,
        "files": {"note.txt": "from a file "},
        "variables": {"path": str(gone)},
        "credentials_config": {"environment": {"TOKEN": "token"}},
    }
    made = request(tmp_path, values, secrets={"credentials": {"token": "from-the-account"}})
    done = created(made)

    asyncio.run(terraform.delete(deletion(made, done)))
    asyncio.run(terraform.delete(deletion(made, done)))

    assert gone.read_text() == "from a file from-the-account"
    assert not made.directory.exists()


def test_a_delete_of_what_never_was_is_no_error(tmp_path: Path) -> None:
    """Without a cookie nothing was made."""
    asyncio.run(terraform.delete(request(tmp_path, {})))


_STUBBORN = """\
resource "terraform_data" "a" {
  provisioner "local-exec" {
    when    = destroy
    command = "test -e ALLOWED"
  }
}
"""


@pytest.mark.parametrize("script", ['variable "size" {}', 'resource "terraform_data" {'])
def test_a_delete_of_what_failed_before_it_made_anything(tmp_path: Path, script: str) -> None:
    """Nothing is destroyed, so nothing of the configuration has to work: not its variables, nor its text."""
    made = request(tmp_path, {"script": script})
    with pytest.raises(DriverError, match="failed"):
        created(made)
    asyncio.run(terraform.delete(deletion(made)))
    assert not made.directory.exists()


def test_a_failed_delete_keeps_what_is_left(tmp_path: Path) -> None:
    """The state stays, and the next delete goes on from it."""
    allowed = tmp_path / "allowed"
    made = request(tmp_path, {"script": _STUBBORN.replace("ALLOWED", str(allowed))})
    done = created(made)

    with pytest.raises(DriverError, match="destroy failed"):
        asyncio.run(terraform.delete(deletion(made, done)))
    allowed.touch()
    asyncio.run(terraform.delete(deletion(made, done)))

    assert not made.directory.exists()


def test_nothing_is_kept_in_the_clear(tmp_path: Path) -> None:
    """Whatever may hold secrets is encrypted, or gone when terraform has ended."""
    values = {"script": f"# secret-of-script\n{BOX}", "files": {"sub/a.json": {"key": "secret-of-file"}}}
    secrets = {"files": {"b.txt": "secret-of-secrets"}, "variables": {"size": "secret-of-variable"}}

    made = request(tmp_path, values, secrets=secrets)
    created(made)

    contents = files_in(made.directory)
    assert contents
    assert [
        name for name, content in contents.items() if b"secret-of" in content or b"hunter2" in content
    ] == []
    assert made.directory.stat().st_mode & 0o077 == 0


_FAILING = """\
variable "a" {}
resource "terraform_data" "x" {
  provisioner "local-exec" { command = "echo ${var.a}; false" }
}
"""


def test_an_error_has_no_secret_and_the_log_when_it_is_wanted(tmp_path: Path) -> None:
    """What terraform printed is appended with `append_logs_to_error`."""
    services = FakeDriverServices()
    services.masker.add("secret-of-variable")
    values = {"script": _FAILING, "append_logs_to_error": True}
    made = driver_request(
        tmp_path, services, values=values, secrets={"variables": {"a": "secret-of-variable"}}
    )

    with pytest.raises(DriverError, match="local-exec provisioner error") as failed:
        created(made)

    assert "What terraform printed last:" in str(failed.value)
    assert "secret-of-variable" not in str(failed.value)


def test_what_was_made_before_a_failure_is_not_made_again(tmp_path: Path) -> None:
    """The state of the failed call has it, and it can be deleted, too."""
    there = tmp_path / "there"
    made = request(tmp_path, {"script": BROKEN % there})
    with pytest.raises(DriverError, match="apply failed"):
        created(made)

    there.touch()
    done = created(again(made, was_interrupted=True))

    assert done.values == {"made": "made"}
    assert done.comment == "applied the configuration: 1 to replace (terraform_data.second)"


_SLOW = """\
resource "terraform_data" "first" {
  provisioner "local-exec" { command = "echo made >> COUNT" }
}
resource "terraform_data" "second" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = "touch FLAG/started; cat FIFO" }
}
"""

_PROCESS = """\
import asyncio, sys
from pathlib import Path
from ensue.deploy.drivers import terraform
from ensue.testing.driver import driver_request
asyncio.run(terraform.create(driver_request(Path(sys.argv[1]), values={"script": sys.argv[2]})))
"""


def test_what_a_killed_process_has_made_is_found(tmp_path: Path) -> None:
    """While the terraform that it left still runs, another create is refused; then nothing is made twice."""
    flag, fifo, count = tmp_path / "flag", tmp_path / "fifo", tmp_path / "count"
    flag.mkdir()
    os.mkfifo(fifo)
    text = _SLOW.replace("COUNT", str(count)).replace("FLAG", str(flag)).replace("FIFO", str(fifo))
    changes = inotify(flag, created=True)
    process = subprocess.Popen([sys.executable, "-c", _PROCESS, str(tmp_path), text])
    changes.wait(60)
    changes.close()
    process.send_signal(signal.SIGKILL)
    process.wait()
    made = request(tmp_path, {"script": text}, was_interrupted=True)

    still = r"is in use: terraform of a run that was killed still runs as process (\d+) \(.* kill -INT \1\)"
    with pytest.raises(DriverError, match=still) as caught:
        created(made)
    process_id = re.search(still, str(caught.value))
    assert process_id is not None
    assert Path(f"/proc/{process_id[1]}/exe").resolve().name in {"terraform", "tofu"}
    fifo.write_text("")
    with (made.directory / "state" / "terraform.tfstate").open("r+b") as state:
        fcntl.lockf(state, fcntl.LOCK_EX)  # terraform gives it back at its end
    done = created(made)

    assert count.read_text() == "made\n"
    assert not done.changed


@pytest.mark.parametrize("call", [terraform.create, terraform.update, terraform.plan])
def test_a_state_that_is_gone_is_not_made_again(tmp_path: Path, call: Any) -> None:
    """Without its state terraform would make everything a second time."""
    made = request(tmp_path)
    done = created(made)
    shutil.rmtree(made.directory)

    with pytest.raises(DriverError, match=r"state .* is gone"):
        asyncio.run(call(again(made, done)))


def test_a_folder_of_the_project_is_the_source(tmp_path: Path) -> None:
    """A module beside it is found when the folder above is the `url`; the project itself is left as it is."""
    configuration(tmp_path / "modules" / "box", BOX)
    configuration(
        tmp_path / "modules" / "two", 'module "box" { source = "../box" }\noutput "a" { value = 1 }'
    )
    made = request(tmp_path, {"source": {"url": "./modules", "path": "two"}})

    done = created(made)

    assert done.values == {"a": 1}
    assert done.comment == "applied the configuration: 1 to create (module.box.terraform_data.box)"
    assert [path.name for path in (tmp_path / "modules" / "two").iterdir()] == ["main.tf"]
    assert asyncio.run(terraform.fingerprint(made))


def test_a_plan_shows_that_the_source_has_changed(tmp_path: Path) -> None:
    """Also while an input is not known yet; the same files are no change."""
    values = {"source": {"path": "box"}, "variables": {"size": "small"}}
    unknown = {**values, "variables": {"size": Unknown("${resources.dns.outputs.size}")}}
    configuration(tmp_path / "box", BOX)
    made = request(tmp_path, values)
    later = again(made, created(made))
    assert asyncio.run(terraform.plan(msgspec.structs.replace(later, values=unknown))).changes == {}
    configuration(tmp_path / "box", BOX + 'output "more" { value = 1 }')
    for inputs in (values, unknown):
        planned = asyncio.run(terraform.plan(msgspec.structs.replace(later, values=inputs)))
        assert planned.changes["source"]["old"] != planned.changes["source"]["new"]


def test_a_variable_that_is_not_declared_is_a_warning(tmp_path: Path) -> None:
    """In the plan and in the call that makes the resource; it says which input gives the variable."""
    values = {"script": BOX, "variables": {"sise": "big"}}
    made = driver_request(tmp_path, values=values, secrets={"variables": {"pasword": "hunter2"}})
    for warnings in (asyncio.run(terraform.plan(made)).warnings, created(made).warnings):
        assert [each.path for each in warnings if isinstance(each, InputRemark)] == [
            ("secrets", "variables", "pasword"),
            ("values", "variables", "sise"),
        ]
        assert len(warnings) == 2


def test_a_definition_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    """All that is wrong with it in one error; before anything is run."""
    made = request(tmp_path, {"script": BOX, "binay": "x", "files": {"/etc/x": ""}})

    assert len(terraform.check(made)) == 2
    with pytest.raises(DriverError, match=r"did you mean binary.*would be outside"):
        created(made)
    assert not made.directory.exists()


def test_a_git_configuration_among_the_files_is_used(tmp_path: Path) -> None:
    """Terraform clones modules with it, as published definitions expect."""
    module = configuration(tmp_path / "module", BOX)
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*identity, "commit", "-qma"]):
        subprocess.run(["git", "-C", str(module), *arguments], check=True)
    values = {
        "files": {".gitconfig": f'[url "file://{module}"]\n  insteadOf = https://example.org/box.git\n'},
        "script": 'module "box" { source = "git::https://example.org/box.git" }\noutput "a" { value = 1 }',
    }

    assert created(request(tmp_path, values)).values == {"a": 1}


def test_opentofu_is_the_same_with_another_binary(tmp_path: Path) -> None:
    """Where there is no `tofu`, terraform does it."""
    made = request(tmp_path)

    done = asyncio.run(opentofu.create(made))
    second = asyncio.run(opentofu.update(again(made, done)))
    asyncio.run(opentofu.delete(deletion(made, second)))

    assert (done.changed, second.changed) == (True, False)
    assert (done.cookie or {})["binary"] == ("tofu" if shutil.which("tofu") else "")
    assert not made.directory.exists()


def test_a_cancelled_create_keeps_what_was_made(tmp_path: Path) -> None:
    """Terraform is interrupted, and what it had made by then can be deleted."""
    flag, count = tmp_path / "flag", tmp_path / "count"
    flag.mkdir()
    text = _SLOW.replace("COUNT", str(count)).replace("FLAG", str(flag)).replace("cat FIFO", "sleep 1000")
    made = request(tmp_path, {"script": text})

    async def cancelled() -> None:
        changes = inotify(flag, created=True)
        creating = asyncio.create_task(terraform.create(made))
        await asyncio.to_thread(changes.wait, 60)
        changes.close()
        creating.cancel()
        with pytest.raises(asyncio.CancelledError):
            await creating

    asyncio.run(cancelled())

    planned = asyncio.run(terraform.plan(again(made)))
    assert planned.comment == "would apply the configuration: 1 to replace (terraform_data.second)"
    assert count.read_text() == "made\n"
    asyncio.run(terraform.delete(deletion(made)))
    assert not made.directory.exists()


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    """After `timeout_s` terraform is interrupted; what it had made is in its state."""
    slow = 'provisioner "local-exec" {\n    command = "sleep 1000"\n  }'
    text = f'resource "terraform_data" "slow" {{\n  {slow}\n}}\n'
    made = request(tmp_path, {"script": text, "timeout_s": 3})

    with pytest.raises(DriverError, match=r"took longer than 3 s, and was ended$"):
        created(made)

    asyncio.run(terraform.delete(deletion(made)))
    assert not made.directory.exists()


@pytest.mark.parametrize("value", [0, -1, "5", True])
def test_a_limit_is_a_number_of_seconds(tmp_path: Path, value: object) -> None:
    """Anything else is refused before terraform runs."""
    problems = terraform.check(request(tmp_path, {"script": BOX, "timeout_s": value}))
    assert problems == ["timeout_s is not a number of seconds above 0"]


_GOOD = """\
resource "terraform_data" "a" {
  input = "LOG"
  provisioner "local-exec" {
    when    = destroy
    command = "echo by the good one >> ${self.input}"
  }
}
"""
_BAD = """\
provider "terraform" { alias = "west" }
resource "terraform_data" "a" {
  input = "LOG"
  provisioner "local-exec" {
    when    = destroy
    command = "false"
  }
}
resource "terraform_data" "west" {
  provider = terraform.west
  input    = "LOG"
  provisioner "local-exec" {
    when    = destroy
    command = "echo west >> ${self.input}"
  }
}
resource "terraform_data" "b" {
  depends_on = [terraform_data.west]
  provisioner "local-exec" { command = "false" }
}
"""


def failed_update(tmp_path: Path, script: str) -> tuple[DriverRequest, Path]:
    """Create something, and let an update fail; return the request to delete it, and the log."""
    log = tmp_path / "log"
    made = request(tmp_path, {"script": _GOOD.replace("LOG", str(log))})
    done = created(made)
    later = again(made, done, values={"script": script.replace("LOG", str(log))})
    with pytest.raises(DriverError, match=r"(apply|init) failed"):
        asyncio.run(terraform.update(later))
    return deletion(made), log


def test_a_delete_after_a_failed_update_uses_what_made_it(tmp_path: Path) -> None:
    """The last successful configuration destroys its things, the attempt only what needs its providers."""
    gone, log = failed_update(tmp_path, _BAD)
    asyncio.run(terraform.delete(gone))
    assert log.read_text() == "west\nby the good one\n"
    assert not gone.directory.exists()


def test_a_delete_after_an_update_that_is_no_configuration(tmp_path: Path) -> None:
    """It has made nothing."""
    gone, log = failed_update(tmp_path, "resource {")
    asyncio.run(terraform.delete(gone))
    assert log.read_text() == "by the good one\n"


def test_a_delete_of_what_only_failed_uses_the_attempt(tmp_path: Path) -> None:
    """Where nothing has succeeded there is no other configuration."""
    log = tmp_path / "log"
    made = request(
        tmp_path,
        {"script": _BAD.replace("LOG", str(log)).replace('command = "false"\n', 'command = "true"\n')},
    )
    with pytest.raises(DriverError, match="apply failed"):
        created(made)
    asyncio.run(terraform.delete(deletion(made)))
    assert log.read_text() == "west\n"


def test_an_update_that_succeeds_after_a_failed_one(tmp_path: Path) -> None:
    """From then on its own configuration is the one that deletes."""
    gone, log = failed_update(tmp_path, "resource {")
    good = _GOOD.replace("LOG", str(log)).replace("the good one", "the newest")
    done = asyncio.run(terraform.update(msgspec.structs.replace(gone, values={"script": good})))
    assert (done.cookie or {})["attempted"] is None
    asyncio.run(terraform.delete(deletion(gone, done)))
    assert log.read_text() == "by the newest\n"


def test_killed_between_success_and_the_exchange_of_copies(tmp_path: Path) -> None:
    """The cookie says that the attempt has succeeded; its copy becomes the one that is used."""
    gone, log = failed_update(tmp_path, "resource {")
    good = _GOOD.replace("LOG", str(log)).replace("the good one", "the newest")
    done = asyncio.run(terraform.update(msgspec.structs.replace(gone, values={"script": good})))
    tree = gone.directory / "configuration"
    tree.rename(gone.directory / "configuration.attempted")
    configuration(tree, "resource {")
    asyncio.run(terraform.delete(deletion(gone, done)))
    assert log.read_text() == "by the newest\n"


_REPLACED = """\
variable "size" { default = "small" }
resource "terraform_data" "disk" { triggers_replace = var.size }
resource "terraform_data" "label" { input = var.size }
"""


def test_an_update_that_destroys_something_is_refused(tmp_path: Path) -> None:
    """The plan names it, and so does the refusal, which changes nothing; allowed, it is done."""
    made = request(tmp_path, {"script": _REPLACED})
    done = created(made)
    other = again(made, done, values={"script": _REPLACED, "variables": {"size": "big"}})
    assert asyncio.run(terraform.plan(other)).destroys == ("terraform_data.disk",)
    before = files_in(made.directory / "state")
    with pytest.raises(
        DestructionRefusedError, match=r"would destroy terraform_data.disk \(.*--allow-replace="
    ):
        asyncio.run(terraform.update(other))
    assert files_in(made.directory / "state").keys() == before.keys()
    asyncio.run(terraform.update(again(made, done)))
    allowed = again(made, values=other.values, may_replace=True)
    comment = asyncio.run(terraform.update(allowed)).comment
    assert sorted(comment.partition(": ")[2].split(", ")) == [
        "1 to replace (terraform_data.disk)",
        "1 to update (terraform_data.label)",
    ]


def test_what_a_failed_update_left_unfinished_is_made_anew_unasked(tmp_path: Path) -> None:
    """Terraform replaces what it did not finish; nobody has used that."""
    there = tmp_path / "there"
    made = request(tmp_path)
    done = created(made)
    with pytest.raises(DriverError, match="apply failed"):
        asyncio.run(terraform.update(again(made, done, values={"script": f"{BOX}{BROKEN % there}"})))
    there.touch()
    later = again(made, values={"script": f"{BOX}{BROKEN % there}"})
    done = asyncio.run(terraform.update(later))
    assert done.comment == "applied the configuration: 1 to replace (terraform_data.second)"


def test_an_update_with_an_ephemeral_variable(tmp_path: Path) -> None:
    """A saved plan has no values of such variables, so they are given again."""
    script = 'variable "token" { ephemeral = true }\n'
    values = {"script": f"{script}{BOX}", "variables": {"token": "t"}}
    if terraform_version() < (1, 10):
        pytest.skip("ephemeral variables need terraform 1.10")
    done = created(request(tmp_path, values))
    later = again(request(tmp_path), done, values={**values, "variables": {"token": "t", "size": "big"}})
    assert asyncio.run(terraform.update(later)).values == {"size": "big"}


def test_a_move_is_an_update(tmp_path: Path) -> None:
    """The deployment reports it in the words of its plan."""
    made = request(tmp_path, {"script": 'resource "terraform_data" "a" {}'})
    done = created(made)
    moved = "moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n"
    script = f'{moved}resource "terraform_data" "b" {{}}'
    later = again(made, done, values={"script": script})
    planned = asyncio.run(terraform.plan(later))
    updated = asyncio.run(terraform.update(later))
    assert planned.comment == "would apply the configuration: 1 to move (terraform_data.b)"
    assert (updated.changed, updated.comment) == (True, planned.comment.replace("would apply", "applied"))
