"""`git.config_set` and `git.config_unset`: settings of git, for a repository or a user.

Source: Salt's state module `git`, 3008: the conditions for changes, `changes` and comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import with_accounts
from ensue.library.states.git.repository import WorkingCopy

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@also_takes("global")
async def config_set(
    ctx: StateContext,
    name: str,
    value: str | float | None = None,
    multivar: str | list[str] | None = None,
    repo: str | None = None,
    user: str | None = None,
    password: str | None = None,  # Salt's, for Windows
    output_encoding: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Set a setting of git.

    Args:
        name: the setting (`user.email`).
        value: value of the setting.
        multivar: several values instead of `value`, a list or separated by commas.
        repo: the repository.
        user: user who runs git; `global` settings are those of this user.
        **kwargs: `global: true` for a setting of the user.

    Example:
        user.email:
          git.config_set:
            - value: ops@example.com
            - global: true
            - user: deploy

    Returns:
        `changes` has `{setting: {old, new}}`, with lists; in a plan `old` and `new`.

    Raises:
        StateFailedError: the target has no git.
    """
    is_global = bool(kwargs.pop("global", False))
    fault = _fault(kwargs, repo, is_global=is_global)
    if (value is None) is (multivar is None):
        fault = "Only one of 'value' and 'multivar' is permitted" if multivar else "A value is required"
    if fault:
        return StateReturn.failed(name, fault)
    settings = _GitSettings(ctx, repo, user, is_global=is_global)
    requested = _values(value if multivar is None else multivar, is_one=multivar is None)
    shown = f"'{requested[0]}'" if multivar is None else str(requested)
    what = f"{'Global key ' if is_global else ''}'{name}'"
    new_state: DataMap = {"name": name, "values": [*requested], "repo": repo, "global": is_global}
    there = await settings.values(name)
    if there == requested:
        return StateReturn.unchanged(name, f"{what} is already set to {shown}", new_state)
    verb = "added as" if there is None else "set to"
    old: Data = None if there is None else [*there]
    if ctx.test:
        changes: DataMap = {"old": old, "new": [*requested]}
        planned = StateReturn.planned(name, f"{what} would be {verb} {shown}", changes)
        return await with_accounts(ctx.connection, planned, user=user)
    try:
        await settings.replace(name, requested)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Failed to set {what} to {shown}: {error}")
    return StateReturn.changed(
        name, f"{what} was {verb} {shown}", {name: {"old": old, "new": [*requested]}}, new_state
    )


