"""Manages packages with apt and dpkg.

A configuration file that was changed locally is kept, as with Salt; apt never prompts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from msgspec.structs import replace

from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.library.modules.pkg.manager import InstallOptions

_THERE: Final = frozenset("iWt")
"""States of a package that is there: installed, also while it awaits triggers or others await its own."""
_REMOVED: Final = frozenset("c")
_QUIET: Final = {
    "DEBIAN_FRONTEND": "noninteractive",
    "APT_LISTCHANGES_FRONTEND": "none",
    "APT_LISTBUGS_FRONTEND": "none",
    "UCF_FORCE_CONFFOLD": "1",
}
_APT_GET: Final = (
    "apt-get", "-q", "-y", "-o", "DPkg::Options::=--force-confold", "-o", "DPkg::Options::=--force-confdef",
    "-o", "DPkg::Lock::Timeout=120",
)  # fmt: skip
_FORMAT: Final = "${db:Status-Abbrev}\\t${Package}\\t${Architecture}\\t${Version}\\n"
_MADISON_COLUMNS: Final = 3
_FILE_NAME_PARTS: Final = 3
_UPGRADE: Final = re.compile(r"Inst (?P<name>\S+) \[[^\]]*\] \((?P<new>\S+)")


async def installed(ctx: FunctionContext, *, removed: bool = False) -> dict[str, list[str]]:
    """Return the installed versions by name; a package of a foreign architecture is `name:architecture`."""
    line = f"dpkg --print-architecture && dpkg-query -W -f '{_FORMAT}'"
    answer = await must(ctx, "sh", "-c", line, what="list the packages")
    native, *lines = answer.stdout.splitlines()
    versions: dict[str, list[str]] = {}
    for each in lines:
        status, name, architecture, version = each.split("\t")
        shown = name if architecture in {native, "all"} else f"{name}:{architecture}"
        if status[1:2] in (_REMOVED if removed else _THERE):
            versions.setdefault(shown, []).append(version)
    return versions


async def available(
    ctx: FunctionContext, names: Sequence[str], *, fromrepo: str | None = None
) -> dict[str, list[str]]:
    """Return the candidate first, then all versions as `apt-cache madison` lists them."""
    target = ["-t", fromrepo] if fromrepo else []
    policy = await must(ctx, "apt-cache", *target, "policy", *names, what="look up packages")
    madison = await ask(ctx, "apt-cache", "madison", *names)
    versions = {name: [version] for name, version in _candidates(policy.stdout).items()}
    for line in madison.stdout.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) == _MADISON_COLUMNS and columns[1] not in versions.get(columns[0], []):
            versions.setdefault(columns[0], []).append(columns[1])
    return versions


async def compare(ctx: FunctionContext, left: str, right: str) -> int:
    """Compare two versions as dpkg does."""
    for operator, result in (("lt", -1), ("eq", 0)):
        if (await ask(ctx, "dpkg", "--compare-versions", left, operator, right)).is_success:
            return result
    return 1


async def refreshed_at_s(ctx: FunctionContext) -> float | None:
    """Return when the package lists were last fetched, 0 if never."""
    times = [0.0]
    for path in ("/var/cache/apt/pkgcache.bin", "/var/lib/apt/lists/partial"):
        file_stat = await ctx.connection.stat(path)
        if file_stat is not None:
            times.append(file_stat.mtime_s)
    return max(times)


async def refresh(ctx: FunctionContext) -> None:
    """Fetch the package lists."""
    await must(ctx, "apt-get", "-q", "update", env=_QUIET, what="refresh the package lists", is_followed=True)


async def install(ctx: FunctionContext, requested: Mapping[str, str | None], options: InstallOptions) -> None:
    """Install or upgrade packages; a given version may be a downgrade."""
    flags: list[str] = ["-t", options.fromrepo] if options.fromrepo else []
    if any(requested.values()):
        flags.append("--allow-downgrades")
    if options.skip_verify:
        flags.append("--allow-unauthenticated")
    if options.install_recommends is not None:
        flags.append("--install-recommends" if options.install_recommends else "--no-install-recommends")
    flags += ["--only-upgrade"] if options.only_upgrade else []
    flags += ["--reinstall"] if options.reinstall else []
    flags += ["--download-only"] if options.download_only else []
    specs = [f"{name}={version}" if version else name for name, version in requested.items()]
    await must(
        ctx, *_APT_GET, *flags, "install", "--", *specs, env=_QUIET, what="install packages", is_followed=True
    )


async def remove(ctx: FunctionContext, names: Sequence[str], *, purge: bool) -> None:
    """Remove packages and what depends on them."""
    verb = "purge" if purge else "remove"
    await must(ctx, *_APT_GET, verb, "--", *names, env=_QUIET, what=f"{verb} packages", is_followed=True)


async def install_files(ctx: FunctionContext, paths: Sequence[str], options: InstallOptions) -> None:
    """Install packages from files, and their dependencies from the repositories."""
    await must(
        ctx,
        *_APT_GET,
        "--allow-downgrades",
        "install",
        "--",
        *paths,
        env=_QUIET,
        what="install packages",
        is_followed=True,
    )


async def provided(ctx: FunctionContext, names: Sequence[str]) -> set[str]:
    """Return the names that installed packages provide."""
    shown = await must(
        ctx, "dpkg-query", "-W", "-f", "${db:Status-Abbrev}\\t${Provides}\\n", what="list the packages"
    )
    lines = (line.partition("\t") for line in shown.stdout.splitlines())
    there = [
        part.split() for status, _, provides in lines if status[1:2] in _THERE for part in provides.split(",")
    ]
    return {words[0].partition(":")[0] for words in there if words} & {*names}


async def held(ctx: FunctionContext) -> list[str]:
    """Return the packages that are held, sorted."""
    return sorted((await must(ctx, "apt-mark", "showhold", what="list held packages")).stdout.split())


async def hold(ctx: FunctionContext, name: str, *, is_held: bool) -> None:
    """Hold a package, or release it."""
    verb = "hold" if is_held else "unhold"
    await must(ctx, "apt-mark", verb, "--", name, what=f"{verb} {name}")


async def download(
    ctx: FunctionContext, requested: Mapping[str, str | None], options: InstallOptions
) -> None:
    """Fetch packages into apt's cache. `reinstall` includes those that are installed already."""
    await install(ctx, requested, replace(options, reinstall=True, download_only=True))


