"""Resources of the driver `state`: what a failed call has made, and what an earlier definition has made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

CONTEXT = ("--app", "shop", "--env", "dev", "--env-type", "any")
DEPLOY = ("deploy", "score.yaml", *CONTEXT)
DESTROY = ("deploy", "--app", "shop", "--env", "dev", "--destroy")
NOTE = "note.default#modules.web.externals.note"
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: web}}
resources: {note: {type: note}}
"""
DEFINITION = """\
kind: Definition
metadata: {{id: workload}}
entity: {{type: workload, driver_type: echo, criteria: [{{}}]}}
---
kind: Definition
metadata: {{id: note}}
entity: {{type: note, driver_type: state, driver_inputs: {{values: {values}}}, criteria: [{{}}]}}
"""
SLS = "{state: file.managed, name: ROOT/NAME, arguments: {contents: a}DELETE}"
PART = """\
one:
  file.managed: [name: ROOT/one, contents: a]
two:
  file.managed: [name: ROOT/missing/two, contents: a, makedirs: false, require: [one]]
"""


@pytest.fixture
def project(tmp_path: Path) -> Shell:
    """A project with one resource of the driver `state`."""
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: m\n")
    shell.write("score.yaml", SCORE)
    return shell


def define(project: Shell, values: str) -> None:
    """Write the definition of the resource."""
    project.write("definitions/all.yaml", DEFINITION.format(values=values))


def note(project: Shell, name: str, *, has_delete: bool = True) -> str:
    """Return the inputs of a file of a name in the project's folder."""
    delete = ", delete: {state: file.absent, name: ROOT/NAME}" if has_delete else ""
    return SLS.replace("DELETE", delete).replace("ROOT/NAME", str(project.root / name))


def test_what_a_failed_create_has_made_is_removed(project: Shell) -> None:
    """Its `delete` is that of the definition, although no call has succeeded; the plan says so."""
    define(project, "{sls: part, delete: {sls: nopart}}")
    project.write("states/part.sls", PART.replace("ROOT", str(project.root)))
    project.write("states/nopart.sls", f"one:\n  file.absent: [name: {project.root}/one]\n")
    assert project.run(*DEPLOY).code == 2
    assert (project.root / "one").exists()
    planned = project.run(*DESTROY, "--plan")
    assert f"{NOTE} would be destroyed" in planned.out
    ended = project.run(*DESTROY)
    assert (ended.code, f"destroyed  {NOTE}" in ended.out) == (0, True), ended.out
    assert not (project.root / "one").exists()


def test_another_name_leaves_the_former_thing_and_says_so(project: Shell) -> None:
    """In the plan, in the deployment and in every one after it; the removal of the resource removes both."""
    define(project, note(project, "old"))
    assert project.run(*DEPLOY).code == 0
    define(project, note(project, "new"))
    remark = f"file.managed {project.root}/old (the `delete` of then runs when the resource is removed)"
    for words in ((*DEPLOY, "--plan"), DEPLOY, (*DEPLOY, "--plan"), DEPLOY):
        ended = project.run(*words)
        assert ended.code == 0
        assert remark in ended.out + ended.err, ended
    assert (project.root / "old").exists()
    destroyed = project.run(*DESTROY)
    assert destroyed.code == 0
    assert not (project.root / "old").exists()
    assert not (project.root / "new").exists()


def test_the_former_name_again_leaves_nothing(project: Shell) -> None:
    """What the definition declares again is no leftover."""
    for name in ("old", "new", "old"):
        define(project, note(project, name))
        ended = project.run(*DEPLOY)
    assert f"{project.root}/new (" in ended.out + ended.err
    assert f"{project.root}/old (" not in ended.out + ended.err


def test_a_thing_without_delete_is_named_as_well(project: Shell) -> None:
    """Nothing removes it, and the remark says so."""
    define(project, note(project, "old", has_delete=False))
    project.run(*DEPLOY)
    define(project, note(project, "new", has_delete=False))
    for words in ((*DEPLOY, "--plan"), DEPLOY):
        ended = project.run(*words)
        remark = f"{project.root}/old (nothing removes it: there was no `delete`)"
        assert remark in ended.out + ended.err, ended


def test_a_state_that_an_sls_has_no_longer_is_named(project: Shell) -> None:
    """An SLS is known by what its states make; a command makes nothing that could be left."""
    define(project, "{sls: part}")
    both = "cmd.run: [name: 'true']\n"
    project.write("states/part.sls", f"a:\n  file.managed: [name: {project.root}/one]\nb:\n  {both}")
    assert project.run(*DEPLOY).code == 0
    project.write("states/part.sls", f"a:\n  file.managed: [name: {project.root}/two]\n")
    for words in ((*DEPLOY, "--plan"), DEPLOY):
        ended = project.run(*words)
        assert f"declares it: file.managed {project.root}/one (nothing" in ended.out + ended.err, ended


def test_what_another_resource_has_by_now_is_not_removed_with_the_former_one(project: Shell) -> None:
    """The former name is another resource's now: the removal would take it, and is refused."""
    define(project, note(project, "old"))
    project.run(*DEPLOY)
    define(project, note(project, "new"))
    project.run(*DEPLOY)
    project.write(
        "score.yaml", SCORE.replace("note: {type: note}", "note: {type: note}, other: {type: other}")
    )
    project.write(
        "definitions/other.yaml",
        "kind: Definition\nmetadata: {id: other}\n"
        f"entity: {{type: other, driver_type: state, driver_inputs: {{values: {note(project, 'old')}}},"
        " criteria: [{}]}\n",
    )
    assert project.run(*DEPLOY).code == 0
    project.write("score.yaml", SCORE.replace("note: {type: note}", "other: {type: other}"))
    ended = project.run(*DEPLOY, "--prune")
    assert (ended.code, "E0907" in ended.err) == (1, True), ended
    assert (project.root / "old").exists()


@pytest.mark.parametrize("words", ["", "protect: true, "])
def test_what_was_never_made_is_forgotten(project: Shell, words: str) -> None:
    """Its create failed before the driver made anything: nothing is destroyed, and nothing is protected."""
    define(project, "{state: file.managed, name: /x, arguments: {contents: {param: text}}}")
    path = project.root / "definitions/all.yaml"
    path.write_text(path.read_text().replace("{type: note, ", f"{{type: note, {words}"))
    assert project.run(*DEPLOY).code == 2
    planned = project.run(*DESTROY, "--plan")
    assert (planned.code, f"{NOTE} would be forgotten: nothing was ever made" in planned.out) == (0, True)
    assert "1 to forget" in planned.out
    ended = project.run(*DESTROY)
    assert (ended.code, f"forgotten  {NOTE}" in ended.out) == (0, True), ended
    assert "1 forgotten" in ended.out
    assert NOTE not in project.run("show", "active").out
