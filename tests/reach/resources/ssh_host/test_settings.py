"""Configurations of SSH hosts: all errors are reported together, and every valid form is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.srn import Srn
from ensue.reach.resources import ssh_host
from ensue.reach.resources.ssh_host.settings import settings_from

SRN = Srn("ssh_host", "web-01")


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({"pasword": "x"}, "did you mean `password`?"),
        ({"zzz": 1}, "known keys: agent"),
        ({"groups": "web"}, "unknown key `groups` (a group is a nodegroup of ensue.yaml"),
        ({"vars": {"a": 1}}, "unknown key `vars` (values of a host are pillar"),
        (
            {"ansible_ssh_private_key_file": "k", "ansible_become": True, "ansible_connection": "ssh"},
            "for `ansible_become` write `sudo`, `ansible_connection`: leave it out: the resource type says",
        ),
        ({"zz1": 1, "zz2": 2}, "unknown keys `zz1`, `zz2` (known keys: agent"),
        ({"port": "ssh"}, "`port` must be a number from 1 to 65535"),
        ({"port": 70000}, "`port`"),
        ({"port": True}, "`port`"),
        ({"host": 7}, "`host` must be text, not a number"),
        ({"sudo": 1}, "`sudo` must be true or false or text"),
        ({"password": "a", "passwd": "b"}, "mean the same"),
        ({"connect_timeout_s": 0}, "`connect_timeout_s` must be above zero"),
        ({"files": "ftp"}, "`files` must be auto, sftp or shell"),
        ({"files": "sftp", "sudo": True}, "does not go with `sudo`"),
        ({"host_key": "garbage"}, "`host_key` is not a public key"),
        ({"cmd_umask": 0o1000}, "`cmd_umask` must be octal"),
        ({"cmd_umask": "89"}, "`cmd_umask` must be octal"),
        ({"ssh_options": ["Port=22", 7]}, "`ssh_options` must have texts"),
        ({"ssh_options": ["Port=many"]}, "`port` must be a number"),
        ({"ssh_config": True, "host": "a;b"}, "`host` is no plain name"),
        ({"ssh_config": True, "host": "-oProxyCommand=x"}, "`host` is no plain name"),
    ],
)
def test_what_is_wrong_is_told(config: dict[str, Any], word: str) -> None:
    """Each error is one sentence that says what would be right."""
    problems = ssh_host.check(config)
    assert any(word in sentence for sentence in problems), problems


def test_everything_is_told_at_once() -> None:
    """Three faults are three sentences."""
    assert len(ssh_host.check({"hots": "x", "port": 0, "files": "ftp"})) == 3


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"host": None},
        {"port": "2222"},
        {"sudo": "deploy"},
        {"jump": ["a", "ssh_host:b"]},
        {"agent": False},
        {"host": "[::1]", "ssh_config": True},
        {"cmd_umask": 0o77, "thin_dir": "/tmp/x", "minion_opts": {"a": 1}, "remote_port_forwards": "1:a:2"},
    ],
)
def test_what_is_right_is_accepted(config: dict[str, Any]) -> None:
    """An empty configuration will do; None counts as not given; a port may be text."""
    assert ssh_host.check(config) == []
    settings_from(SRN, config)


def test_defaults_and_salt_s_spellings() -> None:
    """The id is the host; Salt's roster keys mean what they mean there."""
    plain = settings_from(SRN, {})
    assert (plain.host, plain.port, plain.become, plain.place) == ("web-01", 22, "", "web-01:22")
    salt = settings_from(
        SRN,
        {
            "host": "::1",
            "port": "2222",
            "passwd": "p",
            "priv": "/key",
            "sudo": True,
            "sudo_user": "deploy",
            "timeout": 3,
        },
    )
    assert (salt.password, salt.private_key_path, salt.become) == ("p", "/key", "deploy")
    assert (salt.connect_timeout_s, salt.place) == (3.0, "[::1]:2222")
    assert settings_from(SRN, {"sudo": True}).become == "root"
    assert settings_from(SRN, {"sudo": False, "sudo_user": "x"}).become == ""


def test_jump_hosts_are_names_or_ids() -> None:
    """One or several, as SRN (under either name of the type) or as a bare id."""
    jump = settings_from(SRN, {"jump": ["ssh_host:a", "ssh:b", "c"]}).jump
    assert jump == (Srn("ssh_host", "a"), Srn("ssh_host", "b"), Srn("ssh_host", "c"))
    assert settings_from(SRN, {"jump": "a"}).jump == (Srn("ssh_host", "a"),)


def test_secrets_are_known() -> None:
    """Every key that holds a secret is listed as one."""
    secret = {"password", "passwd", "private_key", "passphrase", "priv_passwd", "sudo_password"}
    assert secret == ssh_host.SECRET_KEYS


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["host", "port", "user", "jump", "host_key", "sudo", "agent", "files", "timeout_s", "priv", "zz"]
)


@given(st.dictionaries(KEYS, DATA))
def test_any_data_is_either_refused_or_understood(config: dict[str, Any]) -> None:
    """No configuration, however odd, breaks the check; what passes it can be read."""
    if not ssh_host.check(config):
        settings_from(SRN, config)


def test_the_keys_of_a_roster() -> None:
    """Keys of Salt's roster mean what they mean there; what has no effect is remarked, and is no error."""
    config: dict[str, Any] = {
        "host": "[2001:db8::1]",
        "priv": "agent-forwarding",
        "tty": True,
        "set_path": "$PATH:/opt/bin:${PATH}",
        "cmd_umask": "0027",
        "ssh_options": [
            "Port=2222",
            "ConnectTimeout 3",
            'UserKnownHostsFile="/k"',
            "StrictHostKeyChecking=no",
        ],
        "thin_dir": "/tmp/x",
        "ssh_pre_flight": "/srv/first.sh",
        "mods": None,
    }
    assert ssh_host.check(config) == []
    settings = settings_from(SRN, config)
    assert (settings.host, settings.place) == ("2001:db8::1", "[2001:db8::1]:2222")
    assert (settings.private_key_path, settings.forwards_agent, settings.tty) == ("", True, True)
    assert (settings.path, settings.umask) == (("", ":/opt/bin:", ""), 0o27)
    assert (settings.connect_timeout_s, settings.known_hosts) == (3.0, "/k")
    assert ssh_host.remarks(config) == [
        "`thin_dir` has no effect: ensue copies no program to a host",
        "`ssh_pre_flight` has no effect: a state can do what has to be done first (`cmd.script`)",
        "`ssh_options`: StrictHostKeyChecking has no effect (see `ssh_config`)",
    ]


def test_own_keys_override_ssh_options() -> None:
    """What the configuration itself says counts, under either of the names of a key."""
    options = ["Port=2222", "ConnectTimeout=3", "IdentityFile=/k"]
    config: dict[str, Any] = {"port": 22, "timeout": 7, "private_key": "text", "ssh_options": options}
    assert ssh_host.check(config) == []
    settings = settings_from(SRN, config)
    assert (settings.port, settings.connect_timeout_s, settings.private_key_path) == (22, 7.0, "")


def test_no_program_is_started_for_ssh_options() -> None:
    """A configuration may come from a run, so that it may not name commands for this machine."""
    options = ["ProxyCommand=touch /tmp/x", "PKCS11Provider=/tmp/x.so", "Include=/tmp/x"]
    (remark,) = ssh_host.remarks({"ssh_options": options})
    assert remark.startswith("`ssh_options`: ProxyCommand, PKCS11Provider, Include has no effect")
