"""Warns of what fails in a delayed block whatever the values are that it is rendered with.

A block is rendered when a state has ended, so only its text is known before. The text outside of tags is
certain, and what a tag prints is not: a function is judged where the text has all of its name as YAML reads
it, and so is the ID of a state that a tag reads as a variable, and a key that `prev_ret` never has. They are
warnings, since a tag may leave the text out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Span
from ensue.core.errors import NotAvailableError, PluginError
from ensue.core.model.returns import Return
from ensue.language.result_words import RESULTS_OF_TASKS, of_return

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from jinja2 import Environment

    from ensue.core.contracts.functions import FunctionCatalog
    from ensue.language.blocks.block import Block
    from ensue.language.collector import Collector
    from ensue.language.tree import SlsTree

_PRINTED: Final = "\ue000"
"""Stands for what a tag prints."""
_NO_IDS: Final = ("extend", "include", "exclude")


def warn_of_mistakes_in_blocks(tree: SlsTree, catalog: FunctionCatalog, collector: Collector) -> None:
    """Warn of unknown functions and of names that no block has, in the texts of delayed blocks.

    Args:
        tree: the SLS with the blocks.
        catalog: the functions that exist.
        collector: collects the warnings.
    """
    blocks = [
        (block, {*tree.declared} - {*stream.exported})
        for stream in tree.streams.values()
        for block in stream.space.own.values()
        if block.pipe.partition("|")[0] == "jinja"
    ]
    if not blocks:
        return
    from jinja2 import Environment, TemplateError

    environment = Environment(autoescape=True, extensions=["jinja2.ext.do"])
    for block, ids in blocks:
        try:
            _judge_functions(environment, block, catalog, collector)
            _judge_reads(environment, block, ids, collector)
        except TemplateError:
            continue


def _judge_functions(
    environment: Environment, block: Block, catalog: FunctionCatalog, collector: Collector
) -> None:
    for written, line in _functions(_without_tags(environment, block.inner.text)):
        module, _, function = written.rpartition(".")
        try:
            if catalog.signature(module, function) is not None:
                continue
        except (NotAvailableError, PluginError):
            continue
        near = catalog.near(module, function)
        collector.warning(
            "E0401",
            f"there is no state function {written}",
            Span(block.place.path, block.first_line + line),
            detail=f"the delayed block {block.name!r} asks for it, and fails when it is rendered",
            help=f"did you mean {' or '.join(near)}?" if near else catalog.hint,
        )


def _without_tags(environment: Environment, text: str) -> str:
    """Return the text outside of tags on its lines, with a sign for what a tag prints."""
    pieces: list[str] = []
    line = 1
    for first_line, kind, value in environment.lex(text):
        # A tag such as `{%-` takes away line ends that no token has.
        pieces.append("\n" * (first_line - line))
        shown = value if kind == "data" else _PRINTED if kind == "variable_begin" else ""
        line = first_line + shown.count("\n")
        pieces.append(shown)
    return "".join(pieces)


def _functions(text: str) -> Iterator[tuple[str, int]]:
    """Yield the functions that a text names below its IDs or beside them, each with its line from 0."""
    import yaml
    from yaml.nodes import MappingNode, ScalarNode

    from ensue.core.model.bounded_yaml import BoundedLoader
    from ensue.core.model.data_bounds import DataBoundError

    try:
        root = yaml.compose(text, Loader=BoundedLoader)
    except (yaml.YAMLError, DataBoundError, UnicodeEncodeError):
        return  # What the tags print may make it YAML.
    for id_, body in root.value if isinstance(root, MappingNode) else ():
        if id_.value in _NO_IDS:
            continue
        for node in (key for key, _ in body.value) if isinstance(body, MappingNode) else (body,):
            if isinstance(node, ScalarNode) and "." in node.value and _PRINTED not in node.value:
                yield node.value, node.start_mark.line


def _judge_reads(environment: Environment, block: Block, ids: Container[str], collector: Collector) -> None:
    """Warn of what reads the ID of a state as a variable, or a key that `prev_ret` never has."""
    for what, key, line in _reads(environment, block, ids):
        collector.warning(
            "E0204",
            what,
            Span(block.place.path, block.first_line + line),
            detail=f"the delayed block {block.name!r} has the return of its caller, `prev_ret`",
            help=f"write {of_return(() if key == 'new_state' else (key,))}",
        )


def _reads(environment: Environment, block: Block, ids: Container[str]) -> Iterator[tuple[str, str, int]]:
    """Yield what is wrong with a key, the key, and the line from 0."""
    from jinja2 import meta, nodes

    template = environment.parse(block.inner.text)
    undeclared = meta.find_undeclared_variables(template)
    for node in template.find_all(nodes.Getattr):
        name, key = node.node, node.attr
        if not isinstance(name, nodes.Name) or name.name not in undeclared:
            continue
        if name.name == "prev_ret" and not block.producers and not _may_be_in_return(key):
            yield f"`prev_ret` has no key {key!r}", key, node.lineno - 1
        elif name.name in ids and key in {"new_state", *RESULTS_OF_TASKS}:
            yield f"{name.name!r} is a state, not a variable", key, node.lineno - 1


def _may_be_in_return(key: str) -> bool:
    always = Return("", "", "", "", "", "", "", "", None, {}, "").own_data()
    return key in always or key in Return.__struct_fields__ or hasattr(dict, key)
