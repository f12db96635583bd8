"""The language, as its specification says: every case of every Markdown file in this folder."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from tests.spec.cases import DEPLOYMENTS, Case, read_cases, rewrite

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.contracts.deployment import DeploymentOrder, DeploymentSource
from ensue.core.errors import DiagnosticError
from ensue.core.masking import Masker
from ensue.core.model.run_part import WHOLE_RUN
from ensue.deploy.provisioning.evaluation import as_written
from ensue.deploy.provisioning.identity import Context
from ensue.output.drawing.from_resources import draw_resources, planned_resources
from ensue.output.drawing.mermaid import mermaid_lines
from ensue.output.foreseen import foreseen_lines
from ensue.output.resource_graph import deployment_data, masked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.diagnostics import Diagnostic
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return
    from ensue.deploy.environments.deployment_report import DeploymentReport

HERE = Path(__file__).parent


CONTEXT = Context(app="shop", env="dev", env_type="development", org="acme")

_OPTIONS = argparse.ArgumentParser()
for _name in ("--plan", "--prune", "--destroy", "--change-env-type"):
    _OPTIONS.add_argument(_name, action="store_true")
for _name in ("--adopt", "--allow-replace", "--forget"):
    _OPTIONS.add_argument(_name, action="append", nargs="?", const="*", default=[])
_OPTIONS.add_argument("--env", default=CONTEXT.env)
_OPTIONS.add_argument("--from", dest="source", help="another environment: its last deployment")
_OPTIONS.add_argument("--env-type", default=CONTEXT.env_type)
_OPTIONS.add_argument("--cachedir", default=".ensue")

ALL = [case for path in sorted(HERE.glob("*.md")) for case in read_cases(path)]


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.id)
def test_case(case: Case, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The project of the case gives what the case says."""
    _write(tmp_path, case.files)
    for number, step in enumerate(case.steps):
        _write(tmp_path, step.files)
        actual = asyncio.run(_deploys(tmp_path, step.words)).replace(str(tmp_path), "$TMP")
        if actual != step.expected and request.config.getoption("--update"):
            rewrite(case, "deploy", actual, number)
            continue
        assert actual == step.expected, step.words
    for kind, expected in case.expected.items():
        actual = asyncio.run(_actual(kind, tmp_path, case)).replace(str(tmp_path), "$TMP")
        if actual != expected and request.config.getoption("--update"):
            rewrite(case, kind, actual)
            continue
        assert actual == expected


def _write(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace("$TMP", str(root)))


async def _deploys(root: Path, words: list[str]) -> str:
    """Return what `ensue deploy` says with some of its options; `--cachedir` is that of another checkout."""
    given = _OPTIONS.parse_args(words)
    order = msgspec.structs.replace(
        _order(root),
        env=given.env,
        new_env=True,
        source=DeploymentSource(env=given.source, number=0) if given.source else None,
        env_type=given.env_type,
        files=() if given.destroy or given.source else tuple(_deployed(root)),
        destroy=given.destroy,
        prune=given.prune,
        adopt=tuple(given.adopt),
        allow_replace=tuple(given.allow_replace),
        change_env_type=given.change_env_type,
    )
    options = ProjectOptions(minion_id="m", overrides={"cachedir": given.cachedir})
    try:
        async with AppProject.open(root, options) as project:
            if given.forget:
                await project.forget_active(msgspec.structs.replace(CONTEXT, env=given.env), given.forget)
                return "".join(f"forgotten {key}\n" for key in given.forget)
            warned: list[Diagnostic] = []
            run = RunOptions(test=given.plan)
            report = await project.deploy(order, run, on_event=lambda _: None, on_warning=warned.append)
            codes = {*report.deployment.refusals.codes, "E0855"}
            early = [warning for warning in (*warned, *report.run.warnings) if warning.code in codes]
            errors = [f"{refusal.code} {refusal.message}" for refusal in (*early, *report.refusals)]
            text = "".join(f"{line}\n" for line in [*errors, *_of_deployment(report, project.masker)])
    except DiagnosticError as error:
        text = "".join(f"{diagnostic.code} {diagnostic.message}\n" for diagnostic in error.diagnostics)
    # The id of a store is random.
    return re.sub(r"the store [0-9a-f]{16}", "the store ID", text)


async def _actual(kind: str, root: Path, case: Case) -> str:
    mods = [] if (root / "states/top.sls").exists() else ["t"]
    try:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            if kind == "chunks":
                return await _chunks(project, mods)
            if kind in {"graph", "picture"}:
                return await (_graph if kind == "graph" else _picture)(project, root)
            if kind == "rendered":
                return await _rendered(project, root)
            if kind in DEPLOYMENTS:
                return await _deployment(project, root, kind, case)
            part = WHOLE_RUN if kind == "before" else case.part
            options = RunOptions(test=kind == "plan", tgt=case.tgt, part=part)
            report = await project.apply(mods, options, on_event=lambda _: None)
    except DiagnosticError as error:
        return "".join(f"{diagnostic.code} {diagnostic.message}\n" for diagnostic in error.diagnostics)
    return "".join(f"{line}\n" for line in _of_report(kind, report))


def _of_report(kind: str, report: RunReport) -> Iterable[str]:
    if kind == "warnings":
        return (f"{warning.code} {warning.message}" for warning in report.warnings)
    return [str(report.exit_code)] if kind == "exit" else _lines(report)


