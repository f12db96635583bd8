"""`ensue deploy` where another driver is to make a resource that is there: nothing is destroyed unasked."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.deployed_project import (
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
from tests.cli.shell import command, environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

REPLACED = f"{DB} would be replaced: definition pg → cloud, driver log → other"
PARTLY = POSTGRES.replace("values: {", "values: {destroys: [the disk], ")
CLOUD = POSTGRES.replace("{id: pg}", "{id: cloud}").replace("driver_type: log", "driver_type: other")


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A deployed project, and a second driver that writes its calls in capitals."""
    project = deployed_project(tmp_path / "project")
    other = DRIVER.replace("{word}", "{word.upper()}").replace('Path("in use")', 'Path("no")')
    project.write("states/_drivers/other.py", other)
    deployed(project)
    project.log()
    project.write("definitions/pg.yaml", CLOUD)
    return project


def answered(
    project: DeployedProject, words: Sequence[str], question: bytes, answer: bytes
) -> tuple[int, bytes, bytes]:
    """Answer a question on a terminal; return the exit code, stdout and what was on the terminal before."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*command(), *words], cwd=project.root, env=environment(),
        stdin=theirs, stdout=subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while question not in shown:
        assert select.select([ours], [], [], 300)[0]
        shown += os.read(ours, 4096)
    os.write(ours, answer)
    out, _ = process.communicate(timeout=300)
    os.close(ours)
    return process.returncode, out, shown


def lines(project: DeployedProject) -> list[str]:
    """Return the calls of the drivers in their order."""
    path = project.root / "log"
    return path.read_text().splitlines() if path.exists() else []


def postgres(document: Any) -> Any:
    """Return the database of a document."""
    return next(node for node in document["nodes"] if node["type"] == "postgres")


def test_it_is_refused_before_anything_runs(project: DeployedProject) -> None:
    """Exit code 1 with the resource, both definitions and drivers, and the words that allow it."""
    for words in ((), ("--prune",), ("--allow-replace=dns.default#shared.main",)):
        ended = project.run(*DEPLOY, *words)
        assert ended.code == 1
        assert f"E0849]: {REPLACED}" in ended.err
        assert f"--allow-replace={DB}" in ended.err
    assert project.log() == []
    project.write("definitions/pg.yaml", POSTGRES)
    assert set(deployed(project).values()) == {"unchanged"}


def test_a_plan_and_the_impact_name_it(project: DeployedProject) -> None:
    """As text and as data; the exit code is 1 while the deployment would be refused."""
    ended = project.run(*DEPLOY, "--plan")
    assert ended.code == 1
    assert f"warning[E0849]: {REPLACED}" in ended.err
    assert f"allow it: --allow-replace={DB}" in ended.err
    assert ended.err.endswith("ensue: the deployment would be refused: E0849 (see above)\n")
    allowed = project.run(*DEPLOY, "--plan", f"--allow-replace={DB}")
    assert (allowed.code, allowed.err, allowed.out) == (0, "", ended.out)
    assert "-/+ would be replaced: definition pg → cloud, driver log → other" in ended.out
    node = postgres(project.run(*DEPLOY, "--plan", "--out", "json").document)
    assert (node["status"], node["replaces"]) == ("planned", {"definition": "pg", "driver": "log"})
    assert "another definition, replaced: log → other" in project.run("show", "impact").out
    (impact,) = project.run("show", "impact", "--out", "json").document
    assert impact["replaced"] == {"driver": "log", "by": "other"}
    assert impact["workloads"] == ["workload.default#modules.web"]
    assert project.log() == []


def test_the_plan_of_a_state_has_the_same_signs(project: DeployedProject) -> None:
    """For what is replaced, destroyed, made and changed; the changes are those of the apply."""
    given = "app: shop, env: dev, env_type: development, score: score.yaml, allow_replace: true, prune: true"
    arguments = ", ".join(f"{{{each}}}" for each in given.split(", "))
    project.write("states/a.sls", f"shop: {{graph.deployed: [{arguments}]}}\n")
    score = SCORE.replace("dns: {type: dns, id: main}", "mail: {type: dns, id: mail}")
    project.write("score.yaml", score)
    planned, applied = (project.run(word, "a", "--out", "short").out for word in ("plan", "apply"))
    for line in (
        "-/+ shop (graph.deployed): created: dns.default#shared.mail, replaced: ",
        f"-/+ {DB} (graph.provisioned)",
        "+ dns.default#shared.mail (graph.provisioned)",
        "- dns.default#shared.main (graph.removed)",
    ):
        assert line in planned
        assert line in applied
    assert "~ workload.default#modules.web (graph.provisioned)" in planned


@pytest.mark.parametrize("option", ["--allow-replace", "--adopt"])
def test_a_resource_that_is_misspelt_is_refused(project: DeployedProject, option: str) -> None:
    """Nothing runs; the near names are those of the deployment."""
    ended = project.run(*DEPLOY, f"{option}={DB}s")
    assert ended.code == 1
    assert f"E0858]: {option}: the deployment has no resource '{DB}s'" in ended.err
    assert f"did you mean {DB}" in ended.err
    ended = project.run(*DEPLOY, f"{option}=queue")
    assert "give a resource as `ensue deploy --plan` prints it" in ended.err
    assert project.log() == []


@pytest.mark.parametrize("words", [("--allow-replace",), (f"--allow-replace={DB}",)])
def test_the_new_one_is_made_before_the_old_one_is_destroyed(
    project: DeployedProject, words: tuple[str, ...]
) -> None:
    """In between everything that depends on it is made; text, JSON and journal name the replacement."""
    ended = project.run("deploy", *words, *DEPLOY[1:], "--out", "json")
    assert ended.code == 0, ended.err
    node = postgres(ended.document)
    assert (node["status"], node["comment"]) == ("replaced", "definition pg → cloud, driver log → other")
    assert node["replaces"] == {"definition": "pg", "driver": "log"}
    assert lines(project) == ["CREATE postgres", "delete postgres"]
    shown = project.run("runs", "show", "last", "--out", "json").out
    assert "definition pg → cloud, driver log → other" in shown
    assert "what the driver log made before was destroyed" in shown
    assert set(deployed(project).values()) == {"unchanged"}
    project.log()
    assert project.run("deploy", "--app", "shop", "--env", "dev", "--destroy").code == 0
    assert [line for line in project.log() if "postgres" in line] == ["DELETE postgres"]


def test_what_is_in_use_stays_if_the_new_one_fails(project: DeployedProject) -> None:
    """With the earlier definition all is as it was, and the attempt is destroyed."""
    project.write("definitions/pg.yaml", CLOUD.replace("values: {", "values: {fail: no such image, "))
    ended = project.run(*DEPLOY, "--allow-replace", "--prune", "--out", "json")
    assert (ended.code, statuses(ended.document)["postgres"]) == (2, "failed")
    assert lines(project) == ["CREATE postgres"]
    (kept,) = [
        resource
        for resource in project.run("show", "active", "--out", "json").document
        if resource["resource"] == DB
    ]
    assert (kept["definition"], kept["driver"], kept["state"]) == ("pg", "log", "active")
    project.log()
    project.write("definitions/pg.yaml", POSTGRES)
    assert set(deployed(project).values()) == {"unchanged"}
    assert lines(project) == ["DELETE postgres again"]


def test_what_was_replaced_stays_until_it_can_be_destroyed(project: DeployedProject) -> None:
    """Where the earlier driver fails, the exit code is 2, and the next deployment tries again."""
    project.write("in use", "")
    ended = project.run(*DEPLOY, "--allow-replace", "--out", "json")
    assert ended.code == 2
    assert postgres(ended.document)["comment"].startswith(
        "what the driver log made before is still there: in use"
    )
    (project.root / "in use").unlink()
    project.log()
    assert set(deployed(project).values()) == {"unchanged"}
    assert lines(project) == ["delete postgres again"]


def test_destroy_first(project: DeployedProject) -> None:
    """A definition whose names collide with those of the earlier one says that this goes first."""
    project.write("definitions/pg.yaml", CLOUD.rstrip() + "\n  destroy_first: true\n")
    assert deployed(project, "--allow-replace")["postgres"] == "replaced"
    assert lines(project) == ["delete postgres", "CREATE postgres"]


def test_an_environment_keeps_its_type(project: DeployedProject) -> None:
    """Another type, which may match other definitions, is refused with the near one; a word changes it."""
    project.write("definitions/pg.yaml", POSTGRES)
    words = ["deploy", "score.yaml", "--app", "shop", "--env", "dev", "--env-type", "develpment"]
    ended = project.run(*words)
    assert ended.code == 1
    assert "E0850]: the environment shop/dev is of type development, not 'develpment'" in ended.err
    assert "did you mean development?" in ended.err
    assert project.run(*words, "--change-env-type").code == 0
    assert project.run(*DEPLOY).code == 1
    assert project.log() == []


def test_an_update_that_destroys_something_asks_for_it(project: DeployedProject) -> None:
    """Only its driver knows, once the inputs are: it changes nothing, and the rest is deployed."""
    project.postgres("{host: other, destroys: [the disk, the address]}")
    node = postgres(project.run(*DEPLOY, "--plan", "--out", "json").document)
    assert node["comment"] == "-/+ would destroy the disk, the address; would make it"
    planned = project.run(*DEPLOY, "--plan")
    assert planned.code == 1
    assert f"warning[E0849]: {DB} would be replaced in part" in planned.err
    assert f"allow it: --allow-replace={DB}" in planned.err
    assert planned.err.endswith("ensue: the deployment would fail: E0849 (see above)\n")
    ended = project.run(*DEPLOY)
    assert ended.code == 2
    assert f"error[E0849]: {DB} would be replaced in part" in ended.err
    # The list does not repeat what the error says, nor the progress that a resource waits for another one.
    assert "would destroy the disk, the address\n" in ended.out
    assert ended.err.count(f"--allow-replace={DB}") == 1
    assert "requisite" not in ended.err
    planned = project.run(*DEPLOY, "--plan", f"--allow-replace={DB}")
    assert (planned.code, planned.err) == (0, "")
    assert f"-/+ to replace  {DB}" in planned.out
    # The deployment has the word of the plan.
    ended = project.run(*DEPLOY, f"--allow-replace={DB}")
    assert (ended.code, ended.err) == (0, "")
    assert f"-/+ replaced  {DB}\n           destroyed the disk, the address\n" in ended.out
    assert "1 replaced" in ended.out
    # Nothing is asked for when it is made.
    project.run("deploy", "--app", "shop", "--env", "dev", "--destroy")
    assert deployed(project)["postgres"] == "created"


@pytest.mark.parametrize(
    ("definition", "words"),
    [(CLOUD, REPLACED), (PARTLY, f"{DB} would be replaced in part: its update would destroy the disk")],
)
def test_the_plan_of_a_state_fails_as_the_state_does(
    project: DeployedProject, definition: str, words: str
) -> None:
    """A plan that passes has an apply that is not refused."""
    project.write("definitions/pg.yaml", definition)
    project.write(
        "states/s.sls",
        "it:\n  graph.deployed: [{app: shop}, {env: dev}, {env_type: development}, {score: score.yaml}]\n",
    )
    planned = project.run("plan", "s", "--out", "json")
    (returned,) = [each for each in planned.document["m"].values() if each["__id__"] == "it"]
    assert (planned.code, returned["result"]) == (2, False)
    assert words in returned["comment"]
    assert f"--allow-replace={DB}" in returned["comment"]
    assert project.log() == []


@pytest.mark.parametrize(
    ("answer", "code", "text"),
    [(b"y\n", 0, CLOUD), (b"n\n", 1, CLOUD), (b"\n", 1, CLOUD), (b"y\n", 0, PARTLY), (b"n\n", 2, PARTLY)],
)
def test_a_terminal_is_asked(project: DeployedProject, answer: bytes, code: int, text: str) -> None:
    """The answer is no unless it is yes, for another driver and for an update that destroys something."""
    project.write("definitions/pg.yaml", text)
    ended, out, stderr = answered(project, DEPLOY, b"Replace them?", answer)
    assert ended == code, stderr
    if text == PARTLY:
        assert b"its update would destroy the disk" in stderr
        calls = ["update postgres", *(["update postgres again"] if code == 0 else [])]
    else:
        assert REPLACED.encode() in stderr
        calls = ["CREATE postgres", "delete postgres"] if code == 0 else []
        assert (b"-/+ replaced" in out) is (code == 0)
    assert lines(project) == calls


@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"n\n", 1), (b"\n", 1)])
def test_a_terminal_is_asked_before_an_environment_is_destroyed(
    project: DeployedProject, answer: bytes, code: int
) -> None:
    """It shows what goes; without a yes, everything stays."""
    ended, _, shown = answered(project, DESTROY, b"Destroy them?", answer)
    assert ended == code, shown
    assert f"{DB} would be destroyed".encode() in shown
    assert project.log() == (["delete dns", "delete postgres"] if code == 0 else [])


def test_a_yes_may_be_given_beforehand(project: DeployedProject) -> None:
    """Nobody is asked then; nor where nothing is there; and only about `--destroy`."""
    ours, theirs = pty.openpty()
    for words in ((*DESTROY, "--yes"), DESTROY):
        subprocess.run(
            [*command(), *words], cwd=project.root, env=environment(),
            stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, check=True, timeout=300,
        )  # fmt: skip
    os.close(theirs)
    os.close(ours)
    assert project.log() == ["delete dns", "delete postgres"]
    assert "--yes goes with --destroy" in project.run(*DEPLOY, "--yes").err


@pytest.fixture
def broken(project: DeployedProject) -> DeployedProject:
    """A project with a database that is to be made anew, by the driver that it has."""
    project.write("definitions/pg.yaml", POSTGRES)
    return project


def test_a_resource_is_made_anew(broken: DeployedProject) -> None:
    """It is destroyed first, since names may collide; what has the same inputs then is left alone."""
    node = postgres(broken.run(*DEPLOY, "--replace", DB, "--plan", "--out", "json").document)
    assert (node["status"], node["replaces"]) == ("planned", {"definition": "pg", "driver": "log"})
    assert broken.log() == []
    ended = broken.run(*DEPLOY, "--replace", DB)
    assert ended.code == 0, ended.err
    assert f"-/+ replaced  {DB}\n           destroyed first, and made anew by the driver log\n" in ended.out
    assert lines(broken) == ["delete postgres", "create postgres"]
    broken.log()
    assert set(deployed(broken).values()) == {"unchanged"}
    assert broken.run(*DESTROY).code == 0
    assert broken.log() == ["delete dns", "delete postgres"]


def test_a_failure_while_it_is_made_anew_is_continued(broken: DeployedProject) -> None:
    """Once destroyed, it is created; if it could not be destroyed, it is there as before."""
    broken.write("in use", "")
    assert broken.run(*DEPLOY, "--replace", DB).code == 2
    assert lines(broken) == ["delete postgres"]
    broken.log()
    (broken.root / "in use").unlink()
    broken.postgres("{fail: no room}")
    assert broken.run(*DEPLOY, "--replace", DB).code == 2
    assert lines(broken) == ["delete postgres again", "create postgres"]
    broken.log()
    broken.write("definitions/pg.yaml", POSTGRES)
    assert statuses(broken.run(*DEPLOY, "--out", "json").document)["postgres"] == "created"
    assert broken.log() == ["create postgres again"]


@pytest.mark.parametrize(
    ("entity", "error"),
    [("protect: true", "E0860"), ("retain: true", "E0849]: " + DB + " cannot be made anew")],
)
def test_what_is_kept_is_not_made_anew(broken: DeployedProject, entity: str, error: str) -> None:
    """Neither a protected resource nor a retained one; nothing has run."""
    broken.write("definitions/pg.yaml", POSTGRES.replace("  driver_type", f"  {entity}\n  driver_type"))
    deployed(broken)
    broken.log()
    ended = broken.run(*DEPLOY, "--replace", DB)
    assert (ended.code, broken.log()) == (1, [])
    assert error in ended.err


def test_a_misspelt_resource_is_not_made_anew(broken: DeployedProject) -> None:
    """The nearest name is told, and nothing has run."""
    ended = broken.run(*DEPLOY, "--replace", DB + "x")
    assert (ended.code, broken.log()) == (1, [])
    assert "E0858" in ended.err
    assert DB in ended.err