async def downloaded(ctx: FunctionContext) -> dict[str, list[str]]:
    """Return the versions in apt's cache, from the names of its files."""
    listed = await ask(ctx, "find", "/var/cache/apt", "-name", "*.deb")
    versions: dict[str, list[str]] = {}
    for path in listed.stdout.splitlines():
        parts = path.rpartition("/")[2].removesuffix(".deb").split("_")
        if len(parts) == _FILE_NAME_PARTS:
            versions.setdefault(unquote(parts[0]), []).append(unquote(parts[1]))
    return versions


async def upgrades(ctx: FunctionContext, *, dist_upgrade: bool) -> dict[str, str]:
    """Return what a simulated upgrade would install."""
    verb = "dist-upgrade" if dist_upgrade else "upgrade"
    answer = await must(ctx, "apt-get", "-s", "-q", verb, env=_QUIET, what="look for upgrades")
    lines = (_UPGRADE.match(line) for line in answer.stdout.splitlines())
    return {match["name"]: match["new"] for match in lines if match}


async def upgrade(ctx: FunctionContext, *, dist_upgrade: bool) -> None:
    """Upgrade all packages."""
    verb = "dist-upgrade" if dist_upgrade else "upgrade"
    await must(ctx, *_APT_GET, verb, env=_QUIET, what="upgrade packages", is_followed=True)


def _candidates(policy: str) -> dict[str, str]:
    versions: dict[str, str] = {}
    name = ""
    for line in policy.splitlines():
        if line[:1] not in {"", " "}:
            name = line.rstrip(":")
        key, _, value = line.strip().partition(": ")
        if key == "Candidate" and value != "(none)":
            versions[name] = value
    return versions
