"""Warns of what fails in a delayed block whatever the values are that it is rendered with.

A block is rendered when a state has ended, so only its text is known before. The text outside of tags is
certain, and what a tag prints is not: a function and its arguments are judged where the text has all of them
as YAML reads it, and so is the ID of a state that a tag reads as a variable, and a key that `prev_ret` never
has. They are warnings, since a tag may leave the text out.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.diagnostics import Severity, Span
from ensue.core.errors import CompileError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.returns import Return
from ensue.language.collector import Collector
from ensue.language.declarations import TOP_LEVEL_WORDS, read_declarations
from ensue.language.result_words import RESULTS_OF_TASKS, of_return
from ensue.language.yaml import YamlDocument, load_document

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from jinja2 import Environment
    from yaml.nodes import Node, ScalarNode

    from ensue.language.blocks.block import Block
    from ensue.language.chunks import Drafter
    from ensue.language.tree import SlsTree

_PRINTED: Final = "\ue000"
"""Stands for what a tag prints."""
_TAGGED: Final = "\ue001"
"""Stands for a tag that prints nothing itself."""
_SIGNS: Final = {"variable_begin": _PRINTED, "block_begin": _TAGGED}
_TAG: Final = "{{ … }}"
_LACKS_ARGUMENT: Final = "E0403"


def warn_of_mistakes_in_blocks(
    tree: SlsTree, drafter: Callable[[Collector], Drafter], collector: Collector
) -> None:
    """Warn of states that fail and of names that no block has, in the texts of delayed blocks.

    Args:
        tree: the SLS with the blocks.
        drafter: makes what judges states and reports to a collector.
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
            _judge_states(environment, block, drafter, collector)
            _judge_reads(environment, block, ids, collector)
        except TemplateError:
            continue


def _judge_states(
    environment: Environment, block: Block, drafter: Callable[[Collector], Drafter], collector: Collector
) -> None:
    path = block.place.path
    when = f"it fails when the delayed block {block.name!r} is rendered"
    for text, line in _texts_of_ids(_without_tags(environment, block.inner.text)):
        document = YamlDocument(path, text, first_line=block.first_line + line)
        try:
            data = load_document(document)
        except CompileError:
            continue  # What the tags print may make it YAML.
        refused = Collector()
        declared = read_declarations(_certain(data), block.name, document, Collector())
        drafter(refused).drafts(declared)
        for fault in (*refused.errors, *refused.warnings):
            if fault.code == _LACKS_ARGUMENT and _PRINTED in text:
                continue
            consequence = when if fault.severity is Severity.ERROR else ""
            collector.warning(
                fault.code,
                _shown(fault.summary),
                fault.span,
                detail="; ".join(filter(None, (_shown(fault.detail), consequence))),
                help=_shown(fault.help),
            )


def _shown(message: str) -> str:
    """Return a message with a tag for what stands for one, in quotes or not."""
    return message.replace(_PRINTED, _TAG).replace(repr(_PRINTED)[1:-1], _TAG)


def _certain(data: Any) -> Any:
    """Return data without the keys and values that hold what a tag prints; IDs are kept."""
    return {id_: _without_printed(body) for id_, body in data.items()} if is_mapping(data) else {}


def _without_printed(data: Any) -> Any:
    if is_mapping(data):
        return {
            key: _without_printed(value)
            for key, value in data.items()
            if not _is_printed(key) and not _is_printed(value)
        }
    if is_list(data):
        items = [_without_printed(item) for item in data if not _is_printed(item)]
        return [item for item in items if item != {}]
    return data


def _is_printed(data: Any) -> bool:
    return isinstance(data, str) and _PRINTED in data


def _without_tags(environment: Environment, text: str) -> str:
    """Return the text outside of tags on its lines, with a sign for what a tag prints.

    A tag that stands on a line of its own leaves nothing; one beside text decides what is there.
    """
    pieces: list[str] = []
    line = 1
    for first_line, kind, value in environment.lex(text):
        # A tag such as `{%-` takes away line ends that no token has.
        pieces.append("\n" * (first_line - line))
        shown = value if kind == "data" else _SIGNS.get(kind, "")
        line = first_line + shown.count("\n")
        pieces.append(shown)
    lines = "".join(pieces).split("\n")
    return "\n".join(
        each.replace(_TAGGED, _PRINTED if each.replace(_TAGGED, "").strip() else "") for each in lines
    )


def _texts_of_ids(text: str) -> Iterator[tuple[str, int]]:
    """Yield the text of each ID and the line from 0 that it begins on: an ID may stand in two branches."""
    import yaml
    from yaml.nodes import MappingNode

    from ensue.core.model.bounded_yaml import BoundedLoader
    from ensue.core.model.data_bounds import DataBoundError

    try:
        root = yaml.compose(text, Loader=BoundedLoader)
    except (yaml.YAMLError, DataBoundError, UnicodeEncodeError):
        return  # What the tags print may make it YAML.
    if not isinstance(root, MappingNode) or root.flow_style:
        return
    lines = text.split("\n")
    for scalar in _scalars(root):
        begin, end = scalar.start_mark, scalar.end_mark
        if not scalar.style and not all(map(str.strip, lines[begin.line : end.line + 1])):
            # A tag between its lines decides which of them are there.
            lines[begin.line] = (
                f"{lines[begin.line][: begin.column]}{_PRINTED}{lines[begin.line][begin.column :]}"
            )
    begins = [id_.start_mark.line for id_, _ in root.value]
    for (id_, _), begin, end in zip(root.value, begins, [*begins[1:], len(lines)], strict=True):
        if id_.value not in TOP_LEVEL_WORDS:
            yield "\n".join(lines[begin:end]), begin


def _scalars(node: Node) -> Iterator[ScalarNode]:
    from yaml.nodes import MappingNode, ScalarNode, SequenceNode

    if isinstance(node, ScalarNode):
        yield node
    elif isinstance(node, SequenceNode):
        for item in cast("list[Node]", node.value):
            yield from _scalars(item)
    elif isinstance(node, MappingNode):
        for part in chain.from_iterable(cast("list[tuple[Node, Node]]", node.value)):
            yield from _scalars(part)


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
