"""System calls that Python 3.11 does not offer: namespaces, mounts, process control.

Every function raises OSError with the kernel's reason. `namespace` and `keeper` use them; nothing here knows
about sandboxes.

Source: Linux manual pages unshare(2), mount(2), mount_setattr(2), pivot_root(2), prctl(2).
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
from typing import Final

NEW_MOUNTS: Final = 0x00020000
NEW_HOSTNAME: Final = 0x04000000
NEW_IPC: Final = 0x08000000
NEW_USERS: Final = 0x10000000
NEW_PIDS: Final = 0x20000000

NO_SETUID: Final = 2
NO_DEVICES: Final = 4
NO_EXEC: Final = 8
BIND: Final = 4096
RECURSIVE: Final = 16384
PRIVATE: Final = 1 << 18
SLAVE: Final = 1 << 19

_DETACH: Final = 2
_MOUNT_SETATTR_CALL: Final = 442
_AT_RECURSIVE: Final = 0x8000
_ATTR_READ_ONLY: Final = 1
_PIVOT_ROOT_CALLS: Final = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "loongarch64": 41, "s390x": 217}
_SET_DEATH_SIGNAL: Final = 1
_SET_DUMPABLE: Final = 4
_DROP_FROM_BOUNDING_SET: Final = 24
_SET_CHILD_SUBREAPER: Final = 36

CAPABILITY_SYS_ADMIN: Final = 21
"""The capability that mounting needs."""


class _MountAttributes(ctypes.Structure):
    """`struct mount_attr`."""

    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("users", ctypes.c_uint64),
    )


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Give this process its own namespaces.

    Args:
        flags: `NEW_…` values, or-ed.
    """
    _checked(_libc().unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system, or change a mount.

    Args:
        source: what to mount.
        target: where.
        kind: the file system's type; empty for a bind.
        flags: mount flags, or-ed.
        options: the file system's own options, at most one page of text.
    """
    arguments = [os.fsencode(text) if text else None for text in (source, target, kind)]
    data = os.fsencode(options) if options else None
    _checked(_libc().mount(*arguments, ctypes.c_ulong(flags), data), f"mount {kind or source} on {target}")


def make_read_only(target: str) -> None:
    """Make a mount and all mounts below it read-only (Linux 5.12 or newer)."""
    attributes = _MountAttributes(_ATTR_READ_ONLY, 0, 0, 0)
    result = _libc().syscall(
        ctypes.c_long(_MOUNT_SETATTR_CALL),
        ctypes.c_int(-100),  # relative to the working directory
        os.fsencode(target),
        ctypes.c_uint(_AT_RECURSIVE),
        ctypes.byref(attributes),
        ctypes.c_size_t(ctypes.sizeof(attributes)),
    )
    _checked(result, f"mount_setattr {target}")


def enter_new_root() -> None:
    """Make the working directory, which is a mount point, the root, and detach the old root."""
    old_root = os.open("/", os.O_PATH | os.O_DIRECTORY)
    try:
        _pivot_root()
        os.fchdir(old_root)
        # What is detached must not reach the machine's own mounts.
        mount("", ".", flags=SLAVE | RECURSIVE)
        _checked(_libc().umount2(b".", ctypes.c_int(_DETACH)), "umount of the old root")
    finally:
        os.close(old_root)
    os.chdir("/")


def _pivot_root() -> None:
    # Old and new root are stacked on one directory, so that no folder is needed for the old one.
    number = _PIVOT_ROOT_CALLS.get(platform.machine())
    if number is None:
        _checked(_libc().pivot_root(b".", b"."), "pivot_root")
    else:
        _checked(_libc().syscall(ctypes.c_long(number), b".", b"."), "pivot_root")


def _control(operation: int, value: int) -> None:
    padding = [ctypes.c_ulong(0)] * 3
    result = _libc().prctl(ctypes.c_int(operation), ctypes.c_ulong(value), *padding)
    _checked(result, f"prctl {operation}")


def die_with_parent(signal_number: int) -> None:
    """Have the kernel send this process a signal when its parent ends."""
    _control(_SET_DEATH_SIGNAL, signal_number)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent has ended."""
    _control(_SET_CHILD_SUBREAPER, 1)


def guard_memory() -> None:
    """Prevent other processes, including those that this one starts, from reading this process's memory."""
    _control(_SET_DUMPABLE, 0)


def renounce(capability: int) -> None:
    """Drop a capability for every program that this process starts."""
    _control(_DROP_FROM_BOUNDING_SET, capability)
