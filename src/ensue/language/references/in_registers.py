"""Refuses references in `registers` that are not filled in there.

The configuration of a registered resource reads only the state's own `new_state`, as `${self:property}`.
Without this check, any other reference would become part of the configuration as text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.model.reference import Reference
from ensue.language.references.faults import escaped
from ensue.language.references.grammar import OWN, read_text
from ensue.language.references.leaves import signed_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector

_DOTTED: Final = re.compile(r"(?<![$\\])\$\{(?P<first>[^{}\n.:]+)[.:](?P<rest>[\w.:\[\]*-]+)\}")
_BRACKETS: Final = re.compile(r"\.(?=\[)")


def check_registered_references(draft: Draft, collector: Collector) -> None:
    """Report the references in the `registers` of a state that read anything but its own `new_state`.

    Args:
        draft: the state.
        collector: collects the errors.
    """
    options = draft.options
    for (_, config), (document, keys) in zip(options.registers, options.registers_at, strict=True):
        for text, path in signed_texts(config):
            for piece, instead in _not_filled(text, draft.declaration.id):
                collector.error(
                    "E0806",
                    f"`registers` of {draft.declaration.id!r} holds {piece}",
                    document.locate_text((*keys, *path), piece),
                    detail="a configuration reads only what its own state returned",
                    help=f"{instead}, or {escaped(piece)} for the text itself",
                )


def _not_filled(text: str, id_: str) -> Iterator[tuple[str, str]]:
    """Yield the references in a text that nothing fills in, each with what to write."""
    for piece in read_text(text):
        if not isinstance(piece, Reference) or piece.path == OWN:
            continue
        if piece.id == id_ and not piece.minion:
            yield piece.text, f"write ${{self:{piece.property}}}"
        else:
            yield piece.text, f"have {id_!r} return the value, and write ${{self:property}}"
    for match in _DOTTED.finditer(text):
        is_dotted = match["first"] == "self" and match[0].startswith("${self.")
        if is_dotted or (match["first"] == id_ and match["rest"][0] not in ":-"):
            yield match[0], f"write ${{self:{_BRACKETS.sub('', match['rest']).replace('.', ':')}}}"
