"""Environments of one project: a deployment of one of them leaves alone what another one registered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.contracts.deployment import DeploymentOrder
from ensue.core.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.deploy.environments.deployment_report import DeploymentReport

SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: web}}
resources:
  box: {type: machine}
"""

DEFINITIONS = """\
kind: Definition
apiVersion: entity.humanitec.io/v1b1
metadata: {id: workload}
entity: {type: workload, driver_type: echo, criteria: [{}]}
---
kind: Definition
apiVersion: entity.humanitec.io/v1b1
metadata: {id: machine}
entity:
  type: machine
  driver_type: state
  driver_inputs:
    values:
      state: test.present
      name: box-${context.env.id}
      arguments: {new_state: {size: 1}}
      registers:
        - resource: dummy:box-${context.env.id}
          config: {}
  criteria: [{}]
"""


def deploy(
    root: Path, env: str, *, org: str = "", definitions: str = DEFINITIONS, newest: int | None = None
) -> DeploymentReport:
    (root / "definitions").mkdir(exist_ok=True)
    (root / "definitions/all.yaml").write_text(definitions)
    (root / "score.yaml").write_text(SCORE)
    order = DeploymentOrder(
        app="shop", env=env, env_type="any", org=org, files=(root / "score.yaml",), newest=newest
    )

    async def run() -> DeploymentReport:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.deploy(order, RunOptions(), on_event=lambda _: None)

    return asyncio.run(run())


def boxes(root: Path) -> dict[str, str]:
    """Return the status of each machine that was registered."""

    async def read() -> dict[str, str]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return {
                str(resource.srn): str(resource.status)
                for resource in await project.resources()
                if resource.srn.type == "dummy"
            }

    return asyncio.run(read())


def test_another_environment_keeps_what_it_registered(tmp_path: Path) -> None:
    """The same resource of two environments registers two machines, and both stay targetable."""
    for env in ("dev", "live", "dev"):
        assert deploy(tmp_path, env).run.exit_code == 0
    assert boxes(tmp_path) == {"dummy:box-dev": "active", "dummy:box-live": "active"}


def test_the_same_environment_of_another_organization(tmp_path: Path) -> None:
    """An organization is a part of what an environment is."""
    by_org = DEFINITIONS.replace("dummy:box-", "dummy:${context.org.id}-")
    for org in ("one", "two"):
        assert deploy(tmp_path, "dev", org=org, definitions=by_org).run.exit_code == 0
    assert boxes(tmp_path) == {"dummy:one-dev": "active", "dummy:two-dev": "active"}


def test_what_a_resource_registers_no_longer_is_no_target(tmp_path: Path) -> None:
    """Under another name the machine of an environment is another one; the former is no target any more."""
    for env in ("dev", "live"):
        assert deploy(tmp_path, env).run.exit_code == 0
    renamed = DEFINITIONS.replace("dummy:box-", "dummy:new-")
    (machine,) = [
        node for node in deploy(tmp_path, "dev", definitions=renamed).nodes if node.key.type == "machine"
    ]
    assert boxes(tmp_path) == {
        "dummy:box-live": "active",
        "dummy:new-dev": "active",
    }
    assert "dummy:new-dev" in machine.outcome.registers


def test_an_environment_that_was_deployed_meanwhile(tmp_path: Path) -> None:
    """A deployment that expects another one to be the last is refused, and is none itself."""
    assert deploy(tmp_path, "dev").run.exit_code == 0
    for newest in (2, 0):
        with pytest.raises(StoreError, match=r"^shop/dev was deployed meanwhile \(nothing was done\)$"):
            deploy(tmp_path, "dev", newest=newest)
    assert deploy(tmp_path, "dev", newest=1).run.exit_code == 0
