"""What a container is created with becomes options of docker's client."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.errors import StateFailedError
from ensue.library.modules.docker.network_settings import ALIASES as NETWORK_ALIASES
from ensue.library.modules.docker.network_settings import SETTINGS, NetworkSettings
from ensue.library.modules.docker.options import ALIASES, OPTIONS, create_options
from ensue.library.states import _docker


def test_states_know_every_option() -> None:
    """What the states accept is what the execution module makes something of."""
    assert set(_docker.OPTIONS) == {*OPTIONS, *ALIASES}
    assert set(_docker.SETTINGS) == {*SETTINGS, *NETWORK_ALIASES}


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        ({"mem_limit": "1g"}, ["--memory=1g"]),
        ({"memory": 1024}, ["--memory=1024"]),
        ({"tty": True, "init": False}, ["--init=false", "--tty=true"]),
        ({"cap_add": "SYS_ADMIN, MKNOD"}, ["--cap-add=SYS_ADMIN", "--cap-add=MKNOD"]),
        ({"dns": ["127.0.0.1"]}, ["--dns=127.0.0.1"]),
        ({"labels": ["a=b", "c", {"d": 1}]}, ["--label=a=b", "--label=c=", "--label=d=1"]),
        ({"links": [{"db": "mysql"}]}, ["--link=db:mysql"]),
        ({"extra_hosts": "web:127.0.0.1"}, ["--add-host=web:127.0.0.1"]),
        ({"port_bindings": "80,8080:81/udp"}, ["--publish=80", "--publish=8080:81/udp"]),
        ({"port_bindings": {80: 8080}}, ["--publish=8080:80"]),
        ({"publish": {"53/udp": ["127.0.0.1", 53]}}, ["--publish=127.0.0.1:53:53/udp"]),
        ({"port_bindings": {80: [8080, 8081]}}, ["--publish=8080:80", "--publish=8081:80"]),
        ({"port_bindings": {443: None}}, ["--publish=443"]),
        ({"binds": {"/a": {"bind": "/b", "mode": "ro"}}}, ["--volume=/a:/b:ro"]),
        ({"restart_policy": {"Name": "on-failure", "MaximumRetryCount": 5}}, ["--restart=on-failure:5"]),
        ({"ulimits": ["nofile=1:2"]}, ["--ulimit=nofile=1:2"]),
        ({"ulimits": [{"Name": "nproc", "Soft": 3}]}, ["--ulimit=nproc=3:3"]),
        ({"tmpfs": {"/run": "size=1m"}}, ["--tmpfs=/run:size=1m"]),
        ({"log_config": {"Type": "syslog", "Config": {"tag": "x"}}},
         ["--log-driver=syslog", "--log-opt=tag=x"]),
        ({"device_read_bps": [{"Path": "/dev/sda", "Rate": "1mb"}]}, ["--device-read-bps=/dev/sda:1mb"]),
        ({"healthcheck": {"test": ["CMD", "a", "b c"], "retries": 2}},
         ["--health-cmd=a 'b c'", "--health-retries=2"]),
        ({"mounts": "type=bind,source=/a,target=/b"}, ["--mount=type=bind,source=/a,target=/b"]),
        ({"nano_cpus": 500000000}, ["--cpus=0.5"]),
        ({"hostname": None, "detach": True}, []),
    ],
)  # fmt: skip
def test_forms_of_options(given: dict[str, Any], flags: list[str]) -> None:
    """Texts with commas, lists, mappings and the forms of the Python library mean the same as in Salt."""
    assert create_options(given).flags == flags


def test_values_of_variables_stay_out_of_the_arguments() -> None:
    """They go through the client's environment, unless the client itself would read them."""
    made = create_options({"env": [{"TOKEN": "s3cret"}, "PATH=/bin", "DOCKER_HOST=x"]})
    assert made.env == {"TOKEN": "s3cret"}
    assert made.flags == ["--env=DOCKER_HOST=x", "--env=PATH=/bin", "--env=TOKEN"]


def test_an_entrypoint_of_several_words_goes_on_before_the_command() -> None:
    """The client takes one word as entrypoint."""
    made = create_options({"entrypoint": "sh -c", "cmd": ["echo 1"]})
    assert (made.flags, made.command) == (["--entrypoint=sh"], ["-c", "echo 1"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"colour": "red"}, "no option 'colour'"),
        ({"cmd": "a", "command": "b"}, "'cmd' is an alias for 'command'"),
        ({"environment": ["A"]}, "'A' is not a key=value pair"),
        ({"port_bindings": "80", "publish_all_ports": True}, "cannot be used"),
        ({"hostname": "x", "network_mode": "host"}, "hostname cannot be used"),
        ({"command": "echo 'x"}, "cannot be split"),
    ],
)
def test_what_cannot_be(given: dict[str, Any], words: str) -> None:
    """It is refused before docker is asked."""
    with pytest.raises(StateFailedError, match=words):
        create_options(given)
    assert create_options({"cmd": "a", "command": "b"}, ignore_collisions=True).command == ["b"]


def test_settings_of_a_network() -> None:
    """Pools are made of plain settings and of `ipam_pools`; only what is given is compared."""
    made = NetworkSettings.read(
        {"driver": "bridge", "ipv6": True, "subnet": "10.0.0.0/24", "gateway": "10.0.0.1",
         "driver_opts": "mtu=9000"}
    )  # fmt: skip
    assert made.flags() == [
        "--driver=bridge", "--opt=mtu=9000", "--ipv6", "--subnet=10.0.0.0/24", "--gateway=10.0.0.1",
    ]  # fmt: skip
    existing = {
        "Driver": "bridge", "EnableIPv6": True, "Options": {"mtu": "9000", "own": "x"},
        "Labels": {"own": "x"},
        "IPAM": {"Config": [{"Subnet": "10.0.0.0/24", "Gateway": "10.0.0.1"}, {"Subnet": "fd00::/64"}]},
    }  # fmt: skip
    assert made.changes(existing) == {}
    other = NetworkSettings.read({"ipam_pools": [{"subnet": "10.0.1.0/24"}], "internal": True})
    assert other.changes(existing).keys() == {"IPAM", "Internal"}
    with pytest.raises(StateFailedError, match="A subnet is required"):
        NetworkSettings.read({"gateway": "10.0.0.1"})
