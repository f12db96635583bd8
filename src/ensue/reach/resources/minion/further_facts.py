"""Facts of this machine for `network_grains` and `system_grains`: no process, no name server."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_RESOLVERS: Final = ("/run/systemd/resolve/resolv.conf", "/etc/resolv.conf")
_BLOCK_DEVICES: Final = "/sys/block"
_PCI_DEVICES: Final = "/sys/bus/pci/devices"
_EFI_VARIABLES: Final = "/sys/firmware/efi/efivars"
_FIBRE_CHANNEL: Final = Path("/sys/class/fc_host")
_DISPLAY_CLASS: Final = "0x03"
_SYSTEMD_FOLDERS: Final = ("/lib/systemd", "/usr/lib/systemd", "/usr/lib64/systemd")
_DEFAULT_4: Final = re.compile(r"\S+\s+00000000\s")
_DEFAULT_6: Final = re.compile(r"0{32} 00 ")


def further_facts() -> dict[str, str]:
    """Return the facts by name, as the script of `posix_grains` prints them."""
    facts = {
        "resolv": _text(*_RESOLVERS),
        "route4": "\n".join(_lines("/proc/net/route", _DEFAULT_4)),
        "route6": "\n".join(_lines("/proc/net/ipv6_route", _DEFAULT_6)),
        "disk": "\n".join(_disks()),
        "gpu": "\n".join(_graphics()),
        "systemd_library": "\n".join(_systemd_libraries()),
        "secure_boot": _secure_boot(),
        "locale": next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), ""),
        "timezone": time.strftime("%Z"),
    }
    if cmdline := _text("/proc/cmdline").strip():
        facts["cmdline"] = cmdline
    if _FIBRE_CHANNEL.is_dir():
        facts["fibre_channel"] = "yes"
    return facts | ({"transactional": "yes"} if shutil.which("transactional-update") else {})


def _disks() -> Iterator[str]:
    for name in _names(_BLOCK_DEVICES):
        path = f"{_BLOCK_DEVICES}/{name}"
        try:
            is_virtual = os.readlink(path).startswith("../devices/virtual/")  # noqa: PTH115 (a string)
        except OSError:
            continue
        if not is_virtual and (flag := _text(f"{path}/queue/rotational").strip()):
            yield f"{name} {flag}"


def _graphics() -> Iterator[str]:
    for name in _names(_PCI_DEVICES):
        path = f"{_PCI_DEVICES}/{name}"
        if _text(f"{path}/class").startswith(_DISPLAY_CLASS):
            yield f"{_text(f'{path}/vendor').strip()} {_text(f'{path}/device').strip()}"


def _secure_boot() -> str:
    for name in _names(_EFI_VARIABLES):
        if name.startswith("SecureBoot-"):
            return str((_bytes(f"{_EFI_VARIABLES}/{name}") or b"\0")[-1])
    return ""


def _systemd_libraries() -> Iterator[str]:
    # Debian keeps the library in the folder of the architecture.
    architecture = f"/usr/lib/{os.uname().machine}-linux-gnu/systemd"
    for folder in (*_SYSTEMD_FOLDERS, architecture):
        yield from (name for name in _names(folder) if name.startswith("libsystemd-shared-"))


def _lines(path: str, pattern: re.Pattern[str]) -> Iterator[str]:
    return (line for line in _text(path).splitlines() if pattern.match(line))


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 (a Path's glob is slower)
    except OSError:
        return []


def _text(*paths: str) -> str:
    for path in paths:
        if (content := _bytes(path)) is not None:
            return content.decode("utf-8", "replace")
    return ""


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (cheaper than a Path)
            return file.read()
    except OSError:
        return None
