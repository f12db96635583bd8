"""A project whose database is made by the driver `postgres` on a real server."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.cli.deployed_project import DEPLOY
from tests.support.postgresql import Postgresql, running_postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.shell import Shell

PASSWORD = "the-password-of-an-administrator"
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx, variables: {URL: "<${resources.db.connection}>"}}}
resources: {db: {type: postgres}, app: {type: app}}
"""
POSTGRES = f"""\
kind: Definition
metadata: {{id: pg}}
entity:
  type: postgres
  driver_type: postgres
  driver_inputs:
    values: {{host: "HOST"}}
    secrets: {{dbcredentials: {{username: maker, password: {PASSWORD}}}}}
  criteria: [{{}}]
"""


@contextmanager
def server_with_maker() -> Iterator[Postgresql]:
    """Run a server with the role that the definition names (context manager)."""
    with running_postgresql(access="local all postgres trust\nlocal all all scram-sha-256\n") as running:
        running.query(f"CREATE ROLE maker LOGIN CREATEDB CREATEROLE PASSWORD '{PASSWORD}'")
        yield running


def deploy(project: Shell, *words: str, code: int = 0) -> dict[str, Any]:
    """Deploy, and return the nodes by type."""
    ended = project.run(*DEPLOY, *words, "--render", "values", "--to", "rendered", "--out", "json")
    assert ended.code == code, ended.out + ended.err
    return {node["type"]: node for node in ended.document["nodes"]}


def url(project: Shell) -> str:
    """Return the URL that the workload was given last."""
    rendered = "".join(path.read_text() for path in (project.root / "rendered").iterdir())
    return rendered.partition("<")[2].partition(">")[0]
