"""State functions under the names that other tools give them, and what to write here.

Source: the modules of Ansible, the resources of Terraform, Chef and Puppet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_PACKAGES: Final = ("apt", "apt_repository", "yum", "dnf", "dnf5", "package", "homebrew", "pacman", "zypper")
_MODULES: Final = {
    **dict.fromkeys(_PACKAGES, "`pkg.installed` (`pkgrepo.managed` for a repository)"),
    "pip": "`pip.installed`",
    "copy": "`file.managed` with `source` or `contents`",
    "template": "`file.managed` with `source` and `template: jinja`",
    "local_file": "`file.managed` with `contents`",
    "get_url": "`file.managed` with `source` and `source_hash`",
    "lineinfile": "`file.line` or `file.replace`",
    "blockinfile": "`file.blockreplace`",
    "replace": "`file.replace`",
    "file": "`file.managed`, `file.directory`, `file.symlink` or `file.absent`",
    "command": "`cmd.run`",
    "shell": "`cmd.run`",
    "raw": "`cmd.run`",
    "execute": "`cmd.run`",
    "exec": "`cmd.run`",
    "script": "`cmd.script`",
    "service": "`service.running` or `service.dead`",
    "systemd": "`service.running` or `service.dead`",
    "systemd_service": "`service.running` or `service.dead`",
    "unarchive": "`archive.extracted`",
    "authorized_key": "`ssh_auth.present`",
    "hostname": "`network.system`",
    "user": "`user.present` or `user.absent`",
    "group": "`group.present` or `group.absent`",
    "cron": "`cron.present` or `cron.absent`",
    "git": "`git.latest`",
    "debug": "`test.show_notification`",
    "set_fact": "{% set name = … %}, or pillar",
    "include_tasks": "`include` with the SLS, at the top of the file",
    "import_tasks": "`include` with the SLS, at the top of the file",
    "include_role": "`include` with the SLS, at the top of the file",
    "salt": "the states themselves with `tgt`, and `module.run` for a function",
    "resource": "an ID, and below it `module.function` with its arguments",
    "null_resource": "`cmd.run` with `onchanges`",
    "variable": "pillar",
    "output": "nothing: what a state returns is in `ensue show enforced`",
}
_NAMESPACES: Final = ("ansible", "community")

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
    name = function if module.split(".", maxsplit=1)[0] in _NAMESPACES else module
    advice = _MODULES.get(name, "")
    return f"instead of `{name}`, write {advice}" if advice else ""


def usual_names(function: str, known: Collection[str]) -> list[str]:
    """Return the functions of a module that another tool calls by a name.

    Args:
        function: the name.
        known: the names of the module's functions.
    """
    return [name for name in _FUNCTIONS.get(function, ()) if name in known]
