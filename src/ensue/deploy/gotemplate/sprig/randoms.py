"""Random strings and numbers, from the operating system's source.

Source: Sprig's documentation, "String Functions" and "UUID Functions".
"""

from __future__ import annotations

import base64
import secrets
import string
import uuid
from typing import TYPE_CHECKING, Final

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.sprig.words import require_positive

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASCII: Final = "".join(map(chr, range(32, 127)))
_RANDOM: Final = secrets.SystemRandom()


def _characters(alphabet: str, count: int) -> str:
    return "".join([secrets.choice(alphabet) for _ in range(require_positive(count, "the length"))])


def _rand_alpha_num(count: int) -> str:
    return _characters(string.ascii_letters + string.digits, count)


def _rand_alpha(count: int) -> str:
    return _characters(string.ascii_letters, count)


def _rand_numeric(count: int) -> str:
    return _characters(string.digits, count)


def _rand_ascii(count: int) -> str:
    return _characters(_ASCII, count)


def _rand_bytes(count: int) -> str:
    return base64.b64encode(secrets.token_bytes(require_positive(count, "the length"))).decode()


def _rand_int(least: int, beyond: int) -> int:
    if beyond <= least:
        raise CallError(f"there is no number from {least} to below {beyond}")
    return least + secrets.randbelow(beyond - least)


def _shuffle(text: str) -> str:
    characters = list(text)
    _RANDOM.shuffle(characters)
    return "".join(characters)


def _uuid() -> str:
    return str(uuid.uuid4())


RANDOM_FUNCTIONS: Final[Mapping[str, Function]] = {
    "randAlpha": function(_rand_alpha, "i"),
    "randAlphaNum": function(_rand_alpha_num, "i"),
    "randAscii": function(_rand_ascii, "i"),
    "randBytes": function(_rand_bytes, "i"),
    "randInt": function(_rand_int, "ii"),
    "randNumeric": function(_rand_numeric, "i"),
    "shuffle": function(_shuffle, "s"),
    "uuidv4": function(_uuid),
}
"""The functions by name."""
