"""State functions under the names that other tools give them, and what to write here.

Source: the modules of Ansible, the resources of Terraform, Chef and Puppet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.language.ansible_modules import MODULES, NAMESPACES, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Collection

_MODULES: Final = {
    **MODULES,
    "local_file": "`file.managed` with `contents`",
    "salt": "the states themselves with `tgt`, and `module.run` for a function",
    "resource": "an ID, and below it `module.function` with its arguments",
    "postgresql_database": "`postgres_database.present`",
    "postgresql_role": "`postgres_user.present`",
    "null_resource": "`cmd.run` with `onchanges`",
}
_CALLS: Final = {
    **dict.fromkeys(("ping", "win_ping"), "test.ping"),
    **dict.fromkeys(("setup", "facts", "gather_facts"), "grains.items"),
    **dict.fromkeys(("command", "shell", "raw", "win_command", "win_shell"), "cmd.run 'COMMAND'"),
}
"""Modules of Ansible that are called ad hoc, and the execution functions that do the same."""
_PARTS_OF_COLLECTION: Final = 2

REACTIONS: Final = frozenset({"reload", "reloaded", "restart", "restarted"})
"""Functions of other tools that restart a service whenever they run."""

_FUNCTIONS: Final[dict[str, tuple[str, ...]]] = {
    "started": ("running",),
    "start": ("running",),
    "restarted": ("running",),
    "restart": ("running",),
    "reloaded": ("running",),
    "stopped": ("dead",),
    "stop": ("dead",),
    "present": ("installed", "managed", "running", "latest"),
    "absent": ("removed", "dead"),
    "install": ("installed",),
    "uninstalled": ("removed",),
    "uninstall": ("removed",),
    "deleted": ("absent", "removed"),
    "delete": ("absent", "removed"),
    "created": ("present", "managed"),
    "create": ("present", "managed"),
    "copied": ("managed",),
    "template": ("managed",),
    "content": ("managed",),
    "link": ("symlink",),
    "dir": ("directory",),
    "mkdir": ("directory",),
    "cloned": ("latest",),
    "shell": ("run",),
    "command": ("run",),
    "execute": ("run",),
    "exec": ("run",),
}
"""Functions by the names that other tools give them, best first."""


def instead_of_module(module: str, function: str = "") -> str:
    """Return what to write instead of a module of another tool; empty if it is none.

    Args:
        module: the module, as in `apt` or `ansible.builtin`.
        function: what follows it after a dot.
    """
    parts = module.split(".")
    is_of_collection = parts[0] in NAMESPACES and len(parts) == _PARTS_OF_COLLECTION and bool(function)
    name = function if is_of_collection else module
    if advice := _MODULES.get(name, ""):
        # `include` is a word of both.
        return f"write {advice}" if advice.startswith(f"`{name}:") else f"instead of `{name}`, write {advice}"
    return UNKNOWN if is_of_collection else ""


def instead_of_collection_module(key: str) -> str:
    """Return what to write instead of a module of Ansible that has its arguments as a mapping; else empty.

    Args:
        key: the key of the mapping: `lineinfile`, or `ansible.builtin.lineinfile`.
    """
    module, _, name = key.rpartition(".")
    if module and module.split(".")[0] not in NAMESPACES:
        return ""
    return instead_of_module(module or name, name if module else "")


def instead_of_call(function: str, *, is_state: bool) -> str:
    """Return what to write instead of a function that `ensue call` does not have; empty if that is not known.

    Args:
        function: the function, as in `ping`, `ansible.builtin.apt` or `file.managed`.
        is_state: whether it is a state function.
    """
    in_sls = "in an SLS, which `ensue apply --tgt TARGET SLS` runs"
    if is_state:
        return f"{function} is a state function: write it {in_sls}"
    module, _, name = function.rpartition(".")
    if module and module.split(".")[0] not in NAMESPACES:
        return ""
    if called := _CALLS.get(name, ""):
        return f"instead of `{name}`, write `ensue call TARGET {called}`"
    advice = instead_of_collection_module(function)
    return f"{advice}, {in_sls}" if advice.startswith("instead of") else advice


def instead_of_state_function(module: str, function: str, near: Collection[str]) -> str:
    """Return what to write instead of a state function that a module lacks; empty if that is not known.

    Args:
        module: the module, which exists.
        function: a function that it lacks: a reaction, `service.restarted`, or named for the module of
            Ansible that a function of it replaces, `file.template`.
        near: the functions that resemble it.
    """
    if function in REACTIONS and f"{module}.running" in near:
        return f"write `{module}.running` with `watch` (or `listen`) for what it reacts to: it restarts then"
    advice = MODULES.get(function, "")
    return f"write {advice}" if advice.startswith(f"`{module}.") else ""


def usual_names(function: str, known: Collection[str]) -> list[str]:
    """Return the functions of a module that another tool calls by a name.

    Args:
        function: the name.
        known: the names of the module's functions.
    """
    return [name for name in _FUNCTIONS.get(function, ()) if name in known]
