"""A YAML loader that refuses too deep nesting, cycles and YAML bombs before it builds any data.

It is in this low package because grains and templates of states are YAML, too.
"""

# pyright: basic
# PyYAML's loaders are untyped; they compose nodes of any kind.
from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from ensue.core.model.data_bounds import MOST_LEVELS, TooDeepError, WalkKind, check_bounds, weight

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator

    from yaml.nodes import Node


class _DepthLoader(yaml.CSafeLoader):
    """libyaml's safe loader, which raises a `TooDeepError` with the node whose values are too deep.

    Args:
        text: the YAML text.
    """

    def __init__(self, text: str) -> None:
        # libyaml reads no subclass of `str`.
        super().__init__(str(text))
        self._holders: list[Node | None] = []
        # Called after every value; a method in Python takes five times as long.
        self.ascend_resolver = self._holders.pop  # type: ignore[method-assign, assignment] # pyright: ignore[reportAttributeAccessIssue]

    # libyaml's composer recurses in C, where only the end of the stack would stop it. It calls these methods
    # for each value. PyYAML's own look for resolvers by path and for any character, too: there are none.
    def descend_resolver(self, current_node: Node | None, current_index: Any) -> None:  # noqa: ARG002 - given
        """Enter a level."""
        self._holders.append(current_node)
        # A scalar is one level below its list or mapping.
        if len(self._holders) > MOST_LEVELS + 1:
            raise TooDeepError(current_node)

    def resolve(self, kind: type[Node], value: Any, implicit: tuple[bool, bool]) -> Any:
        """Return the tag of a value that has none."""
        if kind is not ScalarNode:
            return self.DEFAULT_MAPPING_TAG if kind is MappingNode else self.DEFAULT_SEQUENCE_TAG
        if implicit[0]:
            for tag, pattern in self.yaml_implicit_resolvers.get(value[:1], ()):
                if pattern.match(value):
                    return tag
        return self.DEFAULT_SCALAR_TAG


class BoundedLoader(_DepthLoader):
    """libyaml's safe loader with limits; if one is exceeded, it raises a `DataBoundError` with the node.

    Args:
        text: the YAML text.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._text = str(text)
        self._has_aliases = "*" in text and "&" in text

    def get_single_node(self) -> Node | None:
        """Return the root of the text's only document, None if it is empty.

        Raises:
            yaml.YAMLError: it is not YAML.
            DataBoundError: it exceeds a limit.
        """
        with _depth_first(self._text):
            root: Node | None = super().get_single_node()
        if self._has_aliases and root is not None:
            check_bounds(root, _NODES)
        return root

    def document_nodes(self) -> Iterator[Node]:
        """Yield the root of each document of the text.

        Raises:
            yaml.YAMLError: it is not YAML.
            DataBoundError: it exceeds a limit.
        """
        with _depth_first(self._text):
            while self.check_node():
                root: Any = self.get_node()
                check_bounds(root, _NODES)
                yield root


@contextmanager
def _depth_first(text: str) -> Generator[None]:
    """Check the depth of the text before an error, then the error itself.

    libyaml has a limit of its own since 0.2.6, and its scanner reads ahead: it may refuse a text before the
    composer has met the first level. What precedes the error can be composed, up to a level that is too deep.

    Raises:
        TooDeepError: the text before the error is too deep.
    """
    try:
        yield
    except yaml.YAMLError as error:
        _refuse_depth_before(error, text)
        raise


def _refuse_depth_before(error: yaml.YAMLError, text: str) -> None:
    for before in _texts_before(error, text):
        if len(before) == len(text):
            continue
        loader = _DepthLoader(before)
        try:
            while loader.check_node():
                loader.get_node()
        except yaml.YAMLError as earlier:
            _refuse_depth_before(earlier, before)


def _texts_before(error: yaml.YAMLError, text: str) -> Iterator[str]:
    """Yield the text before an error, and the text before what was being read when it occurred."""
    if isinstance(error, ReaderError):
        yield text.encode()[: error.position].decode(errors="ignore")
    if isinstance(error, yaml.MarkedYAMLError):
        for mark in (error.problem_mark, error.context_mark):
            if mark is not None:
                yield text[: mark.index]


def load_plain_yaml(text: str, loader: Callable[[str], BoundedLoader] = BoundedLoader) -> Any:
    """Return the data of a YAML text from outside the project, as any YAML parser would read it.

    Args:
        text: the text.
        loader: the loader class, or what makes a loader of the text.

    Raises:
        ValueError: it is not YAML, or exceeds a limit; the message is one line, with line and column.
    """
    try:
        return yaml.load(text, Loader=loader)  # type: ignore[arg-type] # noqa: S506 -- a subclass of the safe loader
    except (yaml.YAMLError, LookupError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(_one_line(error)) from None


def load_plain_yaml_documents(text: str) -> list[Any]:
    """Return the data of each document of a YAML text from outside the project; None for an empty one.

    Args:
        text: the text.

    Raises:
        ValueError: one is not YAML, or exceeds a limit; the message is one line, with line and column.
    """
    documents: list[Any] = []
    try:
        loader = BoundedLoader(text)
        documents += map(loader.construct_document, loader.document_nodes())
    except (yaml.YAMLError, LookupError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(_one_line(error)) from None
    return documents


def _one_line(error: Exception) -> str:
    """Return an error's message on one line; PyYAML also raises Python's own errors for dates and numbers."""
    return f"unknown {error}" if isinstance(error, LookupError) else " ".join(str(error).split())


def _members(node: Any) -> Collection[Any]:
    return [node_ for pair in node.value for node_ in pair] if isinstance(node, MappingNode) else node.value


def _weight(node: Any) -> int:
    return weight(node.value)


_NODES: Final = WalkKind((MappingNode, SequenceNode), _members, _weight)
