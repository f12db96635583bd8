"""`ensue deploy` with what cannot be deployed: all errors at once, and nothing is made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import (
    CONTEXT,
    DB,
    DEPLOY,
    DESTROY,
    OTHERS,
    POSTGRES,
    SCORE,
    deployed,
    deployed_project,
    statuses,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.deployed_project import DeployedProject


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project of a workload with a database and a DNS name."""
    return deployed_project(tmp_path / "project")


def test_values_of_the_environment(project: DeployedProject) -> None:
    """`--value` gives what Score's type `environment` asks for; without it nothing is provisioned."""
    score = SCORE.replace("${resources.db.host}", "${resources.env.TIER}") + "  env: {type: environment}\n"
    project.write("score.yaml", score)
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 1
    assert "give it with --value TIER=VALUE" in ended.document["errors"][0]
    assert project.log() == []
    document = project.run(*DEPLOY, "--value", "TIER=gold=1", "--out", "json").document
    module = document["nodes"][-1]["params"]
    assert module["spec"]["containers"]["main"]["variables"] == {"DB": "gold=1"}
    assert project.run(*DEPLOY, "--value", "TIER").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("deploy", *CONTEXT),
        ("deploy", "score.yaml", "--app", "shop", "--env", "dev"),
        ("deploy", "score.yaml", *CONTEXT, "--destroy"),
        ("deploy", *CONTEXT, "--destroy", "--prune"),
        ("deploy", "nowhere.yaml", *CONTEXT),
        ("deploy", "score.yaml", *CONTEXT, "--definitions", "nowhere"),
        ("deploy", "score.yaml", *CONTEXT, "--concurrency", "0"),
    ],
)
def test_a_command_line_that_cannot_be_meant(project: DeployedProject, words: tuple[str, ...]) -> None:
    """Exit code 1, with what to write; nothing is made."""
    ended = project.run(*words, "--out", "json")
    assert ended.code == 1, ended.err
    assert ended.document["errors"]
    assert project.log() == []


def test_all_errors_are_shown_together(project: DeployedProject) -> None:
    """Definitions, files and the graph: one document with every place, and nothing provisioned."""
    project.write("definitions/broken.yaml", "kind: Definition\nmetadata: {id: x}\nentity: {type: x}\n")
    project.write("definitions/twice.yaml", POSTGRES)
    project.write("score.yaml", SCORE.replace("{type: dns,", "{type: dnss, clas: x,"))
    project.write("other.yaml", "a: [1\n")
    project.write("set.json", '{"modules": {"api": {"externals": {"q": {"type": "queue"}}}}}')
    ended = project.run("deploy", "score.yaml", "other.yaml", "set.json", *CONTEXT, "--out", "json")
    assert ended.code == 1
    errors = "\n".join(ended.document["errors"])
    for place in (
        "definitions/twice.yaml:2:12",
        "definitions/broken.yaml:3:1",
        "score.yaml:6:",
        "other.yaml:1:",
    ):
        assert place in errors, place
    assert project.log() == []
    assert not (project.root / ".ensue/store.db").exists()


