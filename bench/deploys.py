"""Deployments that are provisioned with `echo`: for the first time, once more, and destroyed.

Terraform does the same with `terraform_data` where the resources depend on each other in a tree: a chain of
a thousand takes it minutes. Each case has a project, and a configuration, of its own; what it begins with is
brought about before each run, untimed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from cases import Case
from graphs import deployment_set, write_definitions

if TYPE_CHECKING:
    from pathlib import Path

SET: Final = "set.json"
"""The deployment set of a project."""

BRANCHES: Final = 10
"""So many resources of a tree depend on one."""

_STEPS: Final = ("first", "again", "destroy")
_SMALL, _LARGE, _TREE = 834, 10_000, 1000


def deploy_cases() -> list[Case]:
    """Return the cases, cheapest first."""
    return [
        *(_tree(step, _TREE) for step in _STEPS),
        *(_workloads("deploy-5000", step, _SMALL) for step in _STEPS),
        *(_workloads("deploy-60000", step, _LARGE, goal=True) for step in _STEPS),
    ]


def _tree(step: str, links: int) -> Case:
    name = f"deploy-tree-{links}-{step}"
    terraform = terraform_tree(links)
    return Case(name=name, sls="", states=links, peers=(), terraform=terraform, project=name, deploys=step)


def _workloads(name: str, step: str, workloads: int, *, goal: bool = False) -> Case:
    return Case(
        name=f"{name}-{step}",
        sls="",
        states=0,
        workloads=workloads,
        peers=(),
        project=f"{name}-{step}",
        deploys=step,
        wall_goal_s=30.0 if goal else None,
        memory_goal_mib=1024.0 if goal else None,
    )


def parent(number: int) -> int:
    """Return the link that a link of a tree depends on; the first one, 0, depends on none."""
    return (number - 1) // BRANCHES


def terraform_tree(links: int) -> str:
    """Return a configuration in which each resource but the first takes its input from another one."""
    first = 'resource "terraform_data" "link-0" {\n  input = "first"\n}\n'
    return first + "".join(
        f'resource "terraform_data" "link-{number}" {{\n'
        f"  input = terraform_data.link-{parent(number)}.output\n}}\n"
        for number in range(1, links)
    )


def tree_set(links: int) -> str:
    """Return a deployment set of shared resources, as JSON."""
    return json.dumps({"modules": {}, "shared": {f"link-{one}": {"type": "link"} for one in range(links)}})


def tree_definitions(links: int) -> str:
    """Return a definition for each link of a tree, which takes the output of another one, as YAML."""
    return "---\n".join(f"{json.dumps(_link(number))}\n" for number in range(links))


def _link(number: int) -> dict[str, Any]:
    value = f"${{resources['link#shared.link-{parent(number)}'].outputs.value}}" if number else "first"
    entity: dict[str, Any] = {
        "type": "link",
        "driver_type": "humanitec/echo",
        "driver_inputs": {"values": {"value": value}},
        "criteria": [{"res_id": f"shared.link-{number}"}],
    }
    return {"kind": "Definition", "metadata": {"id": f"link-{number}"}, "entity": entity}


def write_deployments(root: Path, cases: list[Case]) -> None:
    """Write the projects of the cases that deploy.

    Args:
        root: the folder of all projects.
        cases: those that are measured.
    """
    for case in cases:
        if not case.deploys:
            continue
        folder = root / case.project
        folder.mkdir()
        (folder / "ensue.yaml").write_text("id: bench\n")
        if case.workloads:
            write_definitions(folder / "definitions")
            (folder / SET).write_text(deployment_set(case.workloads))
        else:
            (folder / "definitions").mkdir()
            (folder / "definitions" / "links.yaml").write_text(tree_definitions(case.states))
            (folder / SET).write_text(tree_set(case.states))
