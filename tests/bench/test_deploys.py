"""Deployments that are measured: each step does what it says, for ensue and for Terraform."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cases import Case
from deploys import deploy_cases, terraform_tree, write_deployments
from peers import prepare_terraform
from programs import Ensue, count_succeeded
from run import bring_about

if TYPE_CHECKING:
    from programs import Program

pytestmark = pytest.mark.long

LINKS = 12
STEPS = ("first", "again", "destroy")


def small(step: str) -> Case:
    """Return a tree of few resources."""
    name = f"tree-{step}"
    tree = terraform_tree(LINKS)
    return Case(name=name, sls="", states=LINKS, peers=(), terraform=tree, project=name, deploys=step)


def counted(program: Program, case: Case) -> int:
    """Run a case twice, each time after what it begins with; return what succeeded at last."""
    for _ in range(2):
        bring_about(program, case, 60)
        count = count_succeeded(program, case, timeout_s=60)
    return count


def test_each_step_of_a_deployment_is_done_again_and_again(tmp_path: Path) -> None:
    """All resources are created, found unchanged, or destroyed, however often the step is measured."""
    cases = [small(step) for step in STEPS]
    write_deployments(tmp_path, cases)
    ensue = Ensue(Path(sys.executable).with_name("ensue"), tmp_path)
    for case, status in zip(cases, ("created", "unchanged", "destroyed"), strict=True):
        assert counted(ensue, case) == LINKS
        bring_about(ensue, case, 60)
        done = subprocess.run(ensue.argv(case, out="json"), capture_output=True, check=True)
        assert {node["status"] for node in json.loads(done.stdout)["nodes"]} == {status}


@pytest.mark.parametrize("step", STEPS)
def test_terraform_does_the_same(tmp_path: Path, step: str) -> None:
    """It creates as many resources, finds them as they are to be, and destroys them."""
    case = small(step)
    terraform = prepare_terraform(tmp_path, [case])
    if terraform is None:
        pytest.skip("there is no terraform on this machine")
    assert counted(terraform, case) == LINKS


def test_the_tree_is_the_same_for_both() -> None:
    """Every link but the first takes the output of one other, and no case has a name twice."""
    cases = deploy_cases()
    assert len({case.name for case in cases}) == len(cases)
    assert terraform_tree(LINKS).count("terraform_data.link-0.output") == 10
    assert terraform_tree(LINKS).count("terraform_data.link-1.output") == 1
