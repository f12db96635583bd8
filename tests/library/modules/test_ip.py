"""Execution module `ip`: descriptions of interfaces beside those of Salt 3008.5 for the same settings."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from ensue.core.errors import StateFailedError
from ensue.library.modules import ip, network
from ensue.library.modules._host_name import mod_hostname
from ensue.library.states.network import FUNCTIONS as STATES
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from ensue.core.model.returns import StateReturn

RECORDED: list[dict[str, Any]] = yaml.load(
    (Path(__file__).parent / "ip_of_salt.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader
)
GRAINS: dict[str, dict[str, Any]] = {
    "Debian": {"os_family": "Debian", "os": "Debian", "osrelease": "12"},
    "RedHat": {"os_family": "RedHat", "os": "CentOS", "osrelease": "8", "osmajorrelease": 8, "num_cpus": 4},
}


def context(family: str, files: dict[str, bytes] | None = None, *, test: bool = False) -> FakeStateContext:
    fake = FakeConnection(files=files or {})
    fake.on_run("ip address show", stdout=b"1: lo: <LOOPBACK,UP> mtu 65536\n")
    functions: dict[str, Any] = {f"ip.{name}": function for name, function in ip.FUNCTIONS.items()}
    functions |= {f"network.{name}": function for name, function in network.FUNCTIONS.items()}
    functions |= {"pkg.version": lambda _ctx, _name: "1", "cmd.which": lambda _ctx, _name: None}
    functions["cmd.which_bin"] = lambda _ctx, names: f"/sbin/{names[0]}"
    functions["service.offline"] = lambda _ctx: False
    return FakeStateContext(connection=fake, grains_data=GRAINS[family], functions=functions, test=test)


def call(function: Any, *args: Any, **kwargs: Any) -> Any:
    async def run() -> Any:
        returned = function(*args, **kwargs)
        return await returned if inspect.isawaitable(returned) else returned

    return asyncio.run(run())


def text(ctx: FakeStateContext, path: str) -> str:
    return asyncio.run(ctx.connection.read(path)).decode()


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['family']} {case['type']}")
def test_a_description_is_that_of_salt(case: dict[str, Any]) -> None:
    """The same settings give the same lines, or the same error."""
    ctx = context(case["family"])
    build = ip.FUNCTIONS[case.get("function", "build_interface")]
    arguments = ["eth9", case["type"], True] if "function" not in case else ["eth9"]
    try:
        description = "".join(
            line.rstrip("\n") + "\n" for line in call(build, ctx, *arguments, test=True, **case["given"])
        )
    except StateFailedError as error:
        description = str(error)
    assert description.rstrip("\n") == case["salt"].rstrip("\n")


def test_other_interfaces_stay_and_lost_lines_are_named() -> None:
    """What is described stays when another interface comes; lines that are lost are named."""
    files = {
        "/etc/network/interfaces": b"auto lo\niface lo inet loopback\nmapping eth1\n  script /x\n"
        b"iface eth0 inet static\n\taddress 10.0.0.1/24\n\taddress 10.0.0.2/24\n\tup a  b\n"
        b"\twpa-psk hunter\n",
    }
    ctx = context("Debian", files)
    done: StateReturn = call(STATES["managed"], ctx, "eth1", proto="dhcp", noifupdown=True)
    assert done.changes == {"interface": "Added network interface."}
    (warning,) = done.warnings
    assert "mapping eth1, script /x" in warning
    assert text(ctx, "/etc/network/interfaces") == (
        "auto lo\niface lo inet loopback\niface eth0 inet static\n    address 10.0.0.1/24\n"
        "    address 10.0.0.2/24\n    wpa-psk hunter\n    up a  b\n"
        "auto eth1\niface eth1 inet dhcp\n"
    )


def test_a_change_of_an_interface_that_is_up_is_one_command_and_is_warned_of() -> None:
    """It goes down and comes up in one command, since a connection through it would not carry the second."""
    ctx = context("Debian", {"/etc/network/interfaces": b"auto eth0\niface eth0 inet dhcp\n"})
    fake = ctx.connection
    assert isinstance(fake, FakeConnection)
    fake.on_run("ip address show", stdout=b"2: eth0: <BROADCAST,UP> mtu 1500\n")
    fake.on_run("sh -c *")
    done: StateReturn = call(STATES["managed"], ctx, "eth0", proto="dhcp", mtu=9000)
    assert done.changes["status"] == "Interface eth0 restart to validate"
    assert "including this run, are interrupted" in done.warnings[0]
    scripts = [each for each in fake.calls if 'ifdown "$1"; ifup "$1"' in str(each)]
    assert len(scripts) == 1
    again: StateReturn = call(STATES["managed"], ctx, "eth0", proto="dhcp", mtu=9000)
    assert (again.result, again.changes, again.warnings) == (True, {}, ())


def test_an_interface_goes_down() -> None:
    """An interface that is not enabled is taken down, and its plan says so."""
    ctx = context("Debian", {"/etc/network/interfaces": b"iface eth0 inet dhcp\n"}, test=True)
    fake = ctx.connection
    assert isinstance(fake, FakeConnection)
    fake.on_run("ip address show", stdout=b"2: eth0: <BROADCAST,UP> mtu 1500\n")
    planned: StateReturn = call(STATES["managed"], ctx, "eth0", enabled=False, proto="dhcp")
    assert (planned.result, planned.comment) == (None, "Interface eth0 is set to be down.")
    assert "eth0 is taken down" in planned.warnings[0]


def test_a_bond_has_its_options_twice_and_its_interfaces() -> None:
    """A bond of Debian is described for ifupdown and for the kernel's module, and gets its interfaces."""
    files = {"/etc/network/interfaces": b"", "/etc/modprobe.d/keep": b""}
    ctx = context("Debian", files)
    fake = ctx.connection
    assert isinstance(fake, FakeConnection)
    fake.on_run("ifup bond0")
    fake.on_run("cat /sys/class/net/bond0/bonding/slaves", stdout=b"eth1\n")
    fake.on_run("ifenslave bond0 eth2")
    given = {
        "proto": "dhcp",
        "type": "bond",
        "mode": "active-backup",
        "slaves": "eth1 eth2",
        "addr": "00:11:22:33:44:55",
    }
    done: StateReturn = call(STATES["managed"], ctx, "bond0", **given)
    assert done.result, done.comment
    assert done.changes == {
        "interface": "Added network interface.",
        "bond": "Added bond bond0.",
        "status": "Interface bond0 is up",
        "enslave": "Added slaves 'eth2' to master 'bond0'",
    }
    assert text(ctx, "/etc/modprobe.d/bond0.conf") == (
        "alias bond0 bonding\noptions bond0 mode=1 miimon=100 downdelay=200 updelay=0 use_carrier=on "
    )
    assert done.warnings[0].startswith("'addr' is not a valid argument name")