TO_DNS = "${resources.dns#shared.main.outputs.host}"
TO_DB = f"${{resources.{DB.replace('.default', '')}.outputs.host}}"
DNS = OTHERS.partition("---")[0]
BAD: dict[str, tuple[str, dict[str, str]]] = {
    "cycle": ("E0821", {
        "definitions/pg.yaml": POSTGRES.replace("db.${context.app.id}", TO_DNS),
        "definitions/others.yaml": OTHERS.replace("shop.example", f"'{TO_DB}'"),
    }),
    "params": ("E0820", {
        "score.yaml": SCORE.replace("type: dns,", "type: dns, params: {a: 1},"),
        "b.yaml": SCORE.replace("web", "api").replace("type: dns,", "type: dns, params: {a: 2},"),
    }),
    "no definition": ("E0819", {"definitions/others.yaml": OTHERS.partition("---")[2]}),
    "tie": ("E0812", {"definitions/more.yaml": DNS.replace("id: dns", "id: dns2")}),
    "driver": ("E0826", {"definitions/others.yaml": OTHERS.replace("driver_type: log", "driver_type: lost")}),
    "inputs": ("E0827", {"definitions/others.yaml": OTHERS.replace("{host:", "{bad: it, host:")}),
    "placeholder": ("E0818", {"score.yaml": SCORE.replace("${resources.db.host}", "${resources.bd.host}")}),
    "no file": ("E0824", {"score.yaml": "a: 1\n"}),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_provisions_nothing(project: DeployedProject, name: str) -> None:
    """Exit code 1 with the diagnostic, on stderr and in the document."""
    code, files = BAD[name]
    for path, content in files.items():
        project.write(path, content)
    more = ("b.yaml",) if "b.yaml" in files else ()
    ended = project.run("deploy", "score.yaml", *more, *CONTEXT, "--out", "json")
    assert (ended.code, project.log()) == (1, []), ended.out
    assert f"error[{code}]" in ended.err
    assert ended.document["errors"]


def test_drivers_that_are_missing_are_named_with_their_definitions(project: DeployedProject) -> None:
    """All of them at once, before anything runs; those of resources to be removed or replaced as well."""
    deployed(project)
    project.log()
    (project.root / "states/_drivers/log.py").unlink()
    project.write("definitions/others.yaml", OTHERS.replace("driver_type: log", "driver_type: my-org/lost"))
    project.postgres("{a: 1}")
    ended = project.run(*DEPLOY)
    assert ended.code == 1
    assert "error[E0826]: the driver 'log' is not installed\n  --> definitions/pg.yaml:5:3" in ended.err
    assert "why: needed by dns, pg" in ended.err
    assert "error[E0826]: the driver 'my-org/lost' is not installed" in ended.err
    assert "error[E0826]: the driver 'log' is not installed" in project.run(*DESTROY).err


@pytest.mark.parametrize("before", [False, True], ids=["new", "deployed"])
def test_a_missing_driver_and_inputs_of_another(project: DeployedProject, before: bool) -> None:
    """The errors of resources that have their drivers are reported together with the missing driver."""
    if before:
        deployed(project)
    project.write("definitions/others.yaml", OTHERS.replace("driver_type: log", "driver_type: my-org/lost"))
    project.postgres("{bad: port}")
    ended = project.run(*DEPLOY)
    assert ended.code == 1
    assert "error[E0826]: the driver 'my-org/lost' is not installed" in ended.err
    assert "error[E0827]: postgres.default#modules.web.externals.db cannot be provisioned" in ended.err


def test_inputs_that_a_driver_refuses(project: DeployedProject) -> None:
    """Each is an error with the place of its definition, once for all resources of it."""
    project.postgres("{bad: port}")
    project.write("score.yaml", SCORE + "  db2: {type: postgres}\n")
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 1
    assert len(ended.document["errors"]) == 1
    assert ended.document["errors"][0].startswith(
        f"definitions/pg.yaml:7:5: {DB} cannot be provisioned: port is bad"
    )


def test_names_that_cannot_be_kept(project: DeployedProject) -> None:
    """A NUL and half of a character are refused before anything is made; other names are found again."""
    project.write("set.json", '{"modules": {"a\\u0000b": {}, "c\\ud800": {}}}')
    ended = project.run("deploy", "set.json", *CONTEXT, "--out", "json")
    assert ended.code == 1
    assert len(ended.document["errors"]) == 2
    assert "E0840" in ended.err
    odd = {"type": "postgres"}
    project.write("set.json", json.dumps({"modules": {"w": {"externals": {"x\x1b[31m\ny\u202e:#.": odd}}}}))
    for status in ("created", "unchanged"):
        document = project.run("deploy", "set.json", *CONTEXT, "--out", "json").document
        assert statuses(document)["postgres"] == status


def test_hostile_texts_stay_on_their_line(project: DeployedProject) -> None:
    """What names, drivers and outputs say reaches a terminal without escape codes and false lines."""
    project.postgres('{fail: "\\e[2J\\e]0;title\\a\\r\\u202e\\n  created  nothing"}')
    name = "x\x1b[31m\n  created  fake\u202e"
    project.write("set.json", json.dumps({"modules": {"w": {"externals": {name: {"type": "postgres"}}}}}))
    ended = project.run("deploy", "set.json", *CONTEXT)
    assert ended.code == 2
    for stream in (ended.out, ended.err):
        assert not {"\x1b", "\r", "\x07", "\u202e"} & set(stream)
        assert not [line for line in stream.splitlines() if line.startswith("  created  fake")]
    assert "           created  nothing" in ended.out or "             created  nothing" in ended.out


def test_what_a_driver_may_return_wrong(project: DeployedProject) -> None:
    """What the store could not give back fails the resource by name, and spoils nothing that is kept."""
    for values in ("{a: 99999999999999999999}", '{registers: {"minion:x": 5}}', "{registers: 5}"):
        project.postgres(values)
        ended = project.run(*DEPLOY, "--out", "json")
        assert ended.code == 2, ended.err
        assert statuses(ended.document)["postgres"] == "failed"
        assert "internal error" not in ended.err
    project.postgres("{80: {true: x}, host: db}")
    project.write(
        "definitions/others.yaml",
        OTHERS.replace("{ok: true}", f"{{a: '${{resources.{DB.replace('.default', '')}.outputs.80.true}}'}}"),
    )
    document = project.run(*DEPLOY, "--out", "json").document
    assert document["nodes"][-1]["outputs"] == {"a": "x"}
    assert set(deployed(project).values()) == {"unchanged"}


def test_a_wrong_key_stops_before_anything_is_made(project: DeployedProject) -> None:
    """The message is about the key, and no driver is called."""
    deployed(project)
    project.log()
    key = project.root / ".ensue/key"
    kept = key.read_text()
    key.write_text("A" * 43 + "=\n")
    project.postgres("{host: other}")
    ended = project.run(*DEPLOY)
    assert ended.code == 1
    assert "key" in ended.err
    assert project.log() == []
    key.write_text(kept)
    assert deployed(project)["postgres"] == "updated"


def test_near_names_are_told(project: DeployedProject) -> None:
    """Of a driver, and of a file beside the one that is not there."""
    project.write("definitions/others.yaml", OTHERS.replace("driver_type: echo", "driver_type: ecko"))
    assert "did you mean echo?" in project.run(*DEPLOY).err
    ended = project.run(*(word.replace("score.yaml", "score.yml") for word in DEPLOY))
    assert (ended.code, "did you mean score.yaml" in ended.err) == (1, True)
