"""`unless`, `onlyif`, `creates` and `check_cmd` of a declaration, judged before anything runs.

Source: Salt 3008, `State._run_check`. Salt runs a state whose conditions it cannot read, with a comment. Of
these, ensue accepts only booleans, which templates print.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.near_names import near_question

if TYPE_CHECKING:
    from ensue.language.option_faults import OptionFaults

_RUNS: Final = {"onlyif": True, "unless": False}
"""The boolean of each condition that says what it does: a state with a boolean as its condition runs."""
_CONDITION: Final = "a command as text, a function call `fun: module.function`, or a list of these"
_CALL: Final = "the name of a function, such as `test.true`"
_TEXTS: Final = {
    "creates": "a path, or a list of paths",
    "check_cmd": "a command as text, or a list of commands",
}


def read_conditions(word: str, value: Any, faults: OptionFaults) -> tuple[Any, ...]:
    """Return the commands and function calls of `unless` or `onlyif` that decide whether the state runs.

    Args:
        word: the option.
        value: its value.
        faults: reports entries of another kind, and booleans that do not do what they say.
    """
    entries = _listed(value)
    for place, entry in enumerate(entries):
        below = (word, place) if is_list(value) else (word,)
        if is_mapping(entry):
            _check_call(word, entry, below, faults)
        elif isinstance(entry, bool):
            if len(entries) > 1 or entry is not _RUNS[word]:
                faults.report_boolean(word, entry, *below)
        elif not isinstance(entry, str):
            _refuse(word, entry, below, faults, _CONDITION)
    return _deciding(word, entries)


def read_texts(word: str, value: Any, faults: OptionFaults) -> tuple[str, ...]:
    """Return the paths of `creates` or the commands of `check_cmd`.

    Args:
        word: the option.
        value: its value.
        faults: reports entries that are not text.
    """
    entries = _listed(value)
    for place, entry in enumerate(entries):
        if not isinstance(entry, str):
            _refuse(word, entry, (word, place) if is_list(value) else (word,), faults, _TEXTS[word])
    return tuple(map(str, entries))


def _deciding(word: str, entries: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the entries that decide; a boolean is none of them.

    At a boolean, Salt decides that the state runs. `onlyif` ends there; `unless` goes on, so that the entries
    after it may still skip the state.
    """
    if word == "onlyif":
        return tuple(takewhile(lambda entry: not isinstance(entry, bool), entries))
    if entries and isinstance(entries[-1], bool):
        return ()
    return tuple(entry for entry in entries if not isinstance(entry, bool))


def _listed(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return tuple(value) if is_list(value) else (value,)


def _refuse(word: str, entry: Any, below: tuple[str | int, ...], faults: OptionFaults, expected: str) -> None:
    meant = ""
    if isinstance(entry, bool):
        command = str(entry).lower()
        meant = f"did you mean the command '{command}'? Put it in quotes" if word != "creates" else ""
    elif isinstance(entry, int | float):
        meant = "put it in quotes if it is meant"
    elif is_mapping(entry) and "fun" in entry:
        meant = "only `unless` and `onlyif` call functions"
    faults.refuse(word, entry, expected, *below, is_part=len(below) > 1, meant=meant)


def _check_call(word: str, call: Any, below: tuple[str | int, ...], faults: OptionFaults) -> None:
    """Report a function call without a function, or with a value of the wrong kind."""
    function = call.get("fun")
    if "fun" not in call:
        near = next((key for key in map(str, call) if near_question(key, ["fun"])), "")
        meant = f"did you mean fun instead of {near}?" if near else ""
        faults.refuse(word, call, _CONDITION, *below, is_part=len(below) > 1, meant=meant)
    elif not isinstance(function, str) or "." not in function.strip("."):
        faults.refuse("fun", function, _CALL, *below, "fun")
    if not isinstance(call.get("get_return", ""), str):
        expected = "the path to a part of the answer as text, such as 'a:b'"
        faults.refuse("get_return", call["get_return"], expected, *below, "get_return")
