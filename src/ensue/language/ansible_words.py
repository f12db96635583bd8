"""Words of Ansible in an SLS, and what to write here: keywords of tasks, and whole playbooks.

Source: Ansible's playbook keywords.
"""

from __future__ import annotations

from typing import Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.language.result_words import BLOCK

INSTEAD_OF_VAULT: Final = (
    "decrypt it with `ansible-vault decrypt` or `ansible-vault view`, encrypt the value with "
    "`ensue keys encrypt`, and begin the file with `#!jinja|yaml|gpg`"
)
"""What to do with a text of Ansible Vault."""

_CONDITION: Final = (
    "write {% if … %} around the state for pillar and grains, `onlyif` or `unless` for what a command finds "
    f"out, and for the result of another state {BLOCK}"
)
_LOOP: Final = "write `names`, or {% for … %} around the state (in a delayed block for what a state returns)"
_HANDLER: Final = (
    "write `onchanges_in` with the `cmd.run` that reacts, or `listen_in` with a `cmd.wait` or a service, "
    "which react once, at the end; with `listen_in`, a `cmd.run` would also run at every apply"
)
_BECOME: Final = "the registration of a host has `sudo: true`; `runas` of a command names another user"
_HOST: Final = (
    "the registration of a host, in pillar below `resources`, says it: `host`, `port`, `user`, `sudo`"
)
_DELEGATE: Final = (
    "write `tgt` with the id of the machine on which the state runs; the id of this machine, `localhost`, is "
    "that of `minion:ID` in `ensue resources list`"
)
_ONCE: Final = (
    "write `tgt` with the machine on which the state runs, in an SLS that is applied to this machine alone; "
    "an SLS that `--tgt` applies to several hosts runs it for each: there, write "
    "{% if grains.id == 'HOST' %} around it"
)
_VALUES: Final = (
    "write the values in pillar, or {% set name = … %}; a template file gets them with `context` of "
    "`file.managed`"
)
_TASKS: Final = "write each task as a state: an ID, and below it `module.function`"
_GRAINS: Final = "leave it out: grains are gathered when they are needed"
_RETRY: Final = (
    "write `retry: {attempts: 5, interval: 10}`, which repeats the state until it succeeds; a condition on "
    "an output is a command that fails without it, `… | grep -q ready`"
)
_BACKGROUND: Final = (
    "write `bg: true` for a command that goes on, `parallel: true` for a state that others do not wait for"
)
_BLOCK: Final = (
    "write the states one after the other, and those of `rescue` with `onfail` and the states after whose "
    "failure they run; what they share is {% if … %} or {% for … %} around them"
)

_EXIT_CODE: Final = "(with it, `retcode` becomes 0, and `exit_code` is the real code)"

