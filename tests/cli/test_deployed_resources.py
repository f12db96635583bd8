"""What a deployment's drivers registered: it is targetable until the resource of the graph is destroyed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.shell import Shell

DRIVER = """
from ensue.core.contracts.driver import Planned, Provisioned


async def create(request):
    registers = {f"dummy:box-{request.id.rpartition('.')[2]}": {}} if request.values["registers"] else {}
    return Provisioned(values={}, registers=registers)


update = create


async def delete(request):
    pass


async def plan(request):
    return Planned()
"""

DEFINITIONS = """\
kind: Definition
metadata: {id: boxes}
entity:
  type: box
  driver_type: boxes
  driver_inputs: {values: {registers: REGISTERS}}
  criteria: [{}]
---
kind: Definition
metadata: {id: workloads}
entity: {type: workload, driver_type: humanitec/echo, criteria: [{}]}
"""

SET = {"modules": {"web": {"spec": {}, "externals": {"one": {"type": "box"}, "two": {"type": "box"}}}}}
CONTEXT = ("--app", "shop", "--env", "dev")


def statuses(shell: Shell) -> dict[str, str]:
    """Return the status of each derived resource by its name."""
    listed = shell.run("resources", "list", "--out", "json").document
    return {name: resource["status"] for name, resource in listed.items() if resource["type"] == "dummy"}


def deploy(shell: Shell, *, registers: bool) -> None:
    """Deploy with a driver that registers a resource, or none any more."""
    shell.write("definitions/all.yaml", DEFINITIONS.replace("REGISTERS", str(registers).lower()))
    assert shell.run("deploy", "set.json", *CONTEXT, "--env-type", "development").code == 0


def test_what_a_driver_registered_ends_with_its_resource(shell: Shell) -> None:
    """It is forgotten when an update registers it no more, and invalidated when the resource is destroyed."""
    shell.write("states/_drivers/boxes.py", DRIVER)
    shell.write("set.json", json.dumps(SET))
    deploy(shell, registers=True)
    assert statuses(shell) == {"dummy:box-one": "active", "dummy:box-two": "active"}
    deploy(shell, registers=False)
    assert statuses(shell) == {}
    deploy(shell, registers=True)
    assert statuses(shell) == {"dummy:box-one": "active", "dummy:box-two": "active"}
    assert shell.run("deploy", "--destroy", *CONTEXT).code == 0
    assert statuses(shell) == {"dummy:box-one": "invalidated", "dummy:box-two": "invalidated"}
