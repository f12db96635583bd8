"""Whether what is mounted is what is wanted: the device and the options that the kernel shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.contracts.connection import Command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.contracts.context import StateContext

_UNSEEN: Final = frozenset({
    "_netdev", "actimeo", "async", "auto", "backup-volfile-servers", "bg", "bind", "comment", "credentials",
    "defaults", "delay_connect", "dev", "direct-io-mode", "exec", "fg", "group", "hard", "intr", "loop",
    "noauto", "nobootwait", "nofail", "nointr", "nonempty", "nouser", "owner", "password", "port", "rbind",
    "reconnect", "retry", "secretfile", "soft", "suid", "transform_symlinks", "user", "users",
})  # fmt: skip
"""Options that the kernel does not show: they are read by programs, or are what holds without them."""

_TRANSLATED: Final = {"tcp": "proto=tcp", "udp": "proto=udp"}
_SIZE: Final = re.compile(r"size=(?P<number>\d+)(?P<unit>[kmg]?)\Z")
_KIB: Final = {"k": 1, "m": 1024, "g": 1024 * 1024}
_BY: Final = {"UUID": "by-uuid", "LABEL": "by-label", "PARTUUID": "by-partuuid", "PARTLABEL": "by-partlabel"}


def missing_options(wanted: Iterable[str], entry: Mapping[str, Any], hidden: Iterable[str] = ()) -> list[str]:
    """Return the wanted options that what is mounted lacks.

    Args:
        wanted: options.
        entry: what `mount.active` says of it.
        hidden: options that are not to be looked for.
    """
    shown = {_normal(option) for option in (*entry["opts"], *entry.get("superopts", ()))}
    unseen = {*_UNSEEN, *hidden}
    asked = [_normal(option) for option in wanted]
    return [
        option
        for option in asked
        if option not in shown
        and option.partition("=")[0] not in unseen
        and not option.startswith(("x-", "comment"))
    ]


async def is_device(ctx: StateContext, wanted: str, entry: Mapping[str, Any], opts: Sequence[str]) -> bool:
    """Say whether what is mounted is this device.

    Only devices, NFS shares and the like can be told apart; what a bind mount shows is another name.

    Args:
        ctx: the state's context.
        wanted: the device, its `UUID=…` or `LABEL=…`, or a share.
        entry: what `mount.active` says of it.
        opts: the wanted options.
    """
    found = str(entry["device"])
    key, _, value = wanted.partition("=")
    path = f"/dev/disk/{_BY[key]}/{value.strip(chr(34))}" if key in _BY else wanted
    if path == found or {"bind", "rbind"} & set(opts):
        return True
    if path.startswith("/dev/"):
        return await _real(ctx, path) == await _real(ctx, found)
    if ":" in path:
        return path.rstrip("/") == found.rstrip("/")
    return True


async def _real(ctx: StateContext, path: str) -> str:
    done = await ctx.connection.run(Command(argv=["readlink", "-f", "--", path]))
    return done.stdout.decode("utf-8", "replace").strip() or path


def _normal(option: str) -> str:
    match = _SIZE.match(option)
    if match:
        number = int(match["number"])
        return f"size={number * _KIB[match['unit']] if match['unit'] else number // 1024}k"
    return _TRANSLATED.get(option, option)
