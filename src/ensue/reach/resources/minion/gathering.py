"""Grains of this machine, read from /proc, /sys and /etc in a few milliseconds: no process, no name server.

`posix_grains` computes the grains from these facts, so that a machine has the same grains locally and over
SSH.
"""

from __future__ import annotations

import array
import fcntl
import os
import socket
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.files.regular_files import NotRegularError, read_regular
from ensue.core.model.own_grains import DEFAULT_PATH
from ensue.reach.resources.minion.accounts import current_group, current_user
from ensue.reach.resources.minion.further_facts import further_facts
from ensue.reach.resources.posix_grains import grains_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.data import DataMap

_INTERFACES: Final = "/sys/class/net"
_LIST_INTERFACES: Final = 0x8912  # SIOCGIFCONF
_INTERFACE_ENTRY_BYTES: Final = 40
_MOST_ADDRESSES: Final = 4096
_FIRST_CPU_BYTES: Final = 4096

_LINES: Final = {
    "machine_id": ("/etc/machine-id", "/var/lib/dbus/machine-id"),
    "init_comm": ("/proc/1/comm",),
    "container": ("/run/systemd/container",),
    "dmi_vendor": ("/sys/class/dmi/id/sys_vendor",),
    "dmi_product": ("/sys/class/dmi/id/product_name",),
    "hypervisor": ("/sys/hypervisor/type",),
    "cgroup": ("/proc/1/cgroup",),
    "hosts": ("/etc/hosts",),
}
_MARKS: Final = {
    "systemd_running": "/run/systemd/system",
    "openrc_running": "/run/openrc",
    "dockerenv": "/.dockerenv",
    "containerenv": "/run/.containerenv",
    "efi": "/sys/firmware/efi",
}


def minion_grains(minion_id: str, *, root: str = "", own_grains_file: str = DEFAULT_PATH) -> DataMap:
    """Return this machine's grains.

    Args:
        minion_id: the grain `id`.
        root: a folder that represents the machine; its own /etc/os-release is preferred.
        own_grains_file: the file with the user's own grains.
    """
    grains = grains_from(_facts(root, own_grains_file), id_=minion_id)
    grains["pythonversion"] = [*sys.version_info]
    grains["pythonexecutable"] = sys.executable
    grains["pythonpath"] = [*sys.path]
    grains["pid"] = os.getpid()
    grains["cwd"] = _working_folder()
    return grains


def _facts(root: str, own_grains_file: str) -> dict[str, str]:
    system = os.uname()
    facts = {
        "kernel": system.sysname,
        "kernelrelease": system.release,
        "kernelversion": system.version,
        "machine": system.machine,
        "nodename": system.nodename,
        "os_release": _first_text(root + "/etc/os-release", "/etc/os-release", "/usr/lib/os-release"),
        "num_cpus": str(os.cpu_count() or 1),
        "meminfo": _memory(),
        "uid": str(os.geteuid()),
        "gid": str(os.getegid()),
        "user": current_user(),
        "group": current_group(),
        "shell": os.environ.get("SHELL", ""),
        "path": os.environ.get("PATH", ""),
        "address": "\n".join(f"{name} {address}" for name, address in _addresses()),
        "hwaddr": "\n".join(_hardware_addresses()),
        "isolation": os.environ.get("ENSUE_ISOLATION", ""),
        **_own_grains(Path(root.rstrip("/") + own_grains_file)),
    }
    facts |= {name: _first_text(*paths).strip() for name, paths in _LINES.items()}
    facts |= further_facts()
    facts |= {name: "yes" for name, path in _MARKS.items() if os.path.exists(path)}  # noqa: PTH110 (cheaper)
    return facts | _processor()


def _own_grains(path: Path) -> dict[str, str]:
    """Read the only file here that a user names, and which may therefore be anything."""
    try:
        return {"own_grains": read_regular(path).decode("utf-8", "replace")}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except NotRegularError as error:
        return {"own_grains_fault": f"it is {error}"}
    except OSError as error:
        return {"own_grains_fault": error.strerror or str(error)}


def _processor() -> dict[str, str]:
    """Read only the first processor: listing all 256 of a large machine takes long."""
    try:
        with open("/proc/cpuinfo", "rb") as file:  # noqa: PTH123 (a part of it)
            first = file.read(_FIRST_CPU_BYTES).decode("ascii", "replace")
    except OSError:
        return {}
    flagged = any(line.startswith("flags") and " hypervisor" in line for line in first.splitlines())
    flags = next((line for line in first.splitlines() if line.startswith(("flags", "Features"))), "")
    return {"cpuinfo": first, "cpu_flags": flags} | ({"hypervisor_flag": "yes"} if flagged else {})


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 (a string)
    except FileNotFoundError:
        return ""


def _memory() -> str:
    lines = _first_text("/proc/meminfo").splitlines()
    return "\n".join(line for line in lines if line.startswith(("MemTotal:", "SwapTotal:")))


def _addresses() -> Iterator[tuple[str, str]]:
    """Yield interface and address of every address of this machine."""
    yield from _ipv4_addresses()
    for line in _first_text("/proc/net/if_inet6").splitlines():
        number, _, _, _, _, name = line.split()
        yield name, socket.inet_ntop(socket.AF_INET6, bytes.fromhex(number))


def _ipv4_addresses() -> Iterator[tuple[str, str]]:
    """Ask the kernel with SIOCGIFCONF, see netdevice(7)."""
    room = array.array("B", bytes(_INTERFACE_ENTRY_BYTES * _MOST_ADDRESSES))
    address, length = room.buffer_info()
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            answer = fcntl.ioctl(asking, _LIST_INTERFACES, struct.pack("iL", length, address))
    except OSError:
        return
    filled = struct.unpack("iL", answer)[0]
    entries = room[:filled].tobytes()
    for start in range(0, filled, _INTERFACE_ENTRY_BYTES):
        entry = entries[start : start + _INTERFACE_ENTRY_BYTES]
        # A label such as eth0:1 belongs to eth0.
        name = entry[:16].partition(b"\0")[0].decode().partition(":")[0]
        yield name, socket.inet_ntoa(entry[20:24])


def _hardware_addresses() -> Iterator[str]:
    try:
        names = sorted(os.listdir(_INTERFACES))  # noqa: PTH208 (a Path's glob is slower than all else here)
    except OSError:
        return
    for name in names:
        if os.access(path := f"{_INTERFACES}/{name}/address", os.R_OK):
            yield f"{name} {_first_text(path).strip()}"


def _first_text(*paths: str) -> str:
    for path in paths:
        try:
            with open(path, "rb") as file:  # noqa: PTH123 (cheaper than a Path, and accepts bytes that are not UTF-8)
                return file.read().decode("utf-8", "replace")
        except OSError:
            continue
    return ""
