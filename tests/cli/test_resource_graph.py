"""`ensue graph FILE`, `ensue show definitions` and `ensue show match` from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import POSTGRES, deployed, deployed_project
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

CONTEXT = ("--app", "shop", "--env", "dev", "--env-type", "development")
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx, variables: {DB: "${resources.db.host}"}}}
resources: {db: {type: postgres}}
"""
DEFINITIONS = """\
kind: Definition
metadata: {id: pg}
entity:
  type: postgres
  driver_type: my-org/postgres
  driver_account: account-of-${context.env.id}
  driver_inputs:
    values: {size: 5, url: "pg://admin:hunter2secret@db", host: "${resources.base-env.outputs.host}"}
    secrets: {password: hunter2secret, key: ["${resources.base-env.outputs.key}"]}
    secret_refs: {token: {store: vault, ref: some/path}}
  criteria: [{app_id: shop}]
---
kind: Definition
metadata: {id: everything}
entity: {type: workload, driver_type: humanitec/echo, criteria: [{}]}
---
kind: Definition
metadata: {id: base}
entity: {type: base-env, driver_type: humanitec/echo, criteria: [{}]}
"""

PLAIN = """\
kind: Definition
metadata: {id: pg}
entity: {type: postgres, driver_type: echo, driver_inputs: {values: {host: db}}, criteria: [{}]}
---
kind: Definition
metadata: {id: everything}
entity: {type: workload, driver_type: echo, criteria: [{}]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project with definitions and a Score file."""
    shell = Shell(tmp_path / "project")
    shell.write("score.yaml", SCORE)
    shell.write("definitions/all.yaml", DEFINITIONS)
    return shell


def test_a_graph_is_one_json_document(project: Shell) -> None:
    """Nodes are in order, with everything that a program needs to know of them."""
    ended = project.run("graph", "score.yaml", *CONTEXT, "--out", "json")
    assert ended.code == 0, ended.err
    document = ended.document
    assert list(document) == ["app", "env", "env_type", "hash", "nodes"]
    assert [node["type"] for node in document["nodes"]] == ["base-env", "postgres", "workload"]
    postgres = document["nodes"][1]
    assert len(postgres.pop("guresid")) == 32
    assert postgres == {
        "type": "postgres",
        "class": "default",
        "id": "modules.web.externals.db",
        "definition": "pg",
        "driver": "my-org/postgres",
        "account": "account-of-dev",
        "params": {},
        "inputs": {
            "values": {
                "size": 5,
                "url": "pg://admin:(sensitive)@db",
                "host": "${resources.base-env.outputs.host}",
            },
            "secrets": {
                "password": "(sensitive)",
                "key": ["(sensitive)"],
                "token": "(sensitive)",
            },
        },
        "depends_on": ["base-env.default#base-env"],
        "edges": [{"to": "base-env.default#base-env", "why": "reference"}],
        "status": "planned",
        "comment": "the driver my-org/postgres is not installed",
    }
    module = document["nodes"][2]["params"]
    assert module["id"] == "web"
    assert module["spec"]["containers"]["main"]["variables"] == {"DB": "${resources.db.host}"}


def test_no_secret_is_printed(project: Shell) -> None:
    """A secret of a definition is on no stream, in no form of the output."""
    for form in ("json", "yaml", "text"):
        ended = project.run("graph", "score.yaml", *CONTEXT, "--out", form)
        assert "hunter2secret" not in ended.out + ended.err


def test_the_graph_as_text(project: Shell) -> None:
    """Without --out a person reads resources, definitions, drivers and dependencies."""
    ended = project.run("graph", "score.yaml", *CONTEXT)
    assert ended.code == 0
    assert (
        "postgres.default#modules.web.externals.db\n    pg, driver my-org/postgres (not installed)"
        in ended.out
    )
    assert "    after base-env.default#base-env (reference)" in ended.out


@pytest.mark.parametrize(
    ("form", "box"),
    [
        ("svg", ">modules.web.externals.db</text>"),
        ("dot", "postgres\\nmodules.web.externals.db\\npg · my-org/postgres\\nplanned"),
        ("mermaid", "postgres<br/>modules.web.externals.db<br/>pg · my-org/postgres<br/>planned"),
    ],
)
def test_the_graph_as_a_picture(project: Shell, form: str, box: str) -> None:
    """A deployment is drawn in the forms in which a run is drawn, the same each time, without secrets."""
    ended = project.run("graph", "score.yaml", *CONTEXT, "--out", form)
    assert ended.code == 0, ended.err
    assert box in ended.out
    assert "workload web" in ended.out
    assert "hunter2secret" not in ended.out
    assert project.run("graph", "score.yaml", *CONTEXT, "--out", form).out == ended.out


