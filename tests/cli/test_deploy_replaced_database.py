"""A database of a real PostgreSQL server that another driver replaces, and that comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from tests.cli.deployed_project import DB, DEPLOY, DESTROY
from tests.cli.postgres_project import POSTGRES, SCORE, deploy, server_with_maker, url
from tests.cli.shell import Shell
from tests.support.postgresql import Postgresql, programs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(programs() is None, reason="needs PostgreSQL: apt-get install postgresql")

MANAGED = """\
kind: Definition
metadata: {id: managed}
entity:
  type: postgres
  driver_type: folder
  driver_inputs: {values: {connection: "managed:elsewhere"}}
  criteria: [{}]
"""
OTHERS = """\
kind: Definition
metadata: {id: app}
entity:
  type: app
  driver_type: folder
  driver_inputs:
    values: {of: "${resources.postgres#modules.web.externals.db.outputs.connection}"}
  criteria: [{}]
---
kind: Definition
metadata: {id: any-workload}
entity: {type: workload, driver_type: echo, criteria: [{}]}
"""
FOLDER = """\
from ensue.plugin import DriverError, Planned, Provisioned


async def create(request):
    if (request.root / f"broken {request.type}").exists():
        raise DriverError("it is broken")
    (request.root / f"{request.type} is there").touch()
    return Provisioned(values=request.values)


update = create


async def delete(request):
    (request.root / f"{request.type} is there").unlink()


async def plan(request):
    return Planned()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Postgresql]:
    with server_with_maker() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, server: Postgresql) -> Iterator[Shell]:
    """A deployed application with a row in its database."""
    project = Shell(tmp_path / "project")
    project.write("ensue.yaml", "id: m\n")
    project.write("score.yaml", SCORE)
    project.write("states/_drivers/folder.py", FOLDER)
    project.write("definitions/others.yaml", OTHERS)
    use(project, POSTGRES.replace("HOST", str(server.socket_folder)))
    deploy(project)
    with psycopg.connect(url(project)) as connection:
        connection.execute("CREATE TABLE orders AS SELECT 42 AS number")
    yield project
    assert project.run(*DESTROY).code == 0


def use(project: Shell, definition: str) -> None:
    project.write("definitions/pg.yaml", definition)


def orders(connection: str) -> list[Any]:
    with psycopg.connect(connection) as opened:
        return opened.execute("SELECT number FROM orders").fetchall()


def test_the_data_is_there_until_everything_has_moved(project: Shell, server: Postgresql) -> None:
    """While an application that depends on it fails, the old database stays, and the way back leads to it."""
    before = url(project)
    use(project, MANAGED)
    assert project.run(*DEPLOY).code == 1
    assert orders(before) == [(42,)]

    # The new one is there, and what depends on it is not.
    project.write("broken app", "")
    nodes = deploy(project, "--allow-replace", code=2)
    assert (nodes["postgres"]["status"], nodes["app"]["status"]) == ("replaced", "failed")
    assert (project.root / "postgres is there").exists()
    assert orders(before) == [(42,)]

    # Back: the same database with the same password, and the attempt is destroyed.
    use(project, POSTGRES.replace("HOST", str(server.socket_folder)))
    (project.root / "broken app").unlink()
    assert project.run(*DEPLOY).code == 1
    assert deploy(project, f"--allow-replace={DB}")["postgres"]["status"] == "replaced"
    assert url(project) == before
    assert orders(before) == [(42,)]
    assert not (project.root / "postgres is there").exists()
    assert {node["status"] for node in deploy(project).values()} == {"unchanged"}


def test_a_new_one_that_fails_leaves_the_database(project: Shell) -> None:
    """It is in use, and the next deployment with its definition changes nothing of it."""
    before = url(project)
    earlier = (project.root / "definitions/pg.yaml").read_text()
    use(project, MANAGED)
    project.write("broken postgres", "")
    assert deploy(project, "--allow-replace", code=2)["postgres"]["status"] == "failed"
    assert orders(before) == [(42,)]
    (project.root / "broken postgres").unlink()
    (project.root / "postgres is there").touch()  # The attempt is destroyed even if it has made something.
    use(project, earlier)
    assert deploy(project)["postgres"]["status"] == "unchanged"
    assert orders(before) == [(42,)]


def test_a_database_that_is_cleared_is_gone(project: Shell, server: Postgresql) -> None:
    """Once everything has moved, it is destroyed with its role; the way back leads to a new one."""
    before = url(project)
    use(project, MANAGED)
    assert deploy(project, "--allow-replace")["postgres"]["status"] == "replaced"
    assert url(project) == "managed:elsewhere"
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(before)
    use(project, POSTGRES.replace("HOST", str(server.socket_folder)))
    assert deploy(project, "--allow-replace")["postgres"]["status"] == "replaced"
    with psycopg.connect(url(project)) as connection:
        assert connection.execute("SELECT to_regclass('orders')").fetchone() == (None,)
    assert not (project.root / "postgres is there").exists()


def test_a_retained_database_is_there_for_a_later_deployment(project: Shell, server: Postgresql) -> None:
    """Removing the environment leaves it with its data; the driver finds it again by its mark."""
    retained = POSTGRES.replace("HOST", str(server.socket_folder))
    use(project, retained.replace("  type: postgres\n", "  type: postgres\n  retain: true\n"))
    deploy(project)
    before = url(project)
    assert project.run(*DESTROY).code == 0
    assert orders(before) == [(42,)]
    assert deploy(project)["postgres"]["status"] == "created"
    assert orders(url(project)) == [(42,)]
    use(project, retained)
    deploy(project)
