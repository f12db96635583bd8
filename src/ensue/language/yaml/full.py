"""Reads all of YAML, through libyaml: slow and complete, with precise errors."""

# pyright: basic
# PyYAML's loaders carry no types; what they build is data of any kind.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from ensue.core.model.bounded_yaml import BoundedLoader
from ensue.language.yaml.scalars import boolean, floating, integer

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from yaml.nodes import Node

_PREFIX: Final = "tag:yaml.org,2002:"
_MERGE: Final = f"{_PREFIX}merge"
_TEXT: Final = BoundedLoader.DEFAULT_SCALAR_TAG
_SEQUENCE: Final = BoundedLoader.DEFAULT_SEQUENCE_TAG
_MAPPING: Final = BoundedLoader.DEFAULT_MAPPING_TAG


class DuplicateKeyError(Exception):
    """A mapping has one key twice.

    Args:
        key: the key as written.
        first: where the first begins in the text.
        second: where the second begins in it.
    """

    def __init__(self, key: str, first: int, second: int) -> None:
        self.key = key
        self.first = first
        self.second = second
        super().__init__(key)


class Loader(BoundedLoader):
    """libyaml with bounds, Salt's reading of integers and dates, and no duplicate keys."""

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        """Return the data of a node.

        PyYAML first makes an empty list or mapping and fills it later, for data that contains itself. The
        bounds refuse such data, so each is made complete.
        """
        tag, kind = node.tag, node.__class__
        if tag == _TEXT and kind is ScalarNode:
            return node.value
        is_mapping = tag == _MAPPING and kind is MappingNode
        if not is_mapping and not (tag == _SEQUENCE and kind is SequenceNode):
            return super().construct_object(node, deep)
        if self._has_aliases and node in self.constructed_objects:
            return self.constructed_objects[node]
        if is_mapping:
            data: Any = self.construct_mapping(node, deep)  # type: ignore[arg-type] # it is one
        else:
            data = [self.construct_object(item, deep) for item in node.value]
        if self._has_aliases:
            self.constructed_objects[node] = data
        return data

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build a mapping; merge keys (`<<`) are resolved, and a duplicate key is refused."""
        expect_mapping(node)
        mapping: dict[Hashable, Any] = {}
        has_merges = False
        for key_node, value_node in node.value:
            if key_node.tag == _TEXT and key_node.__class__ is ScalarNode:
                key = key_node.value
            elif is_merge(key_node):
                has_merges = True
                continue
            else:
                key = hashable(self.construct_object(key_node, deep=True), key_node)
            if key in mapping:
                first = next(key_node for key_node, _ in node.value if self._is_key(key_node, key))
                raise DuplicateKeyError(str(key), first.start_mark.index, key_node.start_mark.index)
            mapping[key] = self.construct_object(value_node, deep)
        if not has_merges:
            return mapping
        merged = {
            hashable(self.construct_object(key_node, deep=True), key_node): self.construct_object(
                value_node, deep
            )
            for key_node, value_node in merged_pairs(node)
        }
        return merged | mapping

    def _is_key(self, node: Node, key: Hashable) -> bool:
        return not is_merge(node) and self.construct_object(node, deep=True) == key


def load(text: str) -> Any:
    """Return the data of one YAML document.

    Raises:
        yaml.MarkedYAMLError: it is not YAML.
        DataBoundError: it is nested too deeply, contains itself, or expands to too many values.
        DuplicateKeyError: a mapping has one key twice.
    """
    return yaml.load(text, Loader=Loader)  # noqa: S506 -- a subclass of the safe loader


def is_merge(node: Node) -> bool:
    """Return whether a key is `<<`."""
    return node.tag == _MERGE


def expect_mapping(node: Node) -> None:
    """Refuse a node that is not a mapping.

    Raises:
        ConstructorError: it is not a mapping.
    """
    # An explicit tag (`!!map [1]`) leads here with another kind of node.
    if not isinstance(node, MappingNode):
        msg = "expected a mapping"
        raise ConstructorError(None, None, msg, node.start_mark)


def hashable(key: Any, node: Node) -> Hashable:
    """Return a key.

    Raises:
        ConstructorError: it cannot be a key.
    """
    try:
        hash(key)
    except TypeError:
        msg = "a list or mapping cannot be a key"
        raise ConstructorError(None, None, msg, node.start_mark) from None
    hashable_key: Hashable = key
    return hashable_key


def merged_pairs(node: MappingNode) -> list[tuple[Node, Node]]:
    """Return the pairs that merge keys (`<<`) add to a mapping; later pairs override earlier ones.

    Raises:
        ConstructorError: a merged value is not a mapping.
    """
    pairs: list[tuple[Node, Node]] = []
    for key_node, value_node in node.value:
        if not is_merge(key_node):
            continue
        sources = value_node.value if isinstance(value_node, SequenceNode) else [value_node]
        for source in reversed(sources):
            if not isinstance(source, MappingNode):
                msg = "only a mapping, or a list of mappings, can be merged with <<"
                raise ConstructorError(None, None, msg, value_node.start_mark)
            pairs += merged_pairs(source)
            pairs += [pair for pair in source.value if not is_merge(pair[0])]
    return pairs


def _text(loader: Loader, node: ScalarNode) -> str:
    return str(loader.construct_scalar(node))


def _reader(read: Callable[[str], Any]) -> Callable[[Loader, ScalarNode], Any]:
    """Return a constructor that reports the place of a scalar that does not fit its form or tag."""

    def construct(loader: Loader, node: ScalarNode) -> Any:
        text = _text(loader, node)
        try:
            return read(text)
        except ValueError as error:
            raise ConstructorError(None, None, str(error), node.start_mark) from None

    return construct


Loader.add_constructor(f"{_PREFIX}timestamp", _text)
Loader.add_constructor(f"{_PREFIX}python/unicode", _text)
Loader.add_constructor(f"{_PREFIX}bool", _reader(boolean))
Loader.add_constructor(f"{_PREFIX}int", _reader(integer))
Loader.add_constructor(f"{_PREFIX}float", _reader(floating))
