"""Holds packages: upgrades leave them as they are.

Args:
    name: one package.

Source: Salt's execution module `pkg` (aptpkg), 3008: names and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.library.modules.pkg.manager import package_manager

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def list_holds(ctx: FunctionContext, **kwargs: Any) -> list[str]:
    """Return the names of packages that are held, sorted."""
    return await (await package_manager(ctx)).held(ctx)


async def hold(
    ctx: FunctionContext,
    name: str | None = None,
    pkgs: Sequence[str | Mapping[str, Any]] | None = None,
    **kwargs: Any,
) -> dict[str, DataMap]:
    """Hold packages: upgrades leave them as they are.

    Example:
        ensue call '*' pkg.hold nginx

    Returns:
        For each package `name`, `result`, `changes` and `comment`.

    Raises:
        StateFailedError: the packages cannot be held.
    """
    return await _settle(ctx, _names(name, pkgs), is_held=True)


async def unhold(
    ctx: FunctionContext,
    name: str | None = None,
    pkgs: Sequence[str | Mapping[str, Any]] | None = None,
    **kwargs: Any,
) -> dict[str, DataMap]:
    """Release held packages; arguments and return value are those of `hold`.

    Example:
        ensue call '*' pkg.unhold nginx
    """
    return await _settle(ctx, _names(name, pkgs), is_held=False)


async def _settle(ctx: FunctionContext, names: Sequence[str], *, is_held: bool) -> dict[str, DataMap]:
    manager = await package_manager(ctx)
    there = set(await manager.held(ctx))
    installed = await manager.installed(ctx)
    results: dict[str, DataMap] = {}
    for name in names:
        changes: DataMap = {}
        comment = f"Package {name} is already set {'to be' if is_held else 'not to be'} held."
        result: bool | None = True
        if name not in installed and is_held:
            result, comment = False, f"Package {name} is not installed, so it cannot be held."
        elif (name in there) is not is_held:
            changes = {"old": "install" if is_held else "hold", "new": "hold" if is_held else "install"}
            comment = f"Package {name} is {'now' if is_held else 'no longer'} being held."
            if ctx.test:
                result, changes = None, {}
                comment = f"Package {name} is set {'to be' if is_held else 'not to be'} held."
            else:
                await manager.hold(ctx, name, is_held=is_held)
        results[name] = {"name": name, "changes": changes, "result": result, "comment": comment}
    return results


def _names(name: str | None, pkgs: Sequence[str | Mapping[str, Any]] | None) -> list[str]:
    if pkgs is None:
        return [name] if name else []
    return [each if isinstance(each, str) else next(iter(each)) for each in pkgs]
