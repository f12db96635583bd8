"""`ensue deployments`: what was deployed, by whom, and what differs."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Ended

ENV = ("--app", "shop", "--env", "dev")
DEFINITIONS = """\
kind: Definition
metadata: {id: db}
entity: {type: postgres, driver_type: echo, driver_inputs: {values: {host: h}}, criteria: [{}]}
---
kind: Definition
metadata: {id: workload}
entity: {type: workload, driver_type: echo, criteria: [{}]}
"""
WEB = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers:
  main:
    image: .
    variables:
      DB_PASSWORD: ${resources.db.password}
      API_TOKEN: hunter2-in-a-file
      TIER: ${resources.env.TIER}
resources: {db: {type: postgres, params: {size: 1}}, env: {type: environment}}
"""
REST = "modules: {api: {externals: {db: {type: postgres}}}}\nshared: {dns: {type: postgres}}\n"


class Environment(Shell):
    """A project and its environment."""

    def deploy(self, *words: str, code: int = 0) -> Ended:
        ended = self.run("deploy", *words, *ENV, "--env-type", "development")
        assert ended.code == code, ended.out + ended.err
        return ended

    def document(self, *words: str) -> Any:
        ended = self.run("deployments", *words, *ENV, "--out", "json")
        assert ended.code == 0, ended.out + ended.err
        return ended.document


@pytest.fixture
def project(tmp_path: Path) -> Environment:
    """Two deployments: of a Score file, then of a deployment set beside it."""
    project = Environment(tmp_path)
    project.write("definitions/all.yaml", DEFINITIONS.replace("host: h", "host: h, password: p"))
    project.write("web.yaml", WEB)
    project.write("rest.yaml", REST)
    project.deploy("web.yaml", "--image", "nginx:1", "--value", "TIER=gold")
    project.deploy("rest.yaml", "--merge", "--value", "TIER=silver")
    return project


def test_the_list_is_newest_first(project: Environment) -> None:
    """Number, time, who, what, result; `--limit` counts in each environment, and others can be left out."""
    second, first = project.document("list")
    assert [deployment["number"] for deployment in (second, first)] == [2, 1]
    assert (first["command"], first["files"], first["result"]) == ("deploy", ["web.yaml"], "succeeded")
    assert (second["command"], second["files"]) == ("merge", ["rest.yaml"])
    assert second["statuses"] == {"created": 3, "unchanged": 1, "updated": 1}
    assert first["by"].startswith(f"{getpass.getuser()}@")
    assert first["started_at"] <= first["ended_at"] <= second["started_at"]
    assert sorted(first["definitions"]) == ["db", "workload"]
    assert first["definitions_digest"] == second["definitions_digest"]
    assert first["hash"] != second["hash"]
    assert [deployment["number"] for deployment in project.document("list", "--limit", "1")] == [2]
    assert project.run("deployments", "list", "--app", "other", "--out", "json").document == []
    lines = project.run("deployments", "list").out.splitlines()
    assert lines[0].split() == [
        "ENVIRONMENT",
        "NUMBER",
        "STARTED",
        "DURATION",
        "BY",
        "WHAT",
        "RESULT",
        "RESOURCES",
    ]
    assert "merge rest.yaml" in lines[1]


def test_a_deployment_has_its_set(project: Environment) -> None:
    """Each workload as it was written, with its image; secrets by the names of their keys are masked."""
    shown = project.document("show", "last")
    web = shown["set"]["modules"]["web"]["containers"]["main"]
    assert web["image"] == "nginx:1"
    assert web["variables"]["API_TOKEN"] == "(sensitive)"
    assert web["variables"]["DB_PASSWORD"] == "${resources.db.password}"
    assert shown["set"]["shared"] == {"dns": {"type": "postgres"}}
    assert shown["set"]["values"] == {"TIER": "silver"}
    assert sorted(project.document("show", "1")["set"]["modules"]) == ["web"]
    ended = project.run("deployments", "show", "2", *ENV)
    assert "  workload web: web.yaml:1, since deployment 1" in ended.out.splitlines()
    assert "  shared dns: rest.yaml:1, since deployment 2" in ended.out.splitlines()


