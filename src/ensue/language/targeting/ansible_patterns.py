"""Host patterns of Ansible that match nothing here, and the targets that mean the same.

Source: Ansible's patterns: `all`, groups, `a:b`, `a:&b`, `a:!b`, `~regular expression`, `group[0]`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_EVERY: Final = "'*' is every minion and resource"
_PLACES: Final = re.compile(r"(?P<group>[\w.-]+)\[-?\d*(?::-?\d*)?\]")
_GLOB: Final = re.compile(r"[*?\[]")
_SEPARATOR: Final = re.compile(r"[:,](?![^\[]*\])")
_SIGNS: Final = re.compile(r"[:,!&\[]")
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def instead_of_pattern(
    pattern: str, nodegroups: Collection[str], minion: str, *, is_part: bool = False
) -> str:
    """Return how to write a pattern of Ansible as a target; empty if it is none.

    Args:
        pattern: a word without an engine that matches nothing.
        nodegroups: the names of the project's nodegroups.
        minion: the id of this machine.
        is_part: whether the pattern is one word of a longer target; the answer then replaces only that word.
    """
    if simple := _simple(pattern, nodegroups, minion, is_part=is_part):
        return simple
    if match := _PLACES.fullmatch(pattern):
        group = _group(match["group"], nodegroups)
        return f"a target has no numbers of hosts: list them, L@ID,ID, or write a glob; {group}"
    parts = [part for part in _SEPARATOR.split(pattern) if part]
    is_of_ids = not any(part in nodegroups or part[0] in "!&" for part in parts)
    if "," in pattern and ":" not in pattern and is_of_ids:
        return f"a list of ids is L@{pattern}"
    if pattern[0] not in "!&" and (len(parts) == 1 or "@" in pattern):
        return ""
    target = _joined(parts, nodegroups, "" if is_part else minion)
    if is_part and (" and " in target or " or " in target):
        target = f"( {target} )"
    return f"write '{target}'; a group is a nodegroup of ensue.yaml, N@NAME"


def instead_of_group(target: str, nodegroups: Collection[str]) -> str:
    """Return how to write a group or a pattern of Ansible in a top file; empty if a target is none.

    Args:
        target: a target that does not match.
        nodegroups: the names of the project's nodegroups.
    """
    if target in nodegroups:
        return f"the nodegroup is N@{target}"
    if "@" in target or " " in target:
        return ""
    is_pattern = ":&" in target or ":!" in target or any(part in nodegroups for part in target.split(":"))
    return instead_of_pattern(target, nodegroups, "") if is_pattern or target == "all" else ""


def instead_of_engines(
    pattern: str, nodegroups: Collection[str], minion: str, *, is_part: bool = False
) -> str:
    """Return how to write a pattern of Ansible of nodegroups, `N@web:!N@db`; empty if it is none.

    Args:
        pattern: the pattern; the first group may be without `N@`.
        nodegroups: the names of the project's nodegroups.
        minion: the id of this machine.
        is_part: whether the pattern is a word of a longer target.
    """
    plain = pattern.replace("N@", "").removeprefix("@")
    is_one = plain in nodegroups or _SIGNS.search(plain)
    return instead_of_pattern(plain, nodegroups, minion, is_part=is_part) if is_one else ""


def _simple(pattern: str, nodegroups: Collection[str], minion: str, *, is_part: bool) -> str:
    """Return how to write a pattern that is one name or one expression; empty for any other."""
    if pattern in {"all", "ungrouped"}:
        is_whole = minion and not is_part
        return f"{_EVERY}; without this machine: '* and not {minion}'" if is_whole else _EVERY
    if pattern in _LOCAL:
        return f"this machine is {minion}" + ("" if is_part else "; without a target, a run is for it")
    if pattern in nodegroups:
        return f"the nodegroup is N@{pattern}"
    return f"a regular expression is E@{pattern[1:]}" if len(pattern) > 1 and pattern[0] == "~" else ""


def _joined(parts: list[str], nodegroups: Collection[str], minion: str) -> str:
    """Return the target of the parts of a pattern: unions first, then `&` and `!`, as Ansible reads them.

    What is not restricted to some machines has no `localhost` in Ansible, so it leaves out this machine.
    """
    names = {sign: [part[1:] for part in parts if part[0] == sign and part[1:]] for sign in "&!"}
    unions = [part for part in parts if part[0] not in "&!"]
    words = [_word(part, nodegroups) for part in unions]
    is_list = len(unions) > 1 and not any(
        _GLOB.search(part) or part in nodegroups or part == "all" for part in unions
    )
    first = f"L@{','.join(unions)}" if is_list else " or ".join(words)
    if len(words) > 1 and not is_list and (names["&"] or names["!"]):
        first = f"( {first} )"
    is_open = "all" in unions or not (unions or names["&"])
    if is_open and minion:
        names["!"].append(minion)
    return " and ".join(
        [
            *([first] if first else []),
            *(_word(name, nodegroups) for name in names["&"]),
            *(f"not {_word(name, nodegroups)}" for name in names["!"]),
        ]
    )


def _word(part: str, nodegroups: Collection[str]) -> str:
    if part == "all":
        return "*"
    if part.startswith("~"):
        return f"E@{part[1:]}"
    return f"N@{part}" if part in nodegroups else part


def _group(name: str, nodegroups: Collection[str]) -> str:
    if name in nodegroups:
        return f"N@{name} is all of the nodegroup"
    return f"a group is a nodegroup of ensue.yaml, N@{name}"
