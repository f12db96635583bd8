"""State module `pkg`: packages of the target, with apt, dnf or apk.

Notes:
    `pkg` works with apt, dnf and apk (2.14 and 3.0). It fetches package lists if `refresh` requests it, if
    they are older than an hour, or if they lack a package; never in a plan. A name that an installed package
    provides (`mail-transport-agent`) counts as installed, with the version `provided`, unless a repository
    has a package of that name. apk cannot hold packages. A state that watches is called once more when what
    it watches has changed; this works for `installed`, `latest`, `removed` and `purged`.

Differences from Salt:
    In a plan, `pkg.installed` names the version to be installed, where Salt says `installed`. A name that is
    only provided fails in Salt in each apply, because no package of that name appears.

Args:
    name: the package, or any name if `pkgs` is given.
    pkgs: several packages.
    skip_verify: accept packages without a signature.
    **kwargs: further arguments; a warning says that they have no effect.

Source: Salt's state module `pkg`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.data import is_mapping
from ensue.library.states.pkg.downloaded import downloaded
from ensue.library.states.pkg.group import group_installed
from ensue.library.states.pkg.held import held, unheld
from ensue.library.states.pkg.installed import installed
from ensue.library.states.pkg.latest import latest
from ensue.library.states.pkg.patches import patch_downloaded, patch_installed
from ensue.library.states.pkg.removed import purged, removed
from ensue.library.states.pkg.uptodate import uptodate
from ensue.library.states.pkg.watching import mod_watch

if TYPE_CHECKING:
    from ensue.core.model.returns import Return

FUNCTIONS: Final = by_name(
    downloaded, group_installed, held, installed, latest, mod_watch, patch_downloaded,
    patch_installed, purged, removed, unheld, uptodate,
)  # fmt: skip
ABSENT: Final = ("removed", "purged")

MOD_WATCH = mod_watch


def _packages(returned: Return) -> list[str]:
    """Return the packages that a state is about; none if they are not named."""
    described = returned.new_state if is_mapping(returned.new_state) else returned.old_state
    is_named = returned.function in {"installed", "latest", "removed", "purged"} and is_mapping(described)
    return [str(package) for package in described] if is_named and is_mapping(described) else []


THINGS: Final = _packages
