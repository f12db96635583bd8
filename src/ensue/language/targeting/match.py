"""Match a subject against a target. Pure: the caller provides grains and pillar.

Source: Salt's matchers; Salt Resources, "Targeting"; where Salt 3008.5 fails (see docs) we do not.
"""

from __future__ import annotations

import functools
import ipaddress
from typing import TYPE_CHECKING, Any, assert_never

import msgspec

from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.language.targeting.expression import And, Not, Or, Target, Word
from ensue.language.targeting.paths import path_matches
from ensue.language.targeting.patterns import is_data_glob, is_data_regex, is_glob, is_regex
from ensue.language.targeting.ranges import names_of
from ensue.language.targeting.vocabulary import NO_NAMES, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_ADDRESS_GRAINS = ("ipv4", "ipv6")


class TargetSubject(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may be targeted.

    Args:
        srn: its name.
        managing_minions: ids of the minions that execute its jobs; a minion manages itself.
        grains: returns its grains; called only when a word requires them.
        pillar: returns its pillar; called only when a word requires it.
        vocabulary: the nodegroups and resource types that a target may name.
        in_groups: filled by the matcher: whether the subject is in a nodegroup, for those it has looked at.
    """

    srn: Srn
    managing_minions: tuple[str, ...] = ()
    grains: Callable[[], Mapping[str, Any]] = dict
    pillar: Callable[[], Mapping[str, Any]] = dict
    vocabulary: Vocabulary = NO_NAMES
    in_groups: dict[str, bool] = msgspec.field(default_factory=dict[str, bool])


def matches(target: Target, subject: TargetSubject) -> bool:
    """Return whether a subject matches a target."""
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


def _word_matches(word: Word, subject: TargetSubject) -> bool:  # noqa: C901, PLR0911, PLR0912 -- one line an engine
    id_, pattern = subject.srn.id, word.pattern
    match word.engine:
        case "":
            return is_glob(id_, pattern) or str(subject.srn) == pattern
        case "T":
            type_, colon, id_glob = pattern.partition(":")
            return subject.srn.type == type_ and (not colon or is_glob(id_, id_glob))
        case "M":
            return any(is_glob(minion, pattern) for minion in _managers(subject))
        case "E":
            return is_regex(id_, pattern)
        case "L":
            return id_ in listed_ids(pattern)
        case "G":
            return path_matches(subject.grains(), pattern, is_data_glob, word.delimiter)
        case "P":
            return path_matches(subject.grains(), pattern, is_data_regex, word.delimiter)
        case "I":
            return path_matches(subject.pillar(), pattern, is_data_glob, word.delimiter)
        case "J":
            return path_matches(subject.pillar(), pattern, is_data_regex, word.delimiter)
        case "S":
            return _in_network(subject.grains(), pattern)
        case "R":
            return _in_range(id_, pattern)
        case "N":
            return _in_group(subject, pattern)
        case _:
            return False


def _managers(subject: TargetSubject) -> tuple[str, ...]:
    own = (subject.srn.id,) if subject.srn.type == MINION_TYPE else ()
    return (*own, *subject.managing_minions)


@functools.lru_cache(maxsize=256)
def listed_ids(pattern: str) -> frozenset[str]:
    """Return the ids of an `L@`."""
    return frozenset(part.strip() for part in pattern.split(","))


def _in_group(subject: TargetSubject, name: str) -> bool:
    """Evaluate a nodegroup once per subject: the work would double with each one that names another twice."""
    if name not in subject.in_groups:
        group = subject.vocabulary.nodegroups.get(name)
        subject.in_groups[name] = group is not None and matches(group, subject)
    return subject.in_groups[name]


@functools.lru_cache(maxsize=256)
def _network(pattern: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    return ipaddress.ip_network(pattern, strict=False)


def _in_network(grains: Mapping[str, Any], pattern: str) -> bool:
    network = _network(pattern)
    return any(address in network for address in _addresses(grains))


def _addresses(grains: Mapping[str, Any]) -> Iterable[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    for name in _ADDRESS_GRAINS:
        given = grains.get(name) or ()
        for text in [given] if isinstance(given, str) else given:
            try:
                yield ipaddress.ip_address(text)
            except ValueError:
                continue


def _in_range(id_: str, pattern: str) -> bool:
    names, globs = names_of(pattern)
    return id_ in names or any(is_glob(id_, glob) for glob in globs)
