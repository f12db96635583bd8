"""What is written instead of another tool's functions exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ensue.language.ansible_filters import _FILTERS
from ensue.language.ansible_modules import UNKNOWN
from ensue.language.function_words import _FUNCTIONS, _MODULES, instead_of_module, usual_names
from ensue.language.functions.functions import Functions
from ensue.language.jinja.environment import SaltJinjaEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = "ensue.library.states"


def named() -> Iterator[str]:
    """Yield every function that an advice names."""
    for advice in _MODULES.values():
        yield from re.findall(r"`([a-z0-9_]+\.[a-z0-9_]+)`", advice)


@pytest.mark.parametrize("name", sorted(set(named()) - {"module.function", "ensue.yaml"}))
def test_an_advice_names_a_state_function(name: str) -> None:
    """Nobody is sent to a function that does not exist."""
    module, _, function = name.rpartition(".")
    assert function in Functions(PACKAGE).names(module)


BUILTIN = (
    "add_host", "apt", "apt_key", "apt_repository", "assemble", "assert", "async_status", "blockinfile",
    "command", "copy", "cron", "deb822_repository", "debconf", "debug", "dnf", "dnf5", "dpkg_selections",
    "expect", "fail", "fetch", "file", "find", "gather_facts", "get_url", "getent", "git", "group",
    "group_by", "hostname", "import_playbook", "import_role", "import_tasks", "include_role", "include_tasks",
    "include_vars", "iptables", "known_hosts", "lineinfile", "meta", "mount_facts", "package",
    "package_facts", "pause", "ping", "pip", "raw", "reboot", "replace", "rpm_key", "script", "service",
    "service_facts", "set_fact", "set_stats", "setup", "shell", "slurp", "stat", "subversion", "systemd",
    "systemd_service", "sysvinit", "tempfile", "template", "unarchive", "uri", "user",
    "validate_argument_spec", "wait_for", "wait_for_connection", "yum", "yum_repository",
)  # fmt: skip
"""The modules of the collection `ansible.builtin`."""


@pytest.mark.parametrize("module", BUILTIN)
def test_every_module_of_ansible_is_answered(module: str) -> None:
    """With its collection and without, in the place of a function and in the place of a module."""
    answer = instead_of_module(module)
    assert answer.startswith(f"instead of `{module}`, write ")
    assert instead_of_module("ansible.builtin", module) == answer
    assert instead_of_module(module, "running") == answer


def test_a_module_of_a_collection_without_a_counterpart_is_answered() -> None:
    """It names what an SLS does instead; another unknown module is not answered."""
    assert instead_of_module("community.general", "htpasswd") == UNKNOWN
    assert instead_of_module("amazon.aws", "s3_bucket") == UNKNOWN
    assert instead_of_module("amazon.aws.x", "y") == ""
    assert instead_of_module("mine", "present") == ""


def test_another_name_means_a_function_of_the_module() -> None:
    """The names of other tools lead only to functions that the module has."""
    services = Functions(PACKAGE).names("service")
    assert usual_names("started", services) == ["running"]
    assert usual_names("absent", services) == ["dead"]
    assert usual_names("cloned", services) == []
    assert not set(_FUNCTIONS["started"]) - set(services)


@pytest.mark.parametrize(
    "name", [name for name in _FILTERS.values() if name.partition("(")[0].isidentifier()]
)
def test_a_filter_that_is_named_exists(name: str) -> None:
    """What is written instead of a filter of Ansible is a filter."""
    assert name.partition("(")[0] in filters()


def test_filters_of_ansible_do_not_exist() -> None:
    """The table hides no filter."""
    assert not _FILTERS.keys() & filters()


def filters() -> set[str]:
    """Return the names of all filters."""
    environment = SaltJinjaEnvironment({}, str)
    return set(dict.keys(environment.filters))
