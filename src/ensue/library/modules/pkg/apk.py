"""Manages packages with apk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.errors import NotAvailableError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.library.modules.pkg.manager import InstallOptions

_NAMED: Final = re.compile(r"(?P<name>.+)-(?P<version>\d[^-]*(?:-r\d+)?)\Z")
_INSTALLED: Final = "lib/apk/db/installed"
_ORDER: Final = {"<": -1, "=": 0, ">": 1}


async def installed(ctx: FunctionContext, *, removed: bool = False) -> dict[str, list[str]]:
    """Return the installed versions by name; apk leaves nothing behind when it removes a package."""
    if removed:
        return {}
    answer = await must(ctx, "apk", "info", "-v", what="list the packages")
    versions: dict[str, list[str]] = {}
    for line in answer.stdout.splitlines():
        match = _NAMED.match(line.strip())
        if match:
            versions[match["name"]] = [match["version"]]
    return versions


async def available(
    ctx: FunctionContext, names: Sequence[str], *, fromrepo: str | None = None
) -> dict[str, list[str]]:
    """Return the versions in the repositories, newest first."""
    repository = ["--repository", fromrepo] if fromrepo else []
    answer = await must(ctx, "apk", *repository, "policy", *names, what="look up packages")
    versions_by_name: dict[str, list[str]] = {}
    for name, versions in _offers(answer.stdout).items():
        newest_first: list[str] = []
        for version in versions:
            place = 0
            while place < len(newest_first) and await compare(ctx, newest_first[place], version) > 0:
                place += 1
            newest_first.insert(place, version)
        if newest_first:
            versions_by_name[name] = newest_first
    return versions_by_name


async def compare(ctx: FunctionContext, left: str, right: str) -> int:
    """Compare two versions as apk does."""
    answer = await must(ctx, "apk", "version", "-t", left, right, what="compare versions")
    return _ORDER[answer.stdout.strip()]


async def refreshed_at_s(ctx: FunctionContext) -> float | None:
    """Return when the package lists were last fetched, 0 if never."""
    newest = 0.0
    folder = "/var/cache/apk"
    if await ctx.connection.stat(folder, follow=True) is None:
        return newest
    for name in await ctx.connection.list_directory(folder):
        file_stat = await ctx.connection.stat(f"{folder}/{name}")
        if file_stat is not None and name.startswith("APKINDEX"):
            newest = max(newest, file_stat.mtime_s)
    return newest


async def refresh(ctx: FunctionContext) -> None:
    """Fetch the package lists."""
    await must(ctx, "apk", "update", what="refresh the package lists", is_followed=True)


async def install(ctx: FunctionContext, requested: Mapping[str, str | None], options: InstallOptions) -> None:
    """Install or upgrade packages."""
    flags = ["--repository", options.fromrepo] if options.fromrepo else []
    flags += ["--allow-untrusted"] if options.skip_verify else []
    specs = [f"{name}={version}" if version else name for name, version in requested.items()]
    verb = ["fix", "--reinstall"] if options.reinstall else ["add", "--upgrade"]
    await must(ctx, "apk", *flags, *verb, *specs, what="install packages", is_followed=True)


async def remove(ctx: FunctionContext, names: Sequence[str], *, purge: bool) -> None:
    """Remove packages."""
    flags = ["--purge"] if purge else []
    await must(ctx, "apk", "del", *flags, *names, what="remove packages", is_followed=True)


async def install_files(ctx: FunctionContext, paths: Sequence[str], options: InstallOptions) -> None:
    """Install packages from files, and their dependencies from the repositories."""
    flags = ["--allow-untrusted"] if options.skip_verify else []
    await must(ctx, "apk", *flags, "add", *paths, what="install packages", is_followed=True)


async def provided(ctx: FunctionContext, names: Sequence[str]) -> set[str]:
    """Return the names that installed packages provide."""
    return {name for name in names if (await ask(ctx, "apk", "info", "-e", name)).is_success}


async def held(ctx: FunctionContext) -> list[str]:
    """Refuse: apk can pin packages in its world file, but not hold them."""
    raise NotAvailableError(f"packages of {ctx.srn} cannot be held: apk does not support it")


async def hold(ctx: FunctionContext, name: str, *, is_held: bool) -> None:
    """Refuse, as `held` does."""
    await held(ctx)


async def download(
    ctx: FunctionContext, requested: Mapping[str, str | None], options: InstallOptions
) -> None:
    """Refuse, as `downloaded` does."""
    await downloaded(ctx)


async def downloaded(ctx: FunctionContext) -> dict[str, list[str]]:
    """Refuse: apk has a cache only where an administrator has set one up."""
    raise NotAvailableError(f"packages of {ctx.srn} cannot be downloaded only: apk does not support it")


async def upgrades(ctx: FunctionContext, *, dist_upgrade: bool) -> dict[str, str]:  # apk knows one kind
    """Return what an upgrade would install."""
    answer = await must(ctx, "apk", "version", "-l", "<", what="look for upgrades")
    versions: dict[str, str] = {}
    for line in answer.stdout.splitlines():
        there, mark, new = line.partition(" < ")
        if mark:
            versions[_named(there.strip())] = new.strip()
    return versions


async def upgrade(ctx: FunctionContext, *, dist_upgrade: bool) -> None:  # apk knows one kind
    """Upgrade all packages."""
    await must(ctx, "apk", "upgrade", what="upgrade packages", is_followed=True)


def _named(shown: str) -> str:
    match = _NAMED.match(shown)
    return match["name"] if match else shown


def _offers(policy: str) -> dict[str, list[str]]:
    """Return the versions that come from a repository, by package name."""
    versions: dict[str, list[str]] = {}
    name = version = ""
    for line in policy.splitlines():
        if not line.startswith(" "):
            name = line.strip().removesuffix(" policy:")
        elif not line.startswith("    "):
            version = line.strip().rstrip(":")
        elif line.strip() != _INSTALLED and version not in versions.setdefault(name, []):
            versions[name].append(version)
    return versions
