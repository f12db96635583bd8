"""Words of Ansible in an SLS, and what to write here: keywords of tasks, and whole playbooks.

Source: Ansible's playbook keywords.
"""

from __future__ import annotations

from typing import Any, Final

from ensue.core.model.data import is_list, is_mapping

INSTEAD_OF_VAULT: Final = (
    "decrypt it with `ansible-vault decrypt` or `ansible-vault view`, encrypt the value with "
    "`ensue keys encrypt`, and begin the file with `#!jinja|yaml|gpg`"
)
"""What to do with a text of Ansible Vault."""

_CONDITION: Final = "write `onlyif` or `unless` with a command, or {% if … %} around the state"
_LOOP: Final = "write `names`, or {% for … %} around the state (in a delayed block for what a state returns)"
_HANDLER: Final = (
    "write `onchanges_in` with the `cmd.run` that reacts, or `listen_in` with a `cmd.wait` or a service, "
    "which react once, at the end; with `listen_in`, a `cmd.run` would also run at every apply"
)
_BECOME: Final = "the registration of a host has `sudo: true`; `runas` of a command names another user"
_DELEGATE: Final = "write `tgt` with the machine on which the state runs"

_KEYWORDS: Final = {
    "when": _CONDITION,
    "loop": _LOOP,
    "with_items": _LOOP,
    "with_list": _LOOP,
    "with_dict": _LOOP,
    "loop_control": _LOOP,
    "notify": _HANDLER,
    "handlers": _HANDLER,
    "become": _BECOME,
    "become_user": _BECOME,
    "become_method": _BECOME,
    "register": "write a reference to the state that has the result, such as ${cmd:ID:stdout}",
    "ignore_errors": "leave it out: after a failure, the states that do not require the failed one run",
    "changed_when": "write `stateful: true`, and let the command report whether it changed something",
    "failed_when": "write `check_cmd` with a command that decides whether the state has succeeded",
    "until": "write `retry` with `until`, `attempts` and `interval`",
    "delegate_to": _DELEGATE,
    "local_action": _DELEGATE,
    "run_once": _DELEGATE,
    "vars": "write the values in pillar, or {% set name = … %}",
    "gather_facts": "leave it out: grains are gathered when they are needed",
    "tasks": "write each task as a state: an ID, and below it `module.function`",
    "hosts": "the top file, or `--tgt`, assigns SLS to machines",
    "roles": "write `include` with the SLS",
}
_FILTERS: Final = {
    "to_yaml": "yaml",
    "to_nice_yaml": "yaml(False)",
    "to_json": "json",
    "to_nice_json": "json(indent=2)",
    "from_yaml": "load_yaml",
    "from_json": "load_json",
    "b64encode": "base64_encode",
    "b64decode": "base64_decode",
    "bool": "to_bool",
    "mandatory": "nothing: an undefined value is an error",
    "ternary": "{{ a if condition else b }}",
    "combine": "{{ salt['slsutil.merge'](a, b) }}",
    "dict2items": "{% for key, value in mapping.items() %}",
}
_OF_PLAYS: Final = frozenset({"hosts", "tasks", "roles", "import_playbook"})


def instead_of_keyword(word: str) -> str:
    """Return what to write instead of a keyword of Ansible; empty if it is none."""
    advice = _KEYWORDS.get(word, "")
    return f"`{word}` is Ansible's: {advice}" if advice else ""


def instead_of_filter(name: str) -> str:
    """Return what to write instead of a filter of Ansible; empty if it is none."""
    advice = _FILTERS.get(name, "")
    return f"`{name}` is Ansible's: write {advice}" if advice else ""


def instead_of_playbook(data: Any) -> str:
    """Return what to write instead of a list of plays or tasks; empty if the data is something else."""
    if not is_list(data) or not data or not all(map(is_mapping, data)):
        return ""
    keys = {str(key) for one in data for key in one}
    if keys & _OF_PLAYS:
        what = "a playbook of Ansible"
    elif "name" in keys or keys & _KEYWORDS.keys():
        what = "a list of Ansible's tasks"
    else:
        return ""
    return (
        f"this looks like {what}: write each task as a state, an ID and below it `module.function` with its "
        "arguments; states run in the order of the file, and the top file or `--tgt` names the machines"
    )
