"""The documentation of every word that a state takes whatever its function is.

The words are those by which the compiler judges arguments (`GLOBAL_WORDS`): requisites in all their forms,
and
options. `ensue doc` and the reference page are made from this table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.state_words import StateWordDoc
from ensue.language.option_words import GLOBAL_WORDS
from ensue.language.requisite_names import MERGED_BY_EXTEND, REQUISITES_IN

if TYPE_CHECKING:
    from collections.abc import Collection

_STATES: Final = "a list of `- module: ID`"
_FLAG: Final = "true or false"
_COMMANDS: Final = "a command, a function call (`fun: file.file_exists` and arguments), or a list of these"

_RELATIONS: Final = {
    "require": "Runs after the states that it names, and only if all of them succeeded.",
    "require_any": "Runs after the states that it names, and only if at least one of them succeeded.",
    "watch": "Is a `require`; if one of the states changed something, this one reacts: a service restarts, a "
    "`cmd.wait` runs.",
    "watch_any": "Is a `require_any` that reacts like `watch`.",
    "onchanges": "Runs only if one of the states that it names changed something, as a handler of Ansible "
    "does.",
    "onchanges_any": "Is the same as `onchanges`.",
    "onfail": "Runs only if one of the states that it names failed. With `onfail_stop: false`, the failures "
    "of the states that it names do not fail the run if this state succeeds, so it names every state of a "
    "block, also those that would not run. After a failure with `failhard`, it does not run.",
    "onfail_any": "Is the same as `onfail`.",
    "onfail_all": "Runs only if all states that it names failed, as those do that were not run because a "
    "state that they require failed.",
    "prereq": "Runs before the states that it names, and only if one of them is going to change something.",
    "listen": "Reacts like `watch`, but at the end of the run, once for any number of changes, and without "
    "waiting for anything: also if what the state requires failed, and after `failhard`.",
    "use": "Takes over the arguments of the state that it names, unless this one has them itself.",
    "use_in": "Gives the arguments of this state to the state that it names.",
}
_PAGE_OF_REQUISITES: Final = "sls-primer"

_OPTIONS: Final[dict[str, tuple[str, str, str]]] = {
    "unless": (_COMMANDS, "Skips the state if the command succeeds.", "test -e /srv/app"),
    "onlyif": (_COMMANDS, "Skips the state if the command fails.", "test -d /srv"),
    "creates": ("a path, or a list of paths", "Skips the state if all of the paths exist.", "/srv/app/built"),
    "check_cmd": (
        "a command, or a list of commands",
        "Decides after the state has run whether it succeeded: it did if the command does.",
        "test -s /srv/app/built",
    ),
    "retry": (
        (
            "a mapping with `attempts` (2), `until` (true), `interval` (30 seconds) and `splay` (0 seconds); "
            "or true"
        ),
        (
            "Runs the state again until its result is `until`, at most `attempts` times, with `interval` "
            "seconds and up to `splay` random ones in between."
        ),
        "{attempts: 5, interval: 10}",
    ),
    "timeout": (
        "a number of seconds",
        "Limits how long all that the state does may take: connecting, commands, files.",
        "60",
    ),
    "failhard": (
        _FLAG,
        (
            "Stops the whole run if the state fails, except for the reactions of `listen`; the option of "
            "ensue.yaml holds otherwise."
        ),
        "true",
    ),
    "parallel": (_FLAG, "Lets the states after this one begin before it has ended.", "true"),
    "order": (
        "a number, `first` or `last`",
        "Places the state among the others of the run; a negative number counts from the end.",
        "last",
    ),
    "runas": ("a user", "Runs the commands of the state as this user.", "nobody"),
    "umask": ("octal digits", "Limits the modes of the files that the state creates.", "'027'"),
    "tags": (
        "a list of names",
        "Names the state for `--only tag:NAME` and `--exclude tag:NAME`.",
        "[deploy, web]",
    ),
    "names": (
        "a list of names, each alone or with arguments of its own below it",
        "Makes a state of each name.",
        "[make all, make test]",
    ),
    "tgt": (
        "a target",
        "Runs the state on every host and resource that the target matches, instead of on this machine.",
        "web-*",
    ),
    "tgt_optional": (_FLAG, "Lets a `tgt` match nothing.", "true"),
    "registers": (
        "a list of `- type:id` with the configuration",
        "Registers a resource when the state has succeeded: other states target it in the same run.",
        "['dummy:web-01': {}]",
    ),
    "delayed_render": (
        "a list of `- block: NAME` or `- sls: NAME`",
        "Renders a block of this file, or an SLS, when the state has succeeded; `prev_ret` is its return.",
        "[block: after]",
    ),
    "arg_bind": (
        "a list of `- module: [ID, {property: argument}]`",
        "Fills arguments in from what other states return; `${module:ID:property}` is the short form.",
        "[{test: [config, {path: name}]}]",
    ),
    "onfail_stop": (
        _FLAG,
        "Whether the failures count that a state with `onfail` names and has handled (true).",
        "false",
    ),
    "fire_event": (
        "true, or the end of a tag",
        "Accepted because Salt has it: Salt sends an event with the return.",
        "true",
    ),
    "aggregate": (
        "true, false, or a list of state modules",
        "Accepted because Salt has it: each state does its own work.",
        "true",
    ),
    "reload_modules": (_FLAG, "Loads the project's own modules again after the state.", "true"),
    "reload_grains": (_FLAG, "Gathers grains again before what this state renders.", "true"),
    "reload_pillar": (_FLAG, "Compiles pillar again before what this state renders.", "true"),
}
_OPTION_PAGES: Final = {
    "registers": "registering",
    "delayed_render": "delayed-rendering",
    "arg_bind": "binding",
    "tgt": "targeting-states",
    "tgt_optional": "targeting-states",
    "tags": "choosing-a-part",
    "retry": "semantics",
    "timeout": "semantics",
    "check_cmd": "semantics",
    "unless": "sls-primer",
    "onlyif": "sls-primer",
    "creates": "sls-primer",
}
_CONFIG: Final = "config:\n  test.present:\n    - new_state: {path: /srv}\n"
_BUILD: Final = "build:\n  cmd.run:\n    - name: make\n"
_WAIT: Final = "build:\n  cmd.wait:\n    - name: make\n"
"""A command that does nothing but react: with `watch` or `listen`, a `cmd.run` also runs in every apply."""
_REACTING: Final = frozenset({"watch", "watch_any", "listen"})
_OTHER: Final = "other:\n  cmd.run:\n    - cwd: /srv\n"
_BLOCK: Final = "\n#!delayed_block after\nnext: test.nop\n#!end_delayed_block\n"


def state_words() -> tuple[StateWordDoc, ...]:
    """Return the documentation of every word, requisites first, each kind by name."""
    requisites = sorted(MERGED_BY_EXTEND)
    return (*map(_requisite, requisites), *map(_option, sorted(GLOBAL_WORDS - MERGED_BY_EXTEND)))


def instead_of_word(name: str, near: Collection[str] = ()) -> str:
    """Return what to write instead of a keyword, module, variable or setting of Ansible; empty if it is none.

    Args:
        name: the word, a module with or without its collection; of a keyword also its singular, and with
            `_in`, as in `notify_in`; a function such as `file.template`.
        near: the functions that resemble it.
    """
    from ensue.language.ansible_variables import instead_of_variable
    from ensue.language.ansible_words import instead_of_keyword
    from ensue.language.function_words import (
        instead_of_call,
        instead_of_collection_module,
        instead_of_state_function,
    )
    from ensue.language.settings.settings import instead_of_setting

    return (
        instead_of_keyword(name)
        or instead_of_collection_module(name)
        or instead_of_variable(name)
        or instead_of_setting(name)
        or instead_of_call(name, is_state=False)
        or instead_of_keyword(f"{name}s")
        or instead_of_keyword(name.removesuffix("_in"))
        or instead_of_state_function(name.rpartition(".")[0], name.rpartition(".")[2], near)
    )


def instead_of_terraform(name: str) -> str:
    """Return what to write instead of an argument, block or resource of Terraform; empty if it is none.

    Args:
        name: the word.
    """
    from ensue.language.hcl_words import (
        instead_of_block,
        instead_of_resource,
        instead_of_variable_file,
    )

    return instead_of_variable_file(name) or instead_of_block(name) or instead_of_resource(name)


def near_words(name: str) -> list[str]:
    """Return the words that are close to a name."""
    import difflib

    return difflib.get_close_matches(name, sorted(GLOBAL_WORDS), n=2, cutoff=0.8)


def _requisite(word: str) -> StateWordDoc:
    meaning = _RELATIONS.get(word, "")
    build = _WAIT if word.removesuffix("_in") in _REACTING else _BUILD
    if word in REQUISITES_IN:
        relation = word.removesuffix("_in")
        meaning = f"Is written in the other state: the states that it names have `{relation}` on this one."
        example = f"{build}config:\n  test.nop:\n    - {word}:\n      - cmd: build\n"
    else:
        is_use = word in {"use", "use_in"}
        other = _OTHER if is_use else _CONFIG
        example = f"{other}{build}    - {word}:\n      - {'cmd: other' if is_use else 'test: config'}\n"
    return StateWordDoc(
        name=word,
        kind="requisites",
        takes=_STATES,
        meaning=meaning,
        example=example,
        page=_PAGE_OF_REQUISITES,
    )


def _option(word: str) -> StateWordDoc:
    takes, meaning, value = _OPTIONS[word]
    lines = _BUILD if word not in {"names", "tgt_optional"} else "build:\n  cmd.run:\n"
    if word == "tgt_optional":
        lines += "    - name: make\n    - tgt: web-*\n"
    config = _CONFIG if word == "arg_bind" else ""
    block = _BLOCK if word == "delayed_render" else ""
    return StateWordDoc(
        name=word,
        kind="options",
        takes=takes,
        meaning=meaning,
        example=f"{config}{lines}    - {word}: {value}\n{block}",
        page=_OPTION_PAGES.get(word, ""),
    )
