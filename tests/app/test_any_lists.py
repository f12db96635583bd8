"""Any definitions with lists that are outputs provision what they would with the lists written out."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.contracts.deployment import DeploymentOrder
from ensue.core.errors import CompileError
from ensue.output.resource_graph import deployment_data

DRIVER = '''
"""Writes when it begins and ends; its outputs are its inputs."""
import asyncio
from ensue.core.contracts.driver import Planned, Provisioned

async def create(request):
    name = f"{request.type}.{request.class_}#{request.id}"
    def note(word):
        with (request.root / "log").open("a") as log:
            log.write(f"{word} {name}\\n")
    note("begin")
    for _ in range(len(request.type + request.id) % 7):
        await asyncio.sleep(0)
    note("end")
    return Provisioned(values=request.values)
update = create
async def delete(request):
    pass
async def plan(request):
    return Planned()
'''
TYPES = ("a", "b", "c", "d", "e")
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: x}}
resources: {a: {type: a}, s: {type: c, id: s}}
"""
FLAGS = st.fixed_dictionaries({"is_dependent": st.booleans(), "match_dependents": st.booleans()})


@st.composite
def entities(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Return, by type, the lists, references, selectors and entries of a definition; few have cycles."""
    made: dict[str, dict[str, Any]] = {}
    for number, type_ in enumerate(TYPES):
        later = TYPES[number + 1 :]
        kinds = st.sampled_from(later) if later else st.nothing()
        entry = st.tuples(kinds, st.sampled_from(["", "${context.res.id}-"]), FLAGS, st.booleans())
        made[type_] = {
            "items": draw(st.lists(st.sampled_from(["x", "y", "s"]), unique=True, max_size=3)),
            "lists": draw(st.lists(entry, max_size=2)) if later else [],
            "entries": draw(st.lists(st.tuples(kinds, FLAGS), max_size=1)) if later else [],
            "references": draw(st.lists(kinds, max_size=1)) if later else [],
            "selector": draw(st.sampled_from([*TYPES, ""])),
        }
    return made


def definitions(made: dict[str, dict[str, Any]], *, written_out: bool) -> str:
    """Return definitions whose lists are outputs, or are written into the entries."""
    documents: list[dict[str, Any]] = []
    for type_, definition in made.items():
        provision: dict[str, Any] = dict(definition["entries"])
        for kind, prefix, flags, is_mapping in definition["lists"]:
            name = "mapping" if is_mapping else "items"
            known: Any = (
                {item: {"v": item} for item in definition["items"]} if is_mapping else definition["items"]
            )
            value = known if written_out else f"${{resources.{type_}.outputs.{name}}}"
            provision[f"{kind}#{prefix}${{each.key}}"] = {**flags, "for_each": value}
        values: dict[str, Any] = {
            "items": definition["items"],
            "mapping": {item: {"v": item} for item in definition["items"]},
            "refs": [f"${{resources['{kind}#s'].outputs.items}}" for kind in definition["references"]],
        }
        if definition["selector"]:
            values["found"] = f"${{resources.{type_}>{definition['selector']}.outputs.items}}"
        entity = {
            "type": type_,
            "driver_type": "noting",
            "driver_inputs": {"values": values},
            "provision": provision,
            "criteria": [{}],
        }
        documents.append({"kind": "Definition", "metadata": {"id": type_}, "entity": entity})
    return "\n---\n".join(map(json.dumps, documents))


async def deployed(root: Path, text: str) -> tuple[int, dict[str, Any], list[str]]:
    """Deploy; return the exit code, the nodes by name, and what the driver wrote."""
    (root / "states/_drivers").mkdir(parents=True)
    (root / "states/_drivers/noting.py").write_text(DRIVER)
    (root / "definitions").mkdir()
    (root / "definitions/d.yaml").write_text(text)
    (root / "score.yaml").write_text(SCORE)
    order = DeploymentOrder(app="shop", env="dev", env_type="development", files=(root / "score.yaml",))
    async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
        report = await project.deploy(order, RunOptions(), on_event=lambda _: None)
        data = deployment_data(report.deployment.context, "", report.nodes, project.masker)
    nodes = {f"{node['type']}.{node['class']}#{node['id']}": node for node in data["nodes"]}
    log = (root / "log").read_text().splitlines() if (root / "log").exists() else []
    return report.run.exit_code, nodes, log


@settings(max_examples=10)
@given(entities())
def test_lists_are_as_if_written_out(made: dict[str, dict[str, Any]]) -> None:
    """The same resources with the same outputs, each once and after those it depends on, or a refusal.

    Lists that are outputs add dependencies on their sources, so a graph may have a cycle that it had not.
    """
    with tempfile.TemporaryDirectory() as folder:
        written, later = Path(folder, "written"), Path(folder, "later")
        try:
            code, expected, _ = asyncio.run(deployed(written, definitions(made, written_out=True)))
        except CompileError:
            return
        assert code == 0
        try:
            code, nodes, log = asyncio.run(deployed(later, definitions(made, written_out=False)))
        except CompileError:
            return
        begun = {
            line.partition(" ")[2]: number for number, line in enumerate(log) if line.startswith("begin")
        }
        ended = {line.partition(" ")[2]: number for number, line in enumerate(log) if line.startswith("end")}
        assert len(log) == 2 * len(begun) == 2 * len(ended)
        for name, number in begun.items():
            assert all(ended[to] < number for to in nodes[name]["depends_on"] if to in begun), name
        if code != 0:
            # A cycle through a list: found when the list is known, or when states wait for each other.
            assert {node["status"] for node in nodes.values()} & {"failed", "skipped"}
            return
        assert nodes.keys() == expected.keys()
        for name, node in nodes.items():
            assert node["status"] == "created", name
            assert node["outputs"] == expected[name]["outputs"]
            assert set(expected[name]["depends_on"]) <= set(node["depends_on"])
