"""Reads the YAML of nearly every SLS file, several times faster than libyaml.

Block mappings and sequences, plain and simply quoted scalars, literal blocks (`|`), flow values on
one line, comments. At anything else (anchors, tags, folded scalars, escapes, several documents, a scalar
over several lines, or any error) it gives up and `full.py` reads the text. Data that this module returns is
what `full.py` would return.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from ensue.core.model.data_bounds import MOST_LEVELS
from ensue.language.yaml.scalars import plain_scalar

_ASCII: Final = bytes([0x0A, *range(0x20, 0x7F)])

_PLAIN: Final = re.compile(
    r"(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^\s,\[\]{}]))[^:#]*+(?:(?::(?=\S)|(?<=\S)#)[^:#]*+)*+(?<![\s:])"
)
_SINGLE: Final = re.compile(r"'((?:[^']|'')*)'(?: +#.*)?")
_DOUBLE: Final = re.compile(r'"([^"\\]*)"(?: +#.*)?')
_LITERAL: Final = re.compile(r"\|([-+]?)(?: +#.*)?")
_DEEPEST: Final = 60
"""The deepest nesting of blocks; flow values inside them may be nested up to the bound of the whole."""
_LONGEST_KEY: Final = 1000
"""libyaml's bound is 1024."""


class GiveUp(ValueError):  # noqa: N818 -- not an error: the text is for the other reader
    """This text is not in the subset."""


def load(text: str) -> Any:
    """Return the data of a YAML document.

    Raises:
        GiveUp: the text is not in the subset, or is wrong.
    """
    # Removing known characters is several times as fast as searching for others.
    if text.encode().translate(None, _ASCII) if text.isascii() else _outside().search(text):
        raise GiveUp
    return _Reader(text).whole()


