"""Execution modules that templates of formulas call: `match`, `network`, `dig`, `status`, `disk` and more."""

from __future__ import annotations

import asyncio
import base64
import time
from importlib import import_module
from typing import Any

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.errors import StateFailedError
from ensue.core.model.srn import Srn
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext

ADDRESSES = b"""\
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
    inet6 ::1/128 scope host
2: eth0@if5: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default
    link/ether 02:42:0a:00:00:02 brd ff:ff:ff:ff:ff:ff link-netnsid 0
    inet 10.0.0.2/24 brd 10.0.0.255 scope global eth0
    inet 8.8.4.4/32 scope global eth0
    inet6 fe80::42:aff:fe00:2/64 scope link
3: eth1: <BROADCAST> mtu 1500 state DOWN
"""


def call(function: str, *args: Any, target: FakeConnection | None = None, **kwargs: Any) -> Any:
    connection = target or FakeConnection(Srn("minion", "web-1"))
    context = FakeFunctionContext(
        connection=connection,
        grains_data={"os": "Debian", "roles": ["web"], "ipv4": ["10.0.0.2"]},
        pillar={"tier": "front"},
        opts={"id": "web-1", "nodegroups": {"front": "web-* or db-1"}},
        functions=dict(execution_functions()),
    )
    return asyncio.run(context.call(function, *args, **kwargs))


def scripted(pattern: str, stdout: bytes, files: dict[str, bytes] | None = None) -> FakeConnection:
    target = FakeConnection(Srn("minion", "web-1"), files=files)
    target.on_run(pattern, stdout=stdout)
    return target


@pytest.mark.parametrize(
    ("function", "expression", "expected"),
    [
        ("compound", "G@os:Debian and web-*", True),
        ("compound", "G@os:Debian and not I@tier:front", False),
        ("compound", "N@front", True),
        ("glob", "db-*", False),
        ("pcre", "web-[0-9]", True),
        ("list", "db-1,web-1", True),
        ("grain", "roles:web", True),
        ("grain_pcre", "os:Deb.*", True),
        ("pillar", "tier:back", False),
        ("pillar_pcre", "tier:fr", True),
        ("ipcidr", "10.0.0.0/24", True),
    ],
)
def test_match(function: str, expression: str, expected: bool) -> None:
    """An expression means this target or does not; what is no expression means nothing."""
    assert call(f"match.{function}", expression) is expected


def test_match_chooses_a_value() -> None:
    """`filter_by` returns the first value that is meant, merged, `search_by` keys; also for another id."""
    lookup = {"db-*": {"a": 1}, "web-*": {"a": 2, "b": 3}, "default": {"a": 0}}
    assert call("match.filter_by", lookup, merge={"b": 4}) == {"a": 2, "b": 4}
    assert call("match.filter_by", lookup, minion_id="mail") == {"a": 0}
    assert call("match.search_by", {"x": ["web-1"], "y": ["db-*"], "z": ["*"]}) == ["x", "z"]
    assert call("match.glob", "db-*", minion_id="db-7") is True
    with pytest.raises(StateFailedError, match="not a kind of target"):
        call("match.filter_by", lookup, tgt_type="colour")


def test_network() -> None:
    """Interfaces, addresses and networks are read from what `ip` says."""
    target = scripted("ip address show", ADDRESSES)
    interfaces = call("network.interfaces", target=target)
    assert interfaces["eth0"] == {
        "up": True,
        "hwaddr": "02:42:0a:00:00:02",
        "inet": [
            {"address": "10.0.0.2", "netmask": "255.255.255.0", "broadcast": "10.0.0.255", "label": "eth0"},
            {"address": "8.8.4.4", "netmask": "255.255.255.255", "label": "eth0"},
        ],
        "inet6": [{"address": "fe80::42:aff:fe00:2", "prefixlen": "64", "scope": "link"}],
    }
    assert interfaces["eth1"] == {"up": False}
    assert call("network.ip_addrs", target=target) == ["8.8.4.4", "10.0.0.2"]
    assert call("network.ip_addrs", "lo", include_loopback=True, target=target) == ["127.0.0.1"]
    assert call("network.ip_addrs", type="private", target=target) == ["10.0.0.2"]
    assert call("network.ip_addrs", cidr="10.0.0.0/8", target=target) == ["10.0.0.2"]
    assert call("network.ip_addrs6", target=target) == ["fe80::42:aff:fe00:2"]
    assert call("network.subnets", target=target) == ["10.0.0.0/24", "8.8.4.4/32"]
    assert call("network.in_subnet", "10.0.0.0/24", target=target) is True
    assert call("network.hw_addr", "eth0", target=target) == "02:42:0a:00:00:02"
    assert call("network.interface_ip", "eth0", target=target) == "10.0.0.2"
    assert call("network.convert_cidr", "10.0.0.7/30")["broadcast"] == "10.0.0.7"
    assert call("network.calc_net", "172.17.0.5", "255.255.255.240") == "172.17.0.0/28"
    assert call("network.calc_net", "2a02:f6e:a000:80:84d8::1/64") == "2a02:f6e:a000:80::/64"