def test_what_differs_is_a_delta(project: Environment) -> None:
    """Modules that come, go and change; values; definitions by their content."""
    project.write("web.yaml", WEB.replace("size: 1", "size: 2"))
    project.write("definitions/all.yaml", DEFINITIONS.replace("host: h", "host: elsewhere, password: p"))
    project.deploy("web.yaml", "--image", "nginx:2", "--value", "TIER=gold", "--prune")
    difference = project.document("diff", "2")
    assert (difference["from"], difference["to"]) == (2, 3)
    assert difference["delta"] == {
        "modules": {
            "add": {},
            "remove": ["api"],
            "update": {
                "web": [
                    {"op": "replace", "path": "/containers/main/image", "value": "nginx:2"},
                    {"op": "replace", "path": "/resources/db/params/size", "value": 2},
                ]
            },
        },
        "shared": [{"op": "remove", "path": "/dns"}],
    }
    assert difference["values"] == [{"op": "replace", "path": "/TIER", "value": "gold"}]
    assert [definition["path"] for definition in difference["definitions"]] == ["/db"]
    back = project.document("diff", "3", "2")
    assert list(back["delta"]["modules"]["add"]) == ["api"]
    lines = project.run("deployments", "diff", "2", "3", *ENV).out.splitlines()
    assert lines == [
        "shop/dev: deployment 2 → 3",
        "  - workload api",
        "  ~ workload web",
        '      ~ /containers/main/image: "nginx:1" → "nginx:2"',
        "      ~ /resources/db/params/size: 1 → 2",
        "  - shared dns",
        "  ~ value TIER",
        '      ~ "silver" → "gold"',
        "  ~ definition db",
    ]
    assert project.run("deployments", "diff", "last", *ENV).out.splitlines()[1:] == ["  no difference"]


def test_how_deployments_end(project: Environment) -> None:
    """A failure and a removal are deployments, too; a plan, what is refused and removing nothing are none."""
    project.write("definitions/all.yaml", DEFINITIONS)
    project.deploy("web.yaml", "--image", "x", "--value", "TIER=gold", code=2)
    project.deploy("web.yaml", "--image", "x", code=1)
    project.deploy("rest.yaml", "--plan")
    for _ in range(2):
        assert project.run("deploy", *ENV, "--destroy").code == 0
    project.run("deploy", "--app", "shop", "--env", "never", "--destroy")
    listed = project.run("deployments", "list", "--out", "json").document
    ends = [
        (deployment["env"], deployment["number"], deployment["command"], deployment["result"])
        for deployment in listed[:2]
    ]
    assert ends == [("dev", 4, "destroy", "succeeded"), ("dev", 3, "deploy", "failed")]
    assert {deployment["env"] for deployment in listed} == {"dev"}
    assert project.document("show", "last")["set"] == {"modules": {}, "shared": {}, "values": {}}


def test_a_deployment_that_is_not_there(project: Environment) -> None:
    """The message has the numbers that are, or environments of similar names."""
    ended = project.run("deployments", "show", "7", *ENV, "--out", "json")
    assert (ended.code, ended.document) == (
        1,
        {"errors": ["shop/dev has no deployment 7 (the store has 1 to 2)"]},
    )
    ended = project.run("deployments", "diff", "1", "--app", "shop", "--env", "dve")
    assert (ended.code, "did you mean shop/dev?" in ended.err) == (1, True)
    ended = project.run("deployments", "show", "first", *ENV)
    assert (ended.code, "neither the number of a deployment nor `last`" in ended.err) == (1, True)
    assert "--app and --env" in project.run("deployments", "show", "1").err


def test_numbers_are_completed(project: Environment) -> None:
    """Those of the environment that the words before name."""
    words = ("ensue", "deployments", "show", *ENV, "")
    given = {"_ENSUE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": "7"}
    assert sorted(project.run(**given).out.splitlines()) == ["plain,1", "plain,2"]


