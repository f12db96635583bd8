"""Warns of content of a file that YAML reads as a boolean, null or number, and that is written differently.

`contents: yes` writes `True`, and `contents: 1.10` writes `1.1`: a plain scalar has a type, and content is
its value as text. Salt writes the same without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector

_PLAIN: Final = (bool, float, type(None))


def warn_of_plain_content(drafts: Iterable[Draft], collector: Collector) -> None:
    """Warn of content that is not written as it is in the SLS.

    Args:
        drafts: the states of a scope.
        collector: collects the warnings.
    """
    for draft in drafts:
        for name in draft.signature.writes.texts:
            value = draft.arguments.get(name, "")
            if value.__class__ not in _PLAIN:
                continue
            document, keys = draft.declaration.written_at(name)
            text = document.text_of(keys).partition(":")[2].strip()
            written = "" if value is None else str(value)
            if text and text != written:
                collector.warning(
                    "E0414",
                    f"`{name}` of {draft.declaration.id!r} is {text}, which writes {written or 'nothing'}",
                    document.locate(keys),
                    detail="YAML reads a plain word or number by its type; content is the text of that value",
                    help=f"put it in quotes to write it as it is: `- {name}: '{text}'`",
                )
