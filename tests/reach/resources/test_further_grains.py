"""Grains of network and system, from facts as machines give them."""

from __future__ import annotations

from ensue.reach.resources.network_grains import network_grains
from ensue.reach.resources.system_grains import system_grains

ROUTE4 = """\
wlan0	00000000	0101A8C0	0003	0	0	600	00000000	0	0	0
eth0	00000000	010200C0	0003	0	0	100	00000000	0	0	0
eth1	00000000	00000000	0001	0	0	700	000000FF	0	0	0
"""
ROUTE6 = f"""\
{"0" * 32} 00 {"0" * 32} 00 fd{"0" * 29}1 00000400 00000002 00000000 00000003     eth0
{"0" * 32} 00 {"0" * 32} 00 {"0" * 32} ffffffff 00000001 00000000 00200200       lo
"""
RESOLV = """\
# made by hand
nameserver 192.0.2.53 ; the first
nameserver 2001:db8::53
nameserver 192.0.2.53
nameserver nonsense
search example.org example.net # both
options edns0 trust-ad
sortlist 192.0.2.0/24
domain
"""
HOSTS = """\
127.0.0.1 localhost
127.0.1.1 web-1.example.org web-1
2001:db8::5 web-1.example.org
192.0.2.5 www.example.org www # seen from outside
nonsense line
"""


def test_gateways_are_those_of_the_cheapest_default_routes() -> None:
    """Each version has its gateway; True is a route without one, False is none; a refusing route is none."""
    grains = network_grains({"route4": ROUTE4, "route6": ROUTE6}, fqdn="m", own=frozenset())
    assert (grains["ip_gw"], grains["ip4_gw"], grains["ip6_gw"]) == (True, "192.0.2.1", "fd00::1")
    grains = network_grains({}, fqdn="m", own=frozenset())
    assert (grains["ip_gw"], grains["ip4_gw"], grains["ip6_gw"]) == (False, False, False)
    direct = "ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n"
    assert network_grains({"route4": direct}, fqdn="m", own=frozenset())["ip4_gw"] is True


def test_the_resolver_is_read_as_salt_reads_it() -> None:
    """Each server counts once, comments and what is no address are left out."""
    grains = network_grains({"resolv": RESOLV}, fqdn="m", own=frozenset())
    assert grains["dns"] == {
        "nameservers": ["192.0.2.53", "2001:db8::53"],
        "ip4_nameservers": ["192.0.2.53"],
        "ip6_nameservers": ["2001:db8::53"],
        "sortlist": ["192.0.2.0/24"],
        "domain": "",
        "search": ["example.org", "example.net"],
        "options": ["edns0"],
    }


def test_names_and_addresses_come_from_the_file_of_hosts() -> None:
    """The long name has the addresses beside it; long names of own addresses are `fqdns`."""
    own = frozenset({"127.0.0.1", "192.0.2.5"})
    grains = network_grains({"hosts": HOSTS}, fqdn="web-1.example.org", own=own)
    assert (grains["fqdn_ip4"], grains["fqdn_ip6"]) == (["127.0.1.1"], ["2001:db8::5"])
    assert grains["fqdns"] == ["www.example.org"]


def test_what_the_system_is() -> None:
    """Parameters of the kernel, disks by kind, graphics, locale, systemd and the number of the server."""
    facts = {
        "cmdline": 'ro quiet root=UUID=1 console="ttyS0,115200"',
        "disk": "sda 1\nnvme0n1 0\nodd x",
        "gpu": "0x10de 0x1eb8\n0xffff 0x0001",
        "locale": "de_DE.UTF-8@euro",
        "timezone": "CET",
        "secure_boot": "   1",
        "cpu_flags": "flags\t\t: fpu vme",
        "systemd_library": "libsystemd-shared-252.so",
        "fibre_channel": "yes",
    }
    grains = system_grains(facts, id_="vm")
    assert grains["kernelparams"] == [
        ["ro", None],
        ["quiet", None],
        ["root", None],
        ["console", "ttyS0,115200"],
    ]
    assert (grains["disks"], grains["ssds"], grains["num_gpus"]) == (["sda"], ["nvme0n1"], 2)
    assert grains["gpus"] == [
        {"vendor": "nvidia", "model": "0x1eb8"},
        {"vendor": "unknown", "model": "0x0001"},
    ]
    assert grains["locale_info"] == {
        "defaultlanguage": "de_DE",
        "defaultencoding": "UTF-8",
        "detectedencoding": "utf-8",
        "timezone": "CET",
    }
    assert grains["fibre_channel_host"]
    assert (grains["efi-secure-boot"], grains["systemd"]) == (True, {"version": "252"})
    assert (grains["cpu_flags"], grains["server_id"]) == (["fpu", "vme"], 2067164805)
