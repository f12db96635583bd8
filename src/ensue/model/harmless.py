"""Values that mean nothing in any language, so that they may be put into code."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from ensue.model.data import is_list, is_mapping

HARMLESS_WORDS: Final = "letters, digits, blanks and _ - . / : @ , + ="
"""The characters of a harmless text, for messages."""

_HARMLESS: Final = re.compile(r"[\w./:@,+= -]*")
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true|false")


def is_harmless(text: str) -> bool:
    """Say whether a text ends no string of any language and begins nothing in one."""
    return _HARMLESS.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Say whether a text is a number, `true` or `false`, which is a value also outside of a string."""
    return _NUMBER.fullmatch(text) is not None


def is_harmless_json(text: str) -> bool:
    """Say whether a text is JSON in which all strings are harmless."""
    try:
        return _is_harmless_data(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _is_harmless_data(data: Any) -> bool:
    if is_mapping(data):
        return all(is_harmless(key) and _is_harmless_data(value) for key, value in data.items())
    if is_list(data):
        return all(map(_is_harmless_data, data))
    return not isinstance(data, str) or is_harmless(data)
