"""Warns of what fails in a delayed block whatever the values are that it is rendered with.

A block is rendered when a state has ended, so only its text is known before. A function that does not exist
and that is written out, the ID of a state that is read as a variable, and a key that `prev_ret` never has are
certain. They are warnings, since a tag may leave the text out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Span
from ensue.core.errors import NotAvailableError, PluginError
from ensue.language.printed_grains import without_dead_tags
from ensue.language.result_words import of_return

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.functions import FunctionCatalog
    from ensue.language.blocks.block import Block
    from ensue.language.collector import Collector
    from ensue.language.tree import SlsTree

_ID: Final = re.compile(r"""[^\s#{}%-](?:[^:]|:\S)*:[ \t]*$|\{\{.*\}\}.*:[ \t]*$""")
_SHORT: Final = re.compile(r"[^\s#{}%-][^:#]*:[ \t]+(?P<function>[a-z_]\w*\.[a-z_]\w*)[ \t]*$")
_FUNCTION: Final = re.compile(r"[ ]+(?P<function>[a-z_]\w*\.[a-z_]\w*):(?:[ \t]|$)")
_NO_IDS: Final = ("extend:", "include:", "exclude:")
_TAG: Final = re.compile(r"\{[%{](?P<body>.*?)[%}]\}", re.DOTALL)
_OF_STATES: Final = "stdout|stdout_json|stderr|retcode|rc|stdout_lines"
_READ: Final = re.compile(rf"(?<![\w.])prev_ret\.(?P<key>{_OF_STATES})\b")
_READ_OF_STATE: Final = re.compile(rf"(?<![\w.'\"])(?P<name>\w+)\.(?P<key>{_OF_STATES}|new_state)\b")


def warn_of_mistakes_in_blocks(tree: SlsTree, catalog: FunctionCatalog, collector: Collector) -> None:
    """Warn of unknown functions and of names that no block has, in the texts of delayed blocks.

    Args:
        tree: the SLS with the blocks.
        catalog: the functions that exist.
        collector: collects the warnings.
    """
    for stream in tree.streams.values():
        for block in stream.space.own.values():
            if block.function is not None:
                continue
            text = without_dead_tags(block.inner.text)
            for function, line in _functions(text):
                _judge_function(function, block, line, catalog, collector)
            _judge_names(text, block, {*tree.declared} - {*stream.exported}, collector)


def _judge_function(
    written: str, block: Block, line: int, catalog: FunctionCatalog, collector: Collector
) -> None:
    module, _, function = written.rpartition(".")
    try:
        if catalog.signature(module, function) is not None:
            return
    except (NotAvailableError, PluginError):
        return
    near = catalog.near(module, function)
    collector.warning(
        "E0401",
        f"there is no state function {written}",
        Span(block.place.path, block.first_line + line),
        detail=f"the delayed block {block.name!r} asks for it, and fails when it is rendered",
        help=f"did you mean {' or '.join(near)}?" if near else catalog.hint,
    )


def _functions(text: str) -> Iterator[tuple[str, int]]:
    """Yield the functions that a text writes out directly below an ID or beside it, with the line from 0."""
    indent = None
    is_body = False
    for number, line in enumerate(text.split("\n")):
        if not line.strip() or line.lstrip().startswith(("#", "{%", "{#")):
            continue
        if not line.startswith(" "):
            short = _SHORT.match(line)
            if short is not None:
                yield short["function"], number
            is_body, indent = bool(_ID.match(line)) and not line.startswith(_NO_IDS), None
            continue
        depth = len(line) - len(line.lstrip(" "))
        indent = depth if indent is None else indent
        match = _FUNCTION.match(line) if is_body and depth == indent else None
        if match is not None:
            yield match["function"], number


def _judge_names(text: str, block: Block, ids: set[str], collector: Collector) -> None:
    """Warn of tags that read the ID of a state, or of `prev_ret` what is below its `new_state`."""
    for what, key, line in (*_keys_of_return(text), *_states_read(text, ids)):
        collector.warning(
            "E0204",
            what,
            Span(block.place.path, block.first_line + line),
            detail=f"the delayed block {block.name!r} has the return of its caller, `prev_ret`",
            help=f"write {of_return(() if key == 'new_state' else (key,))}",
        )


def _keys_of_return(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield what is wrong with a key of `prev_ret`, the key, and the line from 0."""
    for tag in _TAG.finditer(text):
        for match in _READ.finditer(tag["body"]):
            yield f"`prev_ret` has no key {match['key']!r}", match["key"], text.count("\n", 0, tag.start())


def _states_read(text: str, ids: set[str]) -> Iterator[tuple[str, str, int]]:
    """Yield what is wrong with a state read as a variable, what is read of it, and the line from 0."""
    reads = {
        (read["name"], read["key"], tag.start()): None
        for tag in _TAG.finditer(text)
        for read in _READ_OF_STATE.finditer(tag["body"])
        if read["name"] in ids
    }
    if not reads:
        return
    undeclared = _undeclared(text)
    for name, key, start in reads:
        if name in undeclared:
            yield f"{name!r} is a state, not a variable", key, text.count("\n", 0, start)


def _undeclared(text: str) -> set[str]:
    """Return the names that a template reads without setting them; none if it does not parse."""
    from jinja2 import Environment, TemplateError, meta

    try:
        return meta.find_undeclared_variables(
            Environment(autoescape=True, extensions=["jinja2.ext.do"]).parse(text)
        )
    except TemplateError:
        return set()
