"""The names that target expressions of one project may use: its nodegroups and its resource types.

An expression that names anything else is refused before it is matched, so that a typing error is not
mistaken for a target that matches nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.language.targeting.errors import UNKNOWN_NODEGROUP, UNKNOWN_TYPE, TargetSyntaxError
from ensue.language.targeting.expression import Word, words_of
from ensue.language.targeting.grammar import parse_target, parse_word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.targeting.expression import Target


ANYTHING: Final = "*"
"""The placeholder for a reference while a target is checked."""


def _is_known(_: str) -> str:
    return ""


class Vocabulary:
    """The names that words of a target may use.

    Args:
        nodegroups: expressions by name, already parsed.
        unknown_type: returns the message for an unknown resource type; empty for a known one.
    """

    def __init__(
        self, nodegroups: Mapping[str, Target] | None = None, unknown_type: Callable[[str], str] = _is_known
    ) -> None:
        self.nodegroups: Mapping[str, Target] = nodegroups or {}
        self._unknown_type = unknown_type
        self._checked: dict[str, Target] = {}

    def parse(self, expression: str) -> Target:
        """Return the parsed form of a target; types are checked only for a new expression.

        Raises:
            TargetSyntaxError: it does not parse, or names an unknown type or nodegroup.
        """
        known = self._checked.get(expression)
        if known is None:
            known = parse_target(expression)
            self.check(known, expression)
            self._checked[expression] = known
        return known

    def knows_type(self, name: str) -> bool:
        """Return whether there is a resource type."""
        return not self._unknown_type(name)

    def is_checked(self, expression: str) -> bool:
        """Return whether an expression was parsed before, so that `parse` checks no types."""
        return expression in self._checked

    def word(self, engine: str, pattern: str, delimiter: str = ":") -> Word:
        """Return the word of an engine and a separate pattern.

        Raises:
            TargetSyntaxError: the pattern does not parse, or names an unknown type or nodegroup.
        """
        word = parse_word(engine, pattern, delimiter)
        self.check(word, pattern)
        return word

    def check(self, target: Target, expression: str, *, has_references: bool = False) -> None:
        """Refuse a target that names a type or a nodegroup that does not exist.

        Args:
            target: the target.
            expression: its text, for the message.
            has_references: names with `ANYTHING` are not checked, since a reference will complete them.

        Raises:
            TargetSyntaxError: with the column of the word.
        """
        for word in words_of(target):
            if has_references and ANYTHING in word.pattern.partition(":")[0]:
                continue
            if word.engine == "T" and (problem := self._unknown_type(word.pattern.partition(":")[0])):
                raise TargetSyntaxError(expression, word.column, problem, code=UNKNOWN_TYPE)
            if word.engine == "N" and word.pattern not in self.nodegroups:
                is_part = not isinstance(target, Word)
                problem = unknown_nodegroup(word.pattern, self.nodegroups, is_part=is_part)
                raise TargetSyntaxError(expression, word.column, problem, code=UNKNOWN_NODEGROUP)


NO_NAMES: Final = Vocabulary()
"""Any type and no nodegroup."""


def unknown_nodegroup(name: str, groups: Mapping[str, object], *, is_part: bool) -> str:
    """Return the message for an unknown nodegroup, with the known ones.

    Args:
        name: its name.
        groups: the known ones, by name.
        is_part: whether the target has more words.
    """
    import difflib

    from ensue.language.targeting.ansible_patterns import instead_of_engines

    if advice := instead_of_engines(name, groups, "", is_part=is_part):
        word = f"for {f'N@{name}'!r}: " if is_part else ""
        return f"there is no nodegroup {name!r} ({word}{advice})"
    if near := difflib.get_close_matches(name, groups, n=2):
        return f"there is no nodegroup {name!r} (did you mean {' or '.join(near)}?)"
    there = f"there are {', '.join(sorted(groups))}" if groups else "ensue.yaml has none"
    return f"there is no nodegroup {name!r} ({there})"
