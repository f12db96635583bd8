"""`protect` and `retain` of a definition: what a deployment does not destroy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import (
    CONTEXT,
    DB,
    DEPLOY,
    DESTROY,
    DRIVER,
    POSTGRES,
    SCORE,
    DeployedProject,
    deployed,
    deployed_project,
    statuses,
)

if TYPE_CHECKING:
    from pathlib import Path

VARIABLES = ', variables: {DB: "${resources.db.host}"}'
WITHOUT = SCORE.replace("  db: {type: postgres}\n", "").replace(VARIABLES, "")
PROTECTED = f"E0860]: {DB} is protected, and would be destroyed"


def with_words(definition: str, words: str) -> str:
    """Return the definition of the database with more below `entity`."""
    return definition.replace("  type: postgres\n", f"  type: postgres\n  {words}\n")


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project with a second driver, which writes its calls in capitals."""
    project = deployed_project(tmp_path / "project")
    project.write("states/_drivers/other.py", DRIVER.replace("{word}", "{word.upper()}"))
    return project


def protected(project: DeployedProject, words: str = "protect: true") -> DeployedProject:
    """Deploy with a definition that has these words."""
    project.write("definitions/pg.yaml", with_words(POSTGRES, words))
    deployed(project)
    project.log()
    return project


@pytest.mark.parametrize("has_definition", [True, False])
@pytest.mark.parametrize("words", [DESTROY, (*DEPLOY, "--prune")], ids=["destroy", "prune"])
def test_a_removal_is_refused_before_anything_runs(
    project: DeployedProject, words: tuple[str, ...], *, has_definition: bool
) -> None:
    """The protection outlives the definition, and the request for the resource."""
    protected(project)
    project.write("score.yaml", WITHOUT)
    if not has_definition:
        (project.root / "definitions/pg.yaml").unlink()
    ended = project.run(*words)
    assert (ended.code, ended.out) == (1, "")
    assert PROTECTED in ended.err
    assert f"--unprotect={DB}" in ended.err
    assert project.log() == []
    planned = project.run(*words, "--plan")
    assert planned.code == 1
    assert PROTECTED in planned.err
    assert planned.err.endswith("ensue: the deployment would be refused: E0860 (see above)\n")
    assert project.run(*words, "--plan", f"--unprotect={DB}").code == 0
    assert deployed(project)["postgres"] == "orphaned"
    assert project.run(*words, f"--unprotect={DB}").code == 0
    assert "delete postgres" in project.log()


@pytest.mark.parametrize(
    "arguments",
    [
        "graph.destroyed: []",
        "graph.deployed: [{env_type: development}, {score: score.yaml}, {prune: true}]",
    ],
)
def test_a_state_is_refused_as_the_command_is(project: DeployedProject, arguments: str) -> None:
    """Both states fail with the same words, and nothing is destroyed."""
    protected(project)
    project.write("score.yaml", WITHOUT)
    given = arguments.replace("[", "[{app: shop}, {env: dev}, ")
    project.write("states/s.sls", f"it:\n  {given}\n")
    ended = project.run("apply", "s", "--out", "json")
    (returned,) = ended.document["m"].values()
    assert (ended.code, returned["result"]) == (2, False)
    assert f"{DB} is protected, and would be destroyed" in returned["comment"]
    assert project.log() == []


def test_a_replacement_is_refused_even_if_replacing_is_allowed(project: DeployedProject) -> None:
    """The protection is that of the record: a definition without it, of another driver, does not lift it."""
    protected(project)
    project.write("definitions/pg.yaml", POSTGRES.replace("driver_type: log", "driver_type: other"))
    ended = project.run(*DEPLOY, "--allow-replace")
    assert ended.code == 1
    assert PROTECTED in ended.err
    assert project.log() == []
    assert deployed(project, "--allow-replace", "--unprotect")["postgres"] == "replaced"
    assert project.log() == ["CREATE postgres", "delete postgres"]


