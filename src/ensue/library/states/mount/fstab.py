"""`mount.fstab_present` and `mount.fstab_absent`: entries of the fstab, whatever is mounted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.mount.secret_options import mask_secret_options

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def fstab_present(
    ctx: StateContext,
    name: str,
    *,
    fs_file: str,
    fs_vfstype: str,
    fs_mntops: str | list[str] = "defaults",
    fs_freq: int = 0,
    fs_passno: int = 0,
    mount_by: str | None = None,
    config: str = "/etc/fstab",
    mount: bool = True,
    match_on: str | list[str] = "auto",
    not_change: bool = False,
    fs_mount: bool = True,  # AIX alone has it
) -> StateReturn:
    """Add or update an entry of the fstab.

    Args:
        name: the device, its `UUID=…` or `LABEL=…`, or a share.
        fs_file: the mount point.
        fs_vfstype: type of file system.
        fs_mntops: options, as a list or separated by commas.
        fs_freq: field for `dump`.
        fs_passno: order of the check at boot.
        mount_by: write the device as `device`, `label`, `uuid`, `partlabel` or `partuuid`, with the value
            that `blkid` reports.
        mount: mount the file system if the entry is new.
        match_on: fields that identify the entry; `auto` is the mount point.
        not_change: leave an existing entry alone.
        fs_mount: accepted, as in Salt, without effect.

    Example:
        /dev/vdb:
          mount.fstab_present:
            - fs_file: /srv/data
            - fs_vfstype: ext4
            - fs_mntops: [defaults, noatime]

    Returns:
        `changes` has `persist` (`new`, `change`); `new_state` has `name device fstype opts`, where options
        with a password are secrets.

    Raises:
        StateFailedError: `blkid` does not find the device, or it cannot be mounted.
    """
    given = fs_mntops.split(",") if isinstance(fs_mntops, str) else fs_mntops
    options = [str(option).strip() for option in given]
    secret = mask_secret_options(ctx, options)
    folder = fs_file.rstrip("/") or "/"
    device = await _converted(ctx, name, mount_by)
    outcome = await ctx.call(
        "mount.set_fstab", folder, device, fs_vfstype, opts=options, dump=fs_freq, pass_num=fs_passno,
        config=config, test=ctx.test, match_on=match_on, not_change=not_change,
    )  # fmt: skip
    old_state: DataMap | None = {"name": folder, "exists": False} if outcome == "new" else None
    if ctx.test and outcome != "present":
        texts = [f"{folder} entry will be {'written' if outcome == 'new' else 'updated'} in {config}."]
        if outcome == "new" and mount:
            texts.append(f"Will mount {name} on {folder}")
        return StateReturn.planned(name, "\n".join(texts), old_state=old_state)
    verb = {"present": f"{'is' if ctx.test else 'was'} already", "new": "added", "change": "updated"}[outcome]
    texts = [f"{folder} entry {verb} in {config}."]
    changes: DataMap = {} if outcome == "present" else {"persist": outcome}
    if outcome == "new" and mount:
        try:
            await ctx.call("mount.mount", folder)
        except StateFailedError as error:
            return StateReturn.failed(name, "\n".join([*texts, f"Error while mounting: {error}"]), changes)
        texts.append(f"Mounted {name} on {folder}")
    new_state: DataMap = {"name": folder, "device": device, "fstype": fs_vfstype, "opts": [*options]}
    return StateReturn.changed(
        name,
        "\n".join(texts),
        changes,
        new_state,
        old_state=old_state,
        sensitive=tuple(f"opts[{place}]" for place in secret),
    )


async def fstab_absent(
    ctx: StateContext, name: str, *, fs_file: str, mount_by: str | None = None, config: str = "/etc/fstab"
) -> StateReturn:
    """Remove an entry from the fstab.

    Args:
        name: the device, its `UUID=…` or `LABEL=…`, or a share.
        fs_file: the mount point.
        mount_by: how the entry names the device.

    Example:
        data:
          mount.fstab_absent:
            - fs_file: /srv/data

    Returns:
        `changes` has `persist` (`removed`); `new_state` has `name exists`.

    Raises:
        StateFailedError: `blkid` does not find the device, or the mount point has an entry of another device.
    """
    folder = fs_file.rstrip("/") or "/"
    new_state: DataMap = {"name": folder, "exists": False}
    if folder not in await ctx.call("mount.fstab", config):
        return StateReturn.unchanged(name, f"{folder} entry is already missing in {config}.", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"{folder} entry will be removed from {config}.")
    if not await ctx.call("mount.rm_fstab", folder, await _converted(ctx, name, mount_by), config):
        comment = f"{folder} entry failed when removing from {config}: it is another device's"
        return StateReturn.failed(name, comment)
    comment = f"{folder} entry removed from {config}."
    changes: DataMap = {"persist": "removed"}
    return StateReturn.changed(name, comment, changes, new_state)


async def _converted(ctx: StateContext, device: str, key_name: str | None) -> str:
    """Return a device in the form of `mount_by`."""
    if not key_name or (key_name == "device" and device.startswith("/")):
        return device
    key = key_name.upper()
    if device.startswith(f"{key}="):
        return device
    by_path = device.startswith("/")
    known = await ctx.call("disk.blkid", device) if by_path else await ctx.call("disk.blkid", token=device)
    if len(known) == 1:
        ((path, about),) = known.items()
        if key_name == "device":
            return str(path)
        if key in about:
            return f"{key}={about[key]}"
    raise StateFailedError(f"Device {device} cannot be converted to {key_name}")
