"""The text of a template outside of its tags: what it says whatever the tags print.

A sign stands for what a tag prints, so that the text can be read as YAML, an ID at a time: what the tags
print may make the whole text YAML, or leave a part of it out.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.model.data import is_list, is_mapping
from ensue.language.declarations import TOP_LEVEL_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.nodes import Node, ScalarNode

    from ensue.language.jinja.template_source import TemplateSource

PRINTED: Final = "\ue000"
"""Stands for what a tag prints."""
_TAGGED: Final = "\ue001"
"""Stands for a tag that prints nothing itself."""
_SIGNS: Final = {"variable_begin": PRINTED, "block_begin": _TAGGED, "linestatement_begin": _TAGGED}
_TAG: Final = "{{ … }}"


def outside_tags(source: TemplateSource) -> str:
    """Return the text outside of tags on its lines, with a sign for what a tag prints.

    A tag that stands on a line of its own leaves nothing; one beside text decides what is there.
    """
    pieces: list[str] = []
    line = 1
    for first_line, kind, value in source.environment.lex(source.text):
        # A tag such as `{%-` takes away line ends that no token has.
        pieces.append("\n" * (first_line - line))
        shown = value if kind == "data" else _SIGNS.get(kind, "")
        line = first_line + shown.count("\n")
        pieces.append(shown)
    lines = "".join(pieces).split("\n")
    return "\n".join(
        each.replace(_TAGGED, PRINTED if each.replace(_TAGGED, "").strip() else "") for each in lines
    )


def texts_of_ids(text: str) -> Iterator[tuple[str, int]]:
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
                f"{lines[begin.line][: begin.column]}{PRINTED}{lines[begin.line][begin.column :]}"
            )
    begins = [id_.start_mark.line for id_, _ in root.value]
    for (id_, _), begin, end in zip(root.value, begins, [*begins[1:], len(lines)], strict=True):
        if id_.value not in TOP_LEVEL_WORDS:
            yield "\n".join(lines[begin:end]), begin


def certain_data(data: Any) -> Any:
    """Return data without the keys and values that hold what a tag prints; IDs are kept."""
    return {id_: _without_printed(body) for id_, body in data.items()} if is_mapping(data) else {}


def with_tags_shown(message: str) -> str:
    """Return a message with a tag for what stands for one, in quotes or not."""
    return message.replace(PRINTED, _TAG).replace(repr(PRINTED)[1:-1], _TAG)


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
    return isinstance(data, str) and PRINTED in data


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
