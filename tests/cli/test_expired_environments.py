"""`ensue deployments expire`: environments with a time to live are removed once it has passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.deployed_project import deployed_project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.deployed_project import DeployedProject

SLS = """\
shop:
  graph.deployed: [app: shop, env: sls, env_type: development, score: score.yaml, ttl: TTL]
"""


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """An environment whose time has passed, one that lives, and one without an end."""
    project = deployed_project(tmp_path)
    for env, words in (("gone", ("--ttl", "0.001s")), ("here", ("--ttl", "3d")), ("always", ())):
        deploy(project, env, *words)
    project.log()
    return project


def deploy(project: DeployedProject, env: str, *words: str) -> None:
    ended = project.run(
        "deploy", "score.yaml", "--app", "shop", "--env", env, "--env-type", "development", *words
    )
    assert ended.code == 0, ended.err


def expired(project: DeployedProject, *words: str, code: int = 0) -> dict[str, Any]:
    """Return what `expire` said, by environment."""
    ended = project.run("deployments", "expire", *words, "--out", "json")
    assert ended.code == code, ended.out + ended.err
    return {environment["env"]: environment for environment in ended.document}


def test_what_has_expired_is_removed_once(project: DeployedProject) -> None:
    """A plan removes nothing; other environments stay; the next time there is nothing to do."""
    planned = expired(project, "--plan")
    assert {node["status"] for node in planned["gone"]["nodes"]} == {"planned"}
    assert project.log() == []
    removed = expired(project)
    assert list(removed) == ["gone"]
    assert {node["status"] for node in removed["gone"]["nodes"]} == {"destroyed"}
    assert project.log() == ["delete dns", "delete postgres"]
    assert expired(project) == {}
    assert project.run("deployments", "expire").out == "no environment has expired\n"
    assert {line.split()[0] for line in project.run("show", "active").out.splitlines()[1:]} == {
        "shop/always",
        "shop/here",
    }


def test_later_deployments_renew_it(project: DeployedProject) -> None:
    """The time to live stays until another one is given, or `none`; a new life after a removal has no end."""
    deploy(project, "here")
    deploy(project, "gone", "--ttl", "none")
    shown = project.run("deployments", "list", "--limit", "1", "--out", "json").document
    assert {environment["env"]: environment["ttl_s"] for environment in shown} == {
        "always": 0,
        "gone": 0,
        "here": 259_200,
    }
    here = next(environment for environment in shown if environment["env"] == "here")
    assert here["started_at"] < here["expires_at"]
    assert expired(project) == {}
    project.run("deploy", "--app", "shop", "--env", "here", "--destroy")
    deploy(project, "here")
    last = ("deployments", "show", "last", "--app", "shop", "--env", "here")
    assert project.run(*last, "--out", "json").document["expires_at"] is None


def test_what_cannot_be_removed_is_tried_again(project: DeployedProject) -> None:
    """It does not keep others from being removed."""
    deploy(project, "also", "--ttl", "0.001s")
    project.write("in use", "")
    failed = expired(project, code=2)
    assert sorted(failed) == ["also", "gone"]
    (project.root / "in use").unlink()
    removed = expired(project)
    assert sorted(removed) == ["also", "gone"]
    assert {node["status"] for each in removed.values() for node in each["nodes"]} == {"destroyed"}


def test_only_the_named_ones(project: DeployedProject) -> None:
    """Those of an application, an environment, an organization."""
    assert expired(project, "--app", "other") == {}
    assert expired(project, "--app", "shop", "--env", "here") == {}
    assert list(expired(project, "--env", "gone", "--plan")) == ["gone"]
    ended = project.run("deployments", "expire", "--env", "gone")
    assert ended.out.startswith("shop/gone expired on ")
    assert "destroyed  " in ended.out


def test_an_sls_limits_it_too(project: DeployedProject) -> None:
    """`ttl` of `graph.deployed`; what is no duration is refused."""
    project.write("states/t.sls", SLS.replace("TTL", "0.001s"))
    assert project.run("apply", "t").code == 0
    assert sorted(expired(project, "--plan")) == ["gone", "sls"]
    project.write("states/t.sls", SLS.replace("TTL", "soon"))
    ended = project.run("apply", "t")
    assert (ended.code, "ttl: 'soon' is not a duration" in ended.out) == (2, True)
    ended = project.run("deploy", "score.yaml", "--ttl", "soon")
    assert (ended.code, "'soon' is not a duration: 90s, 30m" in ended.err) == (1, True)
    ended = project.run("deploy", "--app", "shop", "--env", "here", "--destroy", "--ttl", "3d")
    assert (ended.code, "it takes no --ttl" in ended.err) == (1, True)
