"""Execution module `npm`: packages of Node.js, global or in a folder.

Args:
    runas: the user who runs npm.
    env: environment variables.
    **kwargs: accepted as by Salt, without effect.

Source: Salt's execution module `npm`, 3008: names and return values; npm-install(1).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_NOT_FOUND: Final = 127


async def list_(
    ctx: FunctionContext,
    pkg: str | None = None,
    dir: str | None = None,  # noqa: A002 (Salt's argument)
    runas: str | None = None,
    env: Mapping[str, str] | None = None,
    depth: int = 0,
    **kwargs: Any,
) -> DataMap:
    """Return the installed packages by name, each with its `version`.

    Args:
        pkg: only this package.
        dir: the folder whose packages to list; None lists the global ones.
        depth: 0 leaves out the packages that were installed as dependencies.

    Raises:
        StateFailedError: npm is not installed, or fails.
    """
    words = [
        "list",
        "--json",
        "--silent",
        f"--depth={depth}",
        *([] if dir else ["--global"]),
        *([pkg] if pkg else []),
    ]
    done = await _run(ctx, words, dir, runas, env)
    # npm exits with 1 if a package is missing or superfluous, but still lists the rest.
    if not done.stdout.strip():
        raise StateFailedError(f"cannot list the packages of Node.js on {ctx.srn}: {_message_of(done)}")
    packages: dict[str, DataMap] = json.loads(done.stdout).get("dependencies", {})
    return {name: about for name, about in packages.items() if "version" in about}


async def install(
    ctx: FunctionContext,
    pkg: str | None = None,
    pkgs: Sequence[str] | None = None,
    dir: str | None = None,  # noqa: A002 (Salt's argument)
    runas: str | None = None,
    registry: str | None = None,
    env: Mapping[str, str] | None = None,
    **kwargs: Any,
) -> str:
    """Install packages.

    Args:
        pkg: one package (`gulp@4`); without `pkg` and `pkgs`, those of the folder's package.json.
        pkgs: several packages.
        dir: the folder to install into; None installs globally.
        registry: the URL of the registry.

    Example:
        ensue call '*' npm.install pm2

    Returns:
        The output of npm.

    Raises:
        StateFailedError: npm is not installed, or fails.
    """
    words = ["install", "--silent", *([] if dir else ["--global"])]
    words += [f"--registry={registry}"] if registry else []
    return await _must(ctx, [*words, *(pkgs or ([pkg] if pkg else []))], dir, runas, env)


async def uninstall(
    ctx: FunctionContext,
    pkg: str,
    dir: str | None = None,  # noqa: A002 (Salt's argument)
    runas: str | None = None,
    env: Mapping[str, str] | None = None,
    **kwargs: Any,
) -> bool:
    """Uninstall a package; returns whether npm succeeded.

    Args:
        pkg: the package.
        dir: the folder that it is installed in; None for a global one.

    Example:
        ensue call '*' npm.uninstall pm2
    """
    words = ["uninstall", "--silent", *([] if dir else ["--global"]), pkg]
    await _must(ctx, words, dir, runas, env)
    return True


async def _must(
    ctx: FunctionContext,
    words: Sequence[str],
    folder: str | None,
    runas: str | None,
    env: Mapping[str, str] | None,
) -> str:
    done = await _run(ctx, words, folder, runas, env)
    if done.returncode:
        raise StateFailedError(f"cannot {words[0]} packages of Node.js on {ctx.srn}: {_message_of(done)}")
    return done.stdout.decode("utf-8", "replace")


async def _run(
    ctx: FunctionContext,
    words: Sequence[str],
    folder: str | None,
    runas: str | None,
    env: Mapping[str, str] | None,
) -> Completed:
    variables: dict[str, str | None] = {**(env or {}), "LC_ALL": "C.UTF-8"}
    is_followed = words[0] == "install"
    command = Command(
        argv=["npm", *words], cwd=folder or "/", user=runas, env=variables, is_followed=is_followed
    )
    done = await ctx.connection.run(command)
    if done.returncode == _NOT_FOUND:
        raise StateFailedError(f"{ctx.srn} has no program `npm`; install it there")
    return done


def _message_of(done: Completed) -> str:
    return (done.stderr or done.stdout).decode("utf-8", "replace").strip() or f"exit code {done.returncode}"


FUNCTIONS: Final = by_name(install, list_, uninstall)
