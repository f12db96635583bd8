"""Shared by the `rabbitmq_…` state modules: makes a change unless this is a plan, and makes the return.

This module has no state functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def changed(
    ctx: StateContext,
    name: str,
    changes: DataMap,
    *,
    plan: str,
    done: str,
    act: Callable[[], Awaitable[object]],
    new_state: DataMap,
    old_state: DataMap | None = None,
    sensitive: tuple[str, ...] = (),
) -> StateReturn:
    """Make a change, unless this is a plan, and make the return.

    Args:
        name: the changed object.
        changes: the changes.
        plan: the comment of a plan.
        done: the comment after the change.
        act: makes the change.
        new_state: description after the change.
        old_state: description before the change.
        sensitive: paths of secrets in `new_state`.
    """
    if ctx.test:
        return StateReturn(name=name, result=None, changes=changes, comment=plan)
    await act()
    return StateReturn(
        name=name,
        result=True,
        changes=changes,
        comment=done,
        new_state=new_state,
        old_state=old_state,
        sensitive=sensitive,
    )


def unchanged(name: str, comment: str, new_state: DataMap, sensitive: tuple[str, ...] = ()) -> StateReturn:
    """Make the return for an object that needs no change.

    Args:
        name: the object.
        comment: the comment.
        new_state: its description.
        sensitive: paths of secrets in `new_state`.
    """
    return StateReturn(name=name, result=True, comment=comment, new_state=new_state, sensitive=sensitive)