KEYWORDS: Final = {
    "when": _CONDITION,
    "loop": _LOOP,
    "loop_control": _LOOP,
    "notify": _HANDLER,
    "handlers": _HANDLER,
    "force_handlers": "leave it out: `listen` reacts at the end of the run, after failed states too",
    "become": _BECOME,
    "become_user": _BECOME,
    "become_method": _BECOME,
    "become_exe": _BECOME,
    "become_flags": _BECOME,
    "remote_user": _HOST,
    "port": _HOST,
    "register": "leave it out, every state keeps its result: in an argument of another state write a "
    f"reference such as ${{cmd:ID:stdout}}; to decide by it, use {BLOCK}",
    "no_log": "`sensitive: true` of a command makes its output a secret that other states can use, and "
    "`hide_output: true`, if none uses it, keeps it nowhere; `show_changes: false` leaves out the diff of a "
    "file, and `sensitive`, where a function takes it, names "
    "the secrets in what a state returns; of pillar, values under keys such as `password` and encrypted ones "
    "are hidden",
    "ignore_errors": "leave it out: after a failure, the states that do not require the failed one run; "
    f"`check_cmd` or `success_retcodes` decide what counts as a failure {_EXIT_CODE}",
    "ignore_unreachable": "leave it out: a host that cannot be reached fails its own states, and the "
    "others go on",
    "any_errors_fatal": "write `failhard: true`, of a state or in ensue.yaml",
    "max_fail_percentage": "`ensue apply --tgt TARGET --batch N --fail-limit N%` begins no further host when "
    "so many have failed",
    "serial": "`ensue apply --tgt TARGET --batch N --fail-limit 0` takes N hosts at a time, and begins no "
    "further one when one has failed",
    "throttle": "`ensue apply --concurrency N` limits how many states run at the same time",
    "strategy": "leave it out: each host goes on by itself; `require` waits for what a state needs",
    "changed_when": "write `stateful: true`, and have the command print `changed=yes` or `changed=no` as its "
    "last line, or `read_only: true` for one that changes nothing",
    "failed_when": "write `check_cmd` with a command that decides whether the state has succeeded, or "
    f"`success_retcodes` of a command {_EXIT_CODE}",
    "until": _RETRY,
    "retries": _RETRY,
    "delay": _RETRY,
    "delegate_to": _DELEGATE,
    "delegate_facts": _DELEGATE,
    "local_action": _DELEGATE,
    "run_once": _ONCE,
    "environment": "a command has `env`: `- env: [{NAME: value}]`; other states need none",
    "async": _BACKGROUND,
    "poll": _BACKGROUND,
    "check_mode": "leave it out: `ensue plan` shows what would change, and `read_only: true` runs a "
    "command there",
    "diff": "leave it out: a plan shows differences; `show_changes: false` of a file hides its own",
    "args": "write the arguments of the function as further items of its list",
    "action": _TASKS,
    "module_defaults": "write `use` with the state whose arguments this one shares",
    "collections": "leave it out: the modules of ensue need no namespace",
    "debugger": "leave it out: `--log-level debug` says more, `ensue runs show` what a run has done",
    "vars": _VALUES,
    "vars_files": _VALUES,
    "vars_prompt": "ensue asks nothing: `--pillar KEY=VALUE` gives a value",
    "gather_facts": _GRAINS,
    "gather_subset": _GRAINS,
    "gather_timeout": _GRAINS,
    "fact_path": "own grains are files in `_grains`, or `grains.present`",
    "block": _BLOCK,
    "rescue": "write `onfail` with every state of the block in the state that runs after a failure, and "
    "`onfail_stop: false`, with which failures count as handled if that state succeeds (without it, the run "
    "fails)",
    "always": "leave it out: a state that does not require the failed one runs anyway",
    "tasks": _TASKS,
    "pre_tasks": _TASKS,
    "post_tasks": _TASKS,
    "hosts": "the top file, or `--tgt`, assigns SLS to machines",
    "roles": "write `include` with the SLS",
    "validate_argspec": "leave it out: arguments are checked before anything runs",
}
"""Keywords of plays, roles, blocks and tasks that no state of ensue has, and what to write here."""

OF_BOTH: Final = frozenset({"name", "tags", "timeout", "order", "listen", "connection"})
"""Keywords of Ansible that ensue has too, or (`connection`) that another tool's table answers."""

INCLUDE_WORDS: Final = frozenset({
    "file", "import_playbook", "import_role", "import_tasks", "include_role", "include_tasks", "name", "role",
    "module", "path", "sls", "source",
})  # fmt: skip
"""Keys of Ansible and Terraform before the name of a role, a module or a file of tasks."""

_UNMISTAKABLE: Final = frozenset({
    "notify", "become", "become_user", "become_method", "no_log", "changed_when", "failed_when",
    "ignore_errors", "ignore_unreachable", "delegate_to", "delegate_facts", "run_once", "loop_control",
    "local_action", "check_mode", "gather_facts", "any_errors_fatal", "max_fail_percentage",
    "become_exe", "become_flags", "force_handlers", "remote_user", "vars_files",
    "vars_prompt",
})  # fmt: skip
"""Keywords that nobody gives to a template as variables."""

