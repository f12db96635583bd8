"""The language, as its specification says: every case of every Markdown file in this folder."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.spec.cases import Case, read_cases, rewrite

from ensue.app.project import Project, ProjectOptions, RunOptions
from ensue.errors import DiagnosticError
from ensue.output.resource_graph import masked
from ensue.provisioning import Context
from ensue.provisioning.evaluation import as_written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.model.report import RunReport
    from ensue.model.returns import Return

HERE = Path(__file__).parent


ALL = [case for path in sorted(HERE.glob("*.md")) for case in read_cases(path)]


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.id)
def test_case(case: Case, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The project of the case gives what the case says."""
    for name, content in case.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace("$TMP", str(tmp_path)))
    for kind, expected in case.expected.items():
        actual = asyncio.run(_actual(kind, tmp_path, case.tgt)).replace(str(tmp_path), "$TMP")
        if actual != expected and request.config.getoption("--update"):
            rewrite(case, kind, actual)
            continue
        assert actual == expected


async def _actual(kind: str, root: Path, tgt: str | None) -> str:
    mods = [] if (root / "states/top.sls").exists() else ["t"]
    try:
        async with Project.open(root, ProjectOptions(minion_id="m")) as project:
            if kind == "chunks":
                return await _chunks(project, mods)
            if kind == "graph":
                return await _graph(project, root)
            options = RunOptions(test=kind == "plan", tgt=tgt)
            report = await project.apply(mods, options, on_event=lambda _: None)
    except DiagnosticError as error:
        return "".join(f"{one.code} {one.message}\n" for one in error.diagnostics)
    if kind == "exit":
        return f"{report.exit_code}\n"
    return "".join(f"{line}\n" for line in _lines(report))


async def _graph(project: Project, root: Path) -> str:
    """Return a line a resource: its key, its definition, what it depends on; then what it is given."""
    context = Context(app="shop", env="dev", env_type="development", org="acme")
    planned = await project.deployment_graph(_deployed(root), context)
    lines = []
    for one in planned.nodes:
        edges = [f"{edge.why} {edge.to}" for edge in one.node.dependencies]
        lines.append("; ".join([f"{one.node.key}: {one.node.definition}", *edges]))
        given = {"params": one.params, "values": one.values, "secrets": masked(one.secrets)}
        if one.node.key.type == "workload":
            del given["params"]
        lines += [f"  {name}: {json.dumps(as_written(value))}" for name, value in given.items() if value]
    lines += [f"{one.severity.value} {one.code} {one.message}" for one in planned.warnings]
    return "".join(f"{line}\n" for line in lines)


def _deployed(root: Path) -> list[Path]:
    return sorted(root.glob("*.yaml"))


async def _chunks(project: Project, mods: list[str]) -> str:
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
    return ", ".join(next(iter(one.values())) for one in references)


def _lines(report: RunReport) -> Iterator[str]:
    for returned in report.returns.values():
        yield from _return_lines(returned, "")
    for skipped in report.not_run:
        yield f"not run: {skipped}"


def _return_lines(returned: Return, indent: str) -> Iterator[str]:
    changed = " changed" if returned.changes else ""
    name = "" if returned.name == returned.id else f" ({returned.name})"
    comment = " / ".join(returned.comment.splitlines())
    yield f"{indent}{returned.id}{name}: {returned.result}{changed}: {comment}"
    for scope in (*returned.delayed, *returned.applied):
        yield f"{indent}  [{scope.kind} {scope.name}: {scope.status}] {scope.comment}".rstrip()
        for inner in scope.returns.values():
            yield from _return_lines(inner, indent + "    ")