def test_network_names_and_routes() -> None:
    """The host's name comes from `hostname`, else from the kernel; a default route has its gateway."""
    target = scripted("hostname", b"web-1\n", {"/proc/sys/kernel/hostname": b"kernel\n"})
    target.on_run("ip -4 route show default", stdout=b"default via 10.0.0.1 dev eth0\n")
    target.on_run("ip -6 route show default")
    assert call("network.get_hostname", target=target) == "web-1"
    assert call("network.get_fqdn", target=target) == "web-1"
    bare = FakeConnection(files={"/proc/sys/kernel/hostname": b"kernel\n"})
    assert call("network.get_hostname", target=bare) == "kernel"
    (route,) = call("network.default_route", target=target)
    assert (route["addr_family"], route["gateway"], route["interface"]) == ("inet", "10.0.0.1", "eth0")


def test_the_route_to_an_address() -> None:
    """It names the gateway, if there is one, the interface and the own address; a name is no address."""
    near, far = (
        "local 127.0.0.1 dev lo src 127.0.0.1 uid 0 \\    cache <local>",
        "via 10.0.0.1 dev eth0 src 10.0.0.2 uid 0",
    )
    target = scripted("ip -oneline route get 127.0.0.1", near.encode())
    target.on_run("ip -oneline route get 192.0.2.7", stdout=f"192.0.2.7 {far} \\    cache".encode())
    direct = {"destination": "127.0.0.1", "gateway": None, "interface": "lo", "source": "127.0.0.1"}
    assert call("network.get_route", "127.0.0.1", target=target) == direct
    there = {"destination": "192.0.2.7", "gateway": "10.0.0.1", "interface": "eth0", "source": "10.0.0.2"}
    assert call("network.get_route", "192.0.2.7", target=target) == there
    with pytest.raises(StateFailedError, match="'-V' does not appear to be an IPv4 or IPv6 address"):
        call("network.get_route", "-V", target=target)


def test_addresses_without_dig() -> None:
    """The target resolves the name itself; IPv4 addresses that are mapped to IPv6 are left out."""
    rows = b"10.1.2.3 STREAM a.org\n10.1.2.3 DGRAM\n10.1.2.3 RAW\n10.1.2.4 STREAM\n10.1.2.4 RAW\n"
    target = scripted("getent ahostsv4 -- a.org", rows)
    target.on_run("getent ahostsv6 -- a.org", stdout=b"2001:db8::7 RAW\n::ffff:10.1.2.3 RAW\n")
    target.on_run("getent ahostsv4 -- nowhere", returncode=2)
    assert call("dnsutil.A", "a.org", target=target) == ["10.1.2.3", "10.1.2.4"]
    assert call("dnsutil.AAAA", "a.org", target=target) == ["2001:db8::7"]
    assert call("dnsutil.A", "nowhere", target=target) == []
    with pytest.raises(StateFailedError, match="neither `dig` nor `getent`"):
        call("dnsutil.A", "a.org")
    with pytest.raises(StateFailedError, match="no program `dig`"):
        call("dnsutil.A", "a.org", "10.0.0.1", target=target)


def test_addresses_with_dig() -> None:
    """The functions of `dnsutil` ask the program `dig` where it is there."""
    target = scripted("dig +short a.org A", b"10.1.2.3\n")
    target.on_run("/bin/sh -c * sh dig", stdout=b"/usr/bin/dig")
    assert call("dnsutil.A", "a.org", target=target) == ["10.1.2.3"]


def test_dig() -> None:
    """Only addresses are returned, not the names before them; without `dig` the error says so."""
    target = scripted("dig +short a.org A @10.0.0.1", b"b.org.\n10.1.2.3\n")
    target.on_run("dig +short a.org AAAA", returncode=9)
    assert call("dig.A", "a.org", "10.0.0.1", target=target) == ["10.1.2.3"]
    assert call("dig.AAAA", "a.org", target=target) == []
    with pytest.raises(StateFailedError, match="no program `dig`"):
        call("dig.A", "a.org")