_STATES: Final = frozenset({
    "absent", "build-dep", "directory", "disabled", "enabled", "file", "fixed", "hard", "installed", "latest",
    "link", "mounted", "present", "reloaded", "removed", "restarted", "started", "stopped", "touch",
    "unmounted",
})  # fmt: skip
"""Values of `state` in the modules of Ansible."""

_PAIRED: Final = frozenset({"absent", "present"})
"""States of Ansible that are functions here, in the modules that have one of them."""

_EDITING: Final = {
    ("file", "line"): "write `mode: delete` and `match`",
    ("file", "replace"): "write `repl: ''`",
    ("file", "blockreplace"): "write `content: ''`",
    ("file", "keyvalue"): "write `file.replace` with `repl: ''`",
}
"""How functions that edit a file remove what is `absent`; a line that is `present` is what they do anyway."""

_FUNCTIONS_OF_STATES: Final = {
    ("file", "absent"): "file.absent",
    ("file", "directory"): "file.directory",
    ("file", "file"): "file.managed",
    ("file", "hard"): "file.hardlink",
    ("file", "link"): "file.symlink",
    ("file", "present"): "file.managed",
    ("file", "touch"): "file.touch",
    ("pkg", "absent"): "pkg.removed` or `pkg.purged",
    ("pkg", "installed"): "pkg.installed",
    ("pkg", "latest"): "pkg.latest",
    ("pkg", "present"): "pkg.installed",
    ("pkg", "removed"): "pkg.removed` or `pkg.purged",
    ("service", "reloaded"): "service.running` with `reload: true` and `watch",
    ("service", "restarted"): "service.running` with `watch",
    ("service", "started"): "service.running",
    ("service", "stopped"): "service.dead",
}
"""What brings a machine into a state of Ansible, by module and state."""

_OF_PLAYS: Final = frozenset({"hosts", "tasks", "roles", "import_playbook"})


def instead_of_keyword(word: str) -> str:
    """Return what to write instead of a keyword of Ansible; empty if it is none."""
    advice = KEYWORDS.get(word, "") or (_LOOP if word.startswith("with_") else "")
    return f"`{word}` is Ansible's: {advice}" if advice else ""


def is_unmistakable(word: str) -> bool:
    """Return whether a word can only be meant as a keyword of Ansible, even where any argument is taken."""
    return word in _UNMISTAKABLE or word.startswith("with_")


def contrary_state(module: str, function: str, value: Any) -> str:
    """Return what to write instead of Ansible's `state: VALUE` in a function that does something else.

    Args:
        module: the module of the state.
        function: its function.
        value: the value of `state`.

    Returns:
        The advice; empty if the value is none of Ansible, or is what the function does anyway.
    """
    if not isinstance(value, str) or value not in _STATES or value == function:
        return ""
    if (module, function) in _EDITING and value in _PAIRED:
        return "" if value == "present" else f"`state` is Ansible's: {_EDITING[module, function]}"
    instead = _FUNCTIONS_OF_STATES.get((module, value), "")
    if not instead and function in _PAIRED and value in _PAIRED:
        instead = f"{module}.{value}"
    if instead == f"{module}.{function}":
        return ""
    advice = f"write `{instead}`" if instead else "such as `file.absent`, `pkg.removed`, `service.dead`"
    return f"`state` is Ansible's: here the function says it, {advice}"


def instead_of_playbook(data: Any) -> str:
    """Return what to write instead of a list of plays or tasks; empty if the data is something else."""
    if not is_list(data) or not data or not all(map(is_mapping, data)):
        return ""
    keys = {str(key) for item in data for key in item}
    if keys & _OF_PLAYS:
        what = "a playbook of Ansible"
    elif "name" in keys or keys & KEYWORDS.keys():
        what = "a list of Ansible's tasks"
    else:
        return ""
    return (
        f"this looks like {what}: write each task as a state, an ID and below it `module.function` with its "
        "arguments; states run in the order of the file, and the top file or `--tgt` names the machines"
    )
