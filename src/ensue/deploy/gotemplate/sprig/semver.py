"""Semantic versions, and constraints on them.

Source: semver.org 2.0, and Sprig's documentation, "Semantic Version Functions".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.values import GoObject

if TYPE_CHECKING:
    from collections.abc import Mapping

_IDENTIFIERS: Final = r"[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*"
_VERSION: Final = re.compile(
    rf"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-({_IDENTIFIERS}))?(?:\+({_IDENTIFIERS}))?", re.ASCII
)
_PART: Final = r"(?:\d+|[xX*])"
_CONSTRAINT: Final = re.compile(
    rf"(?P<operator>=<|=>|!=|>=|<=|[=<>~^]|~>)?>?\s*v?(?P<major>{_PART})(?:\.(?P<minor>{_PART}))?(?:\.(?P<patch>{_PART}))?"
    rf"(?:-(?P<pre>{_IDENTIFIERS}))?(?:\+{_IDENTIFIERS})?",
    re.ASCII,
)
_RANGE: Final = re.compile(r"\s*(v?[\d.xX*]\S*)\s+-\s+(v?[\d.xX*]\S*)\s*")
_WILD: Final = frozenset({"x", "X", "*"})
_MOST_CHARS: Final = 1000
"""The longest version or constraint: the expressions that read one take quadratic time."""

Numbers = tuple[int, int, int]
Key = tuple[Numbers, bool, tuple[tuple[int, int, str], ...]]


class Version(GoObject):
    """A semantic version.

    Args:
        original: the text as written.
        numbers: major, minor and patch.
        prerelease: the text after `-`, empty if there is none.
        metadata: the text after `+`, empty if there is none.
    """

    type_name = "*semver.Version"

    def __init__(self, original: str, numbers: Numbers, prerelease: str, metadata: str) -> None:
        self.original = original
        self.numbers = numbers
        self.prerelease = prerelease
        self.metadata = metadata

    def __str__(self) -> str:
        before = f"-{self.prerelease}" if self.prerelease else ""
        after = f"+{self.metadata}" if self.metadata else ""
        return ".".join(map(str, self.numbers)) + before + after

    @property
    def json_value(self) -> str:
        """The version for JSON."""
        return str(self)

    @property
    def key(self) -> Key:
        """The sort key: a pre-release comes before its release."""
        parts = tuple(
            (0, int(part), "") if part.isdigit() else (1, 0, part)
            for part in self.prerelease.split(".")
            if self.prerelease
        )
        return (self.numbers, not self.prerelease, parts)

    def field(self, name: str, arguments: list[Any]) -> Any:
        """Return a field; `Compare` takes a version."""
        if name == "Compare" and len(arguments) == 1 and isinstance(arguments[0], Version):
            other = arguments[0].key
            return (self.key > other) - (self.key < other)
        fields: dict[str, Any] = {
            "Major": self.numbers[0],
            "Minor": self.numbers[1],
            "Patch": self.numbers[2],
            "Prerelease": self.prerelease,
            "Metadata": self.metadata,
            "Original": self.original,
            "String": str(self),
        }
        return super().field(name, arguments) if name not in fields or arguments else fields[name]


_ALL_PARTS: Final = 3
"""Major, minor and patch."""


class _Constraint(msgspec.Struct, frozen=True):
    """An operator, its version, and how many numbers of the version are given."""

    operator: str
    version: Version
    given: int


def version_of(text: str) -> Version:
    """Parse a version.

    Args:
        text: the version; a leading `v`, minor and patch are optional.

    Raises:
        CallError: it is not a version.
    """
    _check_length(text)
    match = _VERSION.fullmatch(text)
    if match is None:
        raise CallError(f"{text!r} is not a semantic version", help="Write `1.2.3`")
    numbers = (int(match[1]), int(match[2] or 0), int(match[3] or 0))
    return Version(text, numbers, match[4] or "", match[5] or "")


def fulfils(constraints: str, text: str) -> bool:
    """Return whether a version satisfies constraints.

    Args:
        constraints: `>=1.0, <2.0 || ^3`.
        text: the version.

    Raises:
        CallError: one of them cannot be read.
    """
    _check_length(constraints)
    groups = [_parsed(group) for group in constraints.split("||")]
    version = version_of(text)
    return any(all(_holds(constraint, version) for constraint in group) for group in groups)


def _check_length(text: str) -> None:
    if len(text) > _MOST_CHARS:
        what = f"the version or constraint {text[:20]!r}… is longer than {_MOST_CHARS:,} characters"
        raise CallError(what, help="Write `>=1.2, <2` or `^1.2`")


def _parsed(group: str) -> list[_Constraint]:
    spread = _RANGE.sub(r" >=\1 <=\2 ", group)
    constraints: list[_Constraint] = []
    for part in re.findall(r"[^\s,\d\w*^~<>=!]*(?:[<>=!~^]+\s*)?[^\s,<>=!~^]+", spread.strip()):
        match = _CONSTRAINT.fullmatch(part.strip())
        if match is None:
            raise CallError(
                f"{group.strip()!r} is not a version constraint", help="Write `>=1.2, <2` or `^1.2`"
            )
        constraints.append(_constraint(match))
    if not constraints:
        raise CallError(f"{group!r} is not a version constraint", help="Write `>=1.2, <2` or `^1.2`")
    return constraints


def _constraint(match: re.Match[str]) -> _Constraint:
    parts = (match["major"], match["minor"], match["patch"])
    given = 0
    while given < len(parts) and parts[given] is not None and parts[given] not in _WILD:
        given += 1
    numbers = [int(part) if index < given else 0 for index, part in enumerate(parts)]
    text = match[0]
    prerelease = match["pre"] or ""
    version = Version(text, (numbers[0], numbers[1], numbers[2]), prerelease, "")
    return _Constraint(match["operator"] or "", version, given)


def _holds(constraint: _Constraint, version: Version) -> bool:  # noqa: PLR0911 -- a return per operator
    is_exact_difference = constraint.operator == "!=" and constraint.given == _ALL_PARTS
    if version.prerelease and not constraint.version.prerelease and not is_exact_difference:
        return False
    base, operator = constraint.version.key, constraint.operator
    if operator in {"", "="}:
        return (
            version.key == base
            if constraint.given == _ALL_PARTS
            else _is_within(constraint, version, constraint.given - 1)
        )
    if operator == "!=":
        return (
            version.key != base
            if constraint.given == _ALL_PARTS
            else not _is_within(constraint, version, constraint.given - 1)
        )
    if operator in {"~", "~>"}:
        return _is_within(constraint, version, min(constraint.given - 1, 1))
    if operator == "^":
        return _is_within(constraint, version, _first_significant(constraint))
    above = _beyond(constraint.version.numbers, constraint.given - 1)
    if operator == ">":
        return version.key > base if constraint.given == _ALL_PARTS else version.numbers >= above
    if operator in {">=", "=>"}:
        return version.key >= base
    if operator == "<":
        return version.key < base
    return version.key <= base if constraint.given == _ALL_PARTS else version.numbers < above


def _first_significant(constraint: _Constraint) -> int:
    for index, number in enumerate(constraint.version.numbers[: constraint.given]):
        if number:
            return index
    return constraint.given - 1


def _is_within(constraint: _Constraint, version: Version, place: int) -> bool:
    if place < 0:
        return True
    return version.key >= constraint.version.key and version.numbers < _beyond(
        constraint.version.numbers, place
    )


def _beyond(numbers: Numbers, place: int) -> Numbers:
    raised = [
        number if index < place else number + 1 if index == place else 0
        for index, number in enumerate(numbers)
    ]
    return (raised[0], raised[1], raised[2])


SEMVER_FUNCTIONS: Final[Mapping[str, Function]] = {
    "semver": function(version_of, "s"),
    "semverCompare": function(fulfils, "ss"),
}
"""The functions by name."""
