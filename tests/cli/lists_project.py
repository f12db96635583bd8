"""A project whose workload needs a zone for each item of a list that is an output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.deployed_project import DEPLOY, DRIVER, DeployedProject

if TYPE_CHECKING:
    from pathlib import Path

DNS = "dns.default#modules.web.externals.dns"

SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx}}
resources: {dns: {type: dns}}
"""

DEFINITIONS = """\
kind: Definition
metadata: {id: dns}
entity:
  type: dns
  driver_type: log
  driver_inputs:
    values: {zones: ZONES}
  provision:
    "zone#${each.key}":
      for_each: ${resources.dns.outputs.zones}
      match_dependents: true
  criteria: [{}]
"""

ZONE = """\
kind: Definition
metadata: {id: zone}
entity:
  type: zone
  driver_type: log
  driver_inputs:
    values: VALUES
  criteria: [{}]
"""

WORKLOAD = """\
kind: Definition
metadata: {id: web}
entity:
  type: workload
  driver_type: log
  driver_inputs:
    values: {ids: "${resources.workload>zone.outputs.id}"}
  criteria: [{}]
"""


class ListsProject(DeployedProject):
    """The project."""

    def zones(self, zones: str) -> None:
        """Give the source a list, as YAML has it in one line."""
        self.write("definitions/dns.yaml", DEFINITIONS.replace("ZONES", zones))

    def zone(self, values: str, more: str = "") -> None:
        """Give all zones plain inputs, a mapping as YAML has it in one line, and further definitions."""
        self.write("definitions/zone.yaml", ZONE.replace("VALUES", values) + more)

    def deployed(self, *words: str, code: int = 0) -> dict[str, str]:
        """Deploy, and return the statuses by type and id."""
        ended = self.run(*DEPLOY, *words, "--out", "json")
        assert ended.code == code, ended.err
        return by_id(ended.document)


def by_id(document: object) -> dict[str, str]:
    """Return the statuses by type and the last part of the id, in the order of provisioning."""
    assert isinstance(document, dict)
    return {f"{node['type']} {node['id'].split('.')[-1]}": node["status"] for node in document["nodes"]}


def lists_project(root: Path) -> ListsProject:
    """Write the project, with the items `a` and `b`."""
    project = ListsProject(root)
    project.write("ensue.yaml", "id: m\n")
    project.write("states/_drivers/log.py", DRIVER)
    project.write("score.yaml", SCORE)
    project.write("definitions/web.yaml", WORKLOAD)
    project.zones("[a, b]")
    project.zone('{id: "${context.res.id}"}')
    return project
