"""A plan of a deployment names the fields that it would change, old and new; secrets are never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.deployed_project import (
    DB,
    DEPLOY,
    POSTGRES,
    SECRET,
    DeployedProject,
    deployed,
    deployed_project,
)

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = '{host: db, size: 1, conf: {a: [1], b: x}, script: "one\\ntwo\\nthree", gone: 0}'
AFTER = '{host: db, size: 2, conf: {a: [1, 2], b: x, c: true}, script: "one\\n2\\nthree"}'


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A deployed project, and other inputs of its database."""
    project = deployed_project(tmp_path / "project")
    project.postgres(BEFORE)
    deployed(project)
    project.postgres(AFTER)
    return project


def changes(document: Any) -> dict[str, list[Any]]:
    """Return the changes by type."""
    return {node["type"]: node["changes"] for node in document["nodes"]}


def test_a_plan_names_each_field(project: DeployedProject) -> None:
    """Values with old and new, a longer text as a diff; nothing of what stays."""
    ended = project.run(*DEPLOY, "--plan")
    assert ended.code == 0, ended.err
    at = ended.out.index(DB)
    assert ended.out[at:].splitlines()[1:12] == [
        "            would make it",
        "            ~ /values/conf/a: [1] → [1, 2]",
        "            + /values/conf/c: true",
        "            - /values/gone",
        "            ~ /values/script:",
        "                @@ -1,3 +1,3 @@",
        "                 one",
        "                -two",
        "                +2",
        "                 three",
        "            ~ /values/size: 1 → 2",
    ]


def test_a_program_reads_them(project: DeployedProject) -> None:
    """In the plan, and in the result of the deployment, which names outputs as well."""
    inputs = [
        {"op": "replace", "path": "/values/conf/a", "old": [1], "new": [1, 2]},
        {"op": "add", "path": "/values/conf/c", "new": True},
        {"op": "remove", "path": "/values/gone", "old": 0},
        {"op": "replace", "path": "/values/script", "old": "one\ntwo\nthree", "new": "one\n2\nthree"},
        {"op": "replace", "path": "/values/size", "old": 1, "new": 2},
    ]
    planned = changes(project.run(*DEPLOY, "--plan", "--out", "json").document)
    assert planned["postgres"] == inputs
    done = changes(project.run(*DEPLOY, "--out", "json").document)
    outputs = [{**input_, "path": input_["path"].replace("values", "outputs")} for input_ in inputs]
    assert done["postgres"] == outputs + inputs
    again = changes(project.run(*DEPLOY, "--out", "json").document)
    assert set(map(str, again.values())) == {"[]"}


def test_secrets_are_hidden(project: DeployedProject) -> None:
    """Inputs and outputs, also where another field has the secret in it; that they change is said."""
    other = "0ther-s3cret"
    project.write("definitions/pg.yaml", POSTGRES.replace(SECRET, other).replace("pg://", "pq://"))
    for words in (("--plan",), ()):
        for out in (("--out", "json"), ()):
            ended = project.run(*DEPLOY, *words, *out)
            text = ended.out + ended.err
            assert SECRET not in text
            assert other not in text
            assert "b4se-k3y" not in text
            if not out and words:
                assert '~ /secrets/password: "(sensitive)" → "(sensitive)"' in text
                assert '+ /values/url: "(sensitive)"' in text


def test_a_new_resource_has_what_it_is_given(tmp_path: Path) -> None:
    """Every field is added, its secrets are hidden, and nothing is old."""
    project = deployed_project(tmp_path / "project")
    planned = changes(project.run(*DEPLOY, "--plan", "--out", "json").document)
    fields = [field for each in planned.values() for field in each]
    assert {field["op"] for field in fields} == {"add"}
    assert {field["path"] for field in fields} == {"/params", "/values", "/secrets"}
    assert {str(field["new"]) for field in fields if field["path"] == "/secrets"} == {"(sensitive)"}
