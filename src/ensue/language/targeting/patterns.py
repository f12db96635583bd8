"""Match text against globs and regular expressions, and check patterns for errors."""

from __future__ import annotations

import fnmatch
import functools
import ipaddress
import re
import warnings
from typing import TYPE_CHECKING, Final

from ensue.language.targeting.ranges import MOST_NAMES, names_in

if TYPE_CHECKING:
    from collections.abc import Callable

DATA_ENGINES: Final = "GPIJ"
"""The engines whose pattern is a path of keys, optionally with another delimiter."""

_GLOB_SIGNS: Final = frozenset("*?[]")
_ANSIBLE_RANGE: Final = re.compile(r"\[(\w+):(\w+)\]")


def is_glob(text: str, pattern: str) -> bool:
    """Return whether an id matches a glob; a glob equal to the id always does."""
    return text == pattern or fnmatch.fnmatchcase(text, pattern)


def has_glob_signs(pattern: str) -> bool:
    """Return whether a glob may match anything but itself."""
    return not _GLOB_SIGNS.isdisjoint(pattern)


def glob_filter(pattern: str, *ids: str) -> Callable[[str], object]:
    """Return a test that equals `is_glob`, for many ids.

    Args:
        pattern: the glob.
        ids: further ids that match.
    """
    exact = frozenset((pattern, *ids))
    if not has_glob_signs(pattern):
        return exact.__contains__
    plain = (rf"{re.escape(id_)}\Z" for id_ in exact)
    return re.compile("|".join((fnmatch.translate(pattern), *plain))).match


def regex_filter(pattern: str) -> Callable[[str], object]:
    """Return a test that equals `is_regex`, for many ids."""
    compiled = _compiled(pattern, 0)
    return frozenset[str]().__contains__ if isinstance(compiled, str) else compiled.match


def is_data_glob(text: str, pattern: str) -> bool:
    """Return whether a value of grains or pillar matches a glob; case does not matter."""
    return is_glob(text.lower(), pattern.lower())


def is_regex(text: str, pattern: str) -> bool:
    """Return whether the beginning of an id matches a regular expression."""
    compiled = _compiled(pattern, 0)
    return not isinstance(compiled, str) and compiled.match(text) is not None


def is_data_regex(text: str, pattern: str) -> bool:
    """Return whether a value of grains or pillar begins with a match of a regex, ignoring case."""
    compiled = _compiled(pattern, re.IGNORECASE)
    return not isinstance(compiled, str) and compiled.match(text) is not None


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str, flags: int) -> re.Pattern[str] | str:
    """Return the compiled pattern, or its error."""
    try:
        with warnings.catch_warnings():
            # For `[[a]` Python warns of a "possible nested set"; Salt ignores that.
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        return f"not a regular expression: {error}"


def pattern_problem(  # noqa: PLR0911 -- one line an engine
    engine: str, pattern: str, delimiter: str = ":"
) -> str:
    """Return the error in the pattern of a word, empty if there is none."""
    match engine:
        case "T":
            type_, colon, id_ = pattern.partition(":")
            return (
                "a type is missing"
                if not type_
                else "an id is missing"
                if colon and not id_
                else _ansible_range_problem(id_)
            )
        case "L":
            return "" if any(part.strip() for part in pattern.split(",")) else "an id is missing"
        case "E":
            return _regex_problem(pattern)
        case "G" | "P" | "I" | "J":
            key, _, rest = pattern.partition(delimiter)
            if not key:
                return "a key is missing"
            return _regex_problem(rest or key) if engine in "PJ" else ""
        case "S":
            return _network_problem(pattern)
        case "R":
            return _ansible_range_problem(pattern) or _range_problem(pattern)
        case _:
            return _ansible_range_problem(pattern)


def _regex_problem(pattern: str) -> str:
    compiled = _compiled(pattern, 0)
    return compiled if isinstance(compiled, str) else ""


def _network_problem(pattern: str) -> str:
    try:
        ipaddress.ip_network(pattern, strict=False)
    except ValueError as error:
        return f"not an address or network: {error}"
    return ""


def _ansible_range_problem(pattern: str) -> str:
    """Return what is wrong with a range of Ansible, which a glob would take for single characters."""
    if "[" not in pattern or not (match := _ANSIBLE_RANGE.search(pattern)):
        return ""
    first, last = match.groups()
    instead = f"{pattern[: match.start()]}[{first}-{last}]{pattern[match.end() :]}"
    sign = "R@" if first.isdecimal() and last.isdecimal() else ""
    return f"{match[0]} is a range of Ansible: write {sign}{instead}"


def _range_problem(pattern: str) -> str:
    try:
        count = names_in(pattern)
    except ValueError as error:
        return f"not a range: {error}"
    return f"a range of more than {MOST_NAMES:,} names" if count > MOST_NAMES else ""
