"""Reads which packages a state requests, in which version, and compares versions.

A requested version is a version, a glob (`2.*`), `latest`, or conditions separated by commas (`>=1.0,<2`).
"""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.context import StateContext

LATEST: Final = "latest"
"""Requests the newest version."""

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
"""Arguments that Salt's states pass on to its package managers."""

OUTDATED: Final = {"pkgrepo": "require", "refresh_modules": "reload_modules", "upgrade": ""}
"""Arguments that old SLS files have and that current Salt ignores."""

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
    """Return the requested version of each package, None for any.

    Args:
        name: the state's name; without `pkgs`, the package.
        pkgs: names, or mappings of a name to a version.
        version: the version of `name`.

    Raises:
        StateFailedError: `pkgs` has another form.
    """
    if pkgs is None:
        return {str(name): _text(version)}
    if not isinstance(pkgs, list):
        raise StateFailedError(f"Invalidly formatted pkgs parameter: {pkgs!r} is not a list")
    if version is not None:
        raise StateFailedError("version belongs to one package; inside pkgs write `name: version`")
    packages: dict[str, str | None] = {}
    for each in pkgs:
        if is_mapping(each):
            packages |= {str(key): _text(value) for key, value in each.items()}
        elif each is None or isinstance(each, list):
            raise StateFailedError(f"Invalidly formatted pkgs parameter: {each!r} is not a package name")
        else:
            packages[str(each)] = None
    return packages


def remarks(function: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a warning for each argument that has no effect."""
    asked = {word for word, value in given.items() if value not in (None, False, [], {})}
    return tuple(
        f"{function}: `{word}` has no effect (there is no such argument)" for word in sorted(asked - _SILENT)
    )


async def fits(ctx: StateContext, version: str, constraint: str) -> bool:
    """Return whether a version is one that the state requests.

    Args:
        version: a version.
        constraint: the requested version, a glob, or conditions.
    """
    for part in constraint.split(","):
        match = _CONDITION.match(part.strip())
        if match is None:
            if not fnmatch.fnmatchcase(version, part.strip()):
                return False
        elif not _HOLDS[match["operator"]](await ctx.call("pkg.version_cmp", version, match["version"])):
            return False
    return True


def is_exact(version: str) -> bool:
    """Return whether a requested version is a single version."""
    return version != LATEST and not any(letter in version for letter in "<>=!*?[,")


def _text(version: object) -> str | None:
    return None if version is None or version == "" else str(version)
