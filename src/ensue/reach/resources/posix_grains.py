"""Computes the grains of a POSIX machine from raw facts, which a shell script gathers in one round trip.

A fact is text of the machine (`os_release` is the whole file). `grains_from` computes Salt's grains from
facts, whether this process or the script has read them. The script requires a POSIX shell, and uses /proc,
/sys, `ip` and `id` as far as they exist.

Source: the names and shapes of Salt's core grains.
"""

from __future__ import annotations

import ipaddress
import shlex
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.numbers import whole_number
from ensue.core.model.own_grains import own_grains_path, read_own_grains
from ensue.reach.resources.network_grains import NETWORK_FACTS, network_grains
from ensue.reach.resources.os_release import os_grains
from ensue.reach.resources.system_grains import SYSTEM_FACTS, system_grains

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import Data, DataMap

SALT_VERSION: Final = "3008.5"
"""The release of Salt whose features SLS files may use; formulas check it."""

FACTS_SCRIPT: Final = r"""
say() { [ -z "$2" ] || printf '%s=%s\n' "$1" "$2"; }
file() { [ ! -r "$2" ] || sed "s/^/$1=/" < "$2" 2>/dev/null; echo; }
line() { [ ! -r "$2" ] || { IFS= read -r l < "$2" || [ -n "$l" ]; } 2>/dev/null && say "$1" "$l"; l=; }
say kernel "$(uname -s)"
say kernelrelease "$(uname -r)"
say kernelversion "$(uname -v)"
say machine "$(uname -m)"
say nodename "$(uname -n)"
file os_release /etc/os-release
[ -r /etc/os-release ] || file os_release /usr/lib/os-release
file hosts /etc/hosts
sed -n -e '/^processor/p' -e '/^model name/p' /proc/cpuinfo 2>/dev/null | sed 's/^/cpuinfo=/'
sed -n -e '/^MemTotal/p' -e '/^SwapTotal/p' /proc/meminfo 2>/dev/null | sed 's/^/meminfo=/'
line machine_id /etc/machine-id
[ -r /etc/machine-id ] || line machine_id /var/lib/dbus/machine-id
say uid "$(id -u)"; say gid "$(id -g)"; say user "$(id -un 2>/dev/null)"; say group "$(id -gn 2>/dev/null)"
say shell "$SHELL"; say path "$PATH"; say home "$HOME"
line init_comm /proc/1/comm
[ ! -d /run/systemd/system ] || say systemd_running yes
[ ! -d /run/openrc ] || say openrc_running yes
[ ! -e /.dockerenv ] || say dockerenv yes
[ ! -e /run/.containerenv ] || say containerenv yes
line container /run/systemd/container
file cgroup /proc/1/cgroup
line dmi_vendor /sys/class/dmi/id/sys_vendor
line dmi_product /sys/class/dmi/id/product_name
line hypervisor /sys/hypervisor/type
[ ! -d /sys/firmware/efi ] || say efi yes
grep -q '^flags.* hypervisor' /proc/cpuinfo 2>/dev/null && say hypervisor_flag yes
for i in /sys/class/net/*; do
  [ ! -r "$i/address" ] || line hwaddr "$i/address" | sed "s|=|=${i##*/} |"
done
ip -o addr show 2>/dev/null | while read -r n i f a r; do
  case $f in inet|inet6) printf 'address=%s %s\n' "$i" "${a%%/*}";; esac
done
p=$(command -v python3 2>/dev/null) && say pythonexecutable "$p"
say isolation "$ENSUE_ISOLATION"
o=$ENSUE_ROOT$own_grains_file
if [ -f "$o" ]; then file own_grains "$o"
elif [ -e "$o" ] || [ -L "$o" ]; then say own_grains_fault "it is no file"; fi
"""
"""Prints facts, one `name=line` for each line of each fact; `own_grains_file` is set before it."""