def test_a_picture_that_is_too_large_is_refused(project: Shell) -> None:
    """The message says what to do, and the forms that have no layout go on."""
    modules = {f"w{number}": {"externals": {"db": {"type": "postgres"}}} for number in range(1200)}
    project.write("set.json", json.dumps({"modules": modules}))
    ended = project.run("graph", "set.json", *CONTEXT, "--out", "svg")
    assert (ended.code, ended.out) == (1, "")
    assert "2401 resources with 2400 dependencies are too many for a picture: name fewer files" in ended.err
    assert project.run("graph", "set.json", *CONTEXT, "--out", "dot").code == 0


def test_all_errors_are_one_document(project: Shell) -> None:
    """What is wrong with definitions, files and the graph is in one list, with places; exit code 1."""
    second = "kind: Definition\nmetadata: {id: pg}\nentity: {type: dns, driver_type: e}\n"
    project.write("definitions/more.yaml", second)
    project.write("score.yaml", SCORE.replace("{type: postgres}", "{type: mysql, clas: x}"))
    ended = project.run("graph", "score.yaml", *CONTEXT, "--out", "json")
    assert ended.code == 1
    assert [message.split(": ")[0] for message in ended.document["errors"]] == [
        "definitions/more.yaml:2:12",
        "score.yaml:4:13",
        "score.yaml:4:31",
    ]
    assert "E0811" in ended.err
    assert "E0814" in ended.err
    assert "E0819" in ended.err


def test_files_of_several_workloads_share_resources(project: Shell) -> None:
    """Files in any order come to one graph with one hash."""
    project.write("other.yaml", SCORE.replace("name: web", "name: api"))
    first = project.run("graph", "score.yaml", "other.yaml", *CONTEXT, "--out", "json").document
    second = project.run("graph", "other.yaml", "score.yaml", *CONTEXT, "--out", "json").document
    assert first == second
    assert [node["id"] for node in first["nodes"] if node["type"] == "workload"] == [
        "modules.api",
        "modules.web",
    ]


def test_definitions_may_be_elsewhere(project: Shell) -> None:
    """The option of ensue.yaml and --definitions name other folders; one that is not there is refused."""
    (project.root / "definitions").rename(project.root / "platform")
    assert project.run("graph", "score.yaml", *CONTEXT).code == 1
    assert project.run("graph", "score.yaml", *CONTEXT, "--definitions", "platform").code == 0
    ended = project.run("graph", "score.yaml", *CONTEXT, "--definitions", "nowhere")
    assert ended.code == 1
    assert "E0825" in ended.err
    project.write("ensue.yaml", "definitions: [platform]\n")
    assert project.run("graph", "score.yaml", *CONTEXT).code == 0


def test_a_json_deployment_set(project: Shell) -> None:
    """A deployment set may be JSON, and what is not JSON is refused with its line."""
    project.write("set.json", '{"modules": {"w": {"externals": {"db": {"type": "postgres"}}}}}')
    assert project.run("graph", "set.json", *CONTEXT).code == 0
    project.write("set.json", '{"modules":\n {"w": }}')
    ended = project.run("graph", "set.json", *CONTEXT, "--out", "json")
    assert ended.code == 1
    assert ended.document["errors"][0].startswith("set.json:2")


def test_the_command_line_says_where_a_deployment_goes(project: Shell) -> None:
    """Without --env nothing is drawn, and a deployment's options do not go with SLS."""
    ended = project.run("graph", "score.yaml", "--app", "shop", "--env-type", "development")
    assert ended.code != 0
    assert "--env" in ended.err
    assert project.run("graph", "web", *CONTEXT).code != 0
    assert project.run("graph", "web", "score.yaml", *CONTEXT).code != 0
    assert "E0301" in project.run("graph", "web.yaml").err


def test_a_yaml_file_that_is_neither_is_refused(project: Shell) -> None:
    """A file without `modules` that is no Score file is refused by name."""
    ended = project.run("graph", "definitions/all.yaml", *CONTEXT)
    assert ended.code == 1
    assert "E0824" in ended.err