async def _graph(project: AppProject, root: Path) -> str:
    """Return a line per resource: its key, its definition, what it depends on; then what it is given."""
    planned = await project.deployment_graph(_deployed(root), CONTEXT)
    lines = []
    for node in planned.nodes:
        edges = [f"{edge.why} {edge.to}" for edge in node.node.dependencies]
        lines.append("; ".join([f"{node.node.key}: {node.node.definition}", *edges]))
        given = {"params": node.params, "values": node.values, "secrets": masked(node.secrets)}
        if node.node.key.type == "workload":
            del given["params"]
        lines += [f"  {name}: {json.dumps(as_written(value))}" for name, value in given.items() if value]
    lines += [f"{warning.severity.value} {warning.code} {warning.message}" for warning in planned.warnings]
    return "".join(f"{line}\n" for line in lines)


async def _picture(project: AppProject, root: Path) -> str:
    """Return the flowchart of a deployment, without its legend and the colours of its boxes."""
    planned = await project.deployment_graph(_deployed(root), CONTEXT)
    resources = list(planned_resources(planned.graph, planned.missing_drivers))
    text = "\n".join(mermaid_lines(draw_resources("shop/dev", resources), Masker()))
    legend = re.compile(r"  subgraph legend(?:.|\n)*?\n  end\n|  classDef .*\n?")
    return legend.sub("", text)


async def _deployment(project: AppProject, root: Path, kind: str, case: Case) -> str:
    """Return a line per resource: its status and its key, a comment, and its outputs; then the exit code.

    Warnings that come before the deployment are first.
    """
    order = _order(root)
    if kind == "destroyed":
        order = msgspec.structs.replace(order, files=(), destroy=True)
    elif kind in {"merged", "alone"}:
        order = msgspec.structs.replace(_later(order, root, case), merge=kind == "merged")
    options = RunOptions(test=kind in {"deployplan", "alone"})
    before: list[Diagnostic] = []
    report = await project.deploy(order, options, on_event=lambda _: None, on_warning=before.append)
    warnings = [f"{warning.severity.value} {warning.code} {warning.message}" for warning in before]
    return "".join(f"{line}\n" for line in [*warnings, *_of_deployment(report, project.masker)])


def _of_deployment(report: DeploymentReport, masker: Masker) -> list[str]:
    data = deployment_data(report.deployment.context, "", report.nodes, masker)
    lines: list[str] = []
    for node in data["nodes"]:
        comment = f": {' / '.join(node['comment'].splitlines())}" if node["comment"] else ""
        lines.append(f"{node['status']} {node['type']}.{node['class']}#{node['id']}{comment}")
        lines += [f"  outputs: {json.dumps(node['outputs'])}"] if node["outputs"] else []
    return [*lines, f"exit code {report.run.exit_code}"]


async def _rendered(project: AppProject, root: Path) -> str:
    """Return the warnings of a deployment, then the file of each workload."""
    to = root / "rendered"
    order = msgspec.structs.replace(_order(root), render="values", render_to=to)
    report = await project.deploy(order, RunOptions(), on_event=lambda _: None)
    warnings = [
        f"{warning.severity.value} {warning.code} {warning.message}\n" for warning in report.run.warnings
    ]
    return "".join([*warnings, *(path.read_text() for path in sorted(to.glob("*")))])


def _order(root: Path) -> DeploymentOrder:
    files = _deployed(root)
    reads_tier = any(".TIER}" in path.read_text(errors="replace") for path in files)
    return DeploymentOrder(
        app=CONTEXT.app,
        env=CONTEXT.env,
        env_type=CONTEXT.env_type,
        org=CONTEXT.org,
        files=tuple(files),
        values={"TIER": "gold"} if reads_tier else {},
    )


def _later(order: DeploymentOrder, root: Path, case: Case) -> DeploymentOrder:
    return msgspec.structs.replace(
        order,
        files=tuple(sorted(root.glob("later/*.yaml"))),
        drop_workloads=tuple(name for word, name in case.drop if word == "workload"),
        drop_shared=tuple(name for word, name in case.drop if word == "shared"),
    )


def _deployed(root: Path) -> list[Path]:
    return sorted([*root.glob("*.yaml"), *root.glob("*/score.yaml")])


async def _chunks(project: AppProject, mods: list[str]) -> str:
    words = ("require", "watch", "onchanges", "onfail", "prereq", "listen")
    lines = []
    for chunk in await project.show("low", mods):
        required = chunk.get("__requisites__", {})
        needs = [f"{word} {_names(required[word])}" for word in words if word in required]
        name = "" if chunk["name"] == chunk["__id__"] else f" ({chunk['name']})"
        does = f"{chunk['state']}.{chunk['fun']}"
        lines.append("; ".join([f"{chunk['__id__']}{name}: {does}", *needs]) + "\n")
    return "".join(lines)


def _names(references: list[dict[str, str]]) -> str:
    return ", ".join(next(iter(reference.values())) for reference in references)


def _lines(report: RunReport) -> Iterator[str]:
    for returned in report.returns.values():
        yield from _return_lines(returned, "")
    for excluded in report.excluded:
        where = f"{excluded.scope}/" if excluded.scope else ""
        yield f"{where}{excluded.id}: excluded: {excluded.comment}"
    for skipped in report.not_run:
        yield f"not run: {skipped}"


def _return_lines(returned: Return, indent: str) -> Iterator[str]:
    changed = " changed" if returned.changes else ""
    name = "" if returned.name == returned.id else f" ({returned.name})"
    comment = " / ".join(returned.comment.splitlines())
    yield f"{indent}{returned.id}{name}: {returned.result}{changed}: {comment}"
    for line in foreseen_lines(returned, Masker()):
        yield f"{indent}  ? {line}"
    for scope in (*returned.delayed, *returned.applied):
        yield f"{indent}  [{scope.kind} {scope.name}: {scope.status}] {scope.comment}".rstrip()
        for inner in scope.returns.values():
            yield from _return_lines(inner, indent + "    ")