def test_an_update_that_would_destroy_something_is_refused(project: DeployedProject) -> None:
    """Whether or not replacing is allowed; the resource stays as it is."""
    protected(project)
    changed = POSTGRES.replace("values: {", "values: {destroys: [the disk], ")
    project.write("definitions/pg.yaml", with_words(changed, "protect: true"))
    planned = project.run(*DEPLOY, "--allow-replace", "--plan")
    refused = f"E0860]: {DB} is protected, and would be replaced in part"
    assert planned.code == 1
    assert f"warning[{refused}" in planned.err
    assert f"--unprotect={DB}" in planned.err
    assert planned.err.endswith("ensue: the deployment would fail: E0860 (see above)\n")
    unasked = project.run(*DEPLOY, "--plan").err
    assert (refused in unasked, f"--allow-replace={DB}" in unasked) == (True, True)
    ended = project.run(*DEPLOY, "--allow-replace", "--out", "json")
    assert ended.code == 2
    assert f"error[{refused}" in ended.err
    database = next(node for node in ended.document["nodes"] if node["type"] == "postgres")
    assert (
        database["comment"] == f"would destroy the disk, and {DB} is protected "
        f"(deploy it once with `protect: false`, or lift it this time: `ensue deploy` takes --unprotect={DB})"
    )
    allowed = ("--allow-replace", f"--unprotect={DB}")
    assert project.run(*DEPLOY, *allowed, "--plan").code == 0
    assert deployed(project, *allowed)["postgres"] == "replaced"


def test_a_deployment_without_the_word_lifts_the_protection(project: DeployedProject) -> None:
    """The driver is not called for that."""
    protected(project)
    assert "active, protected" in project.run("show", "active").out
    project.write("definitions/pg.yaml", with_words(POSTGRES, "protect: false"))
    assert deployed(project)["postgres"] == "unchanged"
    assert project.log() == []
    assert "protected" not in project.run("show", "active").out
    assert project.run(*DESTROY).code == 0


def test_a_failed_update_protects_already(project: DeployedProject) -> None:
    """What the definition says now counts for what is there."""
    deployed(project)
    broken = POSTGRES.replace("values: {", "values: {fail: no room, ")
    project.write("definitions/pg.yaml", with_words(broken, "protect: true"))
    assert project.run(*DEPLOY).code == 2
    project.log()
    ended = project.run(*DESTROY)
    assert (ended.code, PROTECTED in ended.err) == (1, True)


def test_what_is_retained_is_forgotten_and_left(project: DeployedProject) -> None:
    """Its driver is not called, the record is gone, and the next deployment makes it anew."""
    protected(project, "retain: true")
    assert "active, retained" in project.run("show", "active").out
    planned = project.run(*DESTROY, "--plan")
    assert f"{DB} would be left as it is, and forgotten" in planned.out
    ended = project.run(*DESTROY, "--out", "json")
    assert statuses(ended.document)["postgres"] == "retained"
    assert "delete postgres" not in project.log()
    assert DB not in project.run("show", "active").out
    assert deployed(project)["postgres"] == "created"


def test_what_is_protected_and_retained_is_not_said_to_be_destroyed(project: DeployedProject) -> None:
    """Its record may not be lost either, and the message says what would be."""
    protected(project, "protect: true\n  retain: true")
    for words in (DESTROY, (*DESTROY, "--plan")):
        ended = project.run(*words)
        assert ended.code == 1
        assert f"{DB} is protected, and would be left as it is, and forgotten (`retain`)" in ended.err
        assert "would be destroyed" not in ended.err


def test_what_is_retained_is_left_when_it_is_replaced(project: DeployedProject) -> None:
    """The other driver makes its own; the first one is not called."""
    protected(project, "retain: true")
    other = POSTGRES.replace("driver_type: log", "driver_type: other")
    project.write("definitions/pg.yaml", other)
    for words in (DEPLOY, (*DEPLOY, "--plan")):
        refused = project.run(*words)
        assert "what the driver log made stays, and would be forgotten (`retain`)" in refused.err
        assert "would be destroyed" not in refused.err
    assert deployed(project, "--allow-replace")["postgres"] == "replaced"
    assert project.log() == ["CREATE postgres"]


def test_what_was_only_begun_is_not_retained(project: DeployedProject) -> None:
    """Nobody has used it, so it is destroyed."""
    broken = POSTGRES.replace("values: {", "values: {fail: no room, ")
    project.write("definitions/pg.yaml", with_words(broken, "retain: true"))
    assert project.run(*DEPLOY).code == 2
    project.log()
    assert project.run(*DESTROY).code == 0
    assert "delete postgres again" in project.log()


def written_now(project: DeployedProject, definition: str = POSTGRES, words: str = "protect: true") -> None:
    """Deploy without protection, and write it into the definition afterwards."""
    deployed(project)
    project.write("definitions/pg.yaml", with_words(definition, words))
    project.log()


OTHER_DRIVER = POSTGRES.replace("driver_type: log", "driver_type: other")


