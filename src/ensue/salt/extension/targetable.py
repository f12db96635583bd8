"""The derived resources of a minion that may be targeted, and the report to Salt when they change."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ensue.derived import open_registry
from ensue.salt.extension.minion_project import options_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from ensue.salt.extension.salt_minion import SaltMinion


@contextmanager
def reporting_changes(salt: SaltMinion) -> Generator[None]:
    """Have Salt discover resources anew if the ones that may be targeted have changed meanwhile.

    Args:
        salt: the minion.
    """
    before = _targetable(salt)
    try:
        yield
    finally:
        if _targetable(salt) != before:
            salt.functions["saltutil.refresh_resources"]()


def _targetable(salt: SaltMinion) -> set[str]:
    registry = open_registry(options_of(salt))
    try:
        return {str(record.srn) for record in registry.records() if record.status == "active"}
    finally:
        registry.close()
