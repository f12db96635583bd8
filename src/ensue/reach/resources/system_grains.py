"""Computes further grains of a machine from raw facts: kernel parameters, disks, locale and others.

Source: the names and shapes of Salt's grains.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import Data, DataMap

SYSTEM_FACTS: Final = r"""
line cmdline /proc/cmdline
sed -n -e '/^flags/{s/^/cpu_flags=/p;q;}' -e '/^Features/{s/^/cpu_flags=/p;q;}' /proc/cpuinfo 2>/dev/null
for i in /sys/block/*; do
  [ ! -r "$i/queue/rotational" ] || [ -e "/sys/devices/virtual/block/${i##*/}" ] || {
    IFS= read -r l < "$i/queue/rotational"; say disk "${i##*/} $l"; }
done
for i in /sys/bus/pci/devices/*; do
  [ ! -r "$i/class" ] || { IFS= read -r l < "$i/class"; case $l in 0x03*)
    IFS= read -r l < "$i/vendor"; IFS= read -r m < "$i/device"; say gpu "$l $m";; esac; }
done
for i in /sys/firmware/efi/efivars/SecureBoot-*; do
  [ ! -r "$i" ] || say secure_boot "$(tail -c 1 "$i" | od -An -tu1)"
done
say locale "${LC_ALL:-${LC_CTYPE:-$LANG}}"; say timezone "$(date +%Z)"
for i in /lib/systemd/libsystemd-shared-* /usr/lib/systemd/libsystemd-shared-* \
  /usr/lib64/systemd/libsystemd-shared-* /lib/*/systemd/libsystemd-shared-*; do
  [ ! -e "$i" ] || say systemd_library "${i##*/}"
done
command -v transactional-update >/dev/null 2>&1 && say transactional yes
[ ! -d /sys/class/fc_host ] || say fibre_channel yes
"""
"""The part of the script that gathers facts for these grains; see `posix_grains`."""

_VENDORS: Final = {
    "0x10de": "nvidia",
    "0x1002": "amd",
    "0x8086": "intel",
    "0x1013": "cirrus logic",
    "0x15ad": "vmware",
    "0x102b": "matrox",
    "0x1a03": "aspeed",
}
_PLAIN_LOCALES: Final = frozenset({"", "C", "POSIX"})
_SYSTEMD: Final = re.compile(r"libsystemd-shared-(?P<version>\d+)")


def system_grains(facts: Mapping[str, str], *, id_: str) -> DataMap:
    """Return `server_id kernelparams cpu_flags disks ssds gpus num_gpus locale_info systemd ps` and others.

    Args:
        facts: raw texts by name.
        id_: the grain `id`.
    """
    grains: DataMap = {
        "server_id": int(hashlib.sha256(id_.encode()).hexdigest(), 16) % 2**31,
        "cpu_flags": [*facts.get("cpu_flags", "").partition(":")[2].split()],
        "efi-secure-boot": facts.get("secure_boot", "").strip() == "1",
        "locale_info": _locale(facts),
        "ps": "ps -efHww",
        "transactional": "transactional" in facts,
        "fibre_channel_host": "fibre_channel" in facts,
    }
    if "cmdline" in facts:
        grains["kernelparams"] = [_parameter(word) for word in _words(facts["cmdline"])]
    if match := _SYSTEMD.search(facts.get("systemd_library", "")):
        grains["systemd"] = {"version": match["version"]}
    return grains | _disks(facts.get("disk", "")) | _graphics(facts.get("gpu", ""))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _parameter(word: str) -> list[Data]:
    name, *values = word.split("=")
    return [name, values[0].strip('"') if len(values) == 1 else None]


def _disks(text: str) -> DataMap:
    by_rotation: dict[str, list[str]] = {"0": [], "1": []}
    for line in text.splitlines():
        name, _, flag = line.partition(" ")
        if flag in by_rotation:
            by_rotation[flag].append(name)
    return {"disks": [*by_rotation["1"]], "ssds": [*by_rotation["0"]]}


def _graphics(text: str) -> DataMap:
    pairs = [line.partition(" ") for line in text.splitlines()]
    return {
        "gpus": [{"vendor": _VENDORS.get(vendor, "unknown"), "model": model} for vendor, _, model in pairs],
        "num_gpus": len(pairs),
    }


def _locale(facts: Mapping[str, str]) -> DataMap:
    language, _, encoding = facts.get("locale", "").partition("@")[0].partition(".")
    return {
        "defaultlanguage": None if language in _PLAIN_LOCALES else language,
        "defaultencoding": encoding or None,
        "detectedencoding": (encoding or "utf-8").lower(),
        "timezone": facts.get("timezone") or "unknown",
    }
