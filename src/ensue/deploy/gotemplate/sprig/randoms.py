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


RANDOM_FUNCTIONS: Final[Mapping[str, Function]] = {
    "randAlpha": function(lambda count: _characters(string.ascii_letters, count), "i"),
    "randAlphaNum": function(lambda count: _characters(string.ascii_letters + string.digits, count), "i"),
    "randAscii": function(lambda count: _characters(_ASCII, count), "i"),
    "randBytes": function(_rand_bytes, "i"),
    "randInt": function(_rand_int, "ii"),
    "randNumeric": function(lambda count: _characters(string.digits, count), "i"),
    "shuffle": function(_shuffle, "s"),
    "uuidv4": function(lambda: str(uuid.uuid4())),
}
"""The functions by name."""