def test_a_rollback_deploys_an_earlier_set(project: Environment) -> None:
    """With its files, images and values, which need not be in the checkout; what came since leaves."""
    project.write("web.yaml", "broken: [")
    project.write("rest.yaml", "broken: [")
    ended = project.run("deploy", *ENV, "--from", "1", "--prune")
    assert (ended.code, "the workload api, the shared resource dns leave shop/dev" in ended.err) == (0, True)
    last = project.document("show", "last")
    assert (last["number"], last["source"], last["command"]) == (3, "dev 1", "deploy")
    assert last["set"] == project.document("show", "1")["set"]
    assert last["set"]["values"] == {"TIER": "gold"}
    again = project.run(
        "deploy", *ENV, "--from", "2", "--merge", "--image", "web=nginx:9", "--value", "TIER=x"
    )
    assert again.code == 0, again.err
    shown = project.document("show", "last")["set"]
    assert shown["modules"]["web"]["containers"]["main"]["image"] == "nginx:9"
    assert (sorted(shown["modules"]), shown["values"]) == (["api", "web"], {"TIER": "x"})


def test_a_rollback_has_the_definitions_of_now(project: Environment) -> None:
    """A warning names those that have changed since, before anything runs; a wrong set has its place."""
    project.write("definitions/all.yaml", DEFINITIONS.replace("host: h", "host: elsewhere, password: p"))
    ended = project.run("deploy", *ENV, "--from", "1", "--plan")
    assert "warning[E0855]: definitions have changed since deployment 1: db" in ended.err
    assert "postgres.default#modules.web.externals.db would be updated" in ended.out
    project.write("definitions/all.yaml", DEFINITIONS.replace("{id: db}", "{id: new-db}"))
    ended = project.run("deploy", *ENV, "--from", "1", "--plan")
    assert "warning[E0855]: definitions have changed since deployment 1: db" in ended.err
    assert "not used any more: db; used now: new-db" in ended.err
    project.write("definitions/all.yaml", DEFINITIONS.partition("---")[2])
    ended = project.run("deploy", *ENV, "--from", "2")
    assert ended.code == 1
    assert "--> deployment 2 of shop/dev: web.yaml:10:" in ended.err


def test_a_promotion_has_the_context_of_its_target(project: Environment) -> None:
    """Its type, its values; the files and images are those of the source. A new environment is a copy."""
    words = ("deploy", *ENV, "--from", "last", "--to-env", "prod")
    ended = project.run(*words)
    assert (ended.code, "error[E0856]" in ended.err) == (1, True)
    ended = project.run(*words, "--env-type", "production")
    assert (ended.code, "the environment has no value 'TIER'" in ended.err) == (1, True)
    ended = project.run(*words, "--env-type", "production", "--value", "TIER=platinum", "--out", "json")
    assert (ended.code, ended.document["env"], ended.document["env_type"]) == (0, "prod", "production")
    project.deploy("web.yaml", "--image", "nginx:2", "--value", "TIER=gold")
    ended = project.run(*words, "--merge", "--out", "json")
    assert ended.code == 0, ended.err
    assert len(ended.document["nodes"]) == 5
    shown = project.run(
        "deployments", "show", "last", "--app", "shop", "--env", "prod", "--out", "json"
    ).document
    assert (shown["number"], shown["source"], shown["env_type"]) == (2, "dev 3", "production")
    assert shown["set"]["values"] == {"TIER": "platinum"}
    assert shown["set"]["modules"]["web"]["containers"]["main"]["image"] == "nginx:2"


def test_what_does_not_go_with_an_earlier_deployment(project: Environment) -> None:
    """Files, a removal, an environment without `--from`, a deployment that is not there."""
    for words, error in (
        (("web.yaml", "--from", "1"), "it takes no files"),
        (("--from", "1", "--destroy"), "no --from"),
        (("web.yaml", "--to-env", "prod"), "--to-env goes with --from"),
        (("--from", "8"), "error[E0854]: shop/dev has no deployment 8"),
        (("--forget", "x", "--from", "1"), "--forget takes no files"),
        (("--from", "0"), "neither the number of a deployment nor `last`"),
        (("--from", "9" * 5000), "neither the number of a deployment nor `last`"),
    ):
        ended = project.run("deploy", *words, *ENV)
        assert (ended.code, error in ended.err) == (1, True), ended.err
