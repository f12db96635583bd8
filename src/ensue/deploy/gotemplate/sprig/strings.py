"""Strings and lists of strings.

Source: Sprig's documentation, "String Functions" and "String List Functions".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list
from ensue.core.model.printed_text import Serialized, laid_out
from ensue.deploy.gotemplate.failures import check_chars
from ensue.deploy.gotemplate.formatting import byte_slice
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.printing import printed, quoted, string_of
from ensue.deploy.gotemplate.sprig import words
from ensue.deploy.gotemplate.values import byte_length

if TYPE_CHECKING:
    from collections.abc import Mapping

_LEAVES_QUOTES: Final = re.compile(r"['\n\r\x85\u2028\u2029]")


def _trim_all(characters: str, text: str) -> str:
    return text.strip(characters) if characters else text


def _repeat(count: int, text: str) -> str:
    check_chars(count * len(text))
    return text * max(count, 0)


def _substr(start: int, end: int, text: str) -> str:
    size = byte_length(text)
    if start < 0:
        return byte_slice(text, 0, max(end, 0))
    if end < 0 or end > size:
        return byte_slice(text, start, size)
    return byte_slice(text, start, end)


def _trunc(count: int, text: str) -> str:
    size = byte_length(text)
    if count < 0 and size + count > 0:
        return byte_slice(text, size + count, size)
    return byte_slice(text, 0, count) if 0 <= count < size else text


def _quote(*values: Any) -> str:
    return Serialized(" ".join([quoted(string_of(value)) for value in values if value is not None]))


def _squote(*values: Any) -> str:
    texts = [printed(value) for value in values if value is not None]
    text = " ".join([f"'{piece}'" for piece in texts])
    # Nothing is escaped: a text with a quotation mark or a line break may end the string.
    return text if any(_LEAVES_QUOTES.search(piece) for piece in texts) else Serialized(text)


def _cat(*values: Any) -> str:
    return " ".join([printed(value) for value in values if value is not None])


def _indent(spaces: int, text: str) -> str:
    check_chars(len(text) + spaces * (text.count("\n") + 1))
    pad = " " * spaces
    indented = pad + text.replace("\n", "\n" + pad)
    return laid_out(indented, text)


def _replace(old: str, new: str, text: str) -> str:
    count = text.count(old) if old else len(text) + 1
    check_chars(len(text) + count * len(new))
    return text.replace(old, new)


def strings_of(value: Any) -> list[str]:
    """Return a value as a list of strings: a list without its nils, nil as an empty list, else one string.

    Args:
        value: any value of a template.
    """
    if is_list(value):
        return [string_of(item) for item in value if item is not None]
    return [] if value is None else [string_of(value)]


def _join(separator: str, value: Any) -> str:
    parts = strings_of(value)
    check_chars(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


def _split_list(separator: str, text: str) -> list[str]:
    return text.split(separator) if separator else list(text)


def _split(separator: str, text: str) -> dict[str, str]:
    return {f"_{index}": part for index, part in enumerate(_split_list(separator, text))}


def _splitn(separator: str, count: int, text: str) -> dict[str, str]:
    if count == 0:
        return {}
    parts = text.split(separator, count - 1 if count > 0 else -1) if separator else list(text)
    return {f"_{index}": part for index, part in enumerate(parts)}


STRING_FUNCTIONS: Final[Mapping[str, Function]] = {
    "abbrev": function(words.abbreviated, "is"),
    "abbrevboth": function(words.abbreviated_both, "iis"),
    "camelcase": function(words.camel_case, "s"),
    "cat": function(_cat, "a*"),
    "contains": function(lambda part, text: part in text, "ss"),
    "hasPrefix": function(lambda part, text: text.startswith(part), "ss"),
    "hasSuffix": function(lambda part, text: text.endswith(part), "ss"),
    "hello": function(lambda: "Hello!"),
    "indent": function(_indent, "is"),
    "initials": function(words.initials, "s"),
    "join": function(_join, "sa"),
    "kebabcase": function(words.kebab_case, "s"),
    "lower": function(str.lower, "s"),
    "nindent": function(lambda spaces, text: laid_out("\n" + _indent(spaces, text), text), "is"),
    "nospace": function(lambda text: "".join(text.split()), "s"),
    "plural": function(lambda one, many, count: one if count == 1 else many, "ssi"),
    "quote": function(_quote, "a*"),
    "repeat": function(_repeat, "is"),
    "replace": function(_replace, "sss"),
    "snakecase": function(words.snake_case, "s"),
    "sortAlpha": function(lambda value: sorted(strings_of(value)), "a"),
    "split": function(_split, "ss"),
    "splitList": function(_split_list, "ss"),
    "splitn": function(_splitn, "sis"),
    "squote": function(_squote, "a*"),
    "substr": function(_substr, "iis"),
    "swapcase": function(words.swapped_case, "s"),
    "title": function(words.title, "s"),
    "toString": function(string_of, "a"),
    "toStrings": function(strings_of, "a"),
    "trim": function(lambda text: laid_out(text.strip(), text), "s"),
    "trimAll": function(_trim_all, "ss"),
    "trimPrefix": function(lambda part, text: text.removeprefix(part), "ss"),
    "trimSuffix": function(lambda part, text: text.removesuffix(part), "ss"),
    "trimall": function(_trim_all, "ss"),
    "trunc": function(_trunc, "is"),
    "untitle": function(words.untitled, "s"),
    "upper": function(str.upper, "s"),
    "wrap": function(words.wrapped_text, "is"),
    "wrapWith": function(words.wrapped_with, "iss"),
}
"""The functions by name."""