def test_other_files_are_sources_once() -> None:
    """A file that is read besides is named once, whatever the declaration is called."""
    ctx = context("Debian", {"/etc/network/interfaces": b"auto lo\niface lo inet loopback\n"})
    given = {"type": "source", "source": "interfaces.d/*"}
    first: StateReturn = call(STATES["managed"], ctx, "source", **given)
    again: StateReturn = call(STATES["managed"], ctx, "source", **given)
    assert (first.comment, again.changes) == ("Interface source added.", {})
    assert text(ctx, "/etc/network/interfaces").endswith("\nsource interfaces.d/*\n")


def test_a_password_of_pppoe_is_masked_and_its_file_is_its_owners() -> None:
    """The peer's file has the password, which nobody else can read, and the masker knows it."""
    files = {"/etc/network/interfaces": b"", "/etc/ppp/peers/keep": b""}
    ctx = context("Debian", files)
    given = {"type": "pppoe", "proto": "ppp", "provider": "isp", "user": "u", "password": "hunter22pw"}
    done: StateReturn = call(STATES["managed"], ctx, "ppp0", noifupdown=True, **given)
    assert done.result, done.comment
    assert "password hunter22pw \n" in text(ctx, "/etc/ppp/peers/isp")
    file_stat = asyncio.run(ctx.connection.stat("/etc/ppp/peers/isp"))
    assert file_stat is not None
    assert file_stat.mode == 0o600
    assert "hunter22pw" not in ctx.masker.text("is hunter22pw")


def test_a_host_is_renamed() -> None:
    """The name is set where the system runs, and in the files that have it."""
    files = {"/etc/hostname": b"old\n", "/etc/hosts": b"127.0.1.1 old.example old\n::1 ip6\n",
             "/etc/sysconfig/network": b"HOSTNAME=old\nNETWORKING=yes\n"}  # fmt: skip
    ctx = context("RedHat", files)
    fake = ctx.connection
    assert isinstance(fake, FakeConnection)
    fake.on_run("hostname -f", stdout=b"old.example\n")
    fake.on_run("hostnamectl set-hostname new", returncode=1)
    fake.on_run("hostname new")
    assert call(mod_hostname, ctx, "new") is True
    assert text(ctx, "/etc/hosts") == "127.0.1.1\tnew\tnew\n::1 ip6\n"
    assert text(ctx, "/etc/hostname") == "new\n"
    assert text(ctx, "/etc/sysconfig/network") == "HOSTNAME=new\nNETWORKING=yes\n"


def test_netplan_is_refused_by_name() -> None:
    """A target that netplan configures reads no file that is written here."""
    ctx = context("Debian", {"/etc/netplan/x.yaml": b""})
    ctx.functions["cmd.which"] = lambda _ctx, _name: "/usr/sbin/netplan"
    with pytest.raises(StateFailedError, match="configured by netplan"):
        call(ip.FUNCTIONS["get_interface"], ctx, "eth0")
