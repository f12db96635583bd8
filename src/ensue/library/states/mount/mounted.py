"""`mount.mounted`: mounts a file system with its options, and adds it to the fstab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.mount.active import as_shown, is_device, missing_options, opposite_options
from ensue.library.states.mount.secret_options import mask_secret_options

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap
    from ensue.library.states.mount.active import KernelDisplay

_PLANNED: Final = {
    "new": "{} needs to be written to the fstab in order to be made persistent.",
    "change": "The entry of {} in the fstab needs to be updated.",
}
_WRITTEN: Final = {"new": "Added new entry to the fstab.", "change": "Updated the entry in the fstab."}


async def mounted(
    ctx: StateContext,
    name: str,
    *,
    device: str,
    fstype: str,
    mkmnt: bool = False,
    opts: str | list[str] = "defaults",
    dump: int = 0,
    pass_num: int = 0,
    config: str = "/etc/fstab",
    persist: bool = True,
    mount: bool = True,
    user: str | None = None,
    hidden_opts: str | list[str] | None = None,
    device_name_regex: list[str] | None = None,
    match_on: str | list[str] = "auto",
    extra_mount_invisible_options: list[str] | None = None,
    extra_mount_invisible_keys: list[str] | None = None,
    extra_mount_ignore_fs_keys: dict[str, list[str]] | None = None,
    extra_mount_translate_options: dict[str, str] | None = None,
    bind_mount_copy_active_opts: bool = True,
) -> StateReturn:
    """Mount a file system, and add it to the fstab.

    Args:
        device: the device, its `UUID=…` or `LABEL=…`, a share, or the name of a file system without a device.
        fstype: type of file system.
        mkmnt: create the mount point.
        opts: options, as a list or separated by commas; a difference causes a remount, and so does a flag
            (`noexec`, `nosuid`, …) that the last apply had and this one lacks.
        dump: field for `dump` in the fstab.
        pass_num: order of the check at boot.
        persist: add it to the fstab.
        mount: mount it now.
        user: accepted, as in Salt, without effect: the user of the connection mounts it.
        hidden_opts: options that do not cause a remount.
        device_name_regex: regular expressions of other names that the mounted device may have.
        match_on: fields that identify the entry of the fstab; `auto` is the mount point.
        extra_mount_invisible_options: options that the kernel does not show.
        extra_mount_invisible_keys: keys of such options (`password` of `password=…`).
        extra_mount_ignore_fs_keys: keys of options that do not cause a remount, by type of file system.
        extra_mount_translate_options: options, and what the kernel shows instead.
        bind_mount_copy_active_opts: accepted, as in Salt, without effect: a bind mount does not take the
            options of another mount.

    Example:
        /srv/data:
          mount.mounted:
            - device: /dev/vdb
            - fstype: ext4
            - mkmnt: true
            - opts: [noatime]

    Returns:
        `changes` has `mount` or `umount`, and `persist` (`new`, `update`); `new_state` has
        `name device fstype opts`, where options with a password are secrets.

    Raises:
        StateFailedError: it cannot be mounted, or the mount point does not exist.
    """
    given = opts.split(",") if isinstance(opts, str) else opts
    options = [str(part).strip() for part in given]
    secret = mask_secret_options(ctx, options)
    hidden = hidden_opts.split(",") if isinstance(hidden_opts, str) else hidden_opts or []
    hidden = [*hidden, *(extra_mount_invisible_options or ()), *(extra_mount_invisible_keys or ())]
    known = as_shown(
        device_name_regex or [], hidden, extra_mount_ignore_fs_keys, extra_mount_translate_options
    )
    name = name.rstrip("/") or "/"
    changes: DataMap = {}
    comments: list[str] = []
    will_mount = False
    if mount:
        will_mount, made, text = await _now(ctx, name, device, fstype, options, known, mkmnt=mkmnt)
        changes |= made
        comments.append(text)
    if persist:
        outcome: str = await ctx.call(
            "mount.set_fstab", name, device, fstype, opts=options, dump=dump, pass_num=pass_num,
            config=config, test=ctx.test, match_on=match_on,
        )  # fmt: skip
        if outcome != "present":
            comments.append(_PLANNED[outcome].format(name) if ctx.test else _WRITTEN[outcome])
            if not ctx.test:
                changes["persist"] = "new" if outcome == "new" else "update"
    else:
        outcome = "present"
    is_pending = ctx.test and (outcome != "present" or will_mount)
    new_state: DataMap = {"name": name, "device": device, "fstype": fstype, "opts": [*options]}
    return StateReturn(
        name=name, result=None if is_pending else True, changes=changes, comment=". ".join(comments),
        new_state=None if is_pending else new_state,
        sensitive=() if is_pending else tuple(f"opts[{place}]" for place in secret),
    )  # fmt: skip


async def _now(
    ctx: StateContext,
    name: str,
    device: str,
    fstype: str,
    options: list[str],
    known: KernelDisplay,
    *,
    mkmnt: bool,
) -> tuple[bool, DataMap, str]:
    """Mount it, unless this is a plan; return whether there is something to do, changes and comment."""
    entry: dict[str, Any] | None = (await ctx.call("mount.active", extended=True)).get(name)
    if entry is None:
        return await _mount(ctx, name, device, fstype, options, mkmnt=mkmnt)
    if not known.is_other_name(entry) and not await is_device(ctx, device, entry, options):
        if ctx.test:
            return True, {}, "An umount would have been forced because devices do not match"
        await ctx.call("mount.umount", name)
        await ctx.call("mount.mount", name, device, fstype=fstype, opts=options)
        reason = f"Forced unmount and mount because the device was {entry['device']}"
        return True, {"umount": reason, "mount": True}, "Target was successfully mounted"
    undone = opposite_options(options, _former_options(ctx), entry)
    missing = list(dict.fromkeys([*missing_options(options, entry, fstype, known), *undone]))
    if not missing:
        return False, {}, "Target was already mounted"
    text = f"because options ({','.join(missing)}) changed"
    if ctx.test:
        return True, {}, f"Remount would be forced {text}"
    await ctx.call("mount.remount", name, list(dict.fromkeys([*options, *undone])))
    return True, {"umount": f"Forced remount {text}"}, "Target was already mounted"


def _former_options(ctx: StateContext) -> list[str]:
    """Return the options that the state had in the last apply."""
    kept = None if ctx.enforced is None else ctx.enforced.whole
    former = kept.get("opts") if isinstance(kept, dict) else None
    return [str(option) for option in former] if isinstance(former, list) else []


async def _mount(
    ctx: StateContext, name: str, device: str, fstype: str, options: list[str], *, mkmnt: bool
) -> tuple[bool, DataMap, str]:
    folder = await ctx.connection.stat(name, follow=True)
    is_there = folder is not None and folder.kind == "directory"
    if ctx.test:
        if is_there:
            return True, {}, f"{name} would be mounted"
        what = "would be created and mounted" if mkmnt else "does not exist and would not be created"
        return True, {}, f"{name} {what}"
    if not is_there and not mkmnt:
        raise StateFailedError("Mount directory is not present")
    await ctx.call("mount.mount", name, device, mkmnt=mkmnt, fstype=fstype, opts=options)
    return True, {"mount": True}, "Target was successfully mounted"
