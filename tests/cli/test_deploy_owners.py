"""Two projects with stores of their own and one environment, on a real PostgreSQL server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import psycopg
import pytest
from tests.cli.deployed_project import DB, DEPLOY, DESTROY
from tests.cli.shell import Shell
from tests.support.postgresql import Postgresql, programs, running_postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(programs() is None, reason="needs PostgreSQL: apt-get install postgresql")

ACCESS = "local all postgres trust\nlocal all all scram-sha-256\n"
PASSWORD = "the-password-of-an-administrator"
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx, variables: {URL: "<${resources.db.connection}>"}}}
resources: {db: {type: postgres}}
"""
DEFINITIONS = """\
kind: Definition
metadata: {id: pg}
entity:
  type: postgres
  driver_type: postgres
  driver_inputs:
    values: {host: "HOST"}
    secrets: {dbcredentials: {username: maker, password: PASSWORD}}
  criteria: [{}]
---
kind: Definition
metadata: {id: any-workload}
entity: {type: workload, driver_type: echo, criteria: [{}]}
"""
OWNERS = re.compile("belongs to the store ([0-9a-f]{16}), and this is the store ([0-9a-f]{16})")


@pytest.fixture(scope="module")
def server() -> Iterator[Postgresql]:
    with running_postgresql(access=ACCESS) as running:
        running.query(f"CREATE ROLE maker LOGIN CREATEDB CREATEROLE PASSWORD '{PASSWORD}'")
        yield running


class Checkout(Shell):
    """A project folder with a store of its own."""

    def deployed(self, *words: str) -> str:
        """Deploy; return the URL that the application gets."""
        ended = self.run(*DEPLOY, "--render", "values", "--to", "rendered", *words)
        assert ended.code == 0, ended.out + ended.err
        rendered = "".join(path.read_text() for path in (self.root / "rendered").iterdir())
        return rendered.partition("<")[2].partition(">")[0]

    def refused(self, *words: str) -> tuple[str, str]:
        """Be refused; return the store that has the database, and this one."""
        ended = self.run(*words)
        assert ended.code == 2, ended.out + ended.err
        match = OWNERS.search(ended.out)
        assert match, ended.out
        return match[1], match[2]


@pytest.fixture
def checkouts(tmp_path: Path, server: Postgresql) -> tuple[Checkout, Checkout]:
    """Two with the same files; the database is removed by the last one that has it."""
    made = (Checkout(tmp_path / "first"), Checkout(tmp_path / "second"))
    for checkout in made:
        checkout.write("ensue.yaml", "id: m\n")
        checkout.write("score.yaml", SCORE)
        definitions = DEFINITIONS.replace("HOST", str(server.socket_folder)).replace("PASSWORD", PASSWORD)
        checkout.write("definitions/all.yaml", definitions)
    return made


def databases(server: Postgresql) -> int:
    return int(server.query("SELECT count(*) FROM pg_database WHERE datname LIKE 'db_%'")[0])


def log_in(url: str) -> None:
    """Connect as the application does."""
    psycopg.connect(url).close()


def test_another_store_takes_nothing_over_unasked(
    checkouts: tuple[Checkout, Checkout], server: Postgresql
) -> None:
    """A second checkout is refused, and its `--destroy` leaves the database; `--adopt` takes it over.

    Then the first one is refused in turn, and may drop its record.
    """
    first, second = checkouts
    before = databases(server)
    url = first.deployed()
    log_in(url)

    plan = second.run(*DEPLOY, "--plan")
    owner, other = second.refused(*DEPLOY)
    assert f"belongs to the store {owner}, and this store is new" in plan.out
    assert second.refused(*DEPLOY, "--plan") == (owner, other)
    assert second.refused(*DEPLOY, "--adopt=workload.default#modules.web") == (owner, other)
    assert second.run(*DESTROY).code == 0
    assert databases(server) == before + 1
    log_in(url)
    assert first.run(*DEPLOY, "--out", "json").document["nodes"][0]["status"] == "unchanged"

    planned = second.run(*DEPLOY, f"--adopt={DB}", "--plan")
    assert f"take over its role from the store {owner}" in planned.out
    taken = second.deployed(f"--adopt={DB}")
    log_in(taken)
    with pytest.raises(psycopg.OperationalError):
        log_in(url)

    assert first.refused(*DEPLOY) == (other, owner)
    assert first.refused(*DESTROY) == (other, owner)
    log_in(taken)
    assert first.run("deploy", "--app", "shop", "--env", "dev", "--forget", DB).code == 0
    assert first.run(*DESTROY).code == 0
    log_in(taken)
    assert second.run(*DESTROY).code == 0
    assert databases(server) == before


def test_all_that_is_deployed_may_be_taken_over_and_back(checkouts: tuple[Checkout, Checkout]) -> None:
    """`--adopt` before a file does not take that for a resource, and a record from before is taken up."""
    first, second = checkouts
    first.deployed()
    second.deployed("--adopt")
    _, *rest = DEPLOY
    ended = first.run("deploy", "--adopt", *rest)
    assert ended.code == 0, ended.out + ended.err
    log_in(first.deployed())
    second.refused(*DEPLOY)
    assert first.run(*DESTROY).code == 0


def test_what_adopt_does_not_go_with(tmp_path: Path) -> None:
    """It is for a deployment: `--destroy` and `--forget` refuse it."""
    project = Shell(tmp_path)
    project.write("ensue.yaml", "id: m\n")
    ended = project.run(*DESTROY, "--adopt")
    assert (ended.code, "it takes no --adopt" in ended.err) == (1, True)
    ended = project.run("deploy", "--app", "shop", "--env", "dev", "--forget", DB, "--adopt")
    assert (ended.code, "no --adopt" in ended.err) == (1, True)
