"""Does a subject match a target? Pure: grains and pillar are handed in.

Source: Salt's matchers; Salt Resources, "Targeting"; where Salt 3008.5 fails (see docs) we do not.
"""

from __future__ import annotations

import fnmatch
import functools
import ipaddress
import re
from typing import TYPE_CHECKING, Any, assert_never

import msgspec

from ensue.model.srn import MINION_TYPE, Srn
from ensue.targeting.expression import And, Not, Or, Target, Word
from ensue.targeting.ranges import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ADDRESS_GRAINS = ("ipv4", "ipv6")


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may be targeted.

    Args:
        srn: its name.
        managing_minions: ids of the minions that execute its jobs; a minion manages itself.
        grains: returns its grains; called only when a word asks for them.
        pillar: returns its pillar; likewise.
        nodegroups: expressions by name, already parsed.
    """

    srn: Srn
    managing_minions: tuple[str, ...] = ()
    grains: Callable[[], Mapping[str, Any]] = dict
    pillar: Callable[[], Mapping[str, Any]] = dict
    nodegroups: Mapping[str, Target] = msgspec.field(default_factory=dict[str, "Target"])


def matches(target: Target, subject: Subject) -> bool:
    """Say whether a subject matches a target."""
    match target:
        case Word():
            return _word_matches(target, subject)
        case Not():
            return not matches(target.operand, subject)
        case And():
            return all(matches(operand, subject) for operand in target.operands)
        case Or():
            return any(matches(operand, subject) for operand in target.operands)
        case _:
            assert_never(target)


def _word_matches(word: Word, subject: Subject) -> bool:  # noqa: C901, PLR0911, PLR0912 -- one line an engine
    id_, pattern = subject.srn.id, word.pattern
    match word.engine:
        case "":
            return _glob(id_, pattern) or str(subject.srn) == pattern
        case "T":
            type_, colon, id_glob = pattern.partition(":")
            return subject.srn.type == type_ and (not colon or _glob(id_, id_glob))
        case "M":
            return any(_glob(minion, pattern) for minion in _managers(subject))
        case "E":
            return _regex(pattern).match(id_) is not None
        case "L":
            return id_ in {part.strip() for part in pattern.split(",")}
        case "G":
            return _nested(subject.grains(), pattern, _glob)
        case "P":
            return _nested(subject.grains(), pattern, _regex_matches)
        case "I":
            return _nested(subject.pillar(), pattern, _glob)
        case "J":
            return _nested(subject.pillar(), pattern, _regex_matches)
        case "S":
            return _in_network(subject.grains(), pattern)
        case "R":
            return _in_range(id_, pattern)
        case "N":
            group = subject.nodegroups.get(pattern)
            return group is not None and matches(group, subject)
        case _:
            return False


def _managers(subject: Subject) -> tuple[str, ...]:
    own = (subject.srn.id,) if subject.srn.type == MINION_TYPE else ()
    return (*own, *subject.managing_minions)


def _glob(text: str, pattern: str) -> bool:
    return text == pattern or fnmatch.fnmatchcase(text, pattern)


@functools.cache
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _regex_matches(text: str, pattern: str) -> bool:
    return _regex(pattern).match(text) is not None


def _nested(data: Any, path: str, compare: Callable[[str, str], bool]) -> bool:
    """Compare along a colon path: `os:Debian`, `roles:web`, `a:b:c`; keys may be globs, values lists."""
    key, colon, rest = path.partition(":")
    if isinstance(data, dict):
        if not colon:
            # `G@virtual`: that the key is there.
            return any(_glob(str(name), key) for name in data)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return any(
            _value_matches(value, rest, compare) or _nested(value, rest, compare)
            for name, value in data.items()  # pyright: ignore[reportUnknownVariableType]
            if _glob(str(name), key)  # pyright: ignore[reportUnknownArgumentType]
        )
    return False


def _value_matches(value: Any, pattern: str, compare: Callable[[str, str], bool]) -> bool:
    if isinstance(value, (list, tuple, set)):
        return any(_value_matches(item, pattern, compare) for item in value)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return False
    return compare(str(value), pattern) or compare(str(value).lower(), pattern.lower())


def _in_network(grains: Mapping[str, Any], pattern: str) -> bool:
    try:
        network = ipaddress.ip_network(pattern, strict=False)
    except ValueError:
        return False
    for name in _ADDRESS_GRAINS:
        for text in grains.get(name) or ():
            try:
                if ipaddress.ip_address(text) in network:
                    return True
            except ValueError:
                continue
    return False


def _in_range(id_: str, pattern: str) -> bool:
    names, globs = names_of(pattern)
    return id_ in names or any(_glob(id_, one) for one in globs)
