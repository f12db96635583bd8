"""What a word was meant to be, and that no state function of ensue swallows one."""

from __future__ import annotations

import pytest

from ensue.core.contracts.signature import Signature
from ensue.language.ansible_words import _UNMISTAKABLE, KEYWORDS, OF_BOTH
from ensue.language.argument_suggestions import meant_by, near_miss
from ensue.language.functions.functions import Functions
from ensue.language.option_words import GLOBAL_WORDS

OURS = Signature(
    names=frozenset({"name", "contents", "source", "template"}),
    required=frozenset(),
    accepts_any=True,
    is_ours=True,
)
FOREIGN = Signature(
    names=frozenset({"name", "devices", "contents"}),
    required=frozenset(),
    accepts_any=True,
)
NAMELESS = Signature(names=frozenset(), required=frozenset(), accepts_any=True)
PASSES_ON = {
    "iptables.append": "the matches and options of a rule",
    "iptables.delete": "the same",
    "iptables.insert": "the same",
    "lvm.lv_present": "the options of lvcreate",
    "lvm.pv_present": "those of pvcreate",
    "lvm.vg_present": "those of vgcreate",
    "module.run": "the arguments of the execution function",
    "module.wait": "the same",
    "module.watch": "the same",
    "pkgrepo.absent": "the keys of a repository's file",
    "pkgrepo.managed": "the same",
    "starting_state.absent": "the arguments of its provider",
    "starting_state.deployed": "the same",
    "stateconf.context": "the values of an SLS",
    "stateconf.set": "the same",
    "test.fail_with_changes": "nothing, as in Salt",
    "test.fail_without_changes": "nothing, as in Salt",
    "test.nop": "nothing, as in Salt",
    "test.show_notification": "nothing, as in Salt",
    "test.succeed_with_changes": "nothing, as in Salt",
    "test.succeed_without_changes": "nothing, as in Salt",
}
"""The state functions that take arguments of any name, and what these are."""


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("requires", "require"),
        ("requrie", "require"),
        ("require-in", "require_in"),
        ("onlyIf", "onlyif"),
        ("only_if", "onlyif"),
        ("Watch", "watch"),
        ("watches", "watch"),
        ("creats", "creates"),
        ("onchange", "onchanges"),
        ("content", "contents"),
        ("contnets", "contents"),
        ("when", "onlyif"),
        ("depends_on", "require"),
    ],
)
def test_a_near_miss_is_found(word: str, meant: str) -> None:
    """Case, dashes, plurals, one slip of a finger, and other tools' words for relations."""
    assert near_miss(word, OURS) == meant


@pytest.mark.parametrize(
    "word",
    ["user", "users", "match", "create", "required", "retries", "timeouts", "mode", "_requires", "a.b"],
)
def test_a_word_of_its_own_is_none(word: str) -> None:
    """Words that functions have arguments for are left alone, however near an option is."""
    assert not near_miss(word, OURS)


@pytest.mark.parametrize("word", ["when", "device", "content"])
def test_less_is_refused_of_functions_that_are_not_ensues(word: str) -> None:
    """Relations of other tools and singulars may be words of theirs."""
    assert not near_miss(word, FOREIGN)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("enviroment", "did you mean env?"),
        ("when", f"`when` is Ansible's: {KEYWORDS['when']}"),
        ("chdir", "did you mean cwd?"),
        ("user", "did you mean runas?"),
        ("dest", "did you mean name?"),
        ("colour", ""),
    ],
)
def test_what_is_refused_has_a_suggestion(word: str, meant: str) -> None:
    """The suggestion names an option, or an argument that the function has."""
    assert meant_by(word, {"name", "env", "cwd", "runas"}) == meant


ANSIBLE = frozenset({
    "action", "always", "any_errors_fatal", "args", "async", "become", "become_exe", "become_flags",
    "become_method", "become_user", "block", "changed_when", "check_mode", "collections", "connection",
    "debugger", "delay", "delegate_facts", "delegate_to", "diff", "environment", "fact_path", "failed_when",
    "force_handlers", "gather_facts", "gather_subset", "gather_timeout", "handlers", "hosts", "ignore_errors",
    "ignore_unreachable", "listen", "local_action", "loop", "loop_control", "max_fail_percentage",
    "module_defaults", "name", "no_log", "notify", "order", "poll", "port", "post_tasks", "pre_tasks",
    "register", "remote_user", "rescue", "retries", "roles", "run_once", "serial", "strategy", "tags",
    "tasks", "throttle", "timeout", "until", "validate_argspec", "vars", "vars_files", "vars_prompt", "when",
    "with_dict", "with_fileglob", "with_items",
})  # fmt: skip
"""All keywords of plays, roles, blocks and tasks (Ansible's page Playbook Keywords), and some lookups."""


@pytest.mark.parametrize("word", sorted(ANSIBLE - OF_BOTH))
def test_every_keyword_of_ansible_is_answered(word: str) -> None:
    """The answer is its counterpart, or why there is none; never that ensue may ignore it."""
    assert meant_by(word, {"name", "source"}).startswith(f"`{word}` is Ansible's: ")


def test_the_tables_of_ansibles_keywords_agree() -> None:
    """No word that a state of ensue takes is answered as Ansible's."""
    assert {*KEYWORDS} == ANSIBLE - OF_BOTH - {word for word in ANSIBLE if word.startswith("with_")}
    assert {*KEYWORDS} >= _UNMISTAKABLE
    assert not GLOBAL_WORDS & {*KEYWORDS}


def test_no_state_function_swallows_what_it_does_not_know() -> None:
    """A function with `**kwargs` says which words these may be, unless it passes them on."""
    functions = Functions("ensue.library.states")
    names = [f"{module}.{name}" for module in functions.modules() for name in functions.names(module)]
    signatures = {name: functions.signature(*name.rsplit(".", 1)) for name in names}
    passing = {
        name for name, signature in signatures.items() if signature is not None and signature.accepts_any
    }
    assert {name for name in passing if not name.endswith(".mod_watch")} == PASSES_ON.keys()


def test_no_argument_of_a_function_is_a_near_miss_of_an_option() -> None:
    """What ensue's own functions take would not be refused if another function passed it on."""
    functions = Functions("ensue.library.states")
    for module in functions.modules():
        for name in functions.names(module):
            signature = functions.signature(module, name)
            assert signature is not None
            for word in signature.names - GLOBAL_WORDS:
                assert not near_miss(word, NAMELESS), f"{module}.{name}: {word}"
