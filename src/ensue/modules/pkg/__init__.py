"""Execution module `pkg`: the target's packages, by apt, dnf or apk.

Source: Salt's execution module `pkg` (aptpkg, yumpkg, apkpkg), 3008: names and what they return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.modules.pkg.asking import (
    latest_version,
    list_pkgs,
    list_repo_pkgs,
    upgrade_available,
    version,
    version_cmp,
)
from ensue.modules.pkg.changing import install, purge, refresh_db, remove

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "available_version": latest_version,
    "install": install,
    "latest_version": latest_version,
    "list_pkgs": list_pkgs,
    "list_repo_pkgs": list_repo_pkgs,
    "purge": purge,
    "refresh_db": refresh_db,
    "remove": remove,
    "upgrade_available": upgrade_available,
    "version": version,
    "version_cmp": version_cmp,
}