def test_definitions_are_listed(project: Shell) -> None:
    """Definitions are listed by type, without their inputs."""
    ended = project.run("show", "definitions", "--out", "json")
    assert ended.code == 0
    assert [definition["id"] for definition in ended.document] == ["base", "pg", "everything"]
    assert ended.document[1] == {
        "id": "pg",
        "type": "postgres",
        "driver": "my-org/postgres",
        "criteria": [{"class": "default", "app_id": "shop"}],
        "provision": [],
        "place": "definitions/all.yaml:4:3",
    }
    assert "my-org/postgres" in project.run("show", "definitions").out


def test_nothing_is_on_stderr_when_all_is_well(project: Shell) -> None:
    """Without a warning there is not even an empty line, which a script would take for one."""
    commands = ("show", "definitions"), ("graph", "score.yaml", *CONTEXT), ("show", "match", "postgres")
    for command in commands:
        assert project.run(*command).err == ""


def test_a_match_says_why(project: Shell) -> None:
    """Candidates are ranked with reasons; exit code 2 when none matches, 1 when definitions are wrong."""
    ended = project.run("show", "match", "postgres#shared.db", "--app", "shop", "--out", "json")
    assert ended.code == 0
    assert [(match["definition"], match["chosen"]) for match in ended.document] == [("pg", True)]
    ended = project.run("show", "match", "postgres.large", "--app", "other")
    assert ended.code == 2
    assert "class is 'large', not 'default'; app_id is 'other', not 'shop'" in ended.out
    assert project.run("show", "match", "nothing").code == 2
    project.write("definitions/bad.yaml", "kind: Definition\n")
    ended = project.run("show", "match", "postgres", "--out", "json")
    assert ended.code == 1
    assert ended.document["errors"]


def test_the_type_of_a_deployed_environment_is_known(tmp_path: Path) -> None:
    """`show match` and `graph` choose the definition that `deploy` chooses, without `--env-type`."""
    project = deployed_project(tmp_path / "project")
    cloud = POSTGRES.replace("{id: pg}", "{id: cloud}").replace("[{}]", "[{env_type: development}]")
    project.write("definitions/cloud.yaml", cloud)
    where = ("--app", "shop", "--env", "dev")
    unknown = project.run("graph", "score.yaml", *where)
    assert (unknown.code, "E0856]: the type of the environment shop/dev is not known" in unknown.err) == (
        1,
        True,
    )
    before = project.run("show", "match", "postgres", *where, "--out", "json").document
    assert [match["definition"] for match in before if match["chosen"]] == ["pg"]
    deployed(project)
    after = project.run("show", "match", "postgres", *where, "--out", "json").document
    assert [match["definition"] for match in after if match["chosen"]] == ["cloud"]
    graph = project.run("graph", "score.yaml", *where, "--out", "json").document
    assert "cloud" in {node["definition"] for node in graph["nodes"]}


def test_a_placeholder_is_no_secret(project: Shell) -> None:
    """A diagnostic quotes the line with a placeholder, which holds no secret yet, as it is written."""
    lines = [
        "DB_PASSWORD: ${resources.dbs.password}",
        "URL: pg://u:${resources.dbs.password}@h/",
        "PASSWORD: hunter2secret-${resources.dbs.password}",
    ]
    containers = "containers:\n  main:\n    image: nginx\n    variables:\n" + "".join(
        f"      {line}\n" for line in lines
    )
    head, _, resources = SCORE.splitlines(keepends=True)[1:]
    project.write("score.yaml", f"apiVersion: score.dev/v1b1\n{head}{containers}{resources}")
    ended = project.run("graph", "score.yaml", *CONTEXT)
    assert ended.code == 1
    assert ended.err.count("error[E0818]") == 3
    assert lines[0] in ended.err
    assert lines[1] in ended.err
    assert "PASSWORD: (sensitive)" in ended.err
    assert "hunter2secret" not in ended.err


def test_a_placeholder_among_secrets_is_no_secret(project: Shell) -> None:
    """A secret input of a definition that is a placeholder alone stays readable where it is at fault."""
    definition = (
        "kind: Definition\nmetadata: {id: pg}\n"
        "entity:\n  type: postgres\n  driver_type: echo\n  driver_inputs:\n"
        "    secrets: {password: '${resources.db.passwort}'}\n  criteria: [{}]\n"
    )
    project.write("definitions/all.yaml", definition)
    ended = project.run("graph", "score.yaml", *CONTEXT)
    assert ended.code == 1
    assert "    secrets: {password: '${resources.db.passwort}'}" in ended.err


