"""Execution module `random`: random strings and numbers, or numbers that stay the same for a target.

Without a seed, a template renders differently each time; `seed` returns the same number each time.

Args:
    seed: the same value always gives the same result; None for a random one.
    value: a list or a string.

Source: Salt's execution module `random` (mod_random), 3008: names and return values.
"""

from __future__ import annotations

import random
import secrets
import string
import zlib
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext


def get_str(
    ctx: FunctionContext,
    length: int = 20,
    chars: str | None = None,
    *,
    lowercase: bool = True,
    uppercase: bool = True,
    digits: bool = True,
    punctuation: bool = True,
    whitespace: bool = False,
    printable: bool = False,
) -> str:
    """Return a random string from a cryptographically secure generator.

    Args:
        length: its length, in characters.
        chars: the characters to choose from; None for the classes below.
        lowercase: include lower-case letters.
        uppercase: include upper-case letters.
        digits: include digits.
        punctuation: include punctuation.
        whitespace: include whitespace.
        printable: include all printable characters.

    Raises:
        StateFailedError: there are no characters to choose from.
    """
    kinds = (
        (lowercase, string.ascii_lowercase), (uppercase, string.ascii_uppercase), (digits, string.digits),
        (punctuation, string.punctuation), (whitespace, string.whitespace), (printable, string.printable),
    )  # fmt: skip
    pool = chars or "".join(letters for count, letters in kinds if count)
    if not pool:
        raise StateFailedError("random.get_str: there are no characters to choose from")
    return "".join(secrets.choice(pool) for _ in range(int(length)))


def rand_int(ctx: FunctionContext, start: int = 1, end: int = 10, seed: Any = None) -> int:
    """Return a random integer between `start` and `end`, both included; with a seed always the same.

    Args:
        start: the lowest number.
        end: the highest number.
    """
    return _chance(seed).randint(int(start), int(end))


def seed(ctx: FunctionContext, range: int = 10, hash: str | None = None) -> int:  # noqa: A002 (Salt's arguments)
    """Return an integer below `range` that is always the same for this target, or for the string `hash`.

    Args:
        range: the number below which the result is.
        hash: a string to use instead of the target's id.
    """
    return zlib.crc32((hash or str(ctx.opts.get("id", ""))).encode()) % range


def sample(ctx: FunctionContext, value: str | Sequence[Any], size: int, seed: Any = None) -> Any:
    """Return random elements of a list or characters of a string; with a seed always the same.

    Args:
        size: how many elements or characters.

    Example:
        ensue call '*' random.sample '[a, b, c]' 2
    """
    drawn = _chance(seed).sample(list(value), int(size))
    return "".join(drawn) if isinstance(value, str) else drawn


def shuffle(ctx: FunctionContext, value: str | Sequence[Any], seed: Any = None) -> Any:
    """Return a list, or the characters of a string, in random order; with a seed always the same.

    Example:
        ensue call '*' random.shuffle '[a, b, c]'
    """
    return sample(ctx, value, len(value), seed)


def _chance(given: Any) -> random.Random:
    return random.Random(given)  # noqa: S311 (spreads load, protects nothing)


FUNCTIONS: Final = by_name(get_str, rand_int, sample, seed, shuffle)
