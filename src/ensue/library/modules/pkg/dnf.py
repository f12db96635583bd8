"""Manages packages with dnf and rpm. A version includes its epoch unless that is 0."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.library.modules.pkg.manager import InstallOptions

_DNF: Final = ("dnf", "-y", "-q")
_RPM_FORMAT: Final = "%{NAME}\\t%{EPOCHNUM}:%{VERSION}-%{RELEASE}\\n"
_QUERY_FORMAT: Final = "%{name}\\t%{epoch}:%{version}-%{release}\\n"
_SORT: Final = (
    "%%{lua:local t={%s}; table.sort(t,function(a,b) for i=1,3 do local c=rpm.vercmp(a[i],b[i]); "
    "if c~=0 then return c>0 end end return false end); for _,v in ipairs(t) do print(v[4]..' ') end}"
)
"""Sorts versions, given as epoch, version, release and index, newest first, and prints their indices."""

_CACHED: Final = (
    "find /var/cache/dnf /var/cache/libdnf5 /var/cache/yum -name '*.rpm' "
    """-exec rpm -qp --nosignature --nodigest --qf "$1" {} +"""
)

_LOCKED: Final = re.compile(r"(?P<name>\S+?)-(?:\d+:)?[^-\s]+-[^-\s]+(?:\.\*)?$")


async def installed(ctx: FunctionContext, *, removed: bool = False) -> dict[str, list[str]]:
    """Return the installed versions by name; rpm leaves nothing behind when it removes a package."""
    if removed:
        return {}
    answer = await must(ctx, "rpm", "-qa", "--qf", _RPM_FORMAT, what="list the packages")
    return _versions(answer.stdout)


async def available(
    ctx: FunctionContext, names: Sequence[str], *, fromrepo: str | None = None
) -> dict[str, list[str]]:
    """Return the versions in the enabled repositories, newest first."""
    answer = await must(
        ctx, *_DNF, *_repositories(fromrepo), "repoquery", "--qf", _QUERY_FORMAT, *names,
        what="look up packages",
    )  # fmt: skip
    return await _newest_first(ctx, _versions(answer.stdout))


async def compare(ctx: FunctionContext, left: str, right: str) -> int:
    """Compare versions as rpm does: by epoch, version and release, ignoring a part that one of them lacks."""
    for mine, other in zip(_parts(left), _parts(right), strict=True):
        if mine and other and mine != other:
            answer = await must(
                ctx, "rpm", "--eval", f"%{{lua:print(rpm.vercmp('{_plain(mine)}', '{_plain(other)}'))}}",
                what="compare versions",
            )  # fmt: skip
            result = int(answer.stdout.strip())
            if result:
                return result
    return 0


async def refreshed_at_s(ctx: FunctionContext) -> float | None:
    """Return None: dnf refreshes outdated metadata itself."""
    return None


async def refresh(ctx: FunctionContext) -> None:
    """Fetch the repositories' metadata."""
    await must(ctx, *_DNF, "makecache", what="refresh the package lists", is_followed=True)


async def install(ctx: FunctionContext, requested: Mapping[str, str | None], options: InstallOptions) -> None:
    """Install or upgrade packages; a given version may be a downgrade."""
    flags = _repositories(options.fromrepo)
    flags += ["--nogpgcheck"] if options.skip_verify else []
    if options.install_recommends is not None:
        flags.append(f"--setopt=install_weak_deps={options.install_recommends}")
    specs = [
        f"{name}-{version.removeprefix('0:')}" if version else name for name, version in requested.items()
    ]
    flags += ["--downloadonly"] if options.download_only else []
    verb = "upgrade" if options.only_upgrade else "reinstall" if options.reinstall else "install"
    if verb == "install" and not any(requested.values()):
        # `dnf install` alone does not upgrade an installed package.
        flags.append("--best")
    await must(ctx, *_DNF, *flags, verb, *specs, what="install packages", is_followed=True)


async def remove(ctx: FunctionContext, names: Sequence[str], *, purge: bool) -> None:  # rpm knows no purge
    """Remove packages and what depends on them."""
    await must(ctx, *_DNF, "remove", *names, what="remove packages", is_followed=True)


