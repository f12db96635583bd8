"""Match many ids against a target by type and id alone: whole lists at once, no object per id. Pure.

`matches` is the definition; this gives the same answer for a million ids in the time of a few filters. Ids
that depend on grains or pillar are left undecided, for `matches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

import msgspec

from ensue.core.model.srn import MINION_TYPE
from ensue.language.targeting.expression import And, Not, Or, Target, Word
from ensue.language.targeting.match import listed_ids
from ensue.language.targeting.patterns import DATA_ENGINES, glob_filter, has_glob_signs, is_glob, regex_filter
from ensue.language.targeting.ranges import names_of
from ensue.language.targeting.vocabulary import NO_NAMES, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    _Groups = Mapping[str, Target]

_BY_DATA: Final = frozenset((*DATA_ENGINES, "S"))
"""The engines whose matches depend on grains or pillar."""

_NOBODY: Final = frozenset[str]()


class Decided(msgspec.Struct, frozen=True):
    """The result of matching a list of ids.

    Args:
        matched: those that match, in the order given.
        undecided: those whose match depends on grains or pillar, in the order given.
    """

    matched: list[str]
    undecided: list[str]


class NameMatcher:
    """Matches ids against one target, one type at a time.

    Args:
        target: the target.
        minions: ids of the minions that manage all of the resources.
        vocabulary: has the nodegroups.
    """

    def __init__(
        self, target: Target, *, minions: Sequence[str] = (), vocabulary: Vocabulary = NO_NAMES
    ) -> None:
        self._target = target
        self._minions = minions
        self._groups = vocabulary.nodegroups

    def bound(self, resource_type: str | None = None) -> frozenset[str] | None:
        """Return the only ids that the target can match, None if it names no ids and any may match.

        Args:
            resource_type: of this type; None: of any type.
        """
        return _Bound(self._groups, self._minions, resource_type).of(self._target)

    def decide(self, resource_type: str, ids: Sequence[str]) -> Decided:
        """Return which ids of a type match."""
        names = _IdsOfType(self._groups, self._minions, resource_type, list(ids))
        return names.decide(self._target, names.ids)


class _Bound:
    """The ids that a target names.

    A nodegroup is evaluated once: the work would double with each one that names another twice.
    """

    def __init__(self, groups: _Groups, minions: Sequence[str], resource_type: str | None) -> None:
        self._groups = groups
        self._minions = minions
        self._type = resource_type
        self._of_group: dict[str, frozenset[str] | None] = {}

    def of(self, target: Target) -> frozenset[str] | None:
        match target:
            case Word():
                return self._of_word(target)
            case Not():
                return None
            case And():
                bounds = [bound for bound in map(self.of, target.operands) if bound is not None]
                return bounds[0].intersection(*bounds[1:]) if bounds else None
            case Or():
                bounds_ = [self.of(operand) for operand in target.operands]
                bounded = [bound for bound in bounds_ if bound is not None]
                return _NOBODY.union(*bounded) if len(bounded) == len(bounds_) else None
            case _:
                assert_never(target)

    def _of_word(self, word: Word) -> frozenset[str] | None:  # noqa: PLR0911 -- one line an engine
        match word.engine:
            case "":
                return None if has_glob_signs(word.pattern) else frozenset(_ids_written(word, self._type))
            case "T":
                return self._of_type(*word.pattern.partition(":")[::2])
            case "M":
                is_one = self._type in (None, MINION_TYPE) or _is_managed(self._minions, word.pattern)
                return None if is_one else _NOBODY
            case "L":
                return listed_ids(word.pattern)
            case "R":
                names, globs = names_of(word.pattern)
                return None if globs else names
            case "N":
                if word.pattern not in self._of_group:
                    group = self._groups.get(word.pattern)
                    self._of_group[word.pattern] = _NOBODY if group is None else self.of(group)
                return self._of_group[word.pattern]
            case _:
                return None

    def _of_type(self, type_: str, id_: str) -> frozenset[str] | None:
        if self._type not in (None, type_):
            return _NOBODY
        return frozenset([id_]) if id_ and not has_glob_signs(id_) else None


class _IdsOfType:
    """All ids of one type; a nodegroup is decided once, for all of them."""

    def __init__(self, groups: _Groups, minions: Sequence[str], resource_type: str, ids: list[str]) -> None:
        self.ids = ids
        self._groups = groups
        self._minions = minions
        self._type = resource_type
        self._of_group: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def decide(self, target: Target, ids: list[str]) -> Decided:
        match target:
            case Word(engine="N"):
                matched, undecided = self._group(target.pattern)
                return Decided(_among(ids, matched), _among(ids, undecided))
            case Word():
                return self._by_word(target, ids)
            case Not():
                inner = self.decide(target.operand, ids)
                return Decided(_without(ids, (*inner.matched, *inner.undecided)), inner.undecided)
            case And():
                return self._all_of(target.operands, ids)
            case Or():
                return self._any_of(target.operands, ids)
            case _:
                assert_never(target)

    def _all_of(self, operands: Iterable[Target], ids: list[str]) -> Decided:
        """Test each operand only on ids that all operands before it may match."""
        is_open: set[str] = set()
        for operand in operands:
            decided = self.decide(operand, ids)
            is_open.update(decided.undecided)
            ids = (
                _among(ids, {*decided.matched, *decided.undecided}) if decided.undecided else decided.matched
            )
        return Decided(_without(ids, is_open), _among(ids, is_open))

    def _any_of(self, operands: Iterable[Target], ids: list[str]) -> Decided:
        """Test each operand only on ids that no operand before it matches."""
        is_open: set[str] = set()
        matched: set[str] = set()
        rest = ids
        for operand in operands:
            decided = self.decide(operand, rest)
            is_open.update(decided.undecided)
            matched.update(decided.matched)
            rest = _without(rest, decided.matched)
        return Decided(_among(ids, matched), _among(rest, is_open))

    def _group(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        if name not in self._of_group:
            group = self._groups.get(name)
            decided = Decided([], []) if group is None else self.decide(group, self.ids)
            self._of_group[name] = frozenset(decided.matched), frozenset(decided.undecided)
        return self._of_group[name]

    def _by_word(self, word: Word, ids: list[str]) -> Decided:
        if word.engine in _BY_DATA:
            return Decided([], ids)
        test = self._test(word)
        if isinstance(test, bool):
            return Decided(ids if test else [], [])
        return Decided(list(filter(test, ids)), [])

    def _test(  # noqa: PLR0911 -- one line an engine
        self, word: Word
    ) -> Callable[[str], object] | bool:
        """Return the test of an id, or the result for all ids of the type."""
        pattern = word.pattern
        match word.engine:
            case "":
                return glob_filter(pattern, *_ids_written(word, self._type))
            case "T":
                type_, _, id_glob = pattern.partition(":")
                return type_ == self._type and (glob_filter(id_glob) if id_glob else True)
            case "M":
                is_managed = _is_managed(self._minions, pattern)
                return is_managed or (self._type == MINION_TYPE and glob_filter(pattern))
            case "E":
                return regex_filter(pattern)
            case "L":
                return listed_ids(pattern).__contains__
            case "R":
                names, globs = names_of(pattern)
                return lambda id_: id_ in names or any(is_glob(id_, glob) for glob in globs)
            case _:
                return False


def _ids_written(word: Word, resource_type: str | None) -> list[str]:
    """Return the ids that a bare word may be: it is an id, or an SRN."""
    type_, _, id_ = word.pattern.partition(":")
    return [word.pattern, id_] if id_ and resource_type in (None, type_) else [word.pattern]


def _is_managed(minions: Iterable[str], pattern: str) -> bool:
    return any(is_glob(minion, pattern) for minion in minions)


def _among(ids: list[str], chosen: set[str] | frozenset[str]) -> list[str]:
    return [id_ for id_ in ids if id_ in chosen] if chosen else []


def _without(ids: list[str], unwanted: Iterable[str]) -> list[str]:
    left_out = frozenset(unwanted)
    return [id_ for id_ in ids if id_ not in left_out] if left_out else ids
