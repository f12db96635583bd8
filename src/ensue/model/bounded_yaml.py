"""A YAML loader that refuses too deep nesting, cycles and YAML bombs before it builds any data.

It is in this low package because grains and templates of states are YAML, too.
"""

# pyright: basic
# PyYAML's loaders are untyped; they compose nodes of any kind.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.nodes import MappingNode, SequenceNode

from ensue.model.data_bounds import MOST_LEVELS, Kind, TooDeepError, check_bounds, weight

if TYPE_CHECKING:
    from collections.abc import Collection

    from yaml.nodes import Node


class BoundedLoader(yaml.CSafeLoader):
    """libyaml's safe loader with limits; if one is exceeded, it raises a `DataBoundError` with the node.

    Args:
        text: the YAML text.
    """

    def __init__(self, text: str) -> None:
        # libyaml reads no subclass of `str`.
        super().__init__(str(text))
        self._has_aliases = "*" in text and "&" in text
        self._levels = 0

    # libyaml's composer recurses in C, where only the end of the stack would stop it. It calls these
    # two methods around each value; they do nothing else, since no path resolvers are registered.
    def descend_resolver(self, current_node: Node | None, current_index: Any) -> None:
        """Enter a level."""
        del current_index
        self._levels += 1
        # A scalar is one level below its list or mapping.
        if self._levels > MOST_LEVELS + 1:
            raise TooDeepError(current_node)

    def ascend_resolver(self) -> None:
        """Leave a level."""
        self._levels -= 1

    def get_single_node(self) -> Node | None:
        """Return the root of the text's only document, None if it is empty.

        Raises:
            yaml.YAMLError: it is not YAML.
            DataBoundError: it exceeds a limit.
        """
        root: Node | None = super().get_single_node()
        if self._has_aliases and root is not None:
            check_bounds(root, _NODES)
        return root


def load_plain_yaml(text: str, loader: type[BoundedLoader] = BoundedLoader) -> Any:
    """Return the data of a YAML text from outside the project, as any YAML parser would read it.

    Args:
        text: the text.
        loader: the loader class.

    Raises:
        ValueError: it is not YAML, or exceeds a limit; the message is one line, with line and column.
    """
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506 -- a subclass of the safe loader
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
        while loader.check_node():
            node = loader.get_node()
            check_bounds(node, _NODES)
            documents.append(loader.construct_document(node))
    except (yaml.YAMLError, LookupError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(_one_line(error)) from None
    return documents


def _one_line(error: Exception) -> str:
    """Return an error of PyYAML's constructors, which raise what Python does for a date or a number."""
    return f"unknown {error}" if isinstance(error, LookupError) else " ".join(str(error).split())


def _members(node: Any) -> Collection[Any]:
    return [one for pair in node.value for one in pair] if isinstance(node, MappingNode) else node.value


def _weight(node: Any) -> int:
    return weight(node.value)


_NODES: Final = Kind((MappingNode, SequenceNode), _members, _weight)
