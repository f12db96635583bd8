"""`ensue deploy --only`: a resource and what it depends on; the rest of the environment is left as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import (
    DB,
    DEPLOY,
    DESTROY,
    DRIVER,
    POSTGRES,
    DeployedProject,
    deployed,
    deployed_project,
    statuses,
)

if TYPE_CHECKING:
    from pathlib import Path

DNS = "dns.default#modules.web.externals.dns"


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project that was not deployed yet: a workload with a database, which has a key, and a name."""
    return deployed_project(tmp_path / "project")


def test_a_part_is_provisioned(project: DeployedProject) -> None:
    """With its dependencies; the next deployment provisions the rest."""
    words = (*DEPLOY, "--only", DB)
    planned = statuses(project.run(*words, "--plan", "--out", "json").document)
    assert planned == {
        "base-env": "planned",
        "dns": "excluded",
        "postgres": "planned",
        "workload": "excluded",
    }
    ended = project.run(*words)
    assert ended.code == 0, ended.err
    assert project.log() == ["create postgres"]
    assert "2 excluded" in ended.out
    assert "excluded resources are left as they are (--only)" in ended.out
    rest = deployed(project)
    assert (rest["postgres"], rest["dns"], rest["workload"]) == ("unchanged", "created", "created")


def test_what_is_left_out_is_not_touched(project: DeployedProject) -> None:
    """Its inputs may have changed, its definition may be gone, and its driver may be missing."""
    deployed(project)
    project.log()
    text = (project.root / "definitions/others.yaml").read_text()
    project.write("definitions/others.yaml", text.replace("driver_type: log", "driver_type: missing"))
    project.postgres("{host: other}")
    ended = project.run(*DEPLOY, "--only", DB)
    assert ended.code == 0, ended.err
    assert project.log() == ["update postgres"]


def test_what_others_use_stays(project: DeployedProject) -> None:
    """A replaced database is there until the workload has the new one."""
    project.write("states/_drivers/other.py", DRIVER.replace("{word}", "{word.upper()}"))
    deployed(project)
    project.log()
    project.write("definitions/pg.yaml", POSTGRES.replace("driver_type: log", "driver_type: other"))
    words = (*DEPLOY, "--allow-replace")
    ended = project.run(*words, "--only", DB)
    assert ended.code == 0, ended.err
    assert project.log() == ["CREATE postgres"]
    assert "stays until all that depends on the resource is there" in ended.out
    assert project.run(*words).code == 0
    assert "delete postgres" in project.log()


@pytest.mark.parametrize(
    ("words", "error", "code"),
    [
        (("--only", "dns.default#nothing"), "E0858", 1),
        (("--only", DB, "--prune"), "no --prune", 1),
        (("--only", DB, "--render", "compose", "--to", "out"), "no --render", 1),
    ],
)
def test_what_makes_no_sense_is_refused(
    project: DeployedProject, words: tuple[str, ...], error: str, code: int
) -> None:
    """A name that nothing has, and options that are about the whole environment."""
    ended = project.run(*DEPLOY, *words)
    assert (ended.code, project.log()) == (code, [])
    assert error in ended.err
    assert project.run(*DESTROY, "--only", DB).code == 1


def test_a_name_may_lack_its_class(project: DeployedProject) -> None:
    """If one class has the id: in the options of a deployment, and for what is deployed already."""
    short = DB.replace(".default#", "#")
    assert statuses(project.run(*DEPLOY, "--only", short, "--plan", "--out", "json").document) == {
        "base-env": "planned",
        "dns": "excluded",
        "postgres": "planned",
        "workload": "excluded",
    }
    deployed(project)
    again = statuses(project.run(*DEPLOY, "--replace", short, "--plan", "--out", "json").document)
    assert again["postgres"] != "unchanged"
    shown = project.run("show", "active", short, "--out", "json")
    assert [record["resource"] for record in shown.document] == [DB], shown.err
    assert project.run("deploy", "--app", "shop", "--env", "dev", "--forget", short).code == 0
    assert project.run("show", "active", short).code == 1


def test_protection_of_what_is_not_there(project: DeployedProject) -> None:
    """A name that `--unprotect` does not mean is refused, as those of the other options are."""
    ended = project.run(*DEPLOY, "--unprotect=postgres.default#nosuch")
    assert (ended.code, "E0858" in ended.err) == (1, True), ended.err
