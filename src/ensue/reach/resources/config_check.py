"""Checks shared by the configurations of all types: unknown keys with similar names, types of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.model.data import Data, ReadOnlyDataMap


_GROUP: Final = "a group is a nodegroup of ensue.yaml, `nodegroups: {NAME: [ID, ID]}`, and N@NAME in a target"
_VALUES: Final = "values of a host are pillar: pillar/top.sls assigns files of pillar to it"
_OF_INVENTORIES: Final = {
    **dict.fromkeys(("group", "groups", "nodegroup", "nodegroups", "children"), _GROUP),
    **dict.fromkeys(("vars", "host_vars", "pillar"), _VALUES),
}
"""Keys of hosts in the inventories of other tools, and where their values are here."""

_ANSIBLE: Final = "ansible_"
_OF_ANSIBLE: Final = {
    "become": "sudo",
    "become_pass": "sudo_password",
    "become_password": "sudo_password",
    "become_user": "sudo_user",
    "connection_timeout": "connect_timeout_s",
    "host_key": "host_key",
    "pass": "password",
    "private_key_file": "priv",
    "remote_tmp": "thin_dir",
    "remote_user": "user",
    "common_args": "ssh_options",
    "extra_args": "ssh_options",
}
"""Variables of Ansible for a connection, without `ansible_` and `ssh_`, whose keys here have other names."""
_ELSEWHERE: Final = {
    "become_method": "leave it out: `sudo: true` is the only way to another user",
    "connection": "leave it out: the resource type says how a host is reached",
    "python_interpreter": "leave it out: a host needs no Python",
    "shell_type": "leave it out: `/bin/sh` reads commands",
}


def unknown_keys(config: ReadOnlyDataMap, known: Iterable[str]) -> list[str]:
    """Return sentences about the unknown keys: what to write instead, or once what is known."""
    names = sorted(known)
    unknown = [key for key in config if key not in names]
    of_ansible = [
        key for key in unknown if key.startswith(_ANSIBLE) or key in _OF_ANSIBLE or key in _ELSEWHERE
    ]
    hints = {key: _hint(key, names) for key in unknown if key not in of_ansible}
    sentences = [f"unknown key `{key}` ({hint})" for key, hint in hints.items() if hint]
    if of_ansible:
        sentences.append(_instead_of_ansible(of_ansible, names))
    if others := [f"`{key}`" for key, hint in hints.items() if not hint]:
        plural = "s" if len(others) > 1 else ""
        sentences.append(f"unknown key{plural} {', '.join(others)} (known keys: {', '.join(names)})")
    return sentences


def wrong_kinds(config: ReadOnlyDataMap, kinds: Mapping[str, tuple[type, ...]]) -> list[str]:
    """Return one sentence for each value of a wrong type; None counts as not given.

    Args:
        config: the configuration.
        kinds: accepted Python types by key; `bool` does not count as `int`.
    """
    return [
        f"`{key}` must be {_words(kinds[key])}, not {_word(type(value))}"
        for key, value in config.items()
        if key in kinds and value is not None and not _fits(value, kinds[key])
    ]


def not_positive(config: ReadOnlyDataMap, keys: Iterable[str]) -> list[str]:
    """Return one sentence for each number that is not above zero."""
    faults: list[str] = []
    for key in keys:
        value = config.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
            faults.append(f"`{key}` must be above zero, not {value}")
    return faults


def _instead_of_ansible(keys: list[str], names: list[str]) -> str:
    """Return one sentence that says what to write instead of Ansible's variables of a connection."""
    parts: list[str] = []
    for key in keys:
        bare = key.removeprefix(_ANSIBLE).removeprefix("ssh_")
        meant = _OF_ANSIBLE.get(bare, bare)
        parts.append(
            f"for `{key}` write `{meant}`" if meant in names else f"`{key}`: {_ELSEWHERE.get(bare, _VALUES)}"
        )
    plural = "s" if len(keys) > 1 else ""
    return f"unknown key{plural} of Ansible ({', '.join(parts)})"


def _hint(key: str, names: list[str]) -> str:
    """Return what to write instead of an unknown key; empty if that is not known."""
    import difflib

    if key in _OF_INVENTORIES:
        return _OF_INVENTORIES[key]
    near = difflib.get_close_matches(key, names, n=1)
    return f"did you mean `{near[0]}`?" if near else ""


def _fits(value: Data, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, bool):
        return bool in kinds
    return isinstance(value, kinds)


def _words(kinds: tuple[type, ...]) -> str:
    return " or ".join(dict.fromkeys(_word(kind) for kind in kinds))


def _word(kind: type) -> str:
    words = {
        str: "text",
        int: "a number",
        float: "a number",
        bool: "true or false",
        list: "a list",
        dict: "a mapping",
    }
    return words.get(kind, kind.__name__)
