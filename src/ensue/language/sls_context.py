"""The variables that tell a template its own location: `sls slspath tpldir tplfile tplroot` and others.

Source: Salt's SLS variables; values measured in Salt 3008.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ensue.language.settings.roots import SlsFile


def place_variables(file: SlsFile) -> dict[str, Any]:
    """Return the location variables of one SLS file."""
    folder = file.relative.rpartition("/")[0]
    return {
        "sls": file.name,
        "saltenv": file.saltenv,
        "slspath": folder,
        "slsdotpath": folder.replace("/", "."),
        "slscolonpath": folder.replace("/", ":"),
        "sls_path": folder.replace("/", "_"),
        "tplpath": str(file.path),
        "tplfile": file.relative,
        "tpldir": folder or ".",
        "tpldot": folder.replace("/", "."),
    }
