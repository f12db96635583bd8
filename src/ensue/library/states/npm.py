"""State module `npm`: packages of Node.js, global or in a folder.

Source: Salt's state module `npm`, 3007: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def installed(
    ctx: StateContext,
    name: str,
    pkgs: list[str] | None = None,
    dir: str | None = None,  # noqa: A002 (Salt's argument)
    user: str | None = None,
    force_reinstall: bool = False,
    registry: str | None = None,
    env: dict[str, str] | None = None,
) -> StateReturn:
    """Install packages of Node.js.

    Args:
        name: the package (`gulp`, or `gulp@4.0.2`), or any name if `pkgs` is given.
        pkgs: several packages.
        dir: install in this folder; by default globally.
        user: user who runs npm on the target.
        force_reinstall: install packages again that are installed already.
        registry: URL of the registry.
        env: environment variables for npm.

    Example:
        pm2:
          npm.installed:
            - user: deploy

    Returns:
        `changes` has `old` (empty) and `new` (the packages).

    Raises:
        StateFailedError: npm failed.
    """
    requested = [name] if pkgs is None else [str(each) for each in pkgs]
    where: dict[str, Any] = {"dir": dir, "runas": user, "env": env}
    try:
        before: dict[str, DataMap] = await ctx.call("npm.list", **where)
    except StateFailedError as error:
        # In a plan, an earlier state may be about to install npm.
        comment = f"Error looking up '{name}': {error}"
        return StateReturn(name=name, result=None if ctx.test else False, comment=comment)
    missing = [each for each in requested if force_reinstall or not _is_there(each, before)]
    there = [each for each in requested if each not in missing]
    texts = [f"NPM package(s) '{', '.join(missing)}' are set to be installed"] if missing else []
    if there:
        satisfied = ", ".join(_shown(each, before) for each in there)
        texts.append(f"Package(s) '{', '.join(there)}' satisfied by {satisfied}")
    comment = ". ".join(texts)
    if not missing:
        state = _state(requested, before)
        return StateReturn.unchanged(name, comment, state)
    changes: DataMap = {"old": [], "new": [*missing]}
    if ctx.test:
        return StateReturn.planned(name, comment, changes)
    try:
        await ctx.call("npm.install", pkgs=missing, registry=registry, **where)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Error installing '{', '.join(missing)}': {error}")
    after: dict[str, DataMap] = await ctx.call("npm.list", **where)
    comment = f"Package(s) '{', '.join(requested)}' successfully installed"
    return StateReturn.changed(name, comment, changes, _state(requested, after))


async def removed(
    ctx: StateContext,
    name: str,
    dir: str | None = None,  # noqa: A002 (Salt's argument)
    user: str | None = None,
) -> StateReturn:
    """Remove a package of Node.js.

    Args:
        name: the package.
        dir: remove it from this folder; by default globally.
        user: user who runs npm on the target.

    Example:
        pm2:
          npm.removed

    Returns:
        `changes` has the package with `Removed`.

    Raises:
        StateFailedError: npm failed.
    """
    gone: DataMap = {"packages": {name: ""}, "exists": False}
    try:
        there: dict[str, DataMap] = await ctx.call("npm.list", dir=dir, runas=user)
    except StateFailedError as error:
        comment = f"Error uninstalling '{name}': {error}"
        return StateReturn(name=name, result=None if ctx.test else False, comment=comment)
    if name not in there:
        return StateReturn.unchanged(name, f"Package '{name}' is not installed", gone)
    if ctx.test:
        return StateReturn.planned(name, f"Package '{name}' is set to be removed")
    await ctx.call("npm.uninstall", name, dir=dir, runas=user)
    return StateReturn.changed(name, f"Package '{name}' was successfully removed", {name: "Removed"}, gone)


def _is_there(requested: str, packages: Mapping[str, DataMap]) -> bool:
    name, version = _split(requested)
    return name in packages and (not version or packages[name]["version"] == version)


def _split(requested: str) -> tuple[str, str]:
    """Return name and version; the name of a scoped package begins with `@`."""
    scope, rest = ("@", requested[1:]) if requested.startswith("@") else ("", requested)
    name, _, version = rest.partition("@")
    return scope + name, version


def _shown(requested: str, packages: Mapping[str, DataMap]) -> str:
    name, _ = _split(requested)
    return f"{name}@{packages[name]['version']!s}"


def _state(requested: Sequence[str], packages: Mapping[str, DataMap]) -> DataMap:
    names = [_split(each)[0] for each in requested]
    return {"packages": {name: str(packages.get(name, {}).get("version", "")) for name in names}}


FUNCTIONS: Final = placed(by_name(installed, removed), "dir")
ABSENT: Final = ("removed",)