OUTSIDE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers:
  main:
    image: nginx
    variables: {TIER: "${resources.env.TIER}", API: "${resources.api.name}:${resources.api.port}"}
resources: {env: {type: environment}, api: {type: service}}
"""


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ((), {"TIER": "${resources.env.TIER}", "API": "api:${resources.api.port}"}),
        (("TIER=gold",), {"TIER": "gold", "API": "api:${resources.api.port}"}),
        (("env.TIER=gold", "TIER=x", "api.port=80"), {"TIER": "gold", "API": "api:80"}),
    ],
)
def test_a_graph_takes_values(project: Shell, given: tuple[str, ...], shown: dict[str, str]) -> None:
    """Values of the environment are in the graph; one that is not given stays a placeholder."""
    project.write("score.yaml", OUTSIDE)
    words = [word for value in given for word in ("--value", value)]
    ended = project.run("graph", "score.yaml", *CONTEXT, *words, "--out", "json")
    assert ended.code == 0, ended.err
    workload = ended.document["nodes"][-1]
    assert workload["params"]["spec"]["containers"]["main"]["variables"] == shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("score.yaml", *CONTEXT, "--value", "TIER"), "write NAME=VALUE"),
        (("--value", "TIER=gold"), "--value goes with a Score file"),
    ],
)
def test_a_wrong_value_is_refused(project: Shell, words: tuple[str, ...], message: str) -> None:
    """A value has a name, and goes with something to deploy."""
    ended = project.run("graph", *words)
    assert ended.code != 0
    assert message in ended.err


def test_a_graph_shows_what_is_made(project: Shell) -> None:
    """After a deployment, text and pictures show the records; a resource without one is planned."""
    project.write("definitions/all.yaml", PLAIN)
    deployed = project.run("deploy", "score.yaml", *CONTEXT)
    assert deployed.code == 0, deployed.err
    project.write(
        "score.yaml", SCORE.replace("{db: {type: postgres}}", "{db: {type: postgres}, x: {type: workload}}")
    )
    text = project.run("graph", "score.yaml", *CONTEXT).out
    assert (text.count("\n    active\n"), text.count("\n    planned: nothing is made yet\n")) == (2, 1)
    mermaid = project.run("graph", "score.yaml", *CONTEXT, "--out", "mermaid").out
    assert (mermaid.count(":::active"), mermaid.count(":::planned")) == (2, 1)


def test_passwords_among_plain_values_are_hidden(project: Shell) -> None:
    """A value of a key such as `db_password` is hidden in documents, wherever it is no secret input.

    The type of a resource whose name is `secret` is shown, and so is the same text under another key.
    """
    project.write("definitions/all.yaml", PLAIN.replace("{host: db}", "{host: db, db_password: topsecret99}"))
    project.write(
        "score.yaml",
        SCORE.replace("{db: {type: postgres}}", "{db: {type: postgres}, secret: {type: postgres}}").replace(
            '"${resources.db.host}"', '"${resources.db.host}", API_TOKEN: literaltoken99, PLACE: postgres'
        ),
    )
    planned = project.run("deploy", "score.yaml", *CONTEXT, "--plan")
    assert '+ /values: {"host": "db", "db_password": "(sensitive)"}' in planned.out
    assert "literaltoken99" not in planned.out
    graph = project.run("graph", "score.yaml", *CONTEXT, "--out", "json")
    deployed = project.run("deploy", "score.yaml", *CONTEXT, "--out", "json")
    active = project.run("show", "active", "--out", "json")
    for ended in (graph, deployed, active):
        assert ended.code == 0, ended.err
        assert "topsecret99" not in ended.out
        assert "literaltoken99" not in ended.out
    [node, *_] = graph.document["nodes"]
    assert node["inputs"]["values"] == {"host": "db", "db_password": "(sensitive)"}
    workload = graph.document["nodes"][-1]["params"]
    types = {entry["id"]: entry["type"] for entry in graph.document["nodes"]}
    assert types["modules.web.externals.secret"] == "postgres"
    assert workload["spec"]["containers"]["main"]["variables"]["PLACE"] == "postgres"
    assert active.document[0]["outputs"] == {"host": "db", "db_password": "(sensitive)"}
