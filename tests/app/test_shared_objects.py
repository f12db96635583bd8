"""A removal never takes what another resource has, whatever was renamed, moved or deployed elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.contracts.deployment import DeploymentOrder
from ensue.core.errors import CompileError, ConfigurationError

DEFINITION = """\
kind: Definition
metadata: {{id: {id}}}
entity:
  type: thing
  driver_type: state
  driver_inputs:
    values:
      state: file.{function}
      name: {root}/out/{path}
      arguments: {{makedirs: true{condition}}}
      delete: {{{delete}}}
  criteria: [{{res_id: modules.web.externals.{id}}}]
---
"""
WORKLOAD = """\
kind: Definition
metadata: {id: workload}
entity: {type: workload, driver_type: echo, driver_inputs: {values: {}}, criteria: [{}]}
"""
PATHS = ("x", "y", "folder", "folder/x", "folder/deep/x")
DELETES = (
    "state: file.absent, name: {root}/out/{path}",
    "state: cmd.run, name: rm -rf {root}/out/{path}",
    "sls: no_{number}",
)


def things() -> Any:
    """Return what each resource of a deployment is about: its path, and how it is removed."""
    return st.dictionaries(
        st.sampled_from("abc"), st.tuples(st.sampled_from(PATHS), st.sampled_from(DELETES)), max_size=3
    )


def write(root: Path, resources: dict[str, tuple[str, str]], *, may_share: bool) -> None:
    """Write the Score file, and a definition for each resource; on a condition several may share a path."""
    texts = [
        DEFINITION.format(
            id=id_,
            function="directory" if path == "folder" else "managed",
            root=root,
            path=path,
            condition=", creates: /no/such/file" if may_share else "",
            delete=delete.format(root=root, path=path, number=PATHS.index(path)),
        )
        for id_, (path, delete) in resources.items()
    ]
    (root / "definitions").mkdir(exist_ok=True)
    (root / "definitions/all.yaml").write_text("".join([*texts, WORKLOAD]))
    (root / "states").mkdir(exist_ok=True)
    for number, path in enumerate(PATHS):
        (root / f"states/no_{number}.sls").write_text(f"{root}/out/{path}: file.absent\n")
    externals = ", ".join(f"{id_}: {{type: thing}}" for id_ in resources)
    (root / "score.yaml").write_text(
        "apiVersion: score.dev/v1b1\nmetadata: {name: web}\ncontainers: {main: {image: nginx}}\n"
        f"resources: {{{externals}}}\n"
    )


async def deployed(root: Path, env: str, *, destroy: bool, may_share: bool) -> None:
    """Deploy, or destroy; it may be refused."""
    order = DeploymentOrder(
        app="shop",
        env=env,
        env_type="development",
        files=() if destroy else (root / "score.yaml",),
        prune=not destroy,
        destroy=destroy,
        new_env=True,
    )
    async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
        with contextlib.suppress(CompileError, ConfigurationError):
            await project.deploy(order, RunOptions(), on_event=lambda _: None)
        owners: dict[str, str] = {}
        for context, record in await project.active_resources(None, None):
            if record.phase == "active" and record.cookie:
                path = record.cookie["made"]["name"]
                name = f"{record.key} of {context.env}"
                assert Path(path).exists(), (name, path)  # noqa: ASYNC240 -- a test
                assert owners.setdefault(path, name) == name or may_share, (owners[path], name, path)


@settings(max_examples=max(10, settings.get_profile("default").max_examples // 8))
@given(
    st.lists(st.tuples(st.sampled_from(["dev", "stage"]), things()), min_size=2, max_size=4), st.booleans()
)
def test_what_has_a_record_is_there(
    history: list[tuple[str, dict[str, tuple[str, str]]]], may_share: bool
) -> None:
    """After each deployment with --prune and each --destroy of two environments, done, failed or refused.

    Nor do two records have one path, unless the states may share it.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for env, resources in history:
            write(root, resources, may_share=may_share)
            asyncio.run(deployed(root, env, destroy=not resources, may_share=may_share))
