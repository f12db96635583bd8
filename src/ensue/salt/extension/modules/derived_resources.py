"""Execution module `derived_resources`: the registry of derived resources, for state modules of your own.

It is the registry that ensue has on the minion, and targets of the master follow it. No function returns a
configuration: what Salt's functions return is in its job cache.

Source: derived-resources document, "Registry scopes".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue import derived as _derived
from ensue.salt.extension.minion_project import options_of as _options_of
from ensue.salt.extension.resource_functions import with_salts_errors as _with_salts_errors
from ensue.salt.extension.salt_minion import SaltMinion as _SaltMinion
from ensue.salt.extension.targetable import reporting_changes as _reporting_changes

if TYPE_CHECKING:
    from collections.abc import Mapping


def register(
    resource_type: str, resource_id: str, config: Mapping[str, Any], source_srn: str | None = None
) -> bool:
    """Register a derived resource, or confirm it; return whether anything changed.

    Args:
        resource_type: its type.
        resource_id: its id.
        config: how to connect to it; encrypted at rest.
        source_srn: what it was derived from.

    Example:
        .. code-block:: python

            __salt__["derived_resources.register"]("ssh_host", "vm-1", {"host": address}, "vm:vm-1")
    """
    salt = _SaltMinion.of(globals())
    opts = _options_of(salt)
    with _reporting_changes(salt):
        done = _with_salts_errors(
            lambda: _derived.register(opts, resource_type, resource_id, config, source_srn).changed
        )
    return bool(done)


def list_for_type(resource_type: str) -> list[str]:
    """Return the ids of the derived resources of a type.

    Args:
        resource_type: the type.

    Example:
        .. code-block:: bash

            salt '*' derived_resources.list_for_type ssh_host
    """
    opts = _options_of(_SaltMinion.of(globals()))
    ids: list[str] = _with_salts_errors(lambda: _derived.list_for_type(opts, resource_type))
    return ids


def invalidate(source_srn: str) -> list[str]:
    """Invalidate what was derived from a source, and return the names of these resources.

    Args:
        source_srn: the source.

    Example:
        .. code-block:: bash

            salt web1 derived_resources.invalidate vm:vm-1
    """
    salt = _SaltMinion.of(globals())
    opts = _options_of(salt)
    with _reporting_changes(salt):
        gone = _with_salts_errors(lambda: _derived.invalidate(opts, source_srn))
    return [str(srn) for srn in gone]
