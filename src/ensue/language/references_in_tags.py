"""Warns of a reference by which a tag of a template decides: `{% if "${cmd:a:stdout}" == 'x' %}`.

A template is rendered before any state runs, so the tag sees the text of the reference and not its value.
Only
texts that are compared, tested or looped over are reported, and variables of one text that are compared or
looped over: a reference that a variable holds is bound where it is printed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Span
from ensue.core.model.reference import Reference
from ensue.language.printed_grains import without_dead_tags
from ensue.language.references.grammar import read_text
from ensue.language.result_words import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.language.collector import Collector
    from ensue.language.renderers.stage import Stream
    from ensue.language.tree import SlsTree

_TEXT: Final = r"(?P<text>\"[^\"\n]*\$\{[^\"\n]*\"|'[^'\n]*\$\{[^'\n]*')"
_TAG: Final = re.compile(r"\{%[-+]?\s*(?P<word>if|elif|for)\b.*?%\}|\{\{.*?\}\}", re.DOTALL)
_IN_CONDITION: Final = re.compile(_TEXT)
_LOOPED_OVER: Final = re.compile(rf"\bin\s*{_TEXT}")
_COMPARED: Final = re.compile(
    rf"(?:[=!<>]=|[<>]|\bif)\s*{_TEXT}|{_TEXT.replace('text', 'first')}\s*(?:[=!<>]=|[<>])"
)
_SET: Final = re.compile(rf"\{{%[-+]?\s*set\s+(?P<variable>\w+)\s*=\s*{_TEXT}\s*[-+]?%\}}")


def warn_of_references_in_tags(tree: SlsTree, collector: Collector) -> None:
    """Warn once per reference that a tag compares, tests or loops over.

    Args:
        tree: the SLS.
        collector: collects the warnings.
    """
    for stream in tree.streams.values():
        if "${" not in stream.source or ("{%" not in stream.source and "{{" not in stream.source):
            continue
        for reference, span in _decided_by(stream):
            collector.warning(
                "E0890",
                f"{reference} is text in a tag of a template",
                span,
                detail="a template is rendered before any state runs, so the tag never sees the value",
                help=f"decide by the value in {BLOCK}",
            )


def _decided_by(stream: Stream) -> Iterator[tuple[str, Span]]:
    """Yield the references by which tags of an SLS decide, each with its place."""
    text = without_dead_tags(stream.source)
    for tag in _TAG.finditer(text):
        pattern = {None: _COMPARED, "for": _LOOPED_OVER}.get(tag["word"], _IN_CONDITION)
        for match in pattern.finditer(text, tag.start(), tag.end()):
            name = "text" if match["text"] else "first"
            for piece in read_text(match[name][1:-1]):
                if isinstance(piece, Reference):
                    start = text.index(piece.text, match.start(name))
                    line = stream.first_line + text.count("\n", 0, start)
                    yield piece.text, Span(stream.path, line, start - text.rfind("\n", 0, start))
    yield from _decided_by_variables(stream, text)


def _decided_by_variables(stream: Stream, text: str) -> Iterator[tuple[str, Span]]:
    """Yield the references that a variable holds by which a later tag decides, each with its place."""
    for variable in _SET.finditer(text):
        held = next((each for each in read_text(variable["text"][1:-1]) if isinstance(each, Reference)), None)
        name = rf"(?<![\w.'\"]){variable['variable']}(?![\w.'\"])"
        used = re.compile(rf"{name}\s*(?:[=!<>]=|[<>])|(?:[=!<>]=|[<>])\s*{name}")
        looped = re.compile(rf"\bin\s+{name}")
        for tag in _TAG.finditer(text, variable.end()):
            match = (looped if tag["word"] == "for" else used).search(tag[0])
            if held is not None and match is not None:
                start = tag.start() + match.start()
                line = stream.first_line + text.count("\n", 0, start)
                yield held.text, Span(stream.path, line, start - text.rfind("\n", 0, start))
