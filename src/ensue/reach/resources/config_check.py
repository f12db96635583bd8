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


def unknown_keys(config: ReadOnlyDataMap, known: Iterable[str]) -> list[str]:
    """Return one sentence for each unknown key, with the most similar known one."""
    names = sorted(known)
    return [_unknown(key, names) for key in config if key not in names]


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
    found: list[str] = []
    for key in keys:
        value = config.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and value <= 0:
            found.append(f"`{key}` must be above zero, not {value}")
    return found


def _unknown(key: str, names: list[str]) -> str:
    import difflib

    bare = key.removeprefix("ansible_").removeprefix("ssh_")
    near = [bare] if bare in names else difflib.get_close_matches(key, names, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(names)}"
    if key in _OF_INVENTORIES:
        hint = _OF_INVENTORIES[key]
    return f"unknown key `{key}` ({hint})"


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
