"""Execution module `ensue`: runs of ensue on a minion, and calls on the resources that it manages.

What runs is the ensue that is installed with Salt; runs over minions ship one of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.salt.extension import minion_runs as _runs

if TYPE_CHECKING:
    from collections.abc import Sequence

__outputter__ = {"apply": "highstate", "plan": "highstate"}


def apply(
    mods: str | Sequence[str] | None = None,
    target: str | None = None,
    test: bool | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Compile and run SLS with ensue: with bindings, delayed blocks and derived resources.

    Args:
        mods: names of SLS, as a list or separated by commas; None: the highstate.
        target: resources to run them on; None: the minion.
        test: whether to change nothing; None: as the minion is configured.
        **others: what Salt adds; anything else is refused.

    Example:
        .. code-block:: bash

            salt web1 ensue.apply web
            salt web1 ensue.apply openvpn.init target='T@ssh_host:jumphost-*'
    """
    return _runs.applied(globals(), mods, target, others, test=test)


def plan(mods: str | Sequence[str] | None = None, target: str | None = None, **others: Any) -> dict[str, Any]:
    """Return what `ensue.apply` would change, and change nothing.

    Args:
        mods: names of SLS, as a list or separated by commas; None: the highstate.
        target: resources to run them on; None: the minion.
        **others: what Salt adds; anything else is refused.

    Example:
        .. code-block:: bash

            salt web1 ensue.plan web
    """
    return _runs.applied(globals(), mods, target, others, test=True)


def call(target: str, function: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Call an execution function on each resource of the minion that a target matches.

    Args:
        target: a target of ensue, such as `T@ssh_host:jumphost-*`.
        function: the function.
        *args: its arguments by position.
        **kwargs: its arguments by name.

    Example:
        .. code-block:: bash

            salt web1 ensue.call 'T@ssh_host:jumphost-*' cmd.run uptime
    """
    return _runs.called(globals(), target, function, args, kwargs)


def resources() -> dict[str, Any]:
    """Return the resources of the minion: their status, and what they are derived from.

    Example:
        .. code-block:: bash

            salt '*' ensue.resources
    """
    return _runs.resources(globals())
