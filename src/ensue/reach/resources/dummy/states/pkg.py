"""State module `pkg` for dummies.

Source: Salt's state module `pkg`, 3008: names, texts and `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def installed(
    ctx: StateContext,
    name: str,
    *,
    version: str | float | None = None,
    pkgs: Sequence[str | dict[str, Any]] | None = None,
    **kwargs: Any,  # noqa: ARG001 (Salt takes more)
) -> StateReturn:
    """Install packages. The version of an installed package is changed only if the SLS names one.

    Args:
        ctx: the dummy.
        name: the package, or any name when `pkgs` is given.
        version: its version.
        pkgs: several packages, each a name or `name: version`.
        **kwargs: ignored.

    Returns:
        `changes` are `{name: {old, new}}`; `new_state` the versions by name.
    """
    requested = _wanted(name, pkgs, version)
    before: dict[str, str] = await ctx.call("pkg.list_pkgs")
    missing = {
        each: asked
        for each, asked in requested.items()
        if each not in before or asked not in (None, before[each])
    }
    there = _listed("are already installed", [each for each in requested if each not in missing])
    if not missing:
        comment = "All specified packages are already installed"
        return _same(name, comment, {each: before[each] for each in requested})
    if ctx.test:
        changes: DataMap = {
            each: {"old": before.get(each, ""), "new": asked or "1.0"} for each, asked in missing.items()
        }
        comment = "\n".join([_listed("would be installed/updated", missing), there]).strip()
        return StateReturn(name=name, result=None, changes=changes, comment=comment)
    changes = await ctx.call("pkg.install", pkgs=[{each: asked} for each, asked in missing.items()])
    after: dict[str, str] = await ctx.call("pkg.list_pkgs")
    return StateReturn(
        name=name,
        result=True,
        changes=changes,
        comment="\n".join([_listed("were installed/updated", missing), there]).strip(),
        new_state={each: after.get(each, "") for each in requested},
        old_state={each: before.get(each, "") for each in requested},
    )


async def removed(
    ctx: StateContext,
    name: str,
    *,
    pkgs: Sequence[str] | None = None,
    **kwargs: Any,  # noqa: ARG001 (Salt takes more)
) -> StateReturn:
    """Remove packages.

    Args:
        ctx: the dummy.
        name: the package, or any name when `pkgs` is given.
        pkgs: several packages.
        **kwargs: ignored.

    Returns:
        `changes` are `{name: {old, new}}`.
    """
    requested = [*_wanted(name, pkgs, None)]
    before: dict[str, str] = await ctx.call("pkg.list_pkgs")
    there = [each for each in requested if each in before]
    if not there:
        return _same(name, "All specified packages are already absent", dict.fromkeys(requested, ""))
    changes: DataMap = {each: {"old": before[each], "new": ""} for each in there}
    if ctx.test:
        comment = _listed("will be removed", there)
        return StateReturn(name=name, result=None, changes=changes, comment=comment)
    await ctx.call("pkg.remove", pkgs=there)
    return StateReturn(
        name=name,
        result=True,
        changes=changes,
        comment="All targeted packages were removed.",
        new_state=dict.fromkeys(requested, ""),
        old_state={each: before.get(each, "") for each in requested},
    )


def _wanted(
    name: str, pkgs: Sequence[str | dict[str, Any]] | None, version: str | float | None
) -> dict[str, str | None]:
    if pkgs is None:
        return {name: None if version is None else str(version)}
    requested: dict[str, str | None] = {}
    for package in pkgs:
        if isinstance(package, dict):
            requested |= {str(each): None if asked is None else str(asked) for each, asked in package.items()}
        else:
            requested[str(package)] = None
    return requested


def _same(name: str, comment: str, versions: Mapping[str, str]) -> StateReturn:
    return StateReturn(
        name=name, result=True, comment=comment, new_state=dict(versions), old_state=dict(versions)
    )


def _listed(what: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    return f"The following packages {what}: {', '.join(sorted(names))}" if names else ""


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "installed": installed,
    "latest": installed,
    "purged": removed,
    "removed": removed,
}
