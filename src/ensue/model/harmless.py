"""Values that mean nothing in any language, so that they may be put into code."""

from __future__ import annotations

import json
import re
from typing import Final

from ensue.model.data import texts

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
        return all(map(is_harmless, texts(json.loads(text), with_keys=True)))
    except (ValueError, RecursionError):
        return False
