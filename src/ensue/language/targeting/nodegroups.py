r"""Read `nodegroups`: named targets, checked together.

A nodegroup is an expression, or a list of words. Bare words side by side mean any of them, as in Salt:
`[web-01, db-*]`, `web-01 web-02`, `web-01,web-02`; one with signs that no glob has (`web-\d+`) is a regular
expression.

Source: `salt.utils.minions.nodegroup_comp`, 3008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.language.targeting.errors import BAD_NODEGROUP, UNKNOWN_NODEGROUP, TargetSyntaxError
from ensue.language.targeting.expression import And, Not, Or, Target, Word, words_of
from ensue.language.targeting.grammar import parse_target
from ensue.language.targeting.pieces import OPERATORS
from ensue.language.targeting.vocabulary import unknown_nodegroup

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ENGINE: Final = re.compile(r"[A-Z].?@")
_PARENTHESES: Final = frozenset("()")
_COMPOUND: Final = OPERATORS | _PARENTHESES
_ONLY_IN_REGEX: Final = frozenset("(){}\\+^$")
_DEEPEST: Final = 100
"""The deepest nesting of operators in a nodegroup, including its nodegroups, since the matcher recurses."""


class NodegroupError(msgspec.Struct, frozen=True, kw_only=True):
    """An error in a nodegroup.

    Args:
        name: the nodegroup.
        code: the code of the diagnostic.
        problem: what is wrong.
        help: what to write instead; empty if that is not known.
    """

    name: str
    code: str
    problem: str
    help: str = ""


def read_nodegroups(given: Mapping[Any, Any]) -> tuple[dict[str, Target], list[NodegroupError]]:
    """Return nodegroups by name, and all their errors.

    Args:
        given: expressions, or lists of words, by name.
    """
    groups: dict[str, Target] = {}
    errors: list[NodegroupError] = []
    for key, value in given.items():
        name = str(key)
        text = expression_of(value)
        if text is None:
            problem = f"it is {value!r}, neither an expression nor a list of words"
            remedy = _without_keys(name, value)
            errors.append(NodegroupError(name=name, code=BAD_NODEGROUP, problem=problem, help=remedy))
            continue
        try:
            groups[name] = parse_target(text)
        except TargetSyntaxError as error:
            errors.append(NodegroupError(name=name, code=error.code, problem=str(error)))
    names = {str(key) for key in given}
    errors += [error for name, group in groups.items() for error in _unknown(name, group, names)]
    return groups, [*errors, *_nested_too_deep(groups)]


def _without_keys(name: str, value: Any) -> str:
    """Return how to write a group of an Ansible inventory, a mapping with `hosts`, `children` or `vars`."""
    if not is_mapping(value):
        return "write an expression, `web-*`, or a list of ids"
    hosts, children = value.get("hosts") or (), value.get("children") or ()
    words = [*map(str, hosts), *(f"N@{child}" for child in children)] if _are_names(hosts, children) else []
    of_hosts = f"write `{name}: {' or '.join(words)}`" if words else f"write `{name}: 'web-*'`, the ids"
    return f"{of_hosts}; values of a group are in pillar: `'N@{name}': [SLS]` in pillar/top.sls"


def _are_names(*given: Any) -> bool:
    return all(isinstance(names, (list, tuple, dict)) for names in given)


def groups_taken_for_ids(groups: Mapping[str, Target]) -> Iterator[tuple[str, str]]:
    """Yield each nodegroup with a word in it that is the name of another one, as a bare word.

    Args:
        groups: nodegroups by name.
    """
    for name, group in groups.items():
        for word in words_of(group):
            if not word.engine and word.pattern in groups and word.pattern != name:
                yield name, word.pattern


def expression_of(value: Any) -> str | None:
    """Return a nodegroup as one expression, None if it is neither text nor a list of texts.

    Args:
        value: the value in `nodegroups`.
    """
    if isinstance(value, str):
        words: Sequence[str] = value.split()
        text = value
    elif is_list(value) and all(isinstance(item, (str, int)) for item in value):
        words = [str(item) for item in value]
        text = " ".join(_quoted(word) for word in words)
    else:
        return None
    if any(word in _COMPOUND or '"' in word or _ENGINE.match(word) for word in words):
        return text
    if any("*" in word and not _PARENTHESES.isdisjoint(word) for word in words):
        return text  # `(web-*)` is a group of one glob
    return " or ".join(map(_bare, words))


def _quoted(word: str) -> str:
    """Quote an item of a list; one that is itself an expression becomes a group."""
    if len(word.split()) < 2:  # noqa: PLR2004 -- one word
        return word
    if '"' in word or not OPERATORS.isdisjoint(word.split()):
        return f"({word})"
    engine = _ENGINE.match(word)
    width = engine.end() if engine else 0
    return f'{word[:width]}"{word[width:]}"'


def _bare(word: str) -> str:
    if not _ONLY_IN_REGEX.isdisjoint(word):
        return f"E@{word}"
    return f"L@{word}" if "," in word else _quoted(word)


def _unknown(name: str, group: Target, names: set[str]) -> Iterator[NodegroupError]:
    for word in words_of(group):
        if word.engine == "N" and word.pattern not in names:
            is_part, others = not isinstance(group, Word), dict.fromkeys(sorted(names - {name}))
            problem = unknown_nodegroup(word.pattern, others, is_part=is_part)
            yield NodegroupError(name=name, code=UNKNOWN_NODEGROUP, problem=problem)


def _nested_too_deep(groups: Mapping[str, Target]) -> Iterator[NodegroupError]:
    """Yield the cycles of nodegroups; if there are none, those nested deeper than the matcher can follow."""
    inner = {
        name: [name_ for name_ in _groups_in(group) if name_ in groups] for name, group in groups.items()
    }
    depths: dict[str, int] = {}
    waiting = dict(inner)
    while ready := [name for name, names in waiting.items() if all(name_ in depths for name_ in names)]:
        for name in ready:
            del waiting[name]
            depths[name] = _depth(groups[name], depths)
    for name in waiting:
        cycle = _cycle(name, waiting)
        if cycle[0] == name == min(cycle):
            problem = f"nodegroups contain each other: {' -> '.join([*cycle, name])}"
            yield NodegroupError(name=name, code=BAD_NODEGROUP, problem=problem)
    for name, depth in depths.items():
        # Of a chain that is too long only the first link beyond the limit is reported.
        if depth > _DEEPEST and all(depths[name_] <= _DEEPEST for name_ in inner[name]):
            problem = f"it nests more than {_DEEPEST} deep, the nodegroups in it included"
            yield NodegroupError(name=name, code=BAD_NODEGROUP, problem=problem)


def _groups_in(target: Target) -> list[str]:
    return [word.pattern for word in words_of(target) if word.engine == "N"]


def _depth(target: Target, depths: Mapping[str, int]) -> int:
    match target:
        case Word():
            return 1 + (depths.get(target.pattern, 0) if target.engine == "N" else 0)
        case Not():
            return 1 + _depth(target.operand, depths)
        case And() | Or():
            return 1 + max(_depth(operand, depths) for operand in target.operands)


def _cycle(start: str, waiting: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the cycle that is reached from a name, beginning with its first member on the path."""
    path: list[str] = []
    here = start
    while here not in path:
        path.append(here)
        here = next(name for name in waiting[here] if name in waiting)
    return path[path.index(here) :]
