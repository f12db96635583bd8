"""Candidates for shell completion: SLS names, run ids, resource names, targets.

A key press must never show an error, so after any error there are no candidates.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.cli.options import common_options
from ensue.core.model.data import leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import click

    from ensue.app.project import AppProject
    from ensue.deploy.provisioning.environment_sets import Names

_MOST: Final = 500
"""The most candidates that are offered; a file tree may be large."""

_DEEPEST: Final = 8


def _safely(find: Callable[[Path], Iterable[str]], ctx: click.Context, incomplete: str) -> list[str]:
    try:
        candidates = (name for name in find(common_options(ctx).root) if name.startswith(incomplete))
        return sorted({name for name, _ in zip(candidates, range(_MOST), strict=False) if name.isprintable()})
    except BaseException:  # noqa: BLE001 -- see the module's docstring
        return []


def complete_sls(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 -- click's signature
    """Return SLS names of the project's state folders, and .sls files of the working directory."""
    return _safely(_sls_names, ctx, incomplete)


def complete_part(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 -- click's signature
    """Return SLS names, after `sls:` and commas as well; IDs and tags are known once SLS are rendered."""
    lead, comma, word = incomplete.rpartition(",")
    prefix = "sls:" if word.startswith("sls:") else ""
    names = _safely(_sls_names_alone, ctx, word.removeprefix(prefix))
    return [f"{lead}{comma}{prefix}{name}" for name in names]


def complete_run(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 -- click's signature
    """Return the ids of earlier runs."""
    return _safely(lambda root: (run.run_id for run in _open(root).runs()), ctx, incomplete)


def complete_srn(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 -- click's signature
    """Return the names of all resources."""
    return _safely(_srns, ctx, incomplete)


def complete_target(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 -- click's signature
    """Return the beginnings of a target expression: ids, and names after `T@`."""
    if incomplete.startswith("T@"):
        return [f"T@{name}" for name in _safely(_srns, ctx, incomplete.removeprefix("T@"))]
    return _safely(lambda root: (name.partition(":")[2] for name in _srns(root)), ctx, incomplete)


def complete_workload(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 -- click's signature
    """Return the workloads of the environment that the command line names."""
    return _safely(lambda root: _deployed(root, ctx).workloads, ctx, incomplete)


def complete_shared(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 -- click's signature
    """Return the shared resources of the environment that the command line names."""
    return _safely(lambda root: _deployed(root, ctx).shared, ctx, incomplete)


def complete_deployment(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 -- click's signature
    """Return the numbers of the deployments of the environment that the command line names."""
    return _safely(lambda root: _numbers(root, ctx), ctx, incomplete)


def _deployed(root: Path, ctx: click.Context) -> Names:
    """Return what was deployed last in the environment that the command line names."""
    import asyncio

    from ensue.deploy.provisioning.identity import Context

    given = {name: ctx.params.get(name) or "" for name in ("app", "env", "env_type", "org")}

    async def work(project: AppProject) -> Names:
        async with project:
            return (await project.kept_deployment(Context(**given), 0)).set.names

    return asyncio.run(work(_open(root)))


def _numbers(root: Path, ctx: click.Context) -> list[str]:
    """Return the numbers of the deployments of the environment that the command line names."""
    import asyncio

    async def work(project: AppProject) -> list[str]:
        async with project:
            given = (ctx.params.get(name) for name in ("app", "env", "org"))
            return [str(record.number) for _, record in await project.deployment_records(*given)]

    return asyncio.run(work(_open(root)))


def _sls_names_alone(root: Path) -> Iterator[str]:
    for folder in _state_folders(root):
        yield from _names_below(folder, (), 0)


def _sls_names(root: Path) -> Iterator[str]:
    yield from _sls_names_alone(root)
    for entry in os.scandir("."):
        if entry.name.endswith(".sls") and entry.is_file():
            yield entry.name


def _names_below(folder: Path, above: tuple[str, ...], depth: int) -> Iterator[str]:
    if depth > _DEEPEST or not folder.is_dir():
        return
    for entry in sorted(os.scandir(folder), key=lambda listed: listed.name):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _names_below(Path(entry.path), (*above, entry.name), depth + 1)
        elif entry.name == "init.sls" and above:
            yield ".".join(above)
        elif entry.name.endswith(".sls") and (above or entry.name != "top.sls"):
            yield ".".join((*above, entry.name.removesuffix(".sls")))


def _state_folders(root: Path) -> list[Path]:
    """Return the folders of all environments; YAML is read only where ensue.yaml names some."""
    options = root / "ensue.yaml"
    if not options.is_file() or b"file_roots" not in options.read_bytes():
        return [root / "states"]
    import yaml

    data: Any = yaml.safe_load(options.read_text(encoding="utf-8"))
    # A folder, a list of folders, or a mapping of environments to them.
    return [root / str(folder) for folder in leaves(data["file_roots"])]


def _srns(root: Path) -> list[str]:
    import asyncio

    async def work(project: AppProject) -> list[str]:
        async with project:
            return [str(record.srn) for record in await project.resources()]

    return asyncio.run(work(_open(root)))


def _open(root: Path) -> AppProject:
    from ensue.app.project import AppProject, ProjectOptions

    return AppProject.open(root, ProjectOptions())
