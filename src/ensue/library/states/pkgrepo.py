"""State module `pkgrepo`: package repositories of the target, with apt.

Notes:
    `pkgrepo` manages repositories of apt, in the one-line style and as deb822 (a `file` that ends in
    `.sources`). A key goes to the file that `signed-by` names, armoured if that ends in `.asc`, otherwise to
    `/etc/apt/trusted.gpg.d`. The managing minion fetches the key. A repository that does not answer is a
    warning.

Differences from Salt:
    `apt-key` is not used. If the key cannot be fetched, no empty file is left for the repository.

Source: Salt's state module `pkgrepo`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.pkg.package_lists import refresh_lists

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_KEYS: Final = ("key_url", "key_text", "keyid")
_KNOWN: Final = frozenset({
    "architectures", "clean_file", "comments", "comps", "disabled", "dist", "enabled", "file", "key_text",
    "key_url", "keyid", "keyserver", "refresh", "refresh_db", "signedby", "trusted",
})  # fmt: skip
_SILENT: Final = frozenset({
    "allow_insecure_key", "aptkey", "architecture", "baseurl", "consolidate", "copr", "gpgcheck", "gpgkey",
    "humanname", "keyid_ppa", "mirrorlist", "ppa_auth", "saltenv",
})  # fmt: skip
_LATER: Final = (
    "This may cause pkg states to behave differently than stated if this action is repeated without "
    "test=True, due to the differences in the configured repositories."
)
_COMPARED: Final = ("architectures", "comps", "disabled", "dist", "line", "signedby", "type", "uri")


@also_takes(*_KNOWN, *_SILENT, passes_others=True)
async def managed(ctx: StateContext, name: str, ppa: str | None = None, **kwargs: Any) -> StateReturn:
    """Configure a package repository, and the key that signs it.

    Args:
        name: its line in sources.list.
        ppa: a PPA (`owner/name`), instead of the line.
        **kwargs: `file` (where to write it); `comps`, `dist`, `architectures`, `signedby`, `trusted`,
            `comments`; `key_url`, `key_text`, or `keyid` (or a list) and `keyserver`; `disabled` or
            `enabled`; `clean_file: true` removes everything else from `file`; `refresh: false` does not fetch
            the package lists.

    Example:
        deb [signed-by=/etc/apt/keyrings/shop.asc] https://apt.example.com stable main:
          pkgrepo.managed:
            - file: /etc/apt/sources.list.d/shop.list
            - key_url: https://apt.example.com/key.asc

    Returns:
        `changes` has `repo` for a new repository, otherwise `{old, new}` for each difference.

    Raises:
        NotAvailableError: the target has no apt.
    """
    warnings = _remarks(kwargs)
    fault = _fault(kwargs)
    if fault:
        return StateReturn.failed(name, fault, warnings=warnings)
    repo = f"ppa:{ppa}" if ppa else name
    options = _options(kwargs)
    try:
        before: DataMap = await ctx.call("pkg.get_repo", repo, **options)
        plan: DataMap = await ctx.call("pkg.plan_repo", repo, **options)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Failed to examine repo '{name}': {error}", warnings=warnings)
    differences = _differences(before, plan)
    if before and not differences and not await _has_more(ctx, before, options):
        comment = f"Package repo '{name}' already configured"
        return StateReturn.unchanged(name, comment, before, warnings=warnings)
    changes: DataMap = differences if before else {"repo": repo}
    if ctx.test:
        comment = f"Package repo '{name}' would be configured. {_LATER}"
        return StateReturn.planned(name, comment, changes, warnings=warnings)
    try:
        await ctx.call("pkg.mod_repo", repo, **{**options, "refresh": False})
    except StateFailedError as error:
        return StateReturn.failed(name, f"Failed to configure repo '{name}': {error}", warnings=warnings)
    after: DataMap = await ctx.call("pkg.get_repo", repo, **options)
    warnings += await _refresh(ctx, options)
    comment = f"Configured package repo '{name}'"
    return StateReturn.changed(
        name, comment, changes or {"file": after["file"]}, after, old_state=before or None, warnings=warnings
    )


@also_takes(*_KNOWN, *_SILENT, passes_others=True)
async def absent(ctx: StateContext, name: str, ppa: str | None = None, **kwargs: Any) -> StateReturn:
    """Remove a package repository; its key stays.

    Args:
        name: its line in sources.list; options and components are ignored.
        ppa: a PPA (`owner/name`), instead of the line.
        **kwargs: `refresh: false` does not fetch the package lists; further arguments of `managed`.

    Example:
        shop:
          pkgrepo.absent:
            - file: /etc/apt/sources.list.d/shop.list

    Returns:
        `changes` has `repo`.

    Raises:
        NotAvailableError: the target has no apt.
    """
    repo = f"ppa:{ppa}" if ppa else name
    gone: DataMap = {"line": name, "exists": False}
    warnings = _remarks(kwargs)
    try:
        before: DataMap = await ctx.call("pkg.get_repo", repo)
        if not before:
            return StateReturn.unchanged(name, f"Package repo {name} is absent", gone, warnings=warnings)
        if ctx.test:
            comment = f"Package repo '{name}' will be removed. {_LATER}"
            return StateReturn.planned(name, comment, warnings=warnings)
        await ctx.call("pkg.del_repo", repo, refresh=False)
    except StateFailedError as error:
        return StateReturn.failed(name, f"Failed to configure repo '{name}': {error}", warnings=warnings)
    warnings += await _refresh(ctx, _options(kwargs))
    return StateReturn.changed(
        name, f"Removed repo {name}", {"repo": name}, gone, old_state=before, warnings=warnings
    )


async def _has_more(ctx: StateContext, before: DataMap, options: Mapping[str, Any]) -> bool:
    """Return whether `clean_file` must remove something."""
    if not options.get("clean_file"):
        return False
    repos: dict[str, list[DataMap]] = await ctx.call("pkg.list_repos")
    path = options.get("file") or before["file"]
    lines = [each["line"] for there in repos.values() for each in there if each["file"] == path]
    return lines != [before["line"]]


async def _refresh(ctx: StateContext, options: Mapping[str, Any]) -> tuple[str, ...]:
    """Fetch the package lists; as in Salt, a repository that does not answer is not a failure."""
    if not options.get("refresh_db", options.get("refresh", True)):
        return ()
    try:
        await refresh_lists(ctx, refresh=True)
    except StateFailedError as error:
        return (f"the package lists could not be fetched: {error}",)
    return ()


def _differences(before: DataMap, plan: DataMap) -> DataMap:
    differences: DataMap = {}
    for key in _COMPARED:
        old, new = before.get(key), plan.get(key)
        if _comparable(old) != _comparable(new) and key != "line":
            differences[key] = {"old": old, "new": new}
    if differences:
        differences["line"] = {"old": before.get("line"), "new": plan.get("line")}
    return differences


def _comparable(value: Data) -> object:
    if isinstance(value, list):
        return sorted(str(each) for each in value)
    return value.rstrip("/") if isinstance(value, str) else value


def _fault(given: Mapping[str, Any]) -> str:
    asked = [word for word in _KEYS if given.get(word)]
    if len(asked) > 1:
        names = {"keyid": '"keyid"/"keyserver"'}
        both = " and ".join(names.get(word, f'"{word}"') for word in reversed(asked[:2]))
        return f"You may not use both {both} argument."
    if "repo" in given:
        return (
            "'repo' is not a supported argument for this state. The 'name' argument is probably what was "
            "intended."
        )
    if given.get("enabled") is not None and given.get("disabled") is not None:
        return "Only one of enabled/disabled is allowed"
    if given.get("clean_file") and not given.get("file"):
        return "clean_file requires `file`"
    return ""


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in given.items() if word in _KNOWN and value is not None}


def _remarks(given: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"pkgrepo.managed: `{word}` has no effect" for word in sorted(set(given) - _KNOWN - _SILENT))


FUNCTIONS: Final = by_name(absent, managed, make_only=("paths",))
