"""Finds texts that look like references to a state of this run: `${make:stdout}`, `${cmd.make.stdout}`.

Such a text is left as it is and never bound; a warning shows the right form. Shell variables are ignored,
unless they have the name of a state.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.model.property_grammar import quoted
from ensue.language.references.grammar import counts_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.language.references.producers import Producers

_PIECE: Final = re.compile(r"(?<![$\\])\$\{([^{}\n]+)\}")
_OF_A_SHELL: Final = re.compile(r"[-+=?#%/^,@!*]|[0-9]")
"""What follows the colon in a shell: `${x:-1}`, `${x:2}`."""
_MOST_WORDS: Final = 12
_WITH_FUNCTION: Final = 2
"""How many words `cmd.run` has, before the ID."""


def lookalikes(text: str, producers: Producers) -> Iterator[tuple[str, str, str]]:
    """Yield the parts of a text that name a state but are not references.

    Args:
        text: the text.
        producers: the states of the scope.

    Yields:
        The part, the ID or name in it, and the reference that was probably meant.
    """
    for match in _PIECE.finditer(text):
        if counts_at(text, match.start()):
            continue
        meant = _meant(match[1], producers)
        if meant is not None:
            path, id_, below = meant
            yield match[0], id_, f"${{{path}:{quoted(id_)}:{below or '…'}}}"


def _meant(content: str, producers: Producers) -> tuple[str, str, str] | None:
    """Return the path, the ID and the property that a text in braces means."""
    first, colon, rest = content.partition(":")
    if not colon:
        return _dotted(content, producers)
    if ":" in rest or _OF_A_SHELL.match(rest):
        return None
    if module := producers.module_of(first):
        return module, first, rest
    id_, _, below = rest.partition(".")
    for id_part, property_ in ((rest, ""), (id_, below.replace(".", ":"))):
        if producers.module_of(id_part, first):
            return first, id_part, property_
    if meant := _dotted(first, producers):
        return meant[0], meant[1], ":".join(filter(None, (meant[2], rest)))
    return None


def _dotted(content: str, producers: Producers) -> tuple[str, str, str] | None:
    words = content.split(".")
    if len(words) > _MOST_WORDS:
        return None
    for start in range(len(words)):
        for end in range(len(words), start, -1):
            path, id_ = ".".join(words[:start]), ".".join(words[start:end])
            if module := producers.module_of(id_, path):
                return path or module, id_, ":".join(words[end:])
    if len(words) > _WITH_FUNCTION and producers.module_of(words[2], words[0]):
        return words[0], words[2], ":".join(words[3:])
    return None
