"""`selinux.fcontext_policy_present`, `_absent` and `_applied`: which labels files are to have, and have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.model.returns import StateReturn
from ensue.states.selinux.asking import asked, refused

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap


async def fcontext_policy_present(  # noqa: PLR0917 (Salt's order)
    ctx: StateContext,
    name: str,
    sel_type: str,
    filetype: str = "a",
    sel_user: str | None = None,
    sel_level: str | None = None,
) -> StateReturn:
    """Have the policy give paths a type.

    Args:
        ctx: the state's context.
        name: the paths, a regular expression.
        sel_type: the type.
        filetype: a letter of semanage: `a` for all files, `f`, `d`, `c`, `b`, `s`, `l`, `p`.
        sel_user: the user of the label.
        sel_level: the level of the label.

    Returns:
        `changes` have `old` and `new`; `new_state` has `name filetype sel_type`.

    Raises:
        StateFailedError: there is no such letter, or the target has no SELinux.
    """
    kind: str = await ctx.call("selinux.filetype_id_to_string", filetype)
    current = await asked(ctx, name, "selinux.fcontext_get_policy", name, filetype, None, sel_user, sel_level)
    if isinstance(current, StateReturn):
        return current
    new_state: DataMap = {"name": name, "filetype": kind, "sel_type": sel_type}
    if current and current["sel_type"] == sel_type:
        how = f'filetype "{kind}" and sel_type "{sel_type}"'
        comment = f'SELinux policy for "{name}" already present with specified {how}.'
        return StateReturn(name=name, result=True, comment=comment, new_state=new_state)
    new: DataMap = {"sel_type": sel_type} if current else {"filetype": kind, "sel_type": sel_type}
    old: DataMap = {name: {"sel_type": current["sel_type"]}} if current else {}
    changes: DataMap = {"old": old, "new": {name: new}}
    if ctx.test:
        comment = f'SELinux policy for "{name}" would be set to sel_type "{sel_type}"'
        return StateReturn(name=name, result=None, changes=changes, comment=comment)
    done = await ctx.call("selinux.fcontext_add_policy", name, filetype, sel_type, sel_user, sel_level)
    if done["retcode"]:
        return refused(name, "Error adding new rule", done)
    return StateReturn(
        name=name, result=True, changes=changes, comment=f'SELinux policy for "{name}" was set',
        new_state=new_state,
    )  # fmt: skip


async def fcontext_policy_absent(  # noqa: PLR0917 (Salt's order)
    ctx: StateContext,
    name: str,
    filetype: str = "a",
    sel_type: str | None = None,
    sel_user: str | None = None,
    sel_level: str | None = None,
) -> StateReturn:
    """Have the policy say nothing of paths.

    Args:
        ctx: the state's context.
        name: the paths, a regular expression.
        filetype: a letter of semanage.
        sel_type: only when it gives this type.
        sel_user: only when it gives this user.
        sel_level: only when it gives this level.

    Returns:
        `changes` have `old` and `new`; `new_state` has `name` and `exists`, false.

    Raises:
        StateFailedError: there is no such letter, or the target has no SELinux.
    """
    words = (name, filetype, sel_type, sel_user, sel_level)
    current = await asked(ctx, name, "selinux.fcontext_get_policy", *words)
    if isinstance(current, StateReturn):
        return current
    new_state: DataMap = {"name": name, "exists": False}
    if not current:
        comment = f'SELinux policy for "{name}" already absent with specified filetype "{filetype}".'
        return StateReturn(name=name, result=True, comment=comment, new_state=new_state)
    changes: DataMap = {"old": {name: current}, "new": {}}
    if ctx.test:
        comment = f'SELinux policy for "{name}" would be removed'
        return StateReturn(name=name, result=None, changes=changes, comment=comment)
    done = await ctx.call(
        "selinux.fcontext_delete_policy", name, filetype, sel_type or current["sel_type"], sel_user, sel_level
    )
    if done["retcode"]:
        return refused(name, "Error removing policy", done)
    return StateReturn(
        name=name, result=True, changes=changes, comment=f'SELinux policy for "{name}" was removed',
        new_state=new_state,
    )  # fmt: skip


async def fcontext_policy_applied(ctx: StateContext, name: str, recursive: bool = False) -> StateReturn:
    """Have files labelled as the policy says.

    Args:
        ctx: the state's context.
        name: the file or folder.
        recursive: and all that is below it.

    Returns:
        `changes` have by path `old` and `new`, what differs in the label; `new_state` has `name recursive`.

    Raises:
        StateFailedError: nothing is there, or the target has no SELinux.
    """
    waiting = await asked(ctx, name, "selinux.fcontext_policy_is_applied", name, recursive)
    if isinstance(waiting, StateReturn):
        return waiting
    new_state: DataMap = {"name": name, "recursive": recursive}
    if not waiting:
        comment = f'SElinux policies are already applied for filespec "{name}"'
        return StateReturn(name=name, result=True, comment=comment, new_state=new_state)
    if ctx.test:
        return StateReturn(name=name, result=None, comment=str(waiting))
    done = await ctx.call("selinux.fcontext_apply_policy", name, recursive)
    if done["retcode"]:
        return refused(name, "Error applying the policy", done)
    comment = f'SElinux policies were applied for filespec "{name}"'
    return StateReturn(name=name, result=True, changes=done["changes"], comment=comment, new_state=new_state)
