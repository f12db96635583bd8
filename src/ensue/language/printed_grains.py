"""Warns of a template that prints `grains` into a state that runs on other machines.

An SLS is rendered once, for the target that it is compiled for. The arguments of a state with a `tgt` are
therefore the same on all its resources, and `grains` in them are those of the managing minion. Only grains
printed in the state's own text are reported: printing a variable shows that they are meant.
`printed_pillar.py` finds the pillar that is printed in the same places.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Span
from ensue.language.fan_outs import TARGET
from ensue.language.tree import sls_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration
    from ensue.language.tree import SlsTree

_NO_CODE: Final = re.compile(
    r"\{#.*?#\}|\{%[-+]?\s*raw\s*[-+]?%\}.*?(?:\{%[-+]?\s*endraw\s*[-+]?%\}|\Z)", re.DOTALL
)
"""What Jinja does not read as code: comments, and text between `raw` and `endraw`."""
_PRINT: Final = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_READS_GRAINS: Final = re.compile(
    r"""(?<![\w.'"])grains\s*[.\[|}]|(?<![\w.'"])grains\s*$|['"]grains\.\w+['"]\s*\]|\bsalt\.grains\."""
)
_LIST_ITEM: Final = "- "


def warn_of_printed_grains(drafts: Iterable[Draft], tree: SlsTree, collector: Collector) -> None:
    """Warn once per place where a template prints `grains` into a state with a `tgt`.

    Args:
        drafts: the states with a `tgt`.
        tree: the tree that they were read from.
        collector: collects the warnings.
    """
    for draft in drafts:
        last = None
        for span, expression in printed_expressions(draft.declaration, tree, "grains"):
            if (span.path, span.line) == last or not _READS_GRAINS.search(expression):
                continue
            last = (span.path, span.line)
            collector.warning(
                "E0716",
                "`grains` here are not those of the resources that the state runs on",
                span,
                detail="an SLS is rendered once, for the target it is compiled for, "
                "and this state has a `tgt`",
                help="apply the SLS to the resources (`ensue apply --tgt`, ssh_host.state_applied), or use"
                " `delayed_render`; if you mean this machine's grains, set a variable to them and print it",
            )


def printed_expressions(declaration: Declaration, tree: SlsTree, word: str) -> Iterator[tuple[Span, str]]:
    """Yield the expressions that a declaration's own text prints outside its `tgt`, each with its place.

    Args:
        declaration: the declaration.
        tree: the tree that it was read from.
        word: nothing is yielded for an SLS whose text lacks this word.
    """
    stream = tree.streams.get(sls_key(declaration.sls, declaration.saltenv))
    start = declaration.span()
    if stream is None or word not in stream.source:
        return
    if start.path != stream.path or start.line < stream.first_line:
        return
    lines = without_dead_tags(stream.source).split("\n")
    if "name" not in declaration.arguments and "names" not in declaration.arguments:
        # The ID is the name.
        own = declaration.document.locate((declaration.id,))
        if stream.first_line <= own.line < start.line and own.path == start.path:
            yield from _printed_from(own, lines[own.line - stream.first_line])
    below = lines[start.line - stream.first_line :]
    yield from _printed_from(start, "\n".join(_own_lines(below)))


def without_dead_tags(text: str) -> str:
    """Return a template without the signs of tags in comments and raw text; places stay the same.

    Args:
        text: the template.
    """
    return _NO_CODE.sub(lambda dead: dead[0].replace("{{", "  ").replace("{%", "  "), text)


def _printed_from(start: Span, text: str) -> Iterator[tuple[Span, str]]:
    for printed in _PRINT.finditer(text):
        line_start = text.rfind("\n", 0, printed.start()) + 1
        if text[line_start:].lstrip(" -").startswith(f"{TARGET}:"):
            continue
        line = start.line + text.count("\n", 0, printed.start())
        place = Span(start.path, line, printed.start() - line_start + 1)
        yield place, printed[0][2:-2].strip("-+ ")


def _own_lines(lines: list[str]) -> Iterator[str]:
    """Yield the first line and the lines that belong to it: deeper or blank lines, list items, tags."""
    depth = _depth(lines[0]) if lines else 0
    for number, line in enumerate(lines):
        text = line.strip()
        is_item = _depth(line) == depth and text.startswith(_LIST_ITEM)
        if (
            number
            and text
            and not text.startswith(("{%", "{#", "#"))
            and _depth(line) <= depth
            and not is_item
        ):
            return
        yield line


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
