"""Regular expressions.

Source: Sprig's documentation, "Regex".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.deploy.gotemplate import regular_expressions
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.regex import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.gotemplate.surroundings import RenderingServices

_SPECIAL: Final = re.compile(r"([\\.+*?()|\[\]{}^$])")


def _match(run: RenderingServices, pattern: str, text: str) -> bool:
    return compiled(pattern).search(text, run.work) is not None


def _find(run: RenderingServices, pattern: str, text: str) -> str:
    match = compiled(pattern).search(text, run.work)
    return (match.group() or "") if match else ""


def _find_all(run: RenderingServices, pattern: str, text: str, most: int) -> list[str]:
    return [match.group() or "" for match in compiled(pattern).matches(text, run.work, most)]


def _replace_all(run: RenderingServices, pattern: str, text: str, replacement: str) -> str:
    return regular_expressions.replaced(pattern, text, replacement, run.work)


def _replace_all_literal(run: RenderingServices, pattern: str, text: str, replacement: str) -> str:
    return regular_expressions.replaced(pattern, text, replacement, run.work, is_literal=True)


def _split(run: RenderingServices, pattern: str, text: str, most: int) -> list[str]:
    return regular_expressions.split(pattern, text, most, run.work)


_GROUP: Final[Mapping[str, Function]] = {
    "regexFind": function(_find, "@ss"),
    "regexFindAll": function(_find_all, "@ssi"),
    "regexMatch": function(_match, "@ss"),
    "regexReplaceAll": function(_replace_all, "@sss"),
    "regexReplaceAllLiteral": function(_replace_all_literal, "@sss"),
    "regexSplit": function(_split, "@ssi"),
}

REGEX_FUNCTIONS: Final[Mapping[str, Function]] = {
    **_GROUP,
    **{f"must{name[0].upper()}{name[1:]}": value for name, value in _GROUP.items()},
    "regexQuoteMeta": function(lambda text: _SPECIAL.sub(r"\\\1", text), "s"),
}
"""The functions by name."""