@also_takes("global", "all")
async def config_unset(
    ctx: StateContext,
    name: str,
    value_regex: str | None = None,
    repo: str | None = None,
    user: str | None = None,
    password: str | None = None,  # Salt's, for Windows
    output_encoding: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Remove settings of git.

    Args:
        name: the setting, or a regular expression that matches whole names.
        value_regex: remove only values that this regular expression matches.
        repo: the repository.
        user: user who runs git; `global` settings are those of this user.
        **kwargs: `global: true` for settings of the user; `all: true` to remove several values of one
            setting.

    Example:
        user.email:
          git.config_unset:
            - global: true
            - user: deploy

    Returns:
        `changes` has the removed values by setting.

    Raises:
        StateFailedError: the target has no git.
    """
    is_global, is_all = bool(kwargs.pop("global", False)), bool(kwargs.pop("all", False))
    fault = _fault(kwargs, repo, is_global=is_global)
    if fault:
        return StateReturn.failed(name, fault)
    settings = _GitSettings(ctx, repo, user, is_global=is_global)
    gone: DataMap = {"name": name, "repo": repo, "global": is_global, "exists": False}
    matching = await settings.matching(name, value_regex)
    if not matching:
        return StateReturn.unchanged(name, "No matching keys are set", gone)
    several = [f"{key} ({', '.join(values)})" for key, values in matching.items() if len(values) > 1]
    if several and not is_all:
        comment = (
            "Multivar(s) matched by the key expression (set 'all' to True to force removal): "
            if value_regex is None
            else "Multiple values are matched by value_regex for the following keys (set 'all' to True to "
            "force removal): "
        )
        return StateReturn.failed(name, comment + "; ".join(several))
    changes: DataMap = {key: [*values] for key, values in matching.items()}
    if ctx.test:
        return StateReturn.planned(name, f"{len(matching)} key(s) would have value(s) unset", changes)
    try:
        for key in matching:
            await settings.unset(key, value_regex)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Error(s) occurred unsetting values: {error}")
    return StateReturn.changed(name, "Value(s) successfully unset", changes, gone)


class _GitSettings:
    """The settings of a repository or a user."""

    def __init__(self, ctx: StateContext, repo: str | None, user: str | None, *, is_global: bool) -> None:
        self._ctx = ctx
        self._user = user
        self._git = WorkingCopy(ctx=ctx, path=repo or "/", user=user, identities=())
        self._is_inside = not is_global
        self._words = ("--global",) if is_global else ("--local",)

    async def values(self, name: str) -> list[str] | None:
        """Return the values of a setting, None if it is not set."""
        return (await self.all()).get(_normal(name))

    async def matching(self, pattern: str, value_pattern: str | None) -> dict[str, list[str]]:
        """Return the settings whose name matches, with those of their values that match."""
        name = re.compile(pattern.lstrip("^").rstrip("$"), re.IGNORECASE)
        values_by_key: dict[str, list[str]] = {}
        for key, values in (await self.all()).items():
            if name.fullmatch(key):
                values_by_key[key] = [
                    each for each in values if not value_pattern or re.search(value_pattern, each)
                ]
        return {key: values for key, values in values_by_key.items() if values}

    async def all(self) -> dict[str, list[str]]:
        """Return all settings; a missing file has none."""
        if not await self._home():
            return {}
        done = await self._git.run("config", *self._words, "--list", "--null", is_inside=self._is_inside)
        values_by_key: dict[str, list[str]] = {}
        for entry in filter(None, done.stdout.decode("utf-8", "replace").split("\0")):
            key, _, value = entry.partition("\n")
            values_by_key.setdefault(key, []).append(value)
        return values_by_key

    async def replace(self, name: str, values: list[str]) -> None:
        """Replace the values of a setting."""
        await self._must("--replace-all", name, values[0])
        for value in values[1:]:
            await self._must("--add", name, value)

    async def unset(self, name: str, value_pattern: str | None) -> None:
        """Remove the matching values of a setting."""
        await self._must("--unset-all", name, *([value_pattern] if value_pattern else []))

    async def _must(self, *words: str) -> None:
        home = await self._home()
        if not home:
            raise StateFailedError(f"user {self._user} does not exist")
        what = "git config failed"
        await self._git.must(what, "config", *self._words, *words, is_inside=self._is_inside)

    async def _home(self) -> bool:
        """Return whether the user of these settings exists."""
        return self._user is None or bool(await self._ctx.call("user.info", self._user))


def _fault(unknown: dict[str, Any], repo: str | None, *, is_global: bool) -> str:
    if unknown:
        return f"The following keyword arguments are not valid: {', '.join(sorted(unknown))}"
    if not is_global and not repo:
        return "Non-global config options require the 'repo' argument to be set"
    return ""


def _values(given: object, *, is_one: bool) -> list[str]:
    if is_list(given):
        return [_shown(each) for each in given]
    return [_shown(given)] if is_one else str(given).split(",")


def _shown(value: object) -> str:
    # YAML's true is written as git's true, not as Python's True.
    return str(value).lower() if isinstance(value, bool) else str(value)


def _normal(name: str) -> str:
    """Return a setting's name as git lists it: section and key in lower case, the subsection unchanged."""
    section, _, rest = name.partition(".")
    between, dot, key = rest.rpartition(".")
    return f"{section.lower()}.{between}{dot}{key.lower()}"