async def install_files(ctx: FunctionContext, paths: Sequence[str], options: InstallOptions) -> None:
    """Install packages from files, and their dependencies from the repositories."""
    flags = ["--nogpgcheck"] if options.skip_verify else []
    await must(ctx, *_DNF, *flags, "install", *paths, what="install packages", is_followed=True)


async def provided(ctx: FunctionContext, names: Sequence[str]) -> set[str]:
    """Return the names that installed packages provide."""
    return {name for name in names if (await ask(ctx, "rpm", "-q", "--whatprovides", name)).is_success}


async def held(ctx: FunctionContext) -> list[str]:
    """Return the packages that are locked to a version, sorted."""
    answer = await must(
        ctx, *_DNF, "versionlock", "list", what="list held packages (dnf's plugin versionlock)"
    )
    lines = (_LOCKED.match(line.strip()) for line in answer.stdout.splitlines())
    return sorted({match["name"] for match in lines if match})


async def hold(ctx: FunctionContext, name: str, *, is_held: bool) -> None:
    """Lock a package to its version, or unlock it."""
    verb = "add" if is_held else "delete"
    await must(ctx, *_DNF, "versionlock", verb, name, what=f"{verb} the lock of {name}")


async def download(
    ctx: FunctionContext, requested: Mapping[str, str | None], options: InstallOptions
) -> None:
    """Fetch packages into dnf's cache; dnf has to be asked again for those that are installed already."""
    await install(ctx, requested, replace(options, download_only=True))
    there = await downloaded(ctx)
    left = {name: version for name, version in requested.items() if name not in there}
    if left:
        await install(ctx, left, replace(options, download_only=True, reinstall=True))


async def downloaded(ctx: FunctionContext) -> dict[str, list[str]]:
    """Return the versions in dnf's cache, which an installation empties unless `keepcache` is set."""
    # `find` fails if one of the folders does not exist.
    listed = await ask(ctx, "sh", "-c", _CACHED, "sh", _RPM_FORMAT)
    return _versions(listed.stdout)


async def upgrades(ctx: FunctionContext, *, dist_upgrade: bool) -> dict[str, str]:  # dnf knows one kind
    """Return what an upgrade would install."""
    answer = await must(
        ctx, *_DNF, "repoquery", "--upgrades", "--latest-limit=1", "--qf", _QUERY_FORMAT,
        what="look for upgrades",
    )  # fmt: skip
    return {name: versions[-1] for name, versions in _versions(answer.stdout).items()}


async def upgrade(ctx: FunctionContext, *, dist_upgrade: bool) -> None:  # dnf knows one kind
    """Upgrade all packages."""
    await must(ctx, *_DNF, "upgrade", what="upgrade packages", is_followed=True)


async def _newest_first(ctx: FunctionContext, versions_by_name: dict[str, list[str]]) -> dict[str, list[str]]:
    """Sort the versions of each name, in one call of rpm; dnf sorts them as text, 1.10 before 1.9."""
    several = sorted(
        {version for versions in versions_by_name.values() if len(versions) > 1 for version in versions}
    )
    if not several:
        return versions_by_name
    rows = (
        f"{{'{_plain(epoch)}','{_plain(number)}','{_plain(release)}',{place}}}"
        for place, (epoch, number, release) in enumerate(map(_parts, several))
    )
    answer = await must(ctx, "rpm", "--eval", _SORT % ",".join(rows), what="sort versions")
    rank = {several[int(place)]: order for order, place in enumerate(answer.stdout.split())}
    return {
        name: sorted(versions, key=rank.__getitem__) if len(versions) > 1 else versions
        for name, versions in versions_by_name.items()
    }


def _repositories(fromrepo: str | None) -> list[str]:
    return ["--disablerepo=*", f"--enablerepo={fromrepo}"] if fromrepo else []


def _versions(text: str) -> dict[str, list[str]]:
    versions: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, _, version = line.partition("\t")
        shown = version.removeprefix("0:")
        if shown and shown not in versions.setdefault(name, []):
            versions[name].append(shown)
    return versions


def _parts(version: str) -> tuple[str, str, str]:
    epoch, _, rest = version.rpartition(":")
    number, _, release = rest.partition("-")
    return epoch or "0", number, release


def _plain(part: str) -> str:
    """Refuse anything but a version, since it becomes part of an rpm macro."""
    if not all(letter.isalnum() or letter in "._+~^" for letter in part):
        raise StateFailedError(f"{part!r} is not a package version")
    return part
