"""Warns of a reference in a template file, which no state binds: it stays in the file as it is written.

References count in the text of SLS and pillar. A `${…}` in a file that a state renders is reported only if
it is a reference that names a state of the scope; anything else may be for the program that reads the file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Span
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.reference import Reference
from ensue.language.references.detection import holds_sign
from ensue.language.references.grammar import read_text
from ensue.language.references.producers import Producers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.settings.roots import Roots

_SALT: Final = "salt://"
_SALTENV: Final = "?saltenv="
_COMMENT: Final = re.compile(r"\{#.*?#\}", re.DOTALL)


def warn_of_references_in_templates(
    rendering: Iterable[Draft], drafts: Sequence[Draft], roots: Roots, collector: Collector
) -> None:
    """Warn once of each reference to a state of the scope in a file that states render.

    Args:
        rendering: the states with a `template` and a `source`.
        drafts: all states of the scope.
        roots: where the sources are.
        collector: collects the warnings.
    """
    producers = None
    seen: set[str] = set()
    for draft in rendering:
        for path in _files(draft, roots):
            text = "" if path in seen else _text(path)
            seen.add(path)
            if not holds_sign(text):
                continue
            producers = producers or Producers(drafts)
            for reference, line, column in _references(text, producers):
                collector.warning(
                    "E0407",
                    f"{reference.text} stays as it is in a template file",
                    Span(roots.shown(path), line, column),
                    detail=f"{reference.id!r} is a state of this run; references count in an SLS, and "
                    f"{draft.declaration.id!r} renders this file",
                    help=f"write `- context: {{value: '{reference.text}'}}` in {draft.declaration.id!r}, and "
                    "{{ value }} in the file; or write the text of the file as `contents` in the SLS",
                )


def _files(draft: Draft, roots: Roots) -> Iterator[str]:
    """Yield the path of the file that a state renders: the first of its sources that exists."""
    listed = draft.arguments.get("source")
    for entry in listed if is_list(listed) else [listed]:
        source = next(iter(entry), "") if is_mapping(entry) else entry
        if not isinstance(source, str) or not source.startswith(_SALT):
            continue
        relative, _, saltenv = source.removeprefix(_SALT).partition(_SALTENV)
        if path := roots.path_of(relative, saltenv or draft.declaration.saltenv):
            yield path
            return


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""  # The state reports it when it runs.


def _references(text: str, producers: Producers) -> Iterator[tuple[Reference, int, int]]:
    """Yield the references to states outside of comments, each with its line and column."""
    text = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    for number, line in enumerate(text.split("\n"), start=1):
        end = 0
        for piece in read_text(line) if holds_sign(line) else ():
            if isinstance(piece, Reference):
                start = line.index(piece.text, end)
                end = start + len(piece.text)
                if not piece.minion and producers.meant(piece):
                    yield piece, number, start + 1