@cache
def _outside() -> re.Pattern[str]:
    """Match tabs, control characters and unusual line ends, which are left to libyaml.

    Compiled for the first text that is not ASCII: so wide a set takes longer than reading a file.
    """
    return re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class _Reader:
    """Lines without blanks and comments; every method takes and returns a position in them."""

    __slots__ = ("contents", "indents", "lines", "numbers", "scalars")

    def __init__(self, text: str) -> None:
        self.lines = lines = text.split("\n")
        begun = [line.lstrip(" ") for line in lines]
        self.numbers = [number for number, content in enumerate(begun) if content and content[0] != "#"]
        self.indents = [len(lines[number]) - len(begun[number]) for number in self.numbers]
        self.contents = [begun[number].rstrip(" ") for number in self.numbers]
        self.scalars = _Scalars()
        if self.contents and self.contents[0] == "---" and self.indents[0] == 0:
            del self.indents[0], self.contents[0], self.numbers[0]
        # The end mark is no possible line, so looking one line ahead needs no bounds check.
        self.indents.append(-1)

    def whole(self) -> Any:
        """Return the data of all lines."""
        if not self.contents:
            return None
        value, position = self.node(0, self.indents[0], 0)
        if position != len(self.contents):
            raise GiveUp
        return value

    def node(self, position: int, indent: int, depth: int) -> tuple[Any, int]:
        if depth > _DEEPEST:
            raise GiveUp
        content = self.contents[position]
        if content[0] == "-" and (content[:2] == "- " or content == "-"):
            return self.sequence(position, indent, depth)
        return self.mapping(position, indent, depth)

    def mapping(self, position: int, indent: int, depth: int) -> tuple[dict[Any, Any], int]:
        indents, contents, scalars = self.indents, self.contents, self.scalars
        result: dict[Any, Any] = {}
        while indents[position] == indent:
            content = contents[position]
            if content[0] in "-." and (content[:2] == "- " or content[:3] in ("---", "...")):
                raise GiveUp
            key_text, separator, value_text = content.partition(": ")
            if not separator:
                if content[-1] != ":":
                    raise GiveUp
                key_text = content[:-1]
            elif not key_text or key_text[-1] == ":":
                raise GiveUp
            key = scalars[key_text]
            if key in result or " #" in key_text or len(key_text) > _LONGEST_KEY:
                raise GiveUp
            if value_text and value_text[0] == " ":
                value_text = value_text.lstrip(" ")
            if value_text and value_text[0] != "#":
                result[key], position = self.value(value_text, position, indent)
            else:
                result[key], position = self.below(position, indent, depth, sequence_at_indent=True)
        if indents[position] > indent:
            raise GiveUp
        return result, position

    def sequence(self, position: int, indent: int, depth: int) -> tuple[list[Any], int]:
        indents, contents = self.indents, self.contents
        result: list[Any] = []
        while indents[position] == indent:
            content = contents[position]
            if content[0] != "-":
                break
            if content[:2] != "- ":
                if content != "-":
                    break
                value, position = self.below(position, indent, depth, sequence_at_indent=False)
                result.append(value)
                continue
            rest = content[2:].lstrip(" ")
            if rest[0] == "#":
                raise GiveUp
            if self.is_nested(rest):
                inner = indent + len(content) - len(rest)
                indents[position] = inner
                contents[position] = rest
                value, position = self.node(position, inner, depth + 1)
            else:
                value, position = self.value(rest, position, indent)
            result.append(value)
        if indents[position] > indent:
            raise GiveUp
        return result, position

    @staticmethod
    def is_nested(rest: str) -> bool:
        """Return whether a sequence item is itself a mapping or a sequence in block form."""
        first = rest[0]
        if first in "\"'":
            return not (_SINGLE if first == "'" else _DOUBLE).fullmatch(rest)
        if first in "[{|":
            return False
        return ": " in rest or rest[-1] == ":" or (first == "-" and (rest[:2] == "- " or rest == "-"))

    def below(self, position: int, indent: int, depth: int, *, sequence_at_indent: bool) -> tuple[Any, int]:
        """Read the value on the following lines, if there is one."""
        following = position + 1
        inner = self.indents[following]
        if inner > indent:
            content = self.contents[following]
            if not self.is_nested(content) and content != "-":
                return self.value(content, following, indent)
            return self.node(following, inner, depth + 1)
        if sequence_at_indent and inner == indent:
            content = self.contents[following]
            if content[0] == "-" and (content[:2] == "- " or content == "-"):
                # The mapping continues after the sequence, at the same indentation.
                return self.sequence(following, indent, depth + 1)
        return None, following

    def value(self, text: str, position: int, indent: int) -> tuple[Any, int]:
        """Read a value that begins on its key's line."""
        first = text[0]
        if first == "|":
            return self.literal(text, position, indent)
        following = position + 1
        if self.indents[following] > indent:
            raise GiveUp
        if first in "[{":
            return self.flow(text), following
        return self.scalars[text], following

    @staticmethod
    def flow(text: str) -> Any:
        if text == "[]":
            return []
        if text == "{}":
            return {}
        if "&" in text or "*" in text or text.count("[") + text.count("{") > MOST_LEVELS - _DEEPEST:
            raise GiveUp
        import yaml

        from ensue.language.yaml import full

        try:
            return full.load(text)
        except (yaml.YAMLError, full.DuplicateKeyError):
            raise GiveUp from None

    def literal(self, header: str, position: int, indent: int) -> tuple[str, int]:
        matched = _LITERAL.fullmatch(header)
        if not matched:
            raise GiveUp
        lines = self.lines
        start = end = self.numbers[position] + 1
        inner = 0
        while end < len(lines):
            line = lines[end]
            stripped = line.lstrip(" ")
            width = len(line) - len(stripped)
            if stripped:
                if not inner:
                    inner = width
                    if inner <= indent or any(len(blank) > inner for blank in lines[start:end]):
                        raise GiveUp
                if width < inner:
                    break
            end += 1
        if not inner or (end < len(lines) and len(lines[end]) - len(lines[end].lstrip(" ")) > indent):
            raise GiveUp
        following = position + 1
        while following < len(self.numbers) and self.numbers[following] < end:
            following += 1
        content = "\n".join(line[inner:] for line in lines[start:end])
        return _chomp(content, matched[1], at_end=end == len(lines)), following


class _Scalars(dict[str, Any]):
    """The values of scalars by their texts: most texts occur many times."""

    def __missing__(self, text: str) -> Any:
        value = self[text] = _scalar(text)
        return value


def _scalar(text: str) -> Any:
    first = text[:1]
    if first == '"':
        if matched := _DOUBLE.fullmatch(text):
            return matched[1]
        raise GiveUp
    if first == "'":
        if matched := _SINGLE.fullmatch(text):
            return matched[1].replace("''", "'")
        raise GiveUp
    comment = text.find(" #")
    if comment >= 0:
        text = text[:comment].rstrip(" ")
    if not _PLAIN.fullmatch(text) or text in ("=", "<<"):
        raise GiveUp
    try:
        return plain_scalar(text)
    except ValueError:
        raise GiveUp from None


def _chomp(content: str, indicator: str, *, at_end: bool) -> str:
    body = content.rstrip("\n")
    if indicator == "-" or not body:
        return body
    if indicator == "+":
        # The split dropped the end of the last line; at the end of the text there may have been none.
        return content if at_end else content + "\n"
    # A last line without a newline has none to keep.
    return body + "\n" if not at_end or len(content) > len(body) else body
