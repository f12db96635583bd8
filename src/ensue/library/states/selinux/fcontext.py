"""`selinux.fcontext_policy_present`, `_absent` and `_applied`: rules for the labels of files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn
from ensue.library.states.selinux.queries import asked, refused

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def fcontext_policy_present(
    ctx: StateContext,
    name: str,
    sel_type: str,
    filetype: str = "a",
    sel_user: str | None = None,
    sel_level: str | None = None,
) -> StateReturn:
    """Add a rule to the policy that labels files.

    Args:
        name: regular expression for the paths.
        sel_type: the type.
        filetype: `a` for all files, or one of `f d c b s l p`, as for semanage.
        sel_user: the user of the label.
        sel_level: the level of the label.

    Example:
        /srv/www(/.*)?:
          selinux.fcontext_policy_present:
            - sel_type: httpd_sys_content_t

    Returns:
        `changes` has `old` and `new`; `new_state` has `name filetype sel_type`.

    Raises:
        StateFailedError: `filetype` is invalid, or the target has no SELinux.
    """
    kind: str = await ctx.call("selinux.filetype_id_to_string", filetype)
    current = await asked(ctx, name, "selinux.fcontext_get_policy", name, filetype, None, sel_user, sel_level)
    if isinstance(current, StateReturn):
        return current
    new_state: DataMap = {"name": name, "filetype": kind, "sel_type": sel_type}
    if current and current["sel_type"] == sel_type:
        how = f'filetype "{kind}" and sel_type "{sel_type}"'
        comment = f'SELinux policy for "{name}" already present with specified {how}.'
        return StateReturn.unchanged(name, comment, new_state)
    new: DataMap = {"sel_type": sel_type} if current else {"filetype": kind, "sel_type": sel_type}
    old: DataMap = {name: {"sel_type": current["sel_type"]}} if current else {}
    changes: DataMap = {"old": old, "new": {name: new}}
    if ctx.test:
        comment = f'SELinux policy for "{name}" would be set to sel_type "{sel_type}"'
        return StateReturn.planned(name, comment, changes)
    done = await ctx.call("selinux.fcontext_add_policy", name, filetype, sel_type, sel_user, sel_level)
    if done["retcode"]:
        return refused(name, "Error adding new rule", done)
    return StateReturn.changed(name, f'SELinux policy for "{name}" was set', changes, new_state)


async def fcontext_policy_absent(
    ctx: StateContext,
    name: str,
    filetype: str = "a",
    sel_type: str | None = None,
    sel_user: str | None = None,
    sel_level: str | None = None,
) -> StateReturn:
    """Remove a rule from the policy that labels files.

    Args:
        name: regular expression for the paths.
        filetype: `a` for all files, or one of `f d c b s l p`, as for semanage.
        sel_type: remove only a rule with this type.
        sel_user: remove only a rule with this user.
        sel_level: remove only a rule with this level.

    Example:
        /srv/www(/.*)?:
          selinux.fcontext_policy_absent

    Returns:
        `changes` has `old` and `new`; `new_state` has `name exists`.

    Raises:
        StateFailedError: `filetype` is invalid, or the target has no SELinux.
    """
    words = (name, filetype, sel_type, sel_user, sel_level)
    current = await asked(ctx, name, "selinux.fcontext_get_policy", *words)
    if isinstance(current, StateReturn):
        return current
    new_state: DataMap = {"name": name, "exists": False}
    if not current:
        comment = f'SELinux policy for "{name}" already absent with specified filetype "{filetype}".'
        return StateReturn.unchanged(name, comment, new_state)
    changes: DataMap = {"old": {name: current}, "new": {}}
    if ctx.test:
        return StateReturn.planned(name, f'SELinux policy for "{name}" would be removed', changes)
    done = await ctx.call(
        "selinux.fcontext_delete_policy", name, filetype, sel_type or current["sel_type"], sel_user, sel_level
    )
    if done["retcode"]:
        return refused(name, "Error removing policy", done)
    return StateReturn.changed(name, f'SELinux policy for "{name}" was removed', changes, new_state)


async def fcontext_policy_applied(ctx: StateContext, name: str, recursive: bool = False) -> StateReturn:
    """Label files according to the policy.

    Args:
        name: the file or folder.
        recursive: also label everything below it.

    Example:
        /srv/www(/.*)?:
          selinux.fcontext_policy_applied:
            - recursive: true

    Returns:
        `changes` has `old` and `new` by path, with the parts of the label that differ; `new_state` has
        `name recursive`.

    Raises:
        StateFailedError: the path does not exist, or the target has no SELinux.
    """
    waiting = await asked(ctx, name, "selinux.fcontext_policy_is_applied", name, recursive)
    if isinstance(waiting, StateReturn):
        return waiting
    new_state: DataMap = {"name": name, "recursive": recursive}
    if not waiting:
        comment = f'SElinux policies are already applied for filespec "{name}"'
        return StateReturn.unchanged(name, comment, new_state)
    if ctx.test:
        return StateReturn.planned(name, str(waiting))
    done = await ctx.call("selinux.fcontext_apply_policy", name, recursive)
    if done["retcode"]:
        return refused(name, "Error applying the policy", done)
    comment = f'SElinux policies were applied for filespec "{name}"'
    return StateReturn.changed(name, comment, done["changes"], new_state)
