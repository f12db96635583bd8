"""Filters that combine lists (`zip`, `product`, …), and filters that draw from a list at random.

Source: Salt's `jinja` and `data` utilities, 3008; results measured there, code our own.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from typing import TYPE_CHECKING, Any, Final

from ensue.language.jinja.filters.kinds import as_bytes, keeps_undefined, not_folded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def random_sample(values: Sequence[Any], size: int, seed: Any = None) -> list[Any]:
    """Return some items of a list, drawn at random.

    Args:
        values: the list.
        size: the number of items.
        seed: text or bytes; the same seed draws the same items. None: a random seed.
    """
    if seed is None:
        return random.SystemRandom().sample(values, size)
    # Salt seeds Python's generator with the SHA-512 of the seed in hexadecimal; so the same items are drawn.
    digest = hashlib.sha512(as_bytes(seed)).hexdigest()
    return random.Random(digest).sample(values, size)  # noqa: S311 (it draws, it protects nothing)


def random_shuffle(values: Sequence[Any], seed: Any = None) -> list[Any]:
    """Return the items of a list in a random order; the same seed gives the same order."""
    return random_sample(values, len(values), seed)


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "combinations": keeps_undefined(itertools.combinations),
    "combinations_with_replacement": keeps_undefined(itertools.combinations_with_replacement),
    "compress": keeps_undefined(itertools.compress),
    "permutations": keeps_undefined(itertools.permutations),
    "product": keeps_undefined(itertools.product),
    "random_sample": not_folded(random_sample),
    "random_shuffle": not_folded(random_shuffle),
    "zip": keeps_undefined(zip),
    "zip_longest": keeps_undefined(itertools.zip_longest),
}
"""Filters by the name that templates use."""
