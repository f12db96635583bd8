"""Values without special meaning in any language, which are safe to insert into code."""

from __future__ import annotations

import json
import re
from typing import Final

from ensue.core.model.data import texts

HARMLESS_WORDS: Final = "letters, digits, blanks and _ - . / : @ , + ="
"""The characters of a harmless text, for messages."""

_HARMLESS: Final = re.compile(r"[\w./:@,+= -]*")
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true|false")


def is_harmless(text: str) -> bool:
    """Return whether a text ends no string of any language and has no special meaning in one."""
    return _HARMLESS.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Return whether a text is a number, `true` or `false`, which is a value outside of a string, too."""
    return _NUMBER.fullmatch(text) is not None


def is_harmless_json(text: str) -> bool:
    """Return whether a text is JSON in which all strings are harmless."""
    try:
        return all(map(is_harmless, texts(json.loads(text), with_keys=True)))
    except (ValueError, RecursionError):
        return False
