"""Runner `ensue`: runs of ensue over minions, and calls on resources that a glob names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.salt.extension import master_runs as _runs

if TYPE_CHECKING:
    from collections.abc import Sequence


def apply(
    tgt: str,
    mods: str | Sequence[str] | None = None,
    test: bool = False,
    batch: str | None = None,
    fail_limit: str | None = None,
) -> dict[str, Any]:
    """Apply SLS to minions in one run of ensue, and return the returns of each minion.

    Args:
        tgt: a compound target.
        mods: names of SLS, as a list or separated by commas; None: the highstate of each minion.
        test: whether to change nothing.
        batch: how many minions are at work at a time, as a number or a percentage.
        fail_limit: how many may fail before no further one begins.

    Example:
        .. code-block:: bash

            salt-run ensue.apply 'web*' nginx batch=10%
    """
    return _runs.applied(globals(), tgt, mods, test=test, batch=batch, fail_limit=fail_limit)


def plan(tgt: str, mods: str | Sequence[str] | None = None) -> dict[str, Any]:
    """Return what `ensue.apply` would change, and change nothing.

    Args:
        tgt: a compound target.
        mods: names of SLS, as a list or separated by commas; None: the highstate of each minion.

    Example:
        .. code-block:: bash

            salt-run ensue.plan 'web*' nginx
    """
    return _runs.applied(globals(), tgt, mods, test=True, batch=None, fail_limit=None)


def call(tgt: str, fun: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Call a function with Salt, where ids after `T@TYPE:` may be globs; return the answers by id.

    Args:
        tgt: a compound target, such as `T@ssh_host:jumphost-*`.
        fun: an execution function.
        *args: its arguments by position.
        **kwargs: its arguments by name.

    Example:
        .. code-block:: bash

            salt-run ensue.call 'T@ssh_host:jumphost-*' cmd.run uptime
    """
    return _runs.called(globals(), tgt, fun, args, kwargs)


def target(tgt: str) -> str:
    """Return a compound target with the ids that its globs after `T@TYPE:` match, for `salt -C`.

    Args:
        tgt: a compound target.

    Example:
        .. code-block:: bash

            salt-run ensue.target 'T@ssh_host:jumphost-*'
    """
    return _runs.expanded(globals(), tgt)
