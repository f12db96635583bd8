"""State module `sysctl`: real parameters read, the file below a temporary root."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.core.contracts.connection import Command, Completed
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path


def test_a_parameter_is_kept(tmp_path: Path) -> None:
    """A parameter that runs with its value already is only written, other lines stay as they are."""
    (tmp_path / "etc").mkdir()
    place = tmp_path / "etc" / "sysctl.conf"
    place.write_text("# mine\nnet.a=1\nkernel/ostype = Plan9\nkernel.ostype=x\n")
    here = MinionConnection(HERE, root=str(tmp_path))
    value = platform.system()
    planned, done = thrice("sysctl.present", here, "kernel.ostype", value=value)
    assert (planned.result, planned.changes) == (None, {})
    assert planned.comment == f"Sysctl option kernel.ostype set to be changed to {value}"
    assert done.changes == {"kernel.ostype": value}
    assert done.comment == f"Updated sysctl value kernel.ostype = {value}"
    assert place.read_text() == f"# mine\nnet.a=1\nkernel.ostype = {value}\n"
    assert execute("sysctl.show", context(here), "/etc/sysctl.conf") == {"net.a": "1", "kernel.ostype": value}


def test_a_parameter_that_does_not_exist(tmp_path: Path) -> None:
    """It fails and is not kept; with `ignore` it is kept for a kernel that has it."""
    here = MinionConnection(HERE, root=str(tmp_path))
    failed = state("sysctl.present", context(here), "net.nosuch.thing", value=1, config="/etc/d/1.conf")
    assert (failed.result, failed.changes) == (False, {})
    assert failed.comment == "Failed to set net.nosuch.thing to 1: sysctl net.nosuch.thing does not exist"
    assert not (tmp_path / "etc").exists()
    _, done = thrice("sysctl.present", here, "net.nosuch.thing", value=1, config="/etc/d/1.conf", ignore=True)
    assert done.changes == {"net.nosuch.thing": 1}
    assert (tmp_path / "etc/d/1.conf").read_text() == "net.nosuch.thing = 1\n"
    assert state("sysctl.present", context(here), "-a b", value=1).result is False


def test_without_the_program_the_kernel_s_files_are_asked() -> None:
    """A small system has no `sysctl`: /proc/sys has the same parameters, and nothing outside of it is one."""
    fake = FakeConnection()
    fake.on_run("*", returncode=127)
    values = {"net/ipv4/conf/eth0.1/forwarding": "0", "kernel/ostype": "Linux"}

    def answer(command: Command) -> Completed:
        _, _, script, _, place, *value = command.argv or ()
        if value:
            values[place] = value[0]
        current = values.get(place)
        stdout = f"{current}\n".encode() if script.startswith("cat") else b""
        return Completed(returncode=int(current is None), stdout=stdout, stderr=b"")

    fake.on_run("sh -c *", answer)
    ctx = context(fake)
    assert execute("sysctl.get", ctx, "kernel.ostype") == "Linux"
    assert execute("sysctl.get", ctx, "kernel.nosuch") == ""
    assert execute("sysctl.assign", ctx, "net.ipv4.conf.eth0/1.forwarding", 1)
    assert execute("sysctl.get", ctx, "net/ipv4/conf/eth0.1/forwarding") == "1"
    assert "does not exist" in state("sysctl.present", ctx, "kernel.nosuch", value=1).comment
    assert state("sysctl.present", ctx, "kernel/../../../etc/x", value=1).result is False


def test_a_running_parameter_is_set() -> None:
    """The value is set in the kernel first, then in the file that systemd reads."""
    fake = FakeConnection(files={"/run/systemd/system/x": b""})
    running = ["128\t256"]

    def answer(command: Command) -> Completed:
        running[0] = str((command.argv or ())[-1]).partition("=")[2]
        return Completed(returncode=0, stdout=b"", stderr=b"")

    fake.on_run(
        "sysctl -n *", lambda _: Completed(returncode=0, stdout=f"{running[0]}\n".encode(), stderr=b"")
    )
    fake.on_run("sysctl -N *")
    fake.on_run("sysctl -w *", answer)
    _, done = thrice("sysctl.present", fake, "net.tcp_rmem", value="4 5")
    assert (done.changes, running) == ({"net.tcp_rmem": "4 5"}, ["4 5"])
    assert fake.tree.nodes["/etc/sysctl.d/99-salt.conf"].content == b"net.tcp_rmem = 4 5\n"
