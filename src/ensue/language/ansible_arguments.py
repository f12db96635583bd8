"""Arguments of Ansible's modules that no state function has under that name, and what to write here.

Source: the modules of `ansible.builtin`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_ADVICE: Final = {
    "append": (("remove_groups",), "write `remove_groups: false`, which keeps the other groups"),
    "backrefs": (("match", "repl"), "write `file.replace`, whose `repl` may have \\1 for the first group"),
    "comment": (("fullname",), "write `fullname`"),
    "daemon_reload": (
        ("enable",),
        "write `cmd.run` with `systemctl daemon-reload` and `onchanges` on the unit file, and `require` it",
    ),
    "day": (("daymonth",), "write `daymonth`"),
    "dest": (("rev",), "write `target`"),
    "enablerepo": (("fromrepo",), "write `fromrepo`"),
    "executable": (("shell",), "write `shell` with the path, `shell: /bin/bash`"),
    "exclusive": (("fingerprint_hash_type",), "write `ssh_auth.manage`, which removes all other keys"),
    "free_form": (("cwd",), "write `name` with the command"),
    "insertafter": (("after",), "write `mode: insert` and `after`"),
    "insertbefore": (("before",), "write `mode: insert` and `before`"),
    "job": (("dayweek",), "write `name` with the command; `identifier` is Ansible's `name`"),
    "key": (("fingerprint_hash_type",), "write `name` with the key"),
    "manage_dir": (("fingerprint_hash_type",), "leave it out: the folder is made"),
    "remote_src": ((), "leave it out: a path is a file of the host, salt://… one of the project"),
    "remove": (("purge",), "write `purge`"),
    "removes": ((), "write `onlyif: test -e PATH`, which runs the state only while the path is there"),
    "repo": (("rev",), "write `name` with the address"),
    "update_password": (("enforce_password",), "write `enforce_password: false` for `on_create`"),
    "validate": (("check_cmd",), "write `check_cmd`, which gets the path of the new file as its last word"),
    "vars": (
        ("context",),
        "write `context: {name: value}`, whose names the template reads as variables (`defaults` are weaker)",
    ),
    "warn": ((), "leave it out"),
    "weekday": (("dayweek",), "write `dayweek`"),
}
"""Advice by argument: the arguments of a function to which it applies, one of them, or all functions."""

_OWN_NAMES: Final = {
    "line": ("content", "repl", "text"),
    "owner": ("user",),
    "regexp": ("pattern", "match", "regex"),
    "replace": ("repl",),
    "src": ("source", "target"),
    "update_cache": ("refresh",),
    "version": ("rev",),
}
"""Names of the same arguments here, best first."""


def instead_of_module_argument(word: str, names: Collection[str]) -> str:
    """Return what to write instead of an argument of Ansible's modules; empty if that is not known.

    Args:
        word: the argument.
        names: the arguments that the function takes.
    """
    needed, advice = _ADVICE.get(word, ((), ""))
    if advice and (not needed or not set(names).isdisjoint(needed)):
        return f"`{word}` is Ansible's: {advice}"
    meant = next((name for name in _OWN_NAMES.get(word, ()) if name in names), "")
    return f"`{word}` is Ansible's: write `{meant}`" if meant else ""