_PRODUCTS: Final = (
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("Virtual Machine", "VirtualPC"),
    ("Xen", "xen"),
    ("HVM domU", "xen"),
    ("Parallels", "Parallels"),
    ("Google", "gce"),
    ("Amazon EC2", "Nitro"),
    ("BHYVE", "bhyve"),
    ("KVM", "kvm"),
    ("QEMU", "kvm"),
    ("Bochs", "kvm"),
    ("RHEV", "kvm"),
    ("oVirt", "kvm"),
    ("OpenStack", "kvm"),
)
_INITS: Final = {
    "systemd": "systemd",
    "init": "sysvinit",
    "runit": "runit",
    "openrc-init": "openrc",
    "s6-svscan": "s6",
    "tini": "tini",
    "dumb-init": "dumb-init",
    "docker-init": "tini",
    "launchd": "launchd",
    "supervisord": "supervisord",
}


def project_grains(opts: Mapping[str, Any]) -> DataMap:
    """Return the grains that depend on the project and not on the machine.

    Args:
        opts: its options.
    """
    # Salt's default, which formulas read; the host need not exist.
    return {"master": str(opts.get("master") or "salt")}


def facts_script(opts: Mapping[str, Any]) -> str:
    """Return the script for a project.

    Args:
        opts: its options.
    """
    parts = (FACTS_SCRIPT, NETWORK_FACTS, SYSTEM_FACTS)
    return f"own_grains_file={shlex.quote(own_grains_path(opts))}\n{''.join(parts)}exit 0\n"


def parse_facts(text: str) -> dict[str, str]:
    """Return the output of the script by fact; the lines of a fact are joined."""
    lines: dict[str, list[str]] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals:
            lines.setdefault(name, []).append(value)
    return {name: "\n".join(values) for name, values in lines.items()}


def grains_from(facts: Mapping[str, str], *, id_: str) -> DataMap:
    """Compute grains from facts.

    Args:
        facts: raw texts by name, as the script gathers them.
        id_: the grain `id`.
    """
    machine = facts.get("machine", "")
    grains: DataMap = {"id": id_, "cpuarch": machine}
    grains |= _names(facts.get("nodename", ""), facts.get("hosts", ""))
    grains |= {key: facts[key] for key in ("kernel", "kernelrelease", "kernelversion") if key in facts}
    grains |= os_grains(facts.get("os_release", ""), machine=machine)
    grains |= _hardware(facts)
    grains |= _user(facts)
    addresses = _addresses(facts)
    own = frozenset(map(str, [*addresses["ipv4"], *addresses["ipv6"]]))
    grains |= addresses | network_grains(facts, fqdn=str(grains["fqdn"]), own=own)
    grains |= system_grains(facts, id_=id_)
    grains |= _virtual(facts)
    grains["init"] = _init(facts)
    grains |= {
        "saltversion": SALT_VERSION,
        "saltversioninfo": [int(part) for part in SALT_VERSION.split(".")],
    }
    for key in ("machine_id", "pythonexecutable", "isolation"):
        if facts.get(key):
            grains[key] = facts[key]
    return grains | _own(facts, id_)


def _own(facts: Mapping[str, str], id_: str) -> DataMap:
    fault = facts.get("own_grains_fault", "")
    if not fault:
        try:
            return read_own_grains(facts.get("own_grains", "")) | {"id": id_}
        except ValueError as error:
            fault = str(error)
    import logging

    logging.getLogger(__name__).warning("the file of own grains of %s is not looked at: %s", id_, fault)
    return {}


def _names(nodename: str, hosts: str) -> DataMap:
    fqdn = nodename if "." in nodename else _long_name(nodename, hosts)
    host, _, domain = fqdn.partition(".")
    return {"nodename": nodename, "localhost": nodename, "fqdn": fqdn, "host": host, "domain": domain}


def _long_name(short: str, hosts: str) -> str:
    """Return the name with a domain that /etc/hosts has; no name server is asked, as it may hang."""
    for line in hosts.splitlines():
        names = line.partition("#")[0].split()[1:]
        if short in names:
            return next((name for name in names if name.startswith(short + ".")), short)
    return short


