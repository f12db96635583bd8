"""`pkg` for dummies: packages are lines of a file, and every requested version is available.

Source: Salt 3008, resource type `dummy`, its module `pkg`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.reach.resources.dummy.connection import DummyConnection

NEW_VERSION: Final = "1.0"
"""The version that is installed if none is requested."""


async def list_pkgs(ctx: FunctionContext, **kwargs: Any) -> dict[str, str]:  # noqa: ARG001 (Salt takes more)
    """Return the versions of all packages by name."""
    return await _dummy(ctx).packages()


async def version(ctx: FunctionContext, *names: str, **kwargs: Any) -> str | dict[str, str]:  # noqa: ARG001 (Salt takes more)
    """Return the version of a package, empty if it is not installed; for several, a mapping by name."""
    packages = await _dummy(ctx).packages()
    versions = {name: packages.get(name, "") for name in names}
    return versions[names[0]] if len(names) == 1 else versions


async def latest_version(ctx: FunctionContext, *names: str, **kwargs: Any) -> str | dict[str, str]:  # noqa: ARG001 (Salt takes more)
    """Return the version that would be installed, empty for an installed package."""
    packages = await _dummy(ctx).packages()
    versions = {name: "" if name in packages else NEW_VERSION for name in names}
    return versions[names[0]] if len(names) == 1 else versions


async def is_installed(ctx: FunctionContext, name: str) -> bool:
    """Return whether a package is installed."""
    return name in await _dummy(ctx).packages()


async def install(
    ctx: FunctionContext,
    name: str | None = None,
    version: str | float | None = None,
    pkgs: Sequence[str | dict[str, Any]] | None = None,
    **kwargs: Any,  # noqa: ARG001 (Salt takes more)
) -> dict[str, dict[str, str]]:
    """Install packages.

    Args:
        ctx: the dummy.
        name: a package.
        version: its version.
        pkgs: several packages, each a name or `name: version`.
        **kwargs: ignored.

    Returns:
        `{name: {old, new}}` of what changed.
    """
    before = await _dummy(ctx).packages()
    requested: dict[str, str | None] = {}
    for package in pkgs if pkgs is not None else [{str(name): version}]:
        requested |= {
            str(each): None if asked is None else str(asked)
            for each, asked in (package.items() if isinstance(package, dict) else [(package, None)])
        }
    after = {each: asked or before.get(each) or NEW_VERSION for each, asked in requested.items()}
    changed = {each: now for each, now in after.items() if before.get(each) != now}
    if changed:
        await _dummy(ctx).change_packages(dict(changed))
    return {each: {"old": before.get(each, ""), "new": now} for each, now in changed.items()}


async def remove(
    ctx: FunctionContext,
    name: str | None = None,
    pkgs: Sequence[str] | None = None,
    **kwargs: Any,  # noqa: ARG001 (Salt takes more)
) -> dict[str, dict[str, str]]:
    """Remove packages; return `{name: {old, new}}` of what changed."""
    before = await _dummy(ctx).packages()
    gone = [each for each in (pkgs if pkgs is not None else [str(name)]) if each in before]
    if gone:
        await _dummy(ctx).change_packages(dict.fromkeys(gone))
    return {each: {"old": before[each], "new": ""} for each in gone}


async def upgrade(ctx: FunctionContext, **kwargs: Any) -> dict[str, dict[str, str]]:  # noqa: ARG001 (every function is given it)
    """Do nothing: a dummy's packages are always the newest."""
    return {}


async def refresh_db(ctx: FunctionContext, **kwargs: Any) -> bool:  # noqa: ARG001 (every function is given it)
    """Do nothing: there is no package database."""
    return True


def _dummy(ctx: FunctionContext) -> DummyConnection:
    return cast("DummyConnection", ctx.connection)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "available_version": latest_version,
    "install": install,
    "is_installed": is_installed,
    "latest_version": latest_version,
    "list_pkgs": list_pkgs,
    "list_upgrades": upgrade,
    "purge": remove,
    "refresh_db": refresh_db,
    "remove": remove,
    "upgrade": upgrade,
    "version": version,
}
