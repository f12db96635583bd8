"""Filters over text: patterns, case, blanks, paths, lists of allowed words; and the test `match`.

Source: Salt's `jinja`, `stringutils` and `path` utilities, 3008; results measured there, code our own.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from jinja2 import pass_context
from jinja2.filters import do_attr

from ensue.language.jinja.filters.kinds import as_bytes, is_iterable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from jinja2.runtime import Context


def regex_search(
    text: str, pattern: str, ignorecase: bool = False, multiline: bool = False
) -> tuple[str, ...] | None:
    """Return the groups of a pattern's first match, or the whole match if it has none; else None."""
    return _groups(re.search(pattern, text, _flags(ignorecase, multiline)))


def regex_match(
    text: str, pattern: str, ignorecase: bool = False, multiline: bool = False
) -> tuple[str, ...] | None:
    """Return the groups of a match at the beginning, or the whole match if it has none; else None."""
    return _groups(re.match(pattern, text, _flags(ignorecase, multiline)))


def regex_replace(
    text: str, pattern: str, value: str, ignorecase: bool = False, multiline: bool = False
) -> str:
    r"""Return a text in which every match is replaced; `\1` is what its first group matched."""
    return re.sub(pattern, value, text, flags=_flags(ignorecase, multiline))


def regex_escape(text: str) -> str:
    """Return a pattern that matches a text literally."""
    return re.escape(text)


def matches(text: str, pattern: str, ignorecase: bool = False, multiline: bool = False) -> bool:
    """Return whether a pattern matches at the beginning."""
    return re.match(pattern, text, _flags(ignorecase, multiline)) is not None


def to_snake_case(text: str) -> str:
    """Return `camelCase` as `camel_case`; a run of capitals is one word.

    Raises:
        ValueError: it is empty.
    """
    if not text:
        raise ValueError("to_snake_case takes a text that is not empty")
    before_last_of_row = re.sub(r"(?<=.)([A-Z])(?=[a-z])", r"_\1", text)
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", before_last_of_row).lower()


def to_camelcase(text: str, uppercamel: bool = False) -> str:
    """Return `snake_case` as `snakeCase`, or as `SnakeCase`."""
    first, *others = text.split("_")
    return (first.capitalize() if uppercamel else first) + "".join(part.capitalize() for part in others)


def contains_whitespace(text: str) -> bool:
    """Return whether there is a blank, a tab or a line end in a text."""
    return any(character.isspace() for character in text)


def to_bytes(text: Any, encoding: str | None = None, errors: str = "strict") -> bytes:
    """Return a text's bytes."""
    return as_bytes(text, encoding or "utf-8", errors)


def path_join(*parts: str, use_posixpath: bool = False) -> str:
    """Return parts joined to a normalised path; an absolute part does not drop those before it."""
    del use_posixpath  # Paths are POSIX paths here.
    first, *others = [posixpath.normpath(part) for part in parts]
    return posixpath.normpath(posixpath.join(first, *(part.lstrip("/") for part in others)))


def check_whitelist_blacklist(value: str, whitelist: Any = None, blacklist: Any = None) -> bool:
    """Return whether a value is allowed.

    Args:
        value: the value.
        whitelist: globs or patterns of all that is allowed; empty allows everything.
        blacklist: globs or patterns of what is not allowed; it overrides the whitelist.

    Raises:
        TypeError: one of them is neither text nor a list.
    """
    allowed, refused = _expressions(whitelist), _expressions(blacklist)
    if any(_fits(value, expression) for expression in refused):
        return False
    return not allowed or any(_fits(value, expression) for expression in allowed)


@pass_context
def method_call(context: Context, value: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Return the result of a method of a value; None if it has no such method.

    The method is one that the sandbox allows: `x | method_call('y')` reaches what `x.y()` does.
    """
    environment: Any = context.environment
    if getattr(value, name, None) is None:
        return None
    return environment.call(context, do_attr(environment, value, name), *args, **kwargs)


def skip(value: Any) -> str:
    """Return None for any value."""
    del value
    return ""


def _groups(match: re.Match[str] | None) -> tuple[str, ...] | None:
    return (match.groups() or (match.group(),)) if match else None


def _flags(ignorecase: bool, multiline: bool) -> int:
    return (re.IGNORECASE if ignorecase else 0) | (re.MULTILINE if multiline else 0)


def _expressions(given: Any) -> Iterable[str]:
    if not given:
        return ()
    if isinstance(given, str):
        return (given,)
    if not is_iterable(given):
        raise TypeError(f"a list of expressions is needed, not a {type(given).__name__}")
    return given


def _fits(value: str, expression: str) -> bool:
    if fnmatch.fnmatch(value, expression):
        return True
    try:
        return re.match(rf"\A{expression}\Z", value) is not None
    except re.error:
        return False


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "check_whitelist_blacklist": check_whitelist_blacklist,
    "contains_whitespace": contains_whitespace,
    "method_call": method_call,
    "path_join": path_join,
    "quote": shlex.quote,
    "regex_escape": regex_escape,
    "regex_match": regex_match,
    "regex_replace": regex_replace,
    "regex_search": regex_search,
    "skip": skip,
    "to_bytes": to_bytes,
    "to_camelcase": to_camelcase,
    "to_snake_case": to_snake_case,
}
"""Filters by the name that templates use."""