def _hardware(facts: Mapping[str, str]) -> DataMap:
    grains: DataMap = {"efi": "efi" in facts}
    processors = [line.partition(":") for line in facts.get("cpuinfo", "").splitlines()]
    models = [value.strip() for name, _, value in processors if name.strip() == "model name"]
    count = sum(1 for name, _, _ in processors if name.strip() == "processor")
    grains["num_cpus"] = whole_number(facts.get("num_cpus", "")) or count or 1
    grains["cpu_model"] = models[0] if models else "Unknown"
    for line in facts.get("meminfo", "").splitlines():
        name, _, value = line.partition(":")
        grain = {"MemTotal": "mem_total", "SwapTotal": "swap_total"}.get(name)
        kibibytes = whole_number(value.removesuffix("kB").strip())
        if grain and kibibytes is not None:
            grains[grain] = kibibytes // 1024
    if facts.get("dmi_vendor"):
        grains["manufacturer"] = facts["dmi_vendor"]
    if facts.get("dmi_product"):
        grains["productname"] = facts["dmi_product"]
    return grains


def _user(facts: Mapping[str, str]) -> DataMap:
    path = facts.get("path", "")
    grains: DataMap = {"shell": facts.get("shell") or "/bin/sh", "path": path}
    grains["systempath"] = [*path.split(":")] if path else []
    for fact, grain in (("uid", "uid"), ("gid", "gid")):
        number = whole_number(facts.get(fact, ""))
        if number is not None:
            grains[grain] = number
    for fact, grain in (("user", "username"), ("group", "groupname")):
        if facts.get(fact):
            grains[grain] = facts[fact]
    return grains


def _addresses(facts: Mapping[str, str]) -> dict[str, Any]:
    hardware = dict(line.split(" ", 1) for line in facts.get("hwaddr", "").splitlines() if " " in line)
    of4: dict[str, list[str]] = {name: [] for name in hardware}
    of6: dict[str, list[str]] = {name: [] for name in hardware}
    for line in facts.get("address", "").splitlines():
        interface, _, text = line.partition(" ")
        interface = interface.partition("@")[0].rstrip(":")
        try:
            version = ipaddress.ip_address(text).version
        except ValueError:
            continue
        of4.setdefault(interface, [])
        of6.setdefault(interface, [])
        (of4 if version == 4 else of6)[interface].append(text)  # noqa: PLR2004 (IPv4 is called so)
    for addresses in of6.values():
        # The kernel's two lists disagree about the order; those that reach beyond the link come first.
        addresses.sort(key=lambda address: ipaddress.ip_address(address).is_link_local)
    both = {name: of4[name] + of6[name] for name in of4}
    return {
        "ipv4": _in_order(of4),
        "ipv6": _in_order(of6),
        "ip4_interfaces": _as_data(of4),
        "ip6_interfaces": _as_data(of6),
        "ip_interfaces": _as_data(both),
        "hwaddr_interfaces": {name: hardware[name] for name in sorted(hardware)},
    }


def _in_order(by_interface: Mapping[str, list[str]]) -> list[Data]:
    """Return all addresses, each once, sorted as text, as Salt lists them."""
    return [*sorted({address for addresses in by_interface.values() for address in addresses})]


def _as_data(by_interface: Mapping[str, list[str]]) -> DataMap:
    return {name: [*by_interface[name]] for name in sorted(by_interface)}


def _virtual(facts: Mapping[str, str]) -> DataMap:
    subtype = _container(facts)
    if subtype:
        return {"virtual": "container", "virtual_subtype": subtype}
    described = f"{facts.get('dmi_vendor', '')} {facts.get('dmi_product', '')}"
    for word, name in _PRODUCTS:
        if word in described:
            return {"virtual": name}
    if facts.get("hypervisor"):
        return {"virtual": facts["hypervisor"]}
    return {"virtual": "VM" if "hypervisor_flag" in facts else "physical"}


def _container(facts: Mapping[str, str]) -> str:
    cgroup = facts.get("cgroup", "")
    if "kubepods" in cgroup:
        return "Kubernetes"
    if "dockerenv" in facts or "/docker/" in cgroup:
        return "Docker"
    if "containerenv" in facts or "libpod" in cgroup:
        return "Podman"
    if "/lxc/" in cgroup:
        return "LXC"
    return facts.get("container", "")


def _init(facts: Mapping[str, str]) -> str:
    if "systemd_running" in facts:
        return "systemd"
    if "openrc_running" in facts:
        return "openrc"
    return _INITS.get(facts.get("init_comm", ""), "unknown")
