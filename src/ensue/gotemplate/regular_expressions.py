"""Translates Go's regular expressions (RE2) to Python's, where both mean the same.

Python's matcher backtracks: an expression with nested repetitions may take long where Go's takes linear time.
Unicode classes other than letters and numbers, and the flag `U`, are refused by name.
Source: the documentation of Go's `regexp/syntax`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ensue.gotemplate.failures import CallError, check_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORD: Final = "0-9A-Za-z_"
_SPACE: Final = "\\t\\n\\f\\r "
_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7F",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1F\\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": _WORD,
    "xdigit": "0-9A-Fa-f",
}
_CLASSES: Final = {
    "d": "0-9",
    "D": "\\x00-/:-\U0010ffff",
    "w": _WORD,
    "W": "\\x00-/:-@\\[-^`{-\U0010ffff",
    "s": _SPACE,
    "S": "\\x00-\\x08\\x0b\\x0e-\\x1f!-\U0010ffff",
}
"""The content of brackets for a class; Python's own classes cover Unicode."""

_ANCHORS: Final = {
    "A": "(?:\\A)",
    "z": "(?:\\Z)",
    "b": f"(?:(?<![{_WORD}])(?=[{_WORD}])|(?<=[{_WORD}])(?![{_WORD}]))",
    "B": f"(?:(?<![{_WORD}])(?![{_WORD}])|(?<=[{_WORD}])(?=[{_WORD}]))",
}
_UNICODE: Final = {
    "L": "[^\\W\\d_]",
    "N": "\\d",
    "Nd": "\\d",
    "Lu": "[A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f]",
}
_TOKEN: Final = re.compile(
    r"""(?P<quote>\\Q.*?(?:\\E|\Z))
    |\\x\{(?P<wide>[0-9a-fA-F]{1,6})\}
    |\\(?P<property>[pP](?:\{\^?\w+\}|\w))
    |\\(?P<escape>.)
    |(?P<posix>\[:\^?\w+:\])
    |(?P<named>\(\?P?<(?P<name>[A-Za-z_]\w*)>)
    |(?P<flags>\(\?(?P<letters>[a-zA-Z-]*)(?P<colon>[:)]))
    |(?P<group>\(\?.?)
    |(?P<possessive>[*+?}]\+)
    |(?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_REFERENCE: Final = re.compile(r"\$(?:(?P<dollar>\$)|(?P<plain>\w+)|\{(?P<braced>\w+)\})", re.ASCII)


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a regular expression in Go's syntax.

    Args:
        pattern: the expression in RE2's syntax.

    Raises:
        CallError: it does not parse, or uses a feature that Python lacks.
    """
    try:
        return re.compile(_Translation(pattern).text())
    except (re.error, RecursionError, OverflowError) as error:
        raise CallError(f"the regular expression {pattern!r} does not parse: {error}") from None


class _Translation:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._parts: list[str] = []
        self._is_in_class = False
        self._is_multiline = [False]
        self._open_flags: list[list[str]] = [[]]

    def text(self) -> str:
        for found in _TOKEN.finditer(self._pattern):
            self._parts.append(self._translated(found))
        return "".join(self._parts) + ")" * len(self._open_flags[0])

    def _refuse(self, what: str) -> CallError:
        return CallError(f"{what} in the regular expression {self._pattern!r} is not supported")

    def _translated(self, found: re.Match[str]) -> str:  # noqa: PLR0911 -- a return per kind of token
        kind = str(found.lastgroup)
        text = found[0]
        if found["quote"]:
            return re.escape(text[2:].removesuffix("\\E"))
        if found["wide"]:
            return re.escape(chr(min(int(found["wide"], 16), 0x10FFFF)))
        if found["property"]:
            return self._property(found["property"])
        if found["escape"]:
            return self._escape(found["escape"])
        if self._is_in_class:
            return self._in_class(found, text)
        if found["named"]:
            return self._opened(f"(?P<{found['name']}>")
        if found["flags"]:
            return self._flags(found["letters"], found["colon"])
        if kind == "group":
            raise self._refuse(text)
        if kind == "possessive":
            raise self._refuse(f"the repetition {text}")
        return self._other(text, found.start())

    def _in_class(self, found: re.Match[str], text: str) -> str:
        if found["posix"]:
            name = text[2:-2]
            if name not in _POSIX:
                raise self._refuse(text)
            return _POSIX[name]
        is_first = self._pattern[: found.start()].endswith(("[", "[^")) and self._parts[-1] in {
            "[",
            "[^",
            "^",
        }
        if text == "]" and not is_first:
            self._is_in_class = False
        return (
            "\\["
            if text == "["
            else "\\]"
            if text == "]" and is_first
            else text
            if len(text) == 1
            else re.escape(text)
        )

    def _other(self, text: str, offset: int) -> str:
        if text == "[":
            self._is_in_class = True
        elif text == "(":
            return self._opened("(")
        elif text == ")":
            self._is_multiline.pop()
            if not self._is_multiline:
                raise CallError(f"the regular expression {self._pattern!r} does not parse: unexpected )")
            return ")" * (len(self._open_flags.pop()) + 1)
        elif text == "|":
            flags = self._open_flags[-1]
            return ")" * len(flags) + "|" + "".join(flags)
        elif text in {"^", "$"}:
            return "(?:\\Z)" if text == "$" and not self._is_multiline[-1] else f"(?:{text})"
        elif text == "{" and not re.match(r"\{\d+(,\d*)?\}", self._pattern[offset:]):
            return "\\{"
        return text

    def _opened(self, text: str) -> str:
        self._is_multiline.append(self._is_multiline[-1])
        self._open_flags.append([])
        return text

    def _flags(self, letters: str, colon: str) -> str:
        on, _, off = letters.partition("-")
        if set(letters) - set("ims-") or (not letters and colon == ")"):
            raise self._refuse(f"the flag {letters}")
        if colon == ":":
            opened = self._opened(f"(?{letters}:")
        else:
            opened = f"(?{letters}:"
            self._open_flags[-1].append(opened)
        self._is_multiline[-1] = (self._is_multiline[-1] or "m" in on) and "m" not in off
        return opened

    def _property(self, text: str) -> str:
        name = text[1:].strip("{}")
        if self._is_in_class or text[0] == "P" or name not in _UNICODE:
            raise self._refuse(f"\\{text}")
        return _UNICODE[name]

    def _escape(self, letter: str) -> str:
        if letter in _CLASSES:
            return _CLASSES[letter] if self._is_in_class else f"[{_CLASSES[letter]}]"
        if letter in _ANCHORS and not self._is_in_class:
            return _ANCHORS[letter]
        if (letter.isdigit() and letter != "0") or letter in "ZCkgNuU":
            raise self._refuse(f"\\{letter}")
        return f"\\{letter}"


def matches(pattern: str, text: str, most: int = -1) -> Iterator[re.Match[str]]:
    """Yield the matches as Go finds them: an empty match right after another one is left out.

    Args:
        pattern: the expression.
        text: the text to search.
        most: the most matches; negative for all.
    """
    position = 0
    end_before = -1
    expression = compiled(pattern)
    count = 0
    while position <= len(text) and count != most:
        found = expression.search(text, position)
        if found is None:
            return
        if found.end() > found.start() or found.start() != end_before:
            yield found
            count += 1
        end_before = found.end()
        position = found.end() + (found.end() == found.start())


def replaced(pattern: str, text: str, replacement: str, *, is_literal: bool = False) -> str:
    """Return a text in which all matches are replaced.

    Args:
        pattern: the expression.
        text: the text.
        replacement: the text to insert; `$1`, `${1}` and `${name}` are groups.
        is_literal: whether `$` has no special meaning.
    """
    parts: list[str] = []
    end = size = 0
    for found in matches(pattern, text):
        new = replacement if is_literal else _expanded(replacement, found)
        parts += [text[end : found.start()], new]
        size += len(new)
        check_chars(size)
        end = found.end()
    return "".join(parts) + text[end:]


def _expanded(template: str, found: re.Match[str]) -> str:
    def group(reference: re.Match[str]) -> str:
        if reference["dollar"]:
            return "$"
        name = reference["plain"] or reference["braced"]
        if name.isdigit():
            return (found[int(name)] or "") if int(name) <= found.re.groups else ""
        return found[name] or "" if name in found.re.groupindex else ""

    return _REFERENCE.sub(group, template)


def split(pattern: str, text: str, most: int) -> list[str]:
    """Return the parts of a text between the matches.

    Args:
        pattern: the expression.
        text: the text.
        most: the most parts, the last of which has the rest; negative for all.
    """
    if most == 0:
        return []
    if pattern and not text:
        return [""]
    parts: list[str] = []
    begin = end = 0
    for found in matches(pattern, text):
        if most > 0 and len(parts) == most - 1:
            break
        end = found.start()
        if found.end() != 0:
            parts.append(text[begin:end])
        begin = found.end()
    if end != len(text):
        parts.append(text[begin:])
    return parts
