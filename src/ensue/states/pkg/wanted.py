"""Which packages a declaration is about, in which version, and what does not fit.

A version is a version, a glob (`2.*`), `latest`, or conditions joined by commas (`>=1.0,<2`).
"""

from __future__ import annotations

import contextlib
import fnmatch
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.contracts.context import StateContext

LATEST: Final = "latest"
"""The version that stands for the newest there is."""

_SILENT: Final = frozenset({
    "allow_updates", "cache_valid_time", "ignore_epoch", "ignore_types", "normalize", "pkg_verify",
    "report_reboot_exit_codes", "resolve_capabilities", "saltenv", "split_arch", "update_holds",
    "verify_options",
})  # fmt: skip
KNOWN: Final = _SILENT | {
    "admin_source", "all_installed", "allow", "allow_downgrade", "allow_downgrades", "attr", "basedir",
    "batch", "branch", "chroot", "concurrent", "conflict", "current_zone_only", "debconf", "diff_attr",
    "disableexcludes", "disableplugin", "disablerepo", "dist_upgrade", "download_only", "downloadonly",
    "dryrun", "email", "enableplugin", "enablerepo", "env", "extra_args", "extra_install_flags",
    "extra_uninstall_flags", "fetchonly", "force", "force_conf_new", "force_yes", "fromrepo", "glob",
    "hold", "ignore_repo_failure", "include_components", "include_updates", "install_recommends",
    "instance", "jail", "local", "minimal", "no_recommends", "novendorchange", "obsoletes", "only_upgrade",
    "options", "orphan", "pcre", "pkgs", "purge_desired", "quiet", "recurse", "refresh", "refresh_db",
    "regex", "reinstall", "reinstall_requires", "removed", "repo", "root", "run_updates", "security",
    "setopt", "skip_suggestions", "skip_verify", "sources", "sysupgrade", "taps", "test", "update_cache",
    "use_32bit_registry", "use_context", "variant", "verbose", "verify_ssl", "version", "versions_as_list",
    "watch_flags", "with_origin",
}  # fmt: skip
"""What the package managers of Salt's `pkg` take, and its states pass on to them."""

OUTDATED: Final = {"pkgrepo": "require", "refresh_modules": "reload_modules", "upgrade": ""}
"""What trees give packages, and no release of Salt has made use of for long."""

_FRESH_S: Final = 3600
_CONDITION: Final = re.compile(r"(?P<operator>>=|<=|!=|==|=|>|<)\s*(?P<version>\S+)\Z")
_HOLDS: Final[dict[str, Callable[[int], bool]]] = {
    ">=": lambda order: order >= 0,
    "<=": lambda order: order <= 0,
    "!=": lambda order: order != 0,
    "==": lambda order: order == 0,
    "=": lambda order: order == 0,
    ">": lambda order: order > 0,
    "<": lambda order: order < 0,
}


def wanted_packages(
    name: str, pkgs: Sequence[Any] | None, version: str | float | None = None
) -> dict[str, str | None]:
    """Return what is wanted: the version of each package, None where any will do.

    Args:
        name: the state's name, the package when there is no `pkgs`.
        pkgs: names, or mappings of a name to its version.
        version: the version of the one.

    Raises:
        StateFailedError: `pkgs` is something else.
    """
    if pkgs is None:
        return {str(name): _text(version)}
    if not isinstance(pkgs, list):
        raise StateFailedError(f"Invalidly formatted pkgs parameter: {pkgs!r} is no list")
    if version is not None:
        raise StateFailedError("version belongs to one package; inside pkgs write `name: version`")
    found: dict[str, str | None] = {}
    for each in pkgs:
        if is_mapping(each):
            found |= {str(key): _text(value) for key, value in each.items()}
        elif each is None or isinstance(each, list):
            raise StateFailedError(f"Invalidly formatted pkgs parameter: {each!r} is no name of a package")
        else:
            found[str(each)] = None
    return found


def remarks(function: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a warning for each argument that has no effect."""
    asked = {word for word, value in given.items() if value not in (None, False, [], {})}
    return tuple(
        f"{function}: `{word}` has no effect (there is no such argument)" for word in sorted(asked - _SILENT)
    )


async def refresh_lists(ctx: StateContext, *, refresh: bool | None) -> None:
    """Fetch the lists of packages.

    Args:
        ctx: the state's context.
        refresh: None fetches them where they are older than an hour, and goes on without when that fails:
            what is asked for may be known all the same.

    Raises:
        StateFailedError: they were asked for and could not be fetched.
    """
    if refresh:
        await ctx.call("pkg.refresh_db")
    elif refresh is None:
        with contextlib.suppress(StateFailedError):
            await ctx.call("pkg.refresh_db", cache_valid_time=_FRESH_S)


async def fits(ctx: StateContext, version: str, wanted: str) -> bool:
    """Say whether a version is a wanted one.

    Args:
        ctx: the state's context.
        version: a version.
        wanted: a version, a glob, or conditions.
    """
    for part in wanted.split(","):
        match = _CONDITION.match(part.strip())
        if match is None:
            if not fnmatch.fnmatchcase(version, part.strip()):
                return False
        elif not _HOLDS[match["operator"]](await ctx.call("pkg.version_cmp", version, match["version"])):
            return False
    return True


def is_exact(wanted: str) -> bool:
    """Say whether a wanted version is one version."""
    return wanted != LATEST and not any(letter in wanted for letter in "<>=!*?[,")


def _text(version: object) -> str | None:
    return None if version is None or version == "" else str(version)
