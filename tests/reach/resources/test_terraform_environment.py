"""Environment provider `terraform`, with the real binary."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.reach.resources.sandbox.conftest import RealVault
from tests.support.terraform import BROKEN, configuration, needs_terraform

from ensue.core.contracts.provider import EnvironmentRequest
from ensue.core.errors import StateFailedError
from ensue.core.masking import Masker
from ensue.reach.resources import terraform_environment as provider

if TYPE_CHECKING:
    from pathlib import Path

BOX = """\
variable "user" { default = "root" }
resource "terraform_data" "box" { input = var.user }
output "host" { value = "127.0.0.1" }
output "user" { value = terraform_data.box.output }
output "zone" { value = "a" }
output "private_key" {
  value     = "a-key-that-is-secret"
  sensitive = true
}
"""


@pytest.fixture(autouse=True)
def terraform() -> None:
    needs_terraform()


def request(root: Path, text: str = BOX, **options: Any) -> EnvironmentRequest:
    configuration(root / "box", text)
    return EnvironmentRequest(
        name="env-01",
        directory=root / "kept",
        options={"source": "box", **options},
        vault=RealVault(),
        masker=Masker(),
        root=root,
    )


def test_outputs_say_how_to_connect(tmp_path: Path) -> None:
    """By the names of an ssh_host's keys; what else is no secret is a detail."""
    asked = request(tmp_path)
    assert asyncio.run(provider.observe(asked)).status == "absent"

    deployed = asyncio.run(provider.deploy(asked))

    assert (deployed.status, deployed.details) == ("succeeded", {"zone": "a"})
    assert asyncio.run(provider.connection_info(asked)) == {
        "host": "127.0.0.1",
        "user": "root",
        "private_key": "a-key-that-is-secret",
    }
    assert asked.masker.text("a-key-that-is-secret") == "(sensitive)"
    assert asyncio.run(provider.observe(asked)).status == "succeeded"


def test_a_null_output_says_nothing(tmp_path: Path) -> None:
    """A connection has no key of it, whether the output has its name or `outputs` names it."""
    nulls = "".join(f'output "{name}" {{ value = null }}\n' for name in ("port", "connection_info", "note"))
    asked = request(tmp_path, BOX + nulls, outputs={"password": "note"})
    deployed = asyncio.run(provider.deploy(asked))
    assert deployed.details == {"zone": "a"}
    assert set(asyncio.run(provider.connection_info(asked))) == {"host", "user", "private_key"}
    asked = request(tmp_path, BOX + nulls)
    assert asyncio.run(provider.deploy(asked)).details == {"zone": "a", "note": None}


def test_another_value_of_a_variable_is_a_change(tmp_path: Path) -> None:
    """A plan sees it without making it."""
    asyncio.run(provider.deploy(request(tmp_path)))

    changed = asyncio.run(provider.observe(request(tmp_path, variables={"user": "admin"})))

    assert changed.status == "changed"
    assert "update terraform_data.box" in changed.comment


def test_outputs_of_other_names_are_named(tmp_path: Path) -> None:
    """`outputs` maps keys to outputs, and `connection_info` holds several at once."""
    text = 'output "address" { value = "10.0.0.1" }\noutput "connection_info" { value = {port = 2222} }'
    asked = request(tmp_path, text, outputs={"host": "address"})
    asyncio.run(provider.deploy(asked))

    assert asyncio.run(provider.connection_info(asked)) == {"host": "10.0.0.1", "port": 2222}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ('output "zone" { value = 1 }', {}, "no output says which `host`"),
        ('output "zone" { value = 1 }', {"outputs": {"host": "ip"}}, r"no output ip \(there are: zone\)"),
        ('output "connection_info" { value = 1 }', {}, "is not an object"),
    ],
)
def test_outputs_that_do_not_connect_are_refused(
    tmp_path: Path, text: str, options: dict[str, Any], message: str
) -> None:
    """By name, so that nothing is registered that nobody can reach."""
    asked = request(tmp_path, text, **options)
    asyncio.run(provider.deploy(asked))

    with pytest.raises(StateFailedError, match=message):
        asyncio.run(provider.connection_info(asked))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vars": {}}, r"does not take vars \(it takes source, variables"),
        ({"variabels": {}}, r"does not take variabels \(.*did you mean variables\?\)"),
        ({"variables": ["a"]}, "`variables` is not a mapping"),
        ({"outputs": "a"}, "`outputs` is not a mapping"),
        ({"source": ""}, "needs `source`"),
        ({"source": "bx"}, "there is no folder .*/bx"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    """A misspelt one is not ignored."""
    with pytest.raises(StateFailedError, match=message):
        asyncio.run(provider.deploy(request(tmp_path, **options)))


def test_a_deployed_environment_whose_folder_is_gone_is_not_compared(tmp_path: Path) -> None:
    """A plan names the folder. An environment that is not deployed needs none to be absent."""
    wrong = request(tmp_path, source="bx")
    assert asyncio.run(provider.observe(wrong)).status == "absent"

    asyncio.run(provider.deploy(request(tmp_path)))
    with pytest.raises(StateFailedError, match=r"there is no folder .*/bx"):
        asyncio.run(provider.observe(wrong))


@pytest.mark.parametrize(
    ("options", "obstacle"),
    [
        ({"source": "bx"}, r"source: there is no folder .*/bx"),
        ({"source": ""}, "provider terraform needs `source`"),
        ({"binary": "terrafrom"}, "terrafrom is not on this machine's PATH"),
        ({}, r"\Z"),
    ],
)
def test_an_absent_environment_says_what_keeps_it_from_being_deployed(
    tmp_path: Path, options: dict[str, Any], obstacle: str
) -> None:
    """A missing folder or binary is known before anything runs."""
    observed = asyncio.run(provider.observe(request(tmp_path, **options)))

    assert observed.status == "absent"
    assert re.match(obstacle, observed.obstacle)


def test_a_failure_halfway_connects_to_nothing_and_can_be_repeated(tmp_path: Path) -> None:
    """Status `failed` with terraform's reason; the next deploy completes it."""
    there = tmp_path / "there"
    asked = request(tmp_path, BROKEN % there + 'output "host" { value = "127.0.0.1" }\n')

    failed = asyncio.run(provider.deploy(asked))

    assert failed.status == "failed"
    assert "local-exec provisioner error" in failed.comment
    with pytest.raises(StateFailedError, match="has not been applied"):
        asyncio.run(provider.connection_info(asked))
    there.touch()
    assert asyncio.run(provider.deploy(asked)).status == "succeeded"


def test_a_destroyed_environment_leaves_nothing(tmp_path: Path) -> None:
    """No options are needed; a second time is no fault."""
    asyncio.run(provider.deploy(request(tmp_path)))
    later = EnvironmentRequest(
        name="env-01",
        directory=tmp_path / "kept",
        options={},
        vault=RealVault(),
        masker=Masker(),
        root=tmp_path,
    )

    assert asyncio.run(provider.observe(later)).status == "succeeded"
    assert asyncio.run(provider.destroy(later)).status == "absent"
    assert not (tmp_path / "kept").exists()
    assert asyncio.run(provider.destroy(later)).status == "absent"
