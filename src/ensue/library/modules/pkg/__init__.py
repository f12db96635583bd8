"""Execution module `pkg`: the target's packages, managed with apt, dnf or apk.

Args:
    **kwargs: accepted as by Salt, without effect.
    pkgs: several packages.
    refresh: fetch the package lists first.

Source: Salt's execution module `pkg` (aptpkg, yumpkg, apkpkg), 3008: names and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.pkg.advisories import install_patches, list_installed_patches, list_patches
from ensue.library.modules.pkg.changing import install, purge, refresh_db, remove
from ensue.library.modules.pkg.downloading import download, list_downloaded
from ensue.library.modules.pkg.groups import group_diff, group_info
from ensue.library.modules.pkg.holding import hold, list_holds, unhold
from ensue.library.modules.pkg.information import info_installed
from ensue.library.modules.pkg.queries import (
    is_installed,
    latest_version,
    list_pkgs,
    list_provided,
    list_repo_pkgs,
    upgrade_available,
    version,
    version_cmp,
)
from ensue.library.modules.pkg.repositories.apt import del_repo, get_repo, list_repos, mod_repo, plan_repo
from ensue.library.modules.pkg.upgrading import list_upgrades, upgrade

FUNCTIONS: Final = by_name(
    del_repo, download, get_repo, group_diff, group_info, hold, info_installed, install,
    install_patches, is_installed, latest_version, list_downloaded, list_holds,
    list_installed_patches, list_patches, list_pkgs, list_provided, list_repo_pkgs, list_repos,
    list_upgrades, mod_repo, plan_repo, purge, refresh_db, remove, unhold, upgrade,
    upgrade_available, version, version_cmp, available_version=latest_version,
)  # fmt: skip
