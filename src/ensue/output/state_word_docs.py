"""The documentation of requisites and options as text for a terminal, and as a page of Markdown."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.contracts.state_words import StateWordDoc
    from ensue.output.colours import Palette

_WIDTH: Final = 100
TITLES: Final = {"requisites": "Requisites of every state", "options": "Options of every state"}
_FORMS: Final = (
    "Each requisite exists in reverse, too: `require_in` is written in the state that comes first."
)


def word_text(doc: StateWordDoc, palette: Palette) -> str:
    """Return the whole documentation of a word.

    Args:
        doc: the word.
        palette: the colours.
    """
    kind = "requisite" if doc.kind == "requisites" else "option"
    lines = [
        f"{palette.paint(palette.bold, doc.name)} ({kind} of every state)",
        "",
        *textwrap.wrap(doc.meaning, _WIDTH),
        "",
        palette.paint(palette.bold, "Takes"),
        *textwrap.wrap(doc.takes, _WIDTH, initial_indent="  ", subsequent_indent="  "),
        "",
        palette.paint(palette.bold, "Example"),
        *(f"  {line}".rstrip() for line in doc.example.splitlines()),
    ]
    return "\n".join(lines) + "\n"


def words_text(kind: str, docs: Sequence[StateWordDoc], palette: Palette) -> str:
    """Return a list of words with a sentence each.

    Args:
        kind: `requisites` or `options`.
        docs: the words.
        palette: the colours.
    """
    width = max(len(doc.name) for doc in docs)
    lines = [palette.paint(palette.bold, TITLES[kind])]
    for doc in docs:
        first, *others = textwrap.wrap(doc.meaning, _WIDTH - width - 4)
        lines.append(f"  {palette.paint(palette.cyan, doc.name)}{' ' * (width - len(doc.name) + 2)}{first}")
        lines += [f"{' ' * (width + 4)}{line}" for line in others]
    return "\n".join(lines) + "\n"


def words_page(docs: Sequence[StateWordDoc]) -> str:
    """Return the page of the reference about all words.

    Args:
        docs: the words.
    """
    lines = ["# Requisites and options of every state", ""]
    lines += ["Every state takes these words among the arguments of its function.", ""]
    for kind, title in TITLES.items():
        own = [doc for doc in docs if doc.kind == kind]
        lines += [f"## {title}", "", *([_FORMS, ""] if kind == "requisites" else [])]
        lines += ["| word | takes | meaning |", "| --- | --- | --- |", *map(_row, own), ""]
        for doc in own:
            lines += _section(doc)
    return "\n".join(lines).rstrip() + "\n"


def _row(doc: StateWordDoc) -> str:
    return f"| [`{doc.name}`](#{doc.name}) | {doc.takes} | {doc.meaning} |".replace("||", "\\|")


def _section(doc: StateWordDoc) -> Iterator[str]:
    yield from (f"### `{doc.name}`", "", doc.meaning, "", f"Takes {doc.takes}.", "")
    yield from ("```sls", doc.example.rstrip(), "```", "")
    if doc.page:
        yield from (f"See [](../{doc.page}.md).", "")