@pytest.mark.parametrize(
    ("definition", "score", "words"),
    [
        (POSTGRES, SCORE, DESTROY),
        (POSTGRES, WITHOUT, (*DEPLOY, "--prune")),
        (POSTGRES, SCORE, (*DEPLOY, f"--replace={DB}")),
        (OTHER_DRIVER, SCORE, (*DEPLOY, "--allow-replace")),
        (POSTGRES.replace("criteria: [{}]", "criteria: [{app_id: another}]"), SCORE, DESTROY),
        (POSTGRES.replace("id: pg", "id: pg-next"), SCORE, DESTROY),
        (POSTGRES.replace("[{}]", "[{env_type: development}]"), SCORE, DESTROY),
    ],
    ids=["destroy", "prune", "replace", "another driver", "matches no more", "renamed", "for a type"],
)
def test_a_protection_counts_as_soon_as_it_is_written(
    project: DeployedProject, definition: str, score: str, words: tuple[str, ...]
) -> None:
    """No deployment has recorded it; both the plan and the run refuse, before anything happens."""
    written_now(project, definition)
    project.write("score.yaml", score)
    for command in (words, (*words, "--plan")):
        ended = project.run(*command)
        assert (ended.code, PROTECTED in ended.err) == (1, True), ended.err
        assert re.search(r"definitions/pg.yaml:5:\d+", ended.err)
        assert re.search(r"its definition pg(-next)? says `protect: true`", ended.err)
        assert project.log() == []
    assert project.run(*words, f"--unprotect={DB}").code == 0
    assert project.log() != []


def test_an_update_may_not_destroy_what_has_just_been_protected(project: DeployedProject) -> None:
    """Its driver learns of the protection that the record does not have."""
    written_now(project, POSTGRES.replace("values: {", "values: {destroys: [the disk], "))
    refused = f"E0860]: {DB} is protected, and would be replaced in part"
    planned = project.run(*DEPLOY, "--allow-replace", "--plan")
    assert (planned.code, f"warning[{refused}" in planned.err) == (1, True)
    ended = project.run(*DEPLOY, "--allow-replace")
    assert (ended.code, f"error[{refused}" in ended.err) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [
        "graph.destroyed: []",
        "graph.deployed: [{env_type: development}, {score: score.yaml}, {prune: true}]",
    ],
)
def test_a_state_knows_what_has_just_been_protected(project: DeployedProject, arguments: str) -> None:
    """In a plan as in an apply."""
    written_now(project)
    project.write("score.yaml", WITHOUT)
    given = arguments.replace("[", "[{app: shop}, {env: dev}, ")
    project.write("states/s.sls", f"it:\n  {given}\n")
    for verb in ("apply", "plan"):
        ended = project.run(verb, "s", "--out", "json")
        (returned,) = ended.document["m"].values()
        assert returned["result"] is False
        assert f"{DB} is protected, and would be destroyed" in returned["comment"]
    assert project.log() == []


def test_a_rollback_does_not_destroy_what_has_just_been_protected(project: DeployedProject) -> None:
    """It provisions what an earlier deployment had, with the definitions as they are now."""
    project.write("score.yaml", WITHOUT)
    project.run(*DEPLOY)
    project.write("score.yaml", SCORE)
    written_now(project)
    words = ("deploy", *CONTEXT, "--from", "1", "--prune")
    ended = project.run(*words)
    assert (ended.code, PROTECTED in ended.err, project.log()) == (1, True, []), ended.err
    assert project.run(*words, "--unprotect").code == 0


def test_the_expiry_of_an_environment_does_not_destroy_what_has_just_been_protected(
    project: DeployedProject,
) -> None:
    """It ends with the reason; the environment stays."""
    project.run(*DEPLOY, "--ttl", "0.001s")
    project.write("definitions/pg.yaml", with_words(POSTGRES, "protect: true"))
    project.log()
    ended = project.run("deployments", "expire")
    assert f"{DB} is protected" in ended.out + ended.err
    assert project.log() == []


def test_an_environment_is_not_destroyed_while_its_definitions_cannot_be_read(
    project: DeployedProject,
) -> None:
    """Whether they protect something is unknown."""
    deployed(project)
    project.log()
    project.write("definitions/pg.yaml", with_words(POSTGRES, "protect: [true"))
    ended = project.run(*DESTROY)
    assert (ended.code, "E0201" in ended.err, project.log()) == (1, True, [])
