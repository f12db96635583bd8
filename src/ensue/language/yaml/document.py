"""A rendered document that can find the places of its values.

Positions are not stored while data is built: a hundred thousand states would pay for what only an error
needs. When a place is requested, the text is parsed again, with marks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from ensue.core.diagnostics import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yaml.nodes import MappingNode, Node

_LINE_END: Final = re.compile("\n")


class Anchor(msgspec.Struct, frozen=True):
    """The source of the rendered lines from one line on.

    Args:
        rendered_line: counted from 1.
        path: the source file.
        line: the source line of `rendered_line`.
    """

    rendered_line: int
    path: str
    line: int


class YamlPlace(msgspec.Struct, frozen=True):
    """The place of a value, for messages that are rarely written: only `span` searches the text.

    Args:
        document: the text.
        keys: the value's path in it.
    """

    document: YamlDocument
    keys: tuple[str | int, ...]

    def span(self) -> Span:
        """Return the place of the value, or of its nearest parent that can be found."""
        return self.document.locate(self.keys)

    def item(self, name: str) -> Span:
        """Return the place of the line that names an item of a list below it, or of the value itself."""
        return self.document.locate_text(self.keys, f"- {name}\n")


class YamlDocument:
    """The rendered text of one file.

    Args:
        path: the source file, as messages show it.
        text: the YAML text.
        anchors: where rendered lines come from, sorted; empty if rendering changed no line.
        first_line: the source line of the first line of text, if there are no anchors.
    """

    makes_data: ClassVar[bool] = False
    """Whether the data is made by running the text, as opposed to parsing it."""

    __slots__ = ("_anchors", "_composed", "_first_line", "_line_starts", "_pairs", "_root", "path", "text")

    def __init__(self, path: str, text: str, anchors: Sequence[Anchor] = (), first_line: int = 1) -> None:
        self.path = path
        self.text = text
        self._anchors = anchors
        self._first_line = first_line
        self._line_starts: list[int] | None = None
        self._composed = False
        self._root: Node | None = None
        self._pairs: dict[int, dict[str, tuple[Node, Node]]] = {}

    def source_span(self, rendered_line: int, column: int = 0) -> Span:
        """Return the place in the source of a line of the rendered text, both counted from 1."""
        if not self._anchors:
            return Span(self.path, rendered_line + self._first_line - 1, column)
        index = bisect_right(self._anchors, rendered_line, key=lambda anchor: anchor.rendered_line)
        anchor = self._anchors[max(index - 1, 0)]
        return Span(anchor.path, anchor.line + max(rendered_line - anchor.rendered_line, 0))

    def span_at(self, index: int) -> Span:
        """Return the place in the source of a character of the rendered text.

        Lines are counted as editors do; the reader's marks count a line for U+0085, U+2028 and U+2029, too.
        """
        if self._line_starts is None:
            self._line_starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        line = bisect_right(self._line_starts, index)
        return self.source_span(line, index - self._line_starts[line - 1] + 1)

    def place(self, *keys: str | int) -> YamlPlace:
        """Return the place of a value by its path, without searching for it yet."""
        return YamlPlace(self, keys)

    def locate(self, keys: Sequence[str | int]) -> Span:
        """Return the place of a value by its path, or of its nearest parent that can be found."""
        span, _ = self._follow(keys)
        return span

    def locate_text(self, keys: Sequence[str | int], text: str) -> Span:
        """Return the place of a text in a value, or of the value if the file writes the text differently."""
        span, _, extent = self._walk(keys)
        start, end = extent or (0, len(self.text))
        offset = self.text.find(text, start, end)
        return span if offset < 0 else self.span_at(offset)

    def text_of(self, keys: Sequence[str | int]) -> str:
        """Return what is written for a value with its key, `mode: 644`; empty if that cannot be found."""
        _, followed, extent = self._walk(keys)
        return self.text[slice(*extent)] if extent is not None and followed == len(keys) else ""

    def find(self, keys: Sequence[str | int]) -> Span | None:
        """Return the place of a value by its path; None if it is not there."""
        span, followed = self._follow(keys)
        return span if followed == len(keys) else None

    def written_key(self, data: object) -> str:
        """Return the word that is the key of the whole mapping for data such as `True`; empty: there is none.

        Args:
            data: a key that is not text, as YAML reads it.
        """
        import yaml
        from yaml.nodes import MappingNode, ScalarNode

        root = self._compose()
        if not isinstance(root, MappingNode):
            return ""
        words = [key.value for key, _ in root.value if isinstance(key, ScalarNode) and not key.style]
        read = ((word, yaml.safe_load(word)) for word in words)
        return next((word for word, value in read if type(value) is type(data) and value == data), "")

    def _follow(self, keys: Sequence[str | int]) -> tuple[Span, int]:
        """Return the place at the end of a path, and how many of its keys were found."""
        span, followed, _ = self._walk(keys)
        return span, followed

    def _walk(self, keys: Sequence[str | int]) -> tuple[Span, int, tuple[int, int] | None]:
        """Follow a path; also return where the value begins and ends in the text, None if it is not YAML."""
        node = self._compose()
        if node is None:
            return Span(self.path), 0, None
        place = node
        followed = 0
        for key in keys:
            child = self._child(node, key)
            if child is None:
                break
            place, node = child
            followed += 1
        extent = (place.start_mark.index, node.end_mark.index)
        return self.span_at(place.start_mark.index), followed, extent

    def _compose(self) -> Node | None:
        if not self._composed:
            import yaml

            from ensue.core.model.bounded_yaml import BoundedLoader
            from ensue.core.model.data_bounds import DataBoundError

            self._composed = True
            try:
                self._root = yaml.compose(self.text, Loader=BoundedLoader)
            except (yaml.YAMLError, DataBoundError, UnicodeEncodeError):
                self._root = None
        return self._root

    def _child(self, node: Node, key: str | int) -> tuple[Node, Node] | None:
        """Return the node that shows the place of a child, and the child."""
        from yaml.nodes import MappingNode, ScalarNode, SequenceNode

        if isinstance(node, MappingNode):
            return self._pairs_of(node).get(str(key))
        if not isinstance(node, SequenceNode):
            return None
        items = node.value
        if isinstance(key, int):
            return (items[key], items[key]) if -len(items) <= key < len(items) else None
        # A state's arguments are a list of mappings: a text key finds the mapping with that key.
        words = ((item, item) for item in items if isinstance(item, ScalarNode) and item.value == key)
        inner = (child for item in items if (child := self._child(item, key)) is not None)
        return next(inner, None) or next(words, None)

    def _pairs_of(self, node: MappingNode) -> dict[str, tuple[Node, Node]]:
        from yaml.nodes import ScalarNode

        if id(node) not in self._pairs:
            # The tree of nodes lives as long as the document, so ids stay valid.
            self._pairs[id(node)] = {
                key.value: (key, value) for key, value in reversed(node.value) if isinstance(key, ScalarNode)
            }
        return self._pairs[id(node)]


class TextDocument(YamlDocument):
    """A file that is not YAML, such as the content of a container's file; only its texts have places.

    Args:
        path: the file, as messages show it.
        text: its text.
    """

    __slots__ = ()

    def _compose(self) -> None:
        return None
