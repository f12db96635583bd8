"""State module `virtualenv`: virtual environments of Python, and the packages in them.

Notes:
    `virtualenv.managed` uses `virtualenv` if the target has it, otherwise `python3 -m venv`. A plan does not
    ask pip what it would install.

Differences from Salt:
    `python3` is that of the target; Salt uses the Python that it runs on itself.
    `use_wheel`, `distribute`, `pip_download` and similar arguments have no effect, because pip no longer has
    them.

Source: Salt's state module `virtualenv`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

import os
import posixpath
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import with_accounts

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_PREFIX: Final = "/tmp/.ensue-requirements-"  # noqa: S108 (the name cannot be guessed, and the file is created atomically)


async def managed(
    ctx: StateContext,
    name: str,
    venv_bin: str | None = None,
    requirements: str | list[str] | None = None,
    *,
    system_site_packages: bool = False,
    distribute: bool = False,
    use_wheel: bool = False,  # pip has not had it since 10
    clear: bool = False,
    python: str | None = None,
    extra_search_dir: str | list[str] | None = None,
    never_download: bool | None = None,
    prompt: str | None = None,
    symlinks: bool | None = None,
    upgrade: bool | None = None,
    pip: bool = False,  # venv and virtualenv always install it
    user: str | None = None,
    cwd: str | None = None,
    index_url: str | None = None,
    extra_index_url: str | None = None,
    pre_releases: bool = False,
    no_deps: bool = False,
    pip_download: str | None = None,  # pip has not had it since 8
    pip_download_cache: str | None = None,  # pip has not had it since 8
    pip_exists_action: str | None = None,
    pip_ignore_installed: bool = False,
    proxy: str | None = None,
    use_vt: bool = False,
    env_vars: dict[str, Any] | None = None,
    no_use_wheel: bool = False,  # pip has not had it since 10
    pip_upgrade: bool = False,
    pip_pkgs: str | list[str] | None = None,
    pip_no_cache_dir: bool = False,
    pip_cache_dir: str | None = None,
    process_dependency_links: bool = False,  # pip has not had it since 19
    no_binary: str | list[str] | None = None,
) -> StateReturn:
    """Create a virtual environment, and install packages in it.

    Args:
        name: folder of the environment.
        venv_bin: `venv`, an interpreter, or the path of `virtualenv`; by default the target's `virtualenv`,
            or `venv` if it has none.
        requirements: a requirements file, `salt://…` or a path of the target, or a list of them.
        system_site_packages: give access to the system's packages.
        distribute: accepted, as in Salt, without effect.
        use_wheel: accepted, as in Salt, without effect.
        clear: empty the environment first, in each run.
        python: interpreter of the environment.
        extra_search_dir: folder in which `virtualenv` searches for wheels.
        never_download: do not let `virtualenv` download wheels.
        prompt: prompt of the shell.
        symlinks: link the interpreter where `venv` would copy it.
        upgrade: let `venv` update the environment to the current interpreter.
        pip: accepted, as in Salt, without effect.
        user: user who creates the environment and runs pip.
        cwd: folder to run pip in; by default that of the requirements file.
        index_url: package index for pip.
        extra_index_url: a further package index.
        pre_releases: accept pre-releases.
        no_deps: do not install dependencies.
        pip_download: accepted, as in Salt, without effect.
        pip_download_cache: accepted, as in Salt, without effect.
        pip_exists_action: action of pip if a path exists.
        pip_ignore_installed: ignore installed packages.
        proxy: proxy for pip.
        use_vt: accepted, as in Salt, without effect.
        env_vars: environment variables for pip.
        no_use_wheel: accepted, as in Salt, without effect.
        pip_upgrade: upgrade the packages.
        pip_pkgs: packages, a list or separated by commas.
        pip_no_cache_dir: disable the cache of pip.
        pip_cache_dir: cache folder of pip.
        process_dependency_links: accepted, as in Salt, without effect.
        no_binary: packages to build from source.

    Example:
        /srv/shop/venv:
          virtualenv.managed:
            - requirements: /srv/shop/requirements.txt
            - user: deploy

    Returns:
        `changes` has `new` (version of a new Python), `packages` (`new` and `old`), and for an emptied
        environment `old` and `cleared_packages`; `new_state` has `path`, and `packages` if pip was asked.

    Raises:
        StateFailedError: the target lacks the programs, or a requirements file does not exist.
    """
    program = posixpath.join(name, "bin", "python")
    exists = await ctx.connection.stat(program, follow=True) is not None
    if ctx.test:
        planned = await _planned(ctx, name, exists=exists, clear=clear, requirements=requirements)
        return await with_accounts(ctx.connection, planned, user=user) if planned.result is None else planned
    files = [requirements] if isinstance(requirements, str) else requirements or []
    contents = {each: await ctx.files.read(each) for each in files if "://" in each}
    changes: DataMap = {}
    comment = "virtualenv exists"
    if exists and clear:
        changes["cleared_packages"] = await ctx.call("pip.freeze", bin_env=name)
        changes["old"] = await _version(ctx, program)
    if not exists or clear:
        made = await ctx.call(
            "virtualenv.create", name, venv_bin, system_site_packages=system_site_packages,
            distribute=distribute, clear=clear, python=python, extra_search_dir=extra_search_dir,
            never_download=never_download, prompt=prompt, symlinks=symlinks, upgrade=upgrade, user=user,
        )  # fmt: skip
        if made["retcode"]:
            return StateReturn.failed(name, f"{made['stdout']}{made['stderr']}".strip())
        changes["new"] = await _version(ctx, program)
        comment = "Cleared existing virtualenv" if clear else "Created new virtualenv"
    new_state: DataMap = {"path": name}
    if not files and not pip_pkgs:
        return StateReturn.changed(name, comment, changes, new_state)
    options: dict[str, Any] = {
        "bin_env": name, "user": user, "cwd": cwd or _folder_of(files), "index_url": index_url,
        "extra_index_url": extra_index_url, "pre_releases": pre_releases, "exists_action": pip_exists_action,
        "ignore_installed": pip_ignore_installed, "upgrade": pip_upgrade, "no_deps": no_deps, "proxy": proxy,
        "env_vars": env_vars, "no_cache_dir": pip_no_cache_dir, "cache_dir": pip_cache_dir,
        "no_binary": no_binary,
    }  # fmt: skip
    before: list[str] = await ctx.call("pip.freeze", bin_env=name, user=user)
    async with _on_target(ctx, files, contents, user) as places:
        done: dict[str, Any] = await ctx.call("pip.install", pip_pkgs, [*places], **options)
    after: list[str] = await ctx.call("pip.freeze", bin_env=name, user=user)
    installed, removed = sorted({*after} - {*before}), sorted({*before} - {*after})
    if installed or removed:
        changes["packages"] = {"new": [*installed] or "", "old": [*removed] or ""}
    if done["retcode"]:
        comment = f"{comment}\n{done['stdout']}\n{done['stderr']}"
        return StateReturn.failed(name, comment, changes)
    new_state["packages"] = [*after]
    return StateReturn.changed(name, comment, changes, new_state)


async def _planned(
    ctx: StateContext, name: str, *, exists: bool, clear: bool, requirements: str | list[str] | None
) -> StateReturn:
    files = [requirements] if isinstance(requirements, str) else requirements or []
    for each in files:
        if each.startswith("salt://"):
            await ctx.files.read(each)
    if exists and not clear:
        # As in Salt, a plan does not ask pip what it would install.
        return StateReturn.unchanged(name, f"Virtualenv {name} is already created", {"path": name})
    what = "cleared" if exists else "created"
    return StateReturn.planned(name, f"Virtualenv {name} is set to be {what}")


def _folder_of(files: list[str]) -> str | None:
    """Return the folder of a requirements file on the target, which its includes are relative to."""
    first = files[0] if files else ""
    return posixpath.dirname(first) if first.startswith("/") else None


@asynccontextmanager
async def _on_target(
    ctx: StateContext, files: list[str], contents: dict[str, bytes], user: str | None
) -> AsyncGenerator[list[str]]:
    """Copy requirements files to the target, and remove the copies afterwards."""
    places = {each: f"{_PREFIX}{os.urandom(8).hex()}.txt" for each in contents}
    try:
        for each, place in places.items():
            await ctx.connection.write(place, contents[each], mode=0o600, user=user)
        yield [places.get(each, each) for each in files]
    finally:
        for place in places.values():
            await ctx.connection.remove(place)


async def _version(ctx: StateContext, program: str) -> str:
    done = await ctx.connection.run(Command(argv=[program, "-V"]))
    if done.returncode:
        raise StateFailedError(f"{program} does not run on {ctx.srn}: {done.stderr.decode(errors='replace')}")
    return (done.stdout or done.stderr).decode("utf-8", "replace").strip()


FUNCTIONS: Final = by_name(managed, manage=managed, make_only=("name", "paths"))
