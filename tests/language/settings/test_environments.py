"""Environments whose jump host is a real OpenSSH server: one apply configures it, the next does nothing."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write
from tests.support.sshd import Sshd, running_sshd
from tests.support.terraform import configuration, needs_terraform

from ensue.app.project import AppProject, ProjectOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.resource import ResourceRecord

EXAMPLE = Path(__file__).parents[3] / "examples/provider"

CONFIGURED = """\
env-01:
  starting_state.deployed:
    - provider: {provider}
    - source: box
    - variables: {{port: {port}}}
    - register_resources: true
configured:
  ssh_host.state_applied:
    - name: jumphost-env-01
    - mods: marker
    - require:
      - starting_state: env-01
fetched:
  ssh_host.fetch_file:
    - name: jumphost-env-01
    - remote_path: {folder}/marker
    - local_path: {folder}/fetched
    - require:
      - ssh_host: configured
"""

BOX = """\
variable "port" {{}}
output "host" {{ value = "127.0.0.1" }}
output "port" {{ value = var.port }}
output "user" {{ value = "{user}" }}
output "host_key" {{ value = "{host_key}" }}
output "private_key" {{
  value     = file("{key}")
  sensitive = true
}}
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    user = pwd.getpwuid(os.geteuid()).pw_name
    with running_sshd(tmp_path / "sshd", user=user) as running:
        yield running


def records(root: Path) -> list[ResourceRecord]:
    async def listed() -> list[ResourceRecord]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.resources()

    return asyncio.run(listed())


@pytest.mark.openssh
def test_terraforms_outputs_are_a_host_that_the_same_apply_configures(tmp_path: Path, server: Sshd) -> None:
    """The second apply changes nothing, and the teardown takes the host back."""
    needs_terraform()
    root = tmp_path / "project"
    key = tmp_path / "key"
    key.write_text(server.private_key)
    configuration(root / "box", BOX.format(user=server.user, host_key=server.host_key, key=key))
    sls = CONFIGURED.format(provider="terraform", port=server.port, folder=tmp_path)
    marker = f"{tmp_path}/marker:\n  file.managed:\n    - contents: configured\n"
    gone = "env-01:\n  starting_state.absent:\n    - provider: terraform\n"
    write(root, states__env=sls, states__marker=marker, states__gone=gone)

    first = apply(root, "env")

    assert {returned.id: returned.result for returned in first.returns.values()} == dict.fromkeys(
        ["env-01", "configured", "fetched"], True
    ), {returned.id: returned.comment for returned in first.returns.values()}
    assert (tmp_path / "fetched").read_text() == "configured\n"
    assert not any(returned.changes for returned in apply(root, "env").returns.values())
    files = [path for path in (root / ".ensue").rglob("*") if path.is_file()]
    assert [path for path in files if b"OPENSSH PRIVATE KEY" in path.read_bytes()] == []
    assert apply(root, "gone").exit_code == 0
    assert [record.status for record in records(root) if record.srn.type == "ssh_host"] == ["invalidated"]


@pytest.mark.openssh
def test_the_example_of_a_provider_does_what_its_page_says(tmp_path: Path, server: Sshd) -> None:
    """It reserves a machine that can then be called, and nothing when none is free."""
    root = shutil.copytree(EXAMPLE, tmp_path / "project")
    pool = {"bench-1": {"user": None, "connect": server.config()}}
    (root / "lab.json").write_text(json.dumps(pool))

    first = apply(root, "env")

    assert (root / "reserved.txt").read_text() == "bench-1\n"
    assert first.exit_code == 0
    assert not any(returned.changes for returned in apply(root, "env").returns.values())
    assert "ssh_host:jumphost-env-01" in {str(record.srn) for record in records(root)}
    write(root, states__more="env-02:\n  starting_state.deployed:\n    - provider: lab\n")
    (failed,) = apply(root, "more").returns.values()
    assert failed.comment == "environment env-02 is failed, not succeeded: all machines of the lab are taken"


def test_the_example_of_a_provider_is_short() -> None:
    """Under 40 lines of code, and the page shows it as it is."""
    text = (EXAMPLE / "states/_providers/lab.py").read_text()
    assert len([line for line in text.splitlines() if line.strip()]) < 40
    assert text in (EXAMPLE.parents[1] / "docs/providers.md").read_text()
