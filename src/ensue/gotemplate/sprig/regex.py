"""Regular expressions.

Source: Sprig's documentation, "Regex".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.gotemplate import regular_expressions
from ensue.gotemplate.function import Function, function

if TYPE_CHECKING:
    from collections.abc import Mapping

_SPECIAL: Final = re.compile(r"([\\.+*?()|\[\]{}^$])")


def _match(pattern: str, text: str) -> bool:
    return regular_expressions.compiled(pattern).search(text) is not None


def _find(pattern: str, text: str) -> str:
    found = regular_expressions.compiled(pattern).search(text)
    return found[0] if found else ""


def _find_all(pattern: str, text: str, most: int) -> list[str] | None:
    return [found[0] for found in regular_expressions.matches(pattern, text, most)]


def _replace_all(pattern: str, text: str, replacement: str) -> str:
    return regular_expressions.replaced(pattern, text, replacement)


def _replace_all_literal(pattern: str, text: str, replacement: str) -> str:
    return regular_expressions.replaced(pattern, text, replacement, is_literal=True)


def _quote_meta(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


_GROUP: Final[Mapping[str, Function]] = {
    "regexFind": function(_find, "ss"),
    "regexFindAll": function(_find_all, "ssi"),
    "regexMatch": function(_match, "ss"),
    "regexReplaceAll": function(_replace_all, "sss"),
    "regexReplaceAllLiteral": function(_replace_all_literal, "sss"),
    "regexSplit": function(regular_expressions.split, "ssi"),
}

REGEX_FUNCTIONS: Final[Mapping[str, Function]] = {
    **_GROUP,
    **{f"must{name[0].upper()}{name[1:]}": one for name, one in _GROUP.items()},
    "regexQuoteMeta": function(_quote_meta, "s"),
}
"""The functions by name."""
