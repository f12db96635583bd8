"""State module `host` and execution module `hosts`, on an /etc/hosts below a temporary root."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = "127.0.0.1 localhost\n# a remark\n10.0.0.9 old.example old # kept\n"


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    place = tmp_path / "etc" / "hosts"
    place.write_text(BEFORE)
    return place


@pytest.fixture
def here(hosts: Path) -> MinionConnection:
    return MinionConnection(HERE, root=str(hosts.parent.parent))


def test_a_name_comes_and_goes(here: MinionConnection, hosts: Path) -> None:
    """Names are added to the line of their address, other lines stay as they are, changes are Salt's."""
    planned, done = thrice("host.present", here, "new.example", ip="10.0.0.1")
    assert (planned.result, planned.changes) == (None, {"added": {"10.0.0.1": ["new.example"]}})
    assert planned.comment == "Host new.example (10.0.0.1) would be added"
    assert (done.changes, done.comment) == (planned.changes, "Added host new.example (10.0.0.1)")
    assert hosts.read_text() == BEFORE + "10.0.0.1\t\tnew.example\n"
    thrice("host.present", here, "newer.example", ip="10.0.0.1")
    assert hosts.read_text() == BEFORE + "10.0.0.1\t\tnew.example newer.example\n"

    planned, done = thrice("host.absent", here, "new.example", ip=["10.0.0.1", "10.0.0.2"])
    assert (planned.result, done.changes) == (None, {"host": "new.example"})
    assert done.comment == ("Removed host new.example (10.0.0.1)\nHost new.example (10.0.0.2) already absent")
    thrice("host.absent", here, "newer.example", ip="10.0.0.1")
    assert hosts.read_text() == BEFORE


def test_clean_takes_a_name_from_other_addresses(here: MinionConnection, hosts: Path) -> None:
    """Without `clean` other addresses of a name are a warning."""
    warned = state("host.present", context(here), "old", ip="10.0.0.3")
    assert warned.warnings[0].startswith(
        "Host old present for IP address 10.0.0.9. To get rid of this warning"
    )
    _, done = thrice("host.present", here, "old", ip=["10.0.0.2", "10.0.0.3"], clean=True)
    assert done.changes == {"added": {"10.0.0.2": ["old"]}, "removed": {"10.0.0.9": ["old"]}}
    assert "10.0.0.9\t\told.example\t# kept\n" in hosts.read_text()
    _, done = thrice("host.present", here, "old", ip="10.0.0.2", comment="hi", clean=True)
    assert done.changes["comment_added"] == {"10.0.0.2": ["hi"]}
    assert hosts.read_text().endswith("10.0.0.2\t\told\t# hi\n")


def test_a_name_is_added_once(here: MinionConnection, hosts: Path) -> None:
    """A name that the address has already is not written a second time, whichever line of it has the name."""
    hosts.write_text(BEFORE + "10.0.0.9 other\n")
    for name in ("old", "old.example", "other"):
        assert execute("hosts.add_host", context(here), "10.0.0.9", name) is True
    assert hosts.read_text() == BEFORE + "10.0.0.9 other\n"
    for _ in range(2):
        assert execute("hosts.add_host", context(here), "10.0.0.1", "foo") is True
    assert hosts.read_text() == BEFORE + "10.0.0.9 other\n10.0.0.1\t\tfoo\n"


def test_only_these_names(here: MinionConnection, hosts: Path) -> None:
    """`only` sets the names of an address; none removes it."""
    planned, done = thrice("host.only", here, "10.0.0.9", hostnames=["only.example", "o2"])
    assert planned.comment == 'Would change 10.0.0.9 from "old.example old" to "only.example o2"'
    assert done.changes == {"10.0.0.9": {"old": "old.example old", "new": "only.example o2"}}
    thrice("host.only", here, "10.0.0.9", hostnames=[])
    assert hosts.read_text() == "127.0.0.1 localhost\n# a remark\n"


def test_what_formulas_ask(here: MinionConnection, tmp_path: Path) -> None:
    """The module lists the file; a missing file is an empty one; what is no address is refused."""
    ctx = context(here)
    assert execute("hosts.list_hosts", ctx) == {
        "127.0.0.1": {"aliases": ["localhost"]},
        "10.0.0.9": {"aliases": ["old.example", "old"], "comment": "kept"},
    }
    assert execute("hosts.get_ip", ctx, "old") == "10.0.0.9"
    assert execute("hosts.has_pair", ctx, "10.0.0.9", "localhost") is False
    empty = MinionConnection(HERE, root=str(tmp_path / "etc"))
    assert execute("hosts.list_hosts", context(empty)) == {}
    for arguments in ({"ip": "10.0.0"}, {"ip": []}, {"ip": "10.0.0.9", "comment": "a\nb"}):
        assert state("host.present", context(here), "x", **arguments).result is False
    assert state("host.present", context(here), "x # y", ip="10.0.0.9").result is False
