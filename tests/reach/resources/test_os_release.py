"""Operating systems have Salt's names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.reach.resources.os_release import os_grains, parse_os_release
from ensue.reach.resources.posix_grains import grains_from, parse_facts

KNOWN = {
    'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm': {
        "os": "Debian",
        "os_family": "Debian",
        "osfullname": "Debian GNU/Linux",
        "osrelease": "12",
        "osrelease_info": [12],
        "osmajorrelease": 12,
        "oscodename": "bookworm",
        "osfinger": "Debian-12",
        "osarch": "amd64",
    },
    'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\nVERSION_CODENAME=jammy': {
        "os": "Ubuntu",
        "os_family": "Debian",
        "osrelease_info": [22, 4],
        "osmajorrelease": 22,
        "osfinger": "Ubuntu-22.04",
    },
    'NAME="CentOS Stream"\nID="centos"\nID_LIKE="rhel fedora"\nVERSION_ID="9"': {
        "os": "CentOS Stream",
        "os_family": "RedHat",
        "osarch": "x86_64",
    },
    'NAME="Rocky Linux"\nID="rocky"\nVERSION_ID="9.3"': {
        "os": "Rocky",
        "os_family": "RedHat",
        "osmajorrelease": 9,
    },
    'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.20.1': {"os": "Alpine", "os_family": "Alpine"},
    "NAME='Arch Linux'\nID=arch\nBUILD_ID=rolling": {
        "os": "Arch",
        "os_family": "Arch",
        "osrelease": "rolling",
    },
    'NAME="openSUSE Leap"\nID=opensuse-leap\nVERSION_ID="15.5"': {"os": "SUSE", "os_family": "Suse"},
    'NAME="Pentoo Linux"\nID=pentoo\nID_LIKE="gentoo"': {"os": "Pentoo", "os_family": "Gentoo"},
    'NAME="Homemade"\nID=homemade': {"os": "Homemade", "os_family": "Homemade"},
    "": {"os": "Unknown", "os_family": "Unknown", "osarch": "x86_64"},
}


@pytest.mark.parametrize("text", KNOWN)
def test_known_systems(text: str) -> None:
    """Each os-release gives the grains that Salt gives."""
    grains = os_grains(text, machine="x86_64")
    assert {key: grains[key] for key in KNOWN[text]} == KNOWN[text]


def test_a_broken_file_is_borne() -> None:
    """Comments, unclosed quotes, nonsense and empty values do not stop the rest."""
    text = '# NAME=no\nNAME="open\nID=\'debian\'\nnonsense\nEMPTY=\nQUOTED=""\nTWO=a b\n'
    fields = parse_os_release(text)
    assert fields["ID"] == "debian"
    assert fields["NAME"] == "open"
    assert (fields["EMPTY"], fields["QUOTED"]) == ("", "")


@given(st.text())
def test_no_output_breaks_the_parsing(text: str) -> None:
    """Whatever a host prints, grains come of it."""
    assert grains_from(parse_facts(text), id_="x")["id"] == "x"


@given(
    st.dictionaries(
        st.sampled_from(["address", "hwaddr", "meminfo", "cpuinfo", "os_release", "hosts", "uid"]), st.text()
    )
)
def test_no_fact_breaks_the_grains(facts: dict[str, str]) -> None:
    """Facts of any shape are borne: what cannot be read is left out."""
    assert grains_from(facts, id_="x")["id"] == "x"


def test_the_name_with_a_domain_is_that_of_the_hosts_file() -> None:
    """The first longer name on the host's own line is its fqdn; comments and other hosts' lines are not."""
    hosts = (
        "127.0.0.1 localhost\n# 10.0.0.1 web.wrong\n10.0.0.2 other.net other\n127.0.1.1 web.example.org web\n"
    )
    grains = grains_from({"nodename": "web", "hosts": hosts}, id_="x")
    assert (grains["fqdn"], grains["host"], grains["domain"]) == ("web.example.org", "web", "example.org")


@pytest.mark.parametrize(
    ("facts", "virtual"),
    [
        ({"dockerenv": "yes"}, "container"),
        ({"cgroup": "0::/kubepods/pod1"}, "container"),
        ({"container": "lxc"}, "container"),
        ({"dmi_vendor": "QEMU", "dmi_product": "Standard PC"}, "kvm"),
        ({"dmi_vendor": "VMware, Inc."}, "VMware"),
        ({"dmi_vendor": "innotek GmbH", "dmi_product": "VirtualBox"}, "VirtualBox"),
        ({"hypervisor": "xen"}, "xen"),
        ({"hypervisor_flag": "yes"}, "VM"),
        ({}, "physical"),
    ],
)
def test_virtual(facts: dict[str, str], virtual: str) -> None:
    """The kind of virtual machine or container is read from what the machine shows."""
    assert grains_from(facts, id_="x")["virtual"] == virtual
