"""Compares the device and the options of a mount, as the kernel shows them, with the requested ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.connection import Command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.core.contracts.context import StateContext

_UNSEEN: Final = frozenset({
    "_netdev", "actimeo", "async", "auto", "backup-volfile-servers", "bg", "bind", "comment", "credentials",
    "defaults", "delay_connect", "dev", "direct-io-mode", "exec", "fg", "group", "hard", "intr", "loop",
    "noauto", "nobootwait", "nofail", "nointr", "nonempty", "nouser", "owner", "password", "port", "rbind",
    "reconnect", "retry", "secretfile", "soft", "suid", "transform_symlinks", "user", "users",
})  # fmt: skip
"""Options that the kernel does not show, because programs read them or because they are the default."""

_OPPOSITES: Final[Mapping[str, str]] = {
    "noexec": "exec",
    "nosuid": "suid",
    "nodev": "dev",
    "sync": "async",
    "ro": "rw",
    "noatime": "atime,relatime",
    "nosymfollow": "symfollow",
}
"""Options that the kernel shows, and what undoes them in a remount."""

_TRANSLATED: Final[Mapping[str, str]] = {"tcp": "proto=tcp", "udp": "proto=udp"}
_IGNORED: Final[Mapping[str, Sequence[str]]] = {"ramfs": ("size",)}
_SIZE: Final = re.compile(r"size=(?P<number>\d+)(?P<unit>[kmg]?)\Z")
_KIB: Final = {"k": 1, "m": 1024, "g": 1024 * 1024}
_BY: Final = {"UUID": "by-uuid", "LABEL": "by-label", "PARTUUID": "by-partuuid", "PARTLABEL": "by-partlabel"}


class KernelDisplay(msgspec.Struct, frozen=True, kw_only=True):
    """What the user adds to the known ways in which the kernel shows mounts.

    Args:
        devices: regular expressions of other names of the device.
        hidden: options, or their keys, that the kernel does not show.
        ignored: keys of options that never cause a remount, by type of file system.
        translated: options that the kernel shows under another name.
    """

    devices: Sequence[str]
    hidden: Sequence[str]
    ignored: Mapping[str, Sequence[str]]
    translated: Mapping[str, str]

    def is_other_name(self, entry: Mapping[str, Any]) -> bool:
        """Return whether the mounted device has one of the other names."""
        return any(re.fullmatch(pattern, str(entry["device"])) for pattern in self.devices)


def as_shown(
    devices: Sequence[str],
    hidden: Sequence[str],
    ignored: Mapping[str, Sequence[str]] | None,
    translated: Mapping[str, str] | None,
) -> KernelDisplay:
    """Return the user's additions, combined with what is known already."""
    return KernelDisplay(
        devices=devices,
        hidden=hidden,
        ignored={**_IGNORED, **(ignored or {})},
        translated={**_TRANSLATED, **(translated or {})},
    )


def missing_options(
    requested: Iterable[str], entry: Mapping[str, Any], fstype: str, known: KernelDisplay
) -> list[str]:
    """Return the requested options that a mount lacks.

    Args:
        requested: options.
        entry: its entry in `mount.active`.
        fstype: type of file system.
        known: how the kernel shows options.
    """
    shown = {_normal(option, known) for option in (*entry["opts"], *entry.get("superopts", ()))}
    unseen = {*_UNSEEN, *known.hidden, *known.ignored.get(fstype, ())}
    asked = [_normal(option, known) for option in requested]
    return [
        option
        for option in asked
        if option not in shown
        and not unseen.intersection((option, option.partition("=")[0]))
        and not option.startswith(("x-", "comment"))
    ]


def opposite_options(requested: Sequence[str], former: Iterable[str], entry: Mapping[str, Any]) -> list[str]:
    """Return what undoes the options that a mount has and should not have.

    Args:
        requested: options.
        former: the options that the state had in the last apply; one that it has no longer is undone.
        entry: the mount's entry in `mount.active`.
    """
    undoing = {
        *requested,
        *(_OPPOSITES[option] for option in former if option in _OPPOSITES and option not in requested),
    }
    active = {*entry["opts"], *entry.get("superopts", ())}
    return [
        undo
        for option, undo in _OPPOSITES.items()
        if option in active and option not in requested and undo in undoing
    ]


async def is_device(ctx: StateContext, requested: str, entry: Mapping[str, Any], opts: Sequence[str]) -> bool:
    """Return whether the mounted device is the requested one.

    Only devices and shares such as NFS can be compared; a bind mount is shown with another name.

    Args:
        requested: the device, its `UUID=…` or `LABEL=…`, or a share.
        entry: the mount's entry in `mount.active`.
        opts: the requested options.
    """
    mounted = str(entry["device"])
    key, _, value = requested.partition("=")
    path = f"/dev/disk/{_BY[key]}/{value.strip(chr(34))}" if key in _BY else requested
    if path == mounted or {"bind", "rbind"} & set(opts):
        return True
    if path.startswith("/dev/"):
        return await _real(ctx, path) == await _real(ctx, mounted)
    if ":" in path:
        return path.rstrip("/") == mounted.rstrip("/")
    return True


async def _real(ctx: StateContext, path: str) -> str:
    done = await ctx.connection.run(Command(argv=["readlink", "-f", "--", path]))
    return done.stdout.decode("utf-8", "replace").strip() or path


def _normal(option: str, known: KernelDisplay) -> str:
    match = _SIZE.match(option)
    if match:
        number = int(match["number"])
        return f"size={number * _KIB[match['unit']] if match['unit'] else number // 1024}k"
    return known.translated.get(option, option)
