"""A database for each item of a list that is an output, on a real PostgreSQL server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import DEPLOY, DESTROY
from tests.cli.lists_project import DEFINITIONS, SCORE, ListsProject, by_id
from tests.cli.postgres_project import PASSWORD, server_with_maker
from tests.support.postgresql import Postgresql, programs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(programs() is None, reason="needs PostgreSQL: apt-get install postgresql")

TENANTS = DEFINITIONS.replace("driver_type: log", "driver_type: echo")
DATABASE = f"""\
kind: Definition
metadata: {{id: tenant-database}}
entity:
  type: zone
  driver_type: postgres
  driver_inputs:
    values: {{host: "HOST", database: "tenant_${{context.res.id}}"}}
    secrets: {{dbcredentials: {{username: maker, password: {PASSWORD}}}}}
  criteria: [{{}}]
---
kind: Definition
metadata: {{id: web}}
entity:
  type: workload
  driver_type: echo
  driver_inputs:
    values: {{databases: "${{resources.workload>zone.outputs.name}}"}}
  criteria: [{{}}]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Postgresql]:
    """A server with the role that makes databases."""
    with server_with_maker() as running:
        yield running


def databases(server: Postgresql) -> list[str]:
    """Return the databases of tenants."""
    return server.query("SELECT datname FROM pg_database WHERE datname LIKE 'tenant%' ORDER BY 1")


def test_each_tenant_has_a_database(server: Postgresql, tmp_path: Path) -> None:
    """One deployment makes all of them; who leaves the list loses the database with `--prune` only."""
    project = ListsProject(tmp_path / "project")
    project.write("ensue.yaml", "id: m\n")
    project.write("score.yaml", SCORE)
    project.write("definitions/zone.yaml", DATABASE.replace("HOST", str(server.socket_folder)))
    project.write("definitions/dns.yaml", TENANTS.replace("ZONES", "[acme, globex]"))
    first = project.run(*DEPLOY, "--out", "json")
    assert first.code == 0, first.err
    assert first.document["nodes"][-1]["outputs"] == {"databases": ["tenant_acme", "tenant_globex"]}
    assert databases(server) == ["tenant_acme", "tenant_globex"]
    assert set(project.deployed().values()) == {"unchanged"}

    project.write("definitions/dns.yaml", TENANTS.replace("ZONES", "[globex, initech]"))
    assert project.deployed()["zone acme"] == "orphaned"
    assert databases(server) == ["tenant_acme", "tenant_globex", "tenant_initech"]
    assert by_id(project.run(*DEPLOY, "--prune", "--out", "json").document)["zone acme"] == "destroyed"
    assert databases(server) == ["tenant_globex", "tenant_initech"]

    assert project.run(*DESTROY).code == 0
    assert databases(server) == []


def test_two_tenants_cannot_have_one_database(server: Postgresql, tmp_path: Path) -> None:
    """The plan says so, and the resource with the list fails before anything is made."""
    project = ListsProject(tmp_path / "project")
    project.write("ensue.yaml", "id: m\n")
    project.write("score.yaml", SCORE)
    definitions = DATABASE.replace("HOST", str(server.socket_folder)).replace("${context.res.id}", "all")
    project.write("definitions/zone.yaml", definitions)
    project.write("definitions/dns.yaml", TENANTS.replace("ZONES", "[acme, globex]"))
    for words, code in ((["--plan"], 1), ([], 2)):
        ended = project.run(*DEPLOY, *words)
        assert ended.code == code
        assert "would manage what" in " ".join((ended.out + ended.err).split())
        assert "the database tenant_all on" in " ".join((ended.out + ended.err).split())
    assert databases(server) == []
