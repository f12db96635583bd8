"""Words of a text: letter case, initials, abbreviations and wrapping.

Source: the behaviour of Sprig's string functions.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from ensue.deploy.gotemplate.failures import CallError, check_chars

_LEAST_WIDTH: Final = 4
_LEAST_WIDTH_WITH_OFFSET: Final = 7
_CONNECTOR, _PUNCTUATION, _UPPER, _LETTERS, _NUMBER, _OTHER = range(6)


def title(text: str) -> str:
    """Return a text with a capital at the beginning of each word; the other letters stay.

    Args:
        text: words, separated by anything but letters, digits, `_` and `'`.
    """
    parts: list[str] = []
    begins = True
    for character in text:
        parts.append(character.title() if begins else character)
        begins = (
            character.isspace() if not character.isascii() else not (character.isalnum() or character == "_")
        )
    return "".join(parts)


def untitled(text: str) -> str:
    """Return a text with a small letter at the beginning of each word; white space separates words."""
    return re.sub(r"(^|\s)(\S)", lambda match: match[1] + match[2].lower(), text)


def swapped_case(text: str) -> str:
    """Return a text with capitals for small letters and small letters for capitals."""
    return "".join(
        [
            character.lower()
            if character.isupper()
            else character.upper()
            if character.islower()
            else character
            for character in text
        ]
    )


def initials(text: str) -> str:
    """Return the first letters of all words."""
    return "".join([word[0] for word in text.split()])


def abbreviated(width: int, text: str) -> str:
    """Return a text cut to a number of characters, ending with `...` if it was longer."""
    if width < _LEAST_WIDTH:
        return text
    return text if len(text) <= width else text[: width - 3] + "..."


def abbreviated_both(offset: int, width: int, text: str) -> str:
    """Return a part of a text with `...` at both ends.

    Args:
        offset: where the part begins.
        width: the most characters of the result.
        text: the text.
    """
    if width < _LEAST_WIDTH or (offset > 0 and width < _LEAST_WIDTH_WITH_OFFSET) or len(text) <= width:
        return text
    offset = min(offset, len(text))
    if len(text) - offset < width - 3:
        offset = len(text) - (width - 3)
    if offset <= _LEAST_WIDTH:
        return text[: width - 3] + "..."
    if offset + width - 3 < len(text):
        return "..." + abbreviated(width - 3, text[offset:])
    return "..." + text[len(text) - (width - 3) :]


def wrapped_text(width: int, text: str) -> str:
    """Return a text wrapped at spaces to lines of at most a number of characters."""
    return _wrapped(text, width, "\n", cuts=False)


def wrapped_with(width: int, separator: str, text: str) -> str:
    """Return a text wrapped at spaces to pieces of a number of characters; a longer word is cut.

    Args:
        width: the most characters of a piece.
        separator: the text between the pieces.
        text: the text.
    """
    return _wrapped(text, width, separator or "\n", cuts=True)


def _wrapped(text: str, width: int, separator: str, *, cuts: bool) -> str:
    width = max(width, 1)
    check_chars(len(text) + len(separator) * (len(text) // width + 1))
    parts: list[str] = []
    offset = 0
    while len(text) - offset > width:
        if text[offset] == " ":
            offset += 1
            continue
        space = text.rfind(" ", offset, offset + width + 1)
        if space < 0 and not cuts:
            space = text.find(" ", offset + width)
            if space < 0:
                break
        end = space if space >= 0 else offset + width
        parts += [text[offset:end], separator]
        offset = end + 1 if space >= 0 else end
    return "".join(parts) + text[offset:]


def camel_case(text: str) -> str:
    """Return `http_server` as `HttpServer`; connectors at the beginning stay."""
    body = text.lstrip("-_ \t\n\r\v\f")
    leading = text[: len(text) - len(body)]
    if not body:
        return text
    previous = body[0].upper()
    parts = [leading]
    current = previous
    for character in body[1:]:
        previous, current = current, character
        if _is_connector(current) and _is_connector(previous):
            parts.append(previous)
        elif _is_connector(previous):
            current = current.upper()
        else:
            current = current.lower()
            parts.append(previous)
    return "".join(parts) + current


def snake_case(text: str) -> str:
    """Return `HTTPServer` as `http_server`."""
    return _joined_words(text, "_")


def kebab_case(text: str) -> str:
    """Return `HTTPServer` as `http-server`."""
    return _joined_words(text, "-")


def _is_connector(character: str) -> bool:
    return character in {"-", "_"} or character.isspace()


def _class_of(character: str) -> int:
    if _is_connector(character):
        return _CONNECTOR
    category = unicodedata.category(character)
    if category.startswith("P"):
        return _PUNCTUATION
    if category == "Lu":
        return _UPPER
    if category.startswith("L"):
        return _LETTERS
    return _NUMBER if category.startswith("N") else _OTHER


def _words(text: str) -> list[tuple[int, str]]:
    """Split a text where the class of characters changes; a capital belongs to the small letters after it."""
    words: list[tuple[int, str]] = []
    position = 0
    while position < len(text):
        kind = _class_of(text[position])
        end = position + 1
        same = {kind}
        if kind == _UPPER and end < len(text) and _class_of(text[end]) == _LETTERS:
            same = {_LETTERS}
        while end < len(text) and (
            _class_of(text[end]) in same or (kind == _PUNCTUATION and text[end] in "-_")
        ):
            end += 1
        if same == {_UPPER} and end - position > 1 and end < len(text) and _class_of(text[end]) == _LETTERS:
            end -= 1
        words.append((kind, text[position:end]))
        position = end
    return words


def _joined_words(text: str, connector: str) -> str:
    """Join words; a number belongs to the word before it, unless small letters follow it."""
    words = _words(text)
    parts: list[str] = []
    follows_number = False
    for index, (kind, word) in enumerate(words):
        before = words[index - 1][0] if index else _CONNECTOR
        after = words[index + 1][0] if index + 1 < len(words) else _CONNECTOR
        if kind == _CONNECTOR:
            parts.append(connector * len(word))
            follows_number = False
            continue
        joins = before == _CONNECTOR or _PUNCTUATION in {before, kind}
        if kind in {_NUMBER, _LETTERS} and follows_number:
            joins = True
        elif kind == _NUMBER:
            joins = joins or after != _LETTERS
        follows_number = kind == _NUMBER or (kind == _LETTERS and follows_number)
        if not joins:
            parts.append(connector)
        parts.append(word.lower() if kind == _UPPER else word)
    return "".join(parts)


def require_positive(count: int, what: str) -> int:
    """Return a count after checking that it is not negative.

    Args:
        count: the count.
        what: what is counted, for the message.

    Raises:
        CallError: it is negative.
    """
    if count < 0:
        raise CallError(f"{what} is negative", help="Give it zero or more")
    check_chars(count)
    return count
