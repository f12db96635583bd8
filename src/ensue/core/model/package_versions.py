"""The changes of a package manager, computed from the versions before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import DataMap


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> DataMap:
    """Return `{name: {old, new}}` of two lists of packages."""
    return {
        name: {"old": before.get(name, ""), "new": after.get(name, "")}
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    }
