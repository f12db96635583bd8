"""What the states of RabbitMQ share: doing a thing unless this is a plan, and the texts of results.

It holds no state functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap


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
    """Make a change, or say in a plan that it would be made.

    Args:
        ctx: the state's context.
        name: what it is made of.
        changes: what changes.
        plan: the comment of a plan.
        done: the comment afterwards.
        act: makes the change.
        new_state: what there is afterwards.
        old_state: what there is before.
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
    """Return that all is as it should be.

    Args:
        name: what it is about.
        comment: the comment.
        new_state: what there is.
        sensitive: paths of secrets in `new_state`.
    """
    return StateReturn(name=name, result=True, comment=comment, new_state=new_state, sensitive=sensitive)
