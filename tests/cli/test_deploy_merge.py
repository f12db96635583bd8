"""One workload at a time: two checkouts deploy into one environment, whose set is in the store."""

from __future__ import annotations

import base64
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import CONTEXT, DRIVER
from tests.cli.shell import Shell
from tests.support.postgresql import programs, running_postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.shell import Ended

KEY = base64.b64encode(b"k" * 32).decode()
SECRET = "hunter2-of-the-job"
DEFINITIONS = """\
kind: Definition
metadata: {id: db}
entity: {type: postgres, driver_type: log, driver_inputs: {values: {host: db}}, criteria: [{}]}
---
kind: Definition
metadata: {id: workload}
entity: {type: workload, driver_type: echo, criteria: [{}]}
"""
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: NAME}
containers: {main: {image: ., variables: {DB: "${resources.db.host}", ENV: "<${resources.env.SECRET}>"}}}
resources: {db: {type: postgres}, env: {type: environment}}
"""
WITH_FILE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx, files: {/etc/motd: {source: motd}}}}
"""


class Checkout(Shell):
    """The folder of one team, which has only the files of that team."""

    def deploy(self, *words: str, code: int = 0, files: tuple[str, ...] = ()) -> Ended:
        """Deploy into the environment; return how the command ended."""
        ended = self.run("deploy", *files, *CONTEXT, *words, ENSUE_KEY=KEY)
        assert ended.code == code, ended.out + ended.err
        return ended

    def statuses(self, *words: str, files: tuple[str, ...] = ()) -> dict[str, str]:
        """Deploy; return the statuses by the id of the resource, without `modules.` and `externals.`."""
        nodes = self.deploy(*words, "--out", "json", files=files).document["nodes"]
        return {
            node["id"].replace("modules.", "").replace("externals.", ""): node["status"] for node in nodes
        }

    def calls(self) -> int:
        """Return how often a driver was called since this was asked last."""
        path = self.root / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return len(lines)


@pytest.fixture(scope="module")
def server_url() -> Iterator[str | None]:
    if programs() is None:
        yield None
        return
    with running_postgresql() as server:
        yield f"postgresql+psycopg://{server.user}@/postgres?host={server.socket_folder}"


@pytest.fixture(params=["sqlite", "postgresql"])
def teams(
    request: pytest.FixtureRequest, tmp_path: Path, server_url: str | None
) -> tuple[Checkout, Checkout]:
    """The checkouts of the teams of `web` and `api`, with one store."""
    url = f"sqlite:///{tmp_path}/store.db"
    if request.param == "postgresql":
        if server_url is None:
            pytest.skip("needs PostgreSQL: apt-get install postgresql")
        url = server_url
    made = (Checkout(tmp_path / "web"), Checkout(tmp_path / "api"))
    for checkout in made:
        checkout.write("ensue.yaml", f"id: m\nstore_url: {url}\n")
        checkout.write("states/_drivers/log.py", DRIVER)
        checkout.write("definitions/all.yaml", DEFINITIONS)
        checkout.write(f"{checkout.root.name}.yaml", SCORE.replace("NAME", checkout.root.name))
    yield made
    made[0].deploy("--destroy", code=0)


GIVEN = ("--value", f"SECRET={SECRET}", "--image", "reg/one:1")


def test_each_team_deploys_its_own(teams: tuple[Checkout, Checkout]) -> None:
    """The other's workload stays with its image and the values; a plan says what leaves without `--merge`."""
    web, api = teams
    web.deploy(*GIVEN, files=("web.yaml",))
    merged = api.statuses("--merge", "--image", "reg/two:2", files=("api.yaml",))
    assert merged == {"web": "unchanged", "web.db": "unchanged", "api": "created", "api.db": "created"}
    again = web.statuses("--merge", "--image", "reg/one:2", files=("web.yaml",))
    assert set(again.values()) == {"unchanged", "updated"}
    planned = api.deploy(*GIVEN, "--plan", files=("api.yaml",))
    assert "warning[E0851]: the workload web leaves shop/dev" in planned.err
    assert "--merge keeps" in planned.err
    assert api.statuses("--merge", "--image", "web=reg/one:3")["web"] == "updated"
    api.deploy("--merge", "--render", "values", "--to", "out")
    rendered = (api.root / "out/web.yaml").read_text()
    assert ("reg/one:3" in rendered, f"<{SECRET}>" in rendered) == (True, True)


def test_what_leaves_is_named_before_anything_runs(teams: tuple[Checkout, Checkout]) -> None:
    """It is printed before the first driver is called, and destroyed only with `--prune`."""
    web, api = teams
    web.deploy(*GIVEN, files=("web.yaml",))
    api.write("definitions/all.yaml", DEFINITIONS.replace("host: db", "fail: no space"))
    ended = api.deploy(*GIVEN, files=("api.yaml",), code=2)
    assert ended.err.index("E0851") < ended.err.index("postgres.default#modules.api.externals.db")
    api.write("definitions/all.yaml", DEFINITIONS)
    # The files of the failed deployment are the environment's set: nothing else leaves any more.
    again = api.deploy(*GIVEN, "--prune", files=("api.yaml",))
    assert "E0851" not in again.err
    assert "destroyed  postgres.default#modules.web.externals.db" in again.out


