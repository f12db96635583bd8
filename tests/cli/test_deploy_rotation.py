"""`ensue deploy --rotate`: a new password for a database of a real PostgreSQL and for its dependents."""

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

DEFINITIONS = (
    POSTGRES
    + """\
---
kind: Definition
metadata: {id: app}
entity:
  type: app
  driver_type: app
  driver_inputs:
    values: {of: "${resources.postgres#modules.web.externals.db.outputs.connection}"}
  criteria: [{}]
---
kind: Definition
metadata: {id: any-workload}
entity: {type: workload, driver_type: echo, criteria: [{}]}
"""
)
APP = """\
\"\"\"Logs in with what it is given.\"\"\"

import psycopg

from ensue.plugin import DriverError, Planned, Provisioned


async def create(request):
    if (request.root / "broken").exists():
        raise DriverError("it is broken")
    async with await psycopg.AsyncConnection.connect(request.values["of"]):
        with (request.root / "log").open("a") as log:
            log.write("logged in\\n")
    return Provisioned()


update = create


async def delete(request):
    pass


async def plan(request):
    return Planned()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Postgresql]:
    with server_with_maker() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, server: Postgresql) -> Iterator[Shell]:
    """A deployed application with a database."""
    project = Shell(tmp_path / "project")
    project.write("ensue.yaml", "id: m\n")
    project.write("score.yaml", SCORE)
    project.write("states/_drivers/app.py", APP)
    project.write("definitions/all.yaml", DEFINITIONS.replace("HOST", str(server.socket_folder)))
    deploy(project)
    yield project
    assert project.run(*DESTROY).code == 0


def statuses(project: Shell, *words: str, code: int = 0) -> dict[str, Any]:
    """Deploy, and return the statuses by type."""
    return {type_: node["status"] for type_, node in deploy(project, *words, code=code).items()}


def test_what_depends_on_it_gets_the_new_one_in_the_same_deployment(project: Shell) -> None:
    """The resource first, then its dependents, which log in with it; the old one is of no use any more."""
    before = url(project)
    psycopg.connect(before).close()
    planned = project.run(*DEPLOY, "--rotate", DB, "--plan")
    assert "would set the password of its role" in planned.out
    psycopg.connect(before).close()

    done = statuses(project, "--rotate", DB)
    assert (done["postgres"], done["app"]) == ("updated", "updated")
    after = url(project)
    assert after != before
    psycopg.connect(after).close()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(before)
    assert (project.root / "log").read_text() == "logged in\n" * 2
    assert set(statuses(project).values()) == {"unchanged"}
    assert url(project) == after


def test_a_dependent_that_fails_gets_it_in_the_next_deployment(project: Shell) -> None:
    """Without `--rotate`: the password has changed already."""
    before = url(project)
    project.write("broken", "")
    assert statuses(project, "--rotate", DB, code=2)["app"] == "failed"
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(before)
    (project.root / "broken").unlink()
    done = statuses(project)
    assert (done["postgres"], done["app"]) == ("unchanged", "updated")
    psycopg.connect(url(project)).close()


def test_a_driver_that_cannot_says_so(project: Shell) -> None:
    """Before anything runs, as for a name that does not exist; a removal takes no new password."""
    ended = project.run(*DEPLOY, "--rotate", "app.default#modules.web.externals.app", "--rotate", DB)
    assert ended.code == 1
    assert "E0859]: app.default#modules.web.externals.app gets no new password: the driver app" in ended.err
    assert "make it anew: --replace=app.default#modules.web.externals.app" in ended.err
    ended = project.run(*DEPLOY, "--rotate", f"{DB}s")
    assert (ended.code, f"did you mean {DB}" in ended.err) == (1, True)
    ended = project.run(*DESTROY, "--rotate", DB)
    assert (ended.code, "it takes no --rotate" in ended.err) == (1, True)
    ended = project.run("deploy", "--app", "shop", "--env", "dev", "--forget", DB, "--rotate", DB)
    assert (ended.code, "no --rotate" in ended.err) == (1, True)
    psycopg.connect(url(project)).close()
