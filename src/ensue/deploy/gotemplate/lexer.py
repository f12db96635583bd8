"""Cuts the text of a template into tokens: text between actions, and the words within them.

Source: the documentation of Go's `text/template`, "Text and spaces" and "Actions".
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from ensue.deploy.gotemplate.failures import TemplateSyntaxError

_SPACES: Final = " \t\r\n"
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<string>"(?:[^"\\\n]|\\[^\n])*")
    |(?P<raw>`[^`]*`)
    |(?P<char>'(?:[^'\\\n]|\\[^\n])*')
    |(?P<number>(?:[+-]?\.?[0-9])(?:[eE][+-]|[pP][+-]|[\w.])*)
    |(?P<field>\.[^\W\d]\w*)
    |(?P<dot>\.)
    |(?P<variable>\$\w*)
    |(?P<word>[^\W\d]\w*)
    |(?P<declare>:=)
    |(?P<assign>=)
    |(?P<pipe>\|)
    |(?P<open>\()
    |(?P<close>\))
    |(?P<comma>,)
    """,
    re.VERBOSE,
)


class Token(msgspec.Struct, frozen=True):
    """One word of an action, or the text between two actions.

    Args:
        kind: `text`, `left`, `right`, `string`, `raw`, `char`, `number`, `field`, `dot`, `variable`, `word`,
            `declare`, `assign`, `pipe`, `open`, `close`, `comma` or `end`.
        text: the characters of the template; for `text`, after trimming.
        offset: where it begins, in characters from the beginning.
        is_spaced: whether white space is before it.
    """

    kind: str
    text: str
    offset: int
    is_spaced: bool = False


def tokens_of(source: str) -> list[Token]:
    """Return the tokens of a template; the last is an `end`.

    Args:
        source: the whole template.

    Raises:
        TemplateSyntaxError: an action, a comment or a literal is not closed, or a character is not allowed.
    """
    tokens: list[Token] = []
    position = 0
    trims_next = False
    while True:
        begin = source.find("{{", position)
        text = source[position:] if begin < 0 else source[position:begin]
        if trims_next:
            text = text.lstrip(_SPACES)
        if begin < 0:
            if text:
                tokens.append(Token("text", text, position))
            tokens.append(Token("end", "", len(source)))
            return tokens
        inside = begin + 2
        if _is_trim_marker(source, inside):
            text = text.rstrip(_SPACES)
            inside += 2
        if text:
            tokens.append(Token("text", text, position))
        if source.startswith("/*", inside):
            position, trims_next = _after_comment(source, inside)
        else:
            position, trims_next = _scan_action(source, begin, inside, tokens)


def _is_trim_marker(source: str, offset: int) -> bool:
    return source.startswith("-", offset) and source[offset + 1 : offset + 2] in set(_SPACES)


def _after_comment(source: str, offset: int) -> tuple[int, bool]:
    end = source.find("*/", offset + 2)
    if end < 0:
        raise TemplateSyntaxError("a comment is not closed", offset, help="End it with `*/}}`")
    end += 2
    if source.startswith("}}", end):
        return end + 2, False
    if source[end : end + 1] in set(_SPACES) and source.startswith("-}}", end + 1):
        return end + 4, True
    raise TemplateSyntaxError(
        "a comment is not the whole of its action", end, help="Write `{{/* … */}}` with nothing else in it"
    )


def _scan_action(source: str, begin: int, inside: int, tokens: list[Token]) -> tuple[int, bool]:
    tokens.append(Token("left", "{{", begin))
    position = inside
    is_spaced = False
    while True:
        if is_spaced and source.startswith("-}}", position):
            tokens.append(Token("right", "-}}", position))
            return position + 3, True
        if source.startswith("}}", position):
            tokens.append(Token("right", "}}", position))
            return position + 2, False
        match = _TOKEN.match(source, position)
        if match is None:
            raise _no_token(source, begin, position)
        kind = str(match.lastgroup)
        if kind == "space":
            is_spaced = True
        else:
            tokens.append(Token(kind, match[0], position, is_spaced))
            is_spaced = False
        position = match.end()


def _no_token(source: str, begin: int, position: int) -> TemplateSyntaxError:
    if position >= len(source):
        return TemplateSyntaxError("an action is not closed", begin, help="Close it with `}}`")
    quoted = {'"': "a string", "'": "a character constant", "`": "a raw string"}.get(source[position])
    if quoted:
        return TemplateSyntaxError(f"{quoted} is not closed", position, help="Add the closing quote")
    return TemplateSyntaxError(
        f"the character {source[position]!r} is not allowed in an action",
        position,
        help="Quote it, or remove it",
    )
