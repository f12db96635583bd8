"""All of YAML, through libyaml: the slow, complete way, and the one that knows what is wrong."""

# pyright: basic
# PyYAML's loaders carry no types; what they build is data of any kind.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from ensue.language.yaml.scalars import floating, integer

if TYPE_CHECKING:
    from collections.abc import Hashable

    from yaml.nodes import Node

_PREFIX: Final = "tag:yaml.org,2002:"
_MERGE: Final = f"{_PREFIX}merge"


class DuplicateKeyError(Exception):
    """A mapping has one key twice.

    Args:
        key: the key as written.
        first: (line, column) of the first, from 0.
        second: (line, column) of the second, from 0.
    """

    def __init__(self, key: str, first: tuple[int, int], second: tuple[int, int]) -> None:
        self.key = key
        self.first = first
        self.second = second
        super().__init__(key)


class _Loader(yaml.CSafeLoader):
    """libyaml with Salt's reading of integers and dates, and no duplicate keys."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build a mapping; merge keys (`<<`) are resolved, a key that is there twice is refused."""
        _expect_mapping(node)
        merged = _merged_pairs(node)
        mapping: dict[Hashable, Any] = {}
        for key_node, value_node in merged:
            key = _hashable(self.construct_object(key_node, deep=True), key_node)
            mapping[key] = self.construct_object(value_node, deep=deep)
        places: dict[Hashable, Node] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE:
                continue
            key = _hashable(self.construct_object(key_node, deep=True), key_node)
            if key in places:
                raise DuplicateKeyError(str(key), _mark(places[key]), _mark(key_node))
            places[key] = key_node
            mapping[key] = self.construct_object(value_node, deep=deep)
        return mapping


def load(text: str) -> Any:
    """Return the data of one YAML document.

    Raises:
        yaml.MarkedYAMLError: it is not YAML.
        DuplicateKeyError: a mapping has one key twice.
    """
    return yaml.load(text, Loader=_Loader)  # noqa: S506 -- a subclass of the safe loader


def _expect_mapping(node: Node) -> None:
    # An explicit tag (`!!map [1]`) leads here with another kind of node.
    if not isinstance(node, MappingNode):
        msg = "expected a mapping"
        raise ConstructorError(None, None, msg, node.start_mark)


def _hashable(key: Any, node: Node) -> Hashable:
    try:
        hash(key)
    except TypeError:
        msg = "a list or mapping cannot be a key"
        raise ConstructorError(None, None, msg, node.start_mark) from None
    hashable: Hashable = key
    return hashable


def _mark(node: Node) -> tuple[int, int]:
    return (node.start_mark.line, node.start_mark.column)


def _merged_pairs(node: MappingNode) -> list[tuple[Node, Node]]:
    pairs: list[tuple[Node, Node]] = []
    for key_node, value_node in node.value:
        if key_node.tag != _MERGE:
            continue
        sources = value_node.value if isinstance(value_node, SequenceNode) else [value_node]
        for source in reversed(sources):
            if not isinstance(source, MappingNode):
                msg = "only a mapping, or a list of mappings, can be merged with <<"
                raise ConstructorError(None, None, msg, value_node.start_mark)
            pairs += _merged_pairs(source)
            pairs += [pair for pair in source.value if pair[0].tag != _MERGE]
    return pairs


def _text(loader: _Loader, node: ScalarNode) -> str:
    return str(loader.construct_scalar(node))


def _int(loader: _Loader, node: ScalarNode) -> int:
    return integer(_text(loader, node))


def _float(loader: _Loader, node: ScalarNode) -> float:
    return floating(_text(loader, node))


_Loader.add_constructor(f"{_PREFIX}timestamp", _text)
_Loader.add_constructor(f"{_PREFIX}int", _int)
_Loader.add_constructor(f"{_PREFIX}float", _float)
