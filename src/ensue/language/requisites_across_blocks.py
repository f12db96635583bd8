"""Finds requisites between a delayed block and the states around it, which name nothing in their own scope.

The states of a block are a scope of their own, which begins after the state that renders the block. What a
block declares and requires is known only when it is rendered, so its text decides here: only IDs that are
written out count, and the answer is advice or a warning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Span
from ensue.core.model.requisite import RequisiteKind
from ensue.language.printed_grains import without_dead_tags
from ensue.language.requisite_names import REQUISITES, REQUISITES_IN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.language.blocks.block import Block
    from ensue.language.collector import Collector
    from ensue.language.tree import SlsTree

_NOTIFYING: Final = frozenset({RequisiteKind.WATCH, RequisiteKind.ONCHANGES, RequisiteKind.LISTEN})
_DECLARED: Final = re.compile(r"""^(?P<quote>['"]?)(?P<id>[^\s'"#{}].*?)(?P=quote):(?:\s|$)""", re.MULTILINE)
_COMPOSED: Final = re.compile(
    r"""^(?P<quote>['"]?)(?P<id>[^\s'"#{}]*\{\{[^\n]*?\}\}[^:\n]*?)(?P=quote):(?:\s|$)""", re.MULTILINE
)
_PRINTED: Final = re.compile(r"\{\{.*?\}\}")
_IS_NAMED: Final = re.compile(r"\w").search
_WORD: Final = re.compile(
    rf"""^(?P<indent>[ ]*)-?[ ]*(?P<word>{"|".join((*REQUISITES, *REQUISITES_IN))}):(?P<rest>.*)$"""
)
_PAIR: Final = re.compile(
    r"""(?:^|[-{\[,\s])(?P<module>[a-z_][\w.]*):\s+(?P<quote>['"]?)(?P<id>[^'",{}\[\]\n]+)"""
)


def block_that_declares(id_: str, tree: SlsTree) -> str:
    """Return the name of a delayed block in whose text an ID is declared; empty if there is none.

    Args:
        id_: the ID.
        tree: the SLS with the blocks.
    """
    return next((block.name for block in _blocks(tree) if id_ in _ids(block) or _may_declare(block, id_)), "")


def warn_of_requisites_of_blocks(tree: SlsTree, collector: Collector) -> None:
    """Warn of each requisite in the text of a delayed block that names a state outside of it.

    Args:
        tree: the SLS with the blocks.
        collector: collects the warnings.
    """
    for block in _blocks(tree):
        own = _ids(block)
        for word, module, id_, line in _requisites(without_dead_tags(block.inner.text)):
            declared = tree.declared.get(id_, {})
            if id_ in own or not any(f"{module_}.".startswith(f"{module}.") for module_ in declared):
                continue
            collector.warning(
                "E0501",
                f"`{word}` in the delayed block {block.name!r} names {module}: {id_}, a state outside of it",
                Span(block.place.path, block.first_line + line),
                detail="a requisite names only states of its own scope, and those of a block are a scope",
                help=instead_of_requisite_across(word, id_),
            )


def instead_of_requisite_across(word: str, id_: str) -> str:
    """Return what to write in place of a requisite in a delayed block that names a state outside of it.

    Args:
        word: the word of the requisite.
        id_: the state that it names.
    """
    if word not in REQUISITES_IN:
        return (
            "the block runs after the state that renders it: read `prev_ret` in its template, or set the "
            "requisite on that state"
        )
    if REQUISITES_IN[word][0] in _NOTIFYING:
        return (
            f"no state of a block can notify {id_!r}: declare the state outside of the block, under `onlyif` "
            f"or `unless`; or put {id_!r} into the block, too, where it reacts to the states of the block"
        )
    return f"put {id_!r} into the block, too, or the requisite on the state that renders the block"


def _blocks(tree: SlsTree) -> Iterator[Block]:
    for stream in tree.streams.values():
        yield from stream.space.own.values()


def _may_declare(block: Block, id_: str) -> bool:
    """Return whether an ID of a block with an expression in it may become an ID, `web-{{ name }}`."""
    return any(
        re.fullmatch(".+".join(map(re.escape, _PRINTED.split(match["id"]))), id_)
        for match in _COMPOSED.finditer(block.inner.text)
        if any(map(_IS_NAMED, _PRINTED.split(match["id"])))
    )


def _ids(block: Block) -> set[str]:
    return {match["id"] for match in _DECLARED.finditer(block.inner.text)}


def _requisites(text: str) -> Iterator[tuple[str, str, str, int]]:
    """Yield the word, the module and the ID of each requisite that a text writes out, and its line from 0."""
    lines = text.split("\n")
    for first, line in enumerate(lines):
        if (match := _WORD.match(line)) is None:
            continue
        below = _below(lines, first + 1, len(match["indent"]))
        for number, part in enumerate((match["rest"], *below), start=first):
            for pair in _PAIR.finditer(part):
                yield match["word"], pair["module"], pair["id"].strip(), number


def _below(lines: Sequence[str], first: int, indent: int) -> Iterator[str]:
    """Yield the lines of the value of a word, from a first one: those that are deeper than the word."""
    for number in range(first, len(lines)):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            return
        yield line
