"""`pkg.group_installed`: groups of packages, with dnf.

Source: Salt's state module `pkg`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.outcome import failure
from ensue.library.states.pkg.requested import KNOWN, OUTDATED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_OF_REPOSITORIES: Final = ("fromrepo", "enablerepo", "disablerepo")


@also_takes(*KNOWN, outdated=OUTDATED)
async def group_installed(
    ctx: StateContext,
    name: str,
    skip: list[str] | None = None,
    include: list[str] | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Install the mandatory and the default packages of a group.

    Args:
        name: the group, or an environment, by name or id.
        skip: default packages to leave out.
        include: optional packages to install as well.
        **kwargs: `fromrepo`, `enablerepo`, `disablerepo`; other arguments of Salt's have no effect.

    Example:
        Development Tools:
          pkg.group_installed:
            - include: [ruby-devel]

    Returns:
        `changes` has `{package: {old, new}}`; `new_state` has `group packages`.

    Raises:
        StateFailedError: the target has no such group, or a mandatory package is skipped.
    """
    for word, value in (("skip", skip), ("include", include)):
        if value is not None and not is_list(value):
            raise StateFailedError(f"{word} must be formatted as a list")
    skipped, included = {str(each) for each in skip or ()}, [str(each) for each in include or ()]
    members = await _members(ctx, name, skipped, kwargs)
    there: dict[str, str] = await ctx.call("pkg.list_pkgs")
    required = members["mandatory"]["not installed"] + [each for each in included if each not in there]
    missing = [*required, *(each for each in members["default"]["not installed"] if each not in skipped)]
    is_updated = any(members[kind]["installed"] for kind in ("mandatory", "default", "optional"))
    if not missing:
        comment = f"Group '{name}' is already installed"
        return StateReturn.unchanged(name, comment, _state(name, members, included, there))
    if ctx.test:
        planned = "is partially installed and will be updated" if is_updated else "will be installed"
        comment = f"Group '{name}' {planned}"
        changes: DataMap = {each: {"old": "", "new": "installed"} for each in missing}
        return StateReturn.planned(name, comment, changes)
    try:
        changes = await ctx.call("pkg.install", pkgs=missing, fromrepo=kwargs.get("fromrepo"))
    except StateFailedError as error:
        what = f"An error was encountered while installing/updating group '{name}'"
        return failure(name, what, error, {}, ())
    after: dict[str, str] = await ctx.call("pkg.list_pkgs")
    if failed := [each for each in required if each not in after]:
        comment = f"Failed to install the following packages: {', '.join(failed)}"
        return StateReturn.failed(name, comment, changes)
    comment = f"Group '{name}' was {'updated' if is_updated else 'installed'}"
    return StateReturn.changed(name, comment, changes, _state(name, members, included, after))


async def _members(
    ctx: StateContext, name: str, skipped: set[str], given: Mapping[str, Any]
) -> dict[str, dict[str, list[str]]]:
    """Return the installed and the missing packages of the group, by kind."""
    where = {word: given[word] for word in _OF_REPOSITORIES if given.get(word)}
    try:
        members: dict[str, dict[str, list[str]]] = await ctx.call("pkg.group_diff", name, **where)
    except NotAvailableError:
        raise StateFailedError("pkg.group_install not available for this platform") from None
    except StateFailedError as error:
        message = f"An error was encountered while installing/updating group '{name}': {error}."
        raise StateFailedError(message) from None
    mandatory = members["mandatory"]["installed"] + members["mandatory"]["not installed"]
    if wrong := [each for each in mandatory if each in skipped]:
        raise StateFailedError(f"The following mandatory packages cannot be skipped: {', '.join(wrong)}")
    return members


def _state(
    name: str, members: dict[str, dict[str, list[str]]], included: list[str], there: dict[str, str]
) -> DataMap:
    packages = {each for kind in members.values() for part in kind.values() for each in part} | {*included}
    return {"group": name, "packages": {each: there[each] for each in sorted(packages) if each in there}}