def test_a_workload_is_dropped(teams: tuple[Checkout, Checkout]) -> None:
    """It needs no file; with `--prune` its resources go, those of the others stay."""
    web, api = teams
    web.deploy(*GIVEN, files=("web.yaml",))
    api.deploy("--merge", "--image", "x", files=("api.yaml",))
    ended = api.deploy("--drop-workload", "wbe", "--out", "json", code=1)
    assert ended.document["errors"][0].endswith("has no workload 'wbe' to drop (did you mean web?)")
    gone = api.statuses("--drop-workload", "web", "--prune")
    assert gone == {"api": "unchanged", "api.db": "unchanged", "web": "destroyed", "web.db": "destroyed"}
    assert set(web.statuses("--merge", "--image", "x", files=("web.yaml",)).values()) == {
        "unchanged",
        "created",
    }


def test_the_set_is_sealed(teams: tuple[Checkout, Checkout], tmp_path: Path) -> None:
    """Neither values nor files are in the clear in the store."""
    web, _ = teams
    web.deploy(*GIVEN, files=("web.yaml",))
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".yaml"]
    assert [path for path in kept if SECRET.encode() in path.read_bytes()] == []
    if (tmp_path / "store.db").exists():
        assert b"score.dev" not in (tmp_path / "store.db").read_bytes()


def test_files_that_containers_name_are_kept(teams: tuple[Checkout, Checkout]) -> None:
    """The other checkout lacks them, and renders them all the same."""
    web, api = teams
    web.write("web.yaml", WITH_FILE)
    web.write("motd", "welcome to the web")
    web.deploy(files=("web.yaml",))
    api.deploy(*GIVEN, "--merge", "--render", "values", "--to", "out", files=("api.yaml",))
    assert "welcome to the web" in (api.root / "out/web.yaml").read_text()


def test_another_key_reads_no_set(teams: tuple[Checkout, Checkout]) -> None:
    """Nothing runs with a wrong key, and rotation seals the set anew."""
    web, api = teams
    web.deploy(*GIVEN, files=("web.yaml",))
    other = base64.b64encode(b"o" * 32).decode()
    ended = api.run("deploy", "api.yaml", "--merge", *CONTEXT, ENSUE_KEY=other)
    assert (ended.code, api.calls()) == (1, 0)
    assert "of shop/dev was encrypted with another key" in ended.err
    both = f"{other},{KEY}"
    assert web.run("keys", "rotate", ENSUE_KEY=both).code == 0
    assert api.run("deploy", "api.yaml", "--merge", *CONTEXT, "--image", "x", ENSUE_KEY=other).code == 0
    assert api.run("keys", "rotate", ENSUE_KEY=f"{KEY},{other}").code == 0


def test_an_environment_of_an_earlier_version_is_deployed_whole_first(tmp_path: Path) -> None:
    """Without its set, nobody knows what else belongs to it: nothing is orphaned by guessing."""
    web = Checkout(tmp_path)
    web.write("states/_drivers/log.py", DRIVER)
    web.write("definitions/all.yaml", DEFINITIONS)
    web.write("web.yaml", SCORE.replace("NAME", "web"))
    web.deploy(*GIVEN, files=("web.yaml",))
    with closing(sqlite3.connect(tmp_path / ".ensue/store.db")) as database, database:
        database.execute("DROP TABLE ensue_deployment")
        database.execute("UPDATE ensue_fact SET value = '3' WHERE name = 'schema_version'")
    ended = web.deploy(*GIVEN, "--merge", files=("web.yaml",), code=1)
    assert "error[E0853]" in ended.err
    web.deploy(*GIVEN, files=("web.yaml",))
    web.deploy(*GIVEN, "--merge", files=("web.yaml",))


def test_what_does_not_go_together(tmp_path: Path) -> None:
    """`--destroy` and `--forget` take none of the options; the set of a new environment is empty."""
    web = Checkout(tmp_path)
    web.write("definitions/all.yaml", DEFINITIONS)
    for words in (
        ("--destroy", "--merge"),
        ("--destroy", "--drop-workload", "web"),
        ("--forget", "x", "--merge"),
    ):
        assert "no --merge" in web.deploy(*words, code=1).err
    assert "has none" in web.deploy("--drop-shared", "main", code=1).err
    assert web.deploy("--merge").out.endswith("no resources\n")


def test_names_are_completed(teams: tuple[Checkout, Checkout]) -> None:
    """The workloads of the environment that the words before name are offered."""
    web, api = teams
    web.deploy(*GIVEN, files=("web.yaml",))
    words = ("ensue", "deploy", *CONTEXT, "--drop-workload", "w")
    ended = api.run(
        ENSUE_KEY=KEY,
        _ENSUE_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(words),
        COMP_CWORD=str(len(words) - 1),
    )
    assert ended.out == "plain,web\n"