def test_status_and_disk() -> None:
    """Time, uptime, memory and how full file systems are come from the target."""
    target = scripted(
        "date +%Y", b"2026\n", {"/proc/uptime": b"93784.5 1\n", "/proc/meminfo": b"MemFree: 5 kB\n"}
    )
    target.on_run("date +%s", stdout=b"100000\n")
    target.on_run("df -P -k", stdout=b"Filesystem 1K Used Avail Cap Mounted\n/dev/a 10 4 6 40% /my data\n")
    assert call("status.time", "%Y", target=target) == "2026"
    uptime = call("status.uptime", target=target)
    assert (uptime["seconds"], uptime["days"], uptime["time"], uptime["since_t"]) == (93784, 1, "2:3", 6216)
    assert call("status.meminfo", target=target) == {"MemFree": {"value": "5", "unit": "kB"}}
    assert call("disk.percent", "/my data", target=target) == "40%"
    assert call("disk.usage", target=target)["/my data"]["available"] == "6"
    blocks = scripted("blkid", b'/dev/a: UUID="1-2" LABEL="my data" TYPE="ext4"\n')
    assert call("disk.blkid", target=blocks) == {
        "/dev/a": {"UUID": "1-2", "LABEL": "my data", "TYPE": "ext4"}
    }


def test_hashutil() -> None:
    """Digests and base64 are those that everybody else makes."""
    assert call("hashutil.digest", "a") == "0cc175b9c0f1b6a831c399e269772661"
    assert call("hashutil.sha256_digest", "a").startswith("ca978112ca1bbdca")
    assert call("hashutil.base64_b64decode", call("hashutil.base64_b64encode", "ä")) == "ä"
    made = call("hashutil.hmac_compute", "text", "key")
    signature = base64.b64encode(bytes.fromhex(made)).decode()
    assert call("hashutil.hmac_signature", "text", "key", signature) is True
    assert call("hashutil.hmac_signature", "other", "key", signature) is False
    with pytest.raises(StateFailedError, match="not a digest"):
        call("hashutil.digest", "a", "rot13")


def test_random() -> None:
    """A text has the letters that are asked for; a seed gives the same each time."""
    assert set(call("random.get_str", 200, chars="ab")) == {"a", "b"}
    assert call("random.get_str", 8, punctuation=False).isalnum()
    assert call("random.seed", 60) == call("random.seed", 60)
    assert call("random.shuffle", [1, 2, 3], seed="x") == call("random.shuffle", [1, 2, 3], seed="x")
    assert sorted(call("random.shuffle", "abc")) == ["a", "b", "c"]


def test_nobody_told_the_mine_anything() -> None:
    """Other minions have published nothing, because there is no master."""
    assert call("mine.get", "*", "network.ip_addrs") == {}


def test_keys_of_the_target() -> None:
    """Public and private keys are returned by type, and the private ones are masked from then on."""
    files = {
        "/etc/ssh/ssh_host_rsa_key": b"PRIVATE-PART\n",
        "/etc/ssh/ssh_host_rsa_key.pub": b"ssh-rsa AAAA\n",
    }
    context = FakeFunctionContext(
        connection=FakeConnection(files=files), functions=dict(execution_functions())
    )
    keys = asyncio.run(context.call("ssh.host_keys"))
    assert keys == {"rsa": "PRIVATE-PART", "rsa.pub": "ssh-rsa AAAA"}
    assert "PRIVATE-PART" not in context.masker.text("x PRIVATE-PART x")
    assert asyncio.run(context.call("ssh.host_keys", private=False)) == {"rsa.pub": "ssh-rsa AAAA"}


def test_every_function_is_documented() -> None:
    """Each execution function of the modules above says in its docstring what it is."""
    for name in (
        "alternatives",
        "disk",
        "hashutil",
        "locale",
        "match",
        "mine",
        "network",
        "random",
        "ssh",
        "status",
    ):
        for function, implementation in import_module(f"ensue.library.modules.{name}").FUNCTIONS.items():
            assert implementation.__doc__, f"{name}.{function}"


def test_the_serial_number_of_a_zone_counts_on() -> None:
    """It is today's until it is counted on, then one more each time, and kept in a grain."""
    today = time.strftime("%Y%m%d")
    target = FakeConnection(Srn("minion", "web-1"))
    ctx = FakeFunctionContext(connection=target, functions=dict(execution_functions()))

    def serial(*args: Any, **options: Any) -> Any:
        return asyncio.run(ctx.call("dnsutil.serial", *args, **options))

    asked = [serial("example.org", update=update) for update in (False, True, True, False)]
    assert asked == [f"{today}01", f"{today}01", f"{today}02", f"{today}02"]
    assert serial() == f"{today}01"
    kept = asyncio.run(target.read("/etc/salt/grains")).decode()
    assert kept == f"dnsserial_example.org: '{today}02'\n"
