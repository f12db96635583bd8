"""Environment provider `command`."""

from __future__ import annotations

import asyncio
import json
import shlex
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from ensue.core.contracts.provider import Environment, EnvironmentRequest
from ensue.core.errors import StateFailedError
from ensue.core.masking import Masker
from ensue.reach.resources import command_environment
from ensue.testing.vault import FakeVault

if TYPE_CHECKING:
    from pathlib import Path

INFORMATION = {
    "status": "succeeded",
    "host": "10.0.0.1",
    "port": 2222,
    "user": "admin",
    "password": "pass-that-is-secret",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "environments" / "env-01"


def request(folder: Path, line: str | None) -> EnvironmentRequest:
    options: dict[str, Any] = {} if line is None else {"command": line}
    return EnvironmentRequest(
        name="env-01", directory=folder, options=options, vault=FakeVault(), masker=Masker(), root=folder
    )


def deploy(folder: Path, line: str | None) -> Environment:
    return asyncio.run(command_environment.deploy(request(folder, line)))


def printing(data: Any) -> str:
    return f"printf %s {shlex.quote(json.dumps(data))}"


def test_what_the_command_prints_is_how_to_connect(folder: Path) -> None:
    """Everything but the status."""
    assert deploy(folder, printing(INFORMATION)).status == "succeeded"

    connection = asyncio.run(command_environment.connection_info(request(folder, None)))
    assert connection == {key: value for key, value in INFORMATION.items() if key != "status"}


def test_without_a_command_nothing_can_be_deployed(folder: Path) -> None:
    """A plan knows it, because observing says so; what was printed before is enough for one."""
    assert "requires `command`" in asyncio.run(command_environment.observe(request(folder, None))).obstacle
    assert asyncio.run(command_environment.observe(request(folder, "true"))).obstacle == ""

    deploy(folder, printing(INFORMATION))
    assert asyncio.run(command_environment.observe(request(folder, None))).obstacle == ""


def test_a_misspelt_option_is_refused(folder: Path) -> None:
    """With the name that it may be meant to be, in a plan and in an apply."""
    misspelt = msgspec.structs.replace(request(folder, None), options={"comand": "true"})
    for hook in (command_environment.observe, command_environment.deploy):
        with pytest.raises(StateFailedError, match=r"does not take comand \(.*did you mean command\?\)"):
            asyncio.run(hook(misspelt))


def test_it_is_kept_for_plans_and_not_in_the_clear(folder: Path) -> None:
    """Observing runs nothing, knows the outcome, and masks its secrets again."""
    assert asyncio.run(command_environment.observe(request(folder, None))).status == "absent"
    deployed = deploy(folder, printing(INFORMATION))

    later = request(folder, "echo must not run; exit 1")
    assert asyncio.run(command_environment.observe(later)) == deployed
    assert later.masker.text("pass-that-is-secret") == "(sensitive)"
    for path in folder.iterdir():
        assert b"pass-that-is-secret" not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0


def test_a_status_of_its_own_is_kept(folder: Path) -> None:
    """Anything but `succeeded` connects to nothing."""
    environment = deploy(folder, printing({"status": "building", "host": "10.0.0.1"}))

    assert environment.status == "building"
    with pytest.raises(StateFailedError, match="has not succeeded"):
        asyncio.run(command_environment.connection_info(request(folder, None)))


@pytest.mark.parametrize(
    ("line", "comment"),
    [
        ("echo why >&2; exit 3", "the command exited with code 3\nstderr: why"),
        ("kill -9 $$", "the command was ended by signal 9"),
        ("true", "the command printed nothing on stdout"),
        ("echo hello", "the command printed something that is not one JSON object"),
        ("echo '[1]'", "the command printed something that is not one JSON object"),
        (printing({"host": "a"}), "the command's JSON: `status` is missing"),
        (printing({"status": "succeeded"}), "the command's JSON: `host` is missing"),
        (printing({"status": "succeeded", "host": 5}), "the command's JSON: `host` must be text"),
        (
            printing(INFORMATION | {"port": "22"}),
            "the command's JSON: `port` must be a number from 1 to 65535",
        ),
        (printing(INFORMATION | {"port": True}), "the command's JSON: `port` must be a number"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, line: str, comment: str) -> None:
    """The environment is failed, and stays so in the next plan."""
    environment = deploy(folder, line)

    assert environment.status == "failed"
    assert environment.comment.startswith(comment)
    assert asyncio.run(command_environment.observe(request(folder, line))).status == "failed"


def test_a_secret_in_the_error_output_is_masked(folder: Path) -> None:
    """What the JSON says is secret is masked in what the command says of its failure."""
    line = f"{printing(INFORMATION)}; echo cannot log in with pass-that-is-secret >&2; exit 1"

    assert deploy(folder, line).comment.endswith("stderr: cannot log in with (sensitive)")


@pytest.mark.parametrize("line", [None, "", "  "])
def test_without_a_command_there_is_nothing_to_do(folder: Path, line: str | None) -> None:
    """The message names the option."""
    with pytest.raises(StateFailedError, match="requires `command`"):
        deploy(folder, line)


def test_destroy_forgets(folder: Path) -> None:
    """Nothing is left; a second time is fine."""
    deploy(folder, printing(INFORMATION))
    for _ in range(2):
        assert asyncio.run(command_environment.destroy(request(folder, None))).status == "absent"
    assert not folder.exists()
