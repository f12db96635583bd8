"""Computes Salt's grains `os`, `os_family`, `osrelease` and others from `/etc/os-release`. Pure.

Source: os-release(5); Salt's grains of the same names.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Final

from ensue.core.model.numbers import whole_number

if TYPE_CHECKING:
    from ensue.core.model.data import Data, DataMap

_NAMES: Final = {
    # os-release ID → (os, os_family), where they do not follow from NAME and ID_LIKE.
    "debian": ("Debian", "Debian"),
    "raspbian": ("Raspbian", "Debian"),
    "ubuntu": ("Ubuntu", "Debian"),
    "linuxmint": ("Mint", "Debian"),
    "pop": ("Pop", "Debian"),
    "kali": ("Kali", "Debian"),
    "devuan": ("Devuan", "Debian"),
    "fedora": ("Fedora", "RedHat"),
    "rhel": ("RedHat", "RedHat"),
    "rocky": ("Rocky", "RedHat"),
    "almalinux": ("AlmaLinux", "RedHat"),
    "ol": ("OEL", "RedHat"),
    "amzn": ("Amazon", "RedHat"),
    "cloudlinux": ("CloudLinux", "RedHat"),
    "openeuler": ("openEuler", "RedHat"),
    "photon": ("VMware Photon OS", "RedHat"),
    "sles": ("SUSE", "Suse"),
    "sled": ("SUSE", "Suse"),
    "sles_sap": ("SUSE", "Suse"),
    "opensuse-leap": ("SUSE", "Suse"),
    "opensuse-tumbleweed": ("SUSE", "Suse"),
    "arch": ("Arch", "Arch"),
    "archarm": ("Arch ARM", "Arch"),
    "manjaro": ("Manjaro", "Arch"),
    "endeavouros": ("EndeavourOS", "Arch"),
    "alpine": ("Alpine", "Alpine"),
    "gentoo": ("Gentoo", "Gentoo"),
    "void": ("Void", "Void"),
    "nixos": ("NixOS", "NixOS"),
}
_FAMILY_OF_LIKE: Final = {
    "debian": "Debian",
    "ubuntu": "Debian",
    "rhel": "RedHat",
    "fedora": "RedHat",
    "centos": "RedHat",
    "suse": "Suse",
    "opensuse": "Suse",
    "arch": "Arch",
    "gentoo": "Gentoo",
    "alpine": "Alpine",
}
_FINGER_BY_WHOLE_RELEASE: Final = frozenset({"Ubuntu", "Pop", "NixOS"})
_FINGER_BY_NAME: Final = frozenset({"CentOS", "RedHat", "Fedora", "Rocky", "AlmaLinux", "SUSE"})

_DEBIAN_ARCHITECTURES: Final = {
    "x86_64": "amd64",
    "aarch64": "arm64",
    "i386": "i386",
    "i486": "i386",
    "i586": "i386",
    "i686": "i386",
    "armv6l": "armhf",
    "armv7l": "armhf",
    "armv8l": "armhf",
    "ppc64le": "ppc64el",
    "riscv64": "riscv64",
    "s390x": "s390x",
    "loongarch64": "loong64",
}


def os_grains(os_release: str, *, machine: str) -> DataMap:
    """Return the grains that describe the operating system.

    Args:
        os_release: text of `/etc/os-release`; empty if there is none.
        machine: output of `uname -m`.

    Returns:
        `os os_family osfullname osrelease osrelease_info osmajorrelease oscodename osfinger osarch`
        and `lsb_distrib_*`, as far as they are known.
    """
    fields = parse_os_release(os_release)
    full_name = fields.get("NAME", "").strip() or "Unknown"
    name, family = _name_and_family(fields, full_name)
    release = fields.get("VERSION_ID") or fields.get("BUILD_ID", "")
    codename = fields.get("VERSION_CODENAME", "")
    grains: DataMap = {
        "os": name,
        "os_family": family,
        "osfullname": full_name,
        "osarch": _DEBIAN_ARCHITECTURES.get(machine, machine) if family == "Debian" else machine,
        "lsb_distrib_id": full_name,
    }
    if release:
        grains |= {"osrelease": release, "lsb_distrib_release": release} | _release_parts(
            name, full_name, release
        )
    if codename:
        grains |= {"oscodename": codename, "lsb_distrib_codename": codename}
    return grains


def parse_os_release(text: str) -> dict[str, str]:
    """Return the variables of an os-release file; other lines are skipped."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, equals, value = line.strip().partition("=")
        if not equals or key.startswith("#"):
            continue
        try:
            fields[key] = (
                "".join(shlex.split(value)) if value[:1] not in {'"', "'"} else shlex.split(value)[0]
            )
        except (ValueError, IndexError):
            fields[key] = value.strip("\"'")
    return fields


def _name_and_family(fields: dict[str, str], full_name: str) -> tuple[str, str]:
    identity = fields.get("ID", "").lower()
    if identity in _NAMES:
        return _NAMES[identity]
    if identity == "centos":
        return ("CentOS Stream" if "stream" in full_name.lower() else "CentOS", "RedHat")
    name = full_name.removesuffix("GNU/Linux").removesuffix("Linux").strip() or full_name
    for like in fields.get("ID_LIKE", "").lower().split():
        if like in _FAMILY_OF_LIKE:
            return (name, _FAMILY_OF_LIKE[like])
    return (name, identity.capitalize() or "Unknown")


def _release_parts(name: str, full_name: str, release: str) -> DataMap:
    parts_of_release = release.split(".")
    numbers = map(whole_number, parts_of_release)
    info: list[Data] = [
        part if number is None else number for part, number in zip(parts_of_release, numbers, strict=True)
    ]
    whole = name in _FINGER_BY_WHOLE_RELEASE
    shown = full_name if name in _FINGER_BY_NAME else name
    first = release if whole else release.partition(".")[0]
    parts: DataMap = {"osrelease_info": info, "osfinger": f"{shown}-{first}"}
    if isinstance(info[0], int):
        parts["osmajorrelease"] = info[0]
    return parts
