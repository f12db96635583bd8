"""`name` as a list of words: a program and its arguments, which no shell reads.

The state's name is the words, quoted as for a shell. Functions that are marked with
`contracts.functions.takes_words` take such a list. For any other function, a list is not a name, as in Salt.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.property_values import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration


def name_of_words(words: Sequence[Any]) -> str:
    """Return the name of a state whose name is a list of words."""
    return shlex.join(map(as_text, words))


def read_words(words: Sequence[Any], declaration: Declaration, collector: Collector) -> list[str]:
    """Return a list of words as texts.

    Args:
        words: the value of `name`.
        declaration: the state, for messages.
        collector: collects the errors.
    """
    if not words:
        collector.error(
            "E0406",
            f"`name` of {declaration.id!r} is an empty list",
            declaration.span("name"),
            help="write a program and its arguments, one word per item",
        )
    for index, word in enumerate(words):
        if word is None or (word == "" and not index) or is_list(word) or is_mapping(word):
            collector.error(
                "E0406",
                f"`name` of {declaration.id!r} holds {word!r}",
                declaration.span("name", index),
                detail="it is a list of words: a program and its arguments",
                help="write each word as a text or a number, in quotes where YAML reads something else",
            )
    return [*map(as_text, words)]
