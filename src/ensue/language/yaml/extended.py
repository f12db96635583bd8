"""YAML with `!aggregate` and `!reset`, through libyaml."""

# pyright: basic
# PyYAML's loaders carry no types; what they build is data of any kind.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from ensue.language.aggregation import aggregate, aggregated
from ensue.language.yaml.full import Loader, expect_mapping, hashable, is_merge, merged_pairs

if TYPE_CHECKING:
    from collections.abc import Hashable

    from yaml.nodes import Node

_AGGREGATE: Final = "!aggregate"
_RESET: Final = "!reset"


class _ExtendedLoader(Loader):
    """Salt's reading of YAML, with marks, and with keys that may occur several times."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build a mapping; the values of a repeated key are merged."""
        del deep  # values of a repeated key are merged, and must be complete for that
        expect_mapping(node)
        own = [pair for pair in node.value if not is_merge(pair[0])]
        mapping: dict[Hashable, Any] = {}
        for key_node, value_node in [*merged_pairs(node), *own]:
            forgets = key_node.tag == _RESET
            key = hashable(self.construct_object(_plain(self, key_node), deep=True), key_node)
            value = self.construct_object(value_node, deep=True)
            mapping[key] = aggregate(mapping[key], value) if key in mapping and not forgets else value
        return mapping


def load(text: str) -> Any:
    """Return the data of one document; a top-level mapping is marked, as in Salt.

    Raises:
        yaml.MarkedYAMLError: it is not YAML.
    """
    data = yaml.load(text, Loader=_ExtendedLoader)  # noqa: S506 -- a subclass of the safe loader
    return aggregated(data) if isinstance(data, dict) else data


def _plain(loader: _ExtendedLoader, node: Node) -> Node:
    """Return a node without its mark, with the tag that it would have had."""
    if node.tag not in (_AGGREGATE, _RESET):
        return node
    tag = loader.resolve(type(node), node.value, (True, False))
    if isinstance(node, ScalarNode):
        return ScalarNode(tag, node.value, node.start_mark, node.end_mark)
    made = MappingNode if isinstance(node, MappingNode) else SequenceNode
    return made(tag, node.value, node.start_mark, node.end_mark)


def _aggregated(loader: _ExtendedLoader, node: Node) -> Any:
    return aggregated(loader.construct_object(_plain(loader, node), deep=True))


def _unmarked(loader: _ExtendedLoader, node: Node) -> Any:
    return loader.construct_object(_plain(loader, node), deep=True)


_ExtendedLoader.add_constructor(_AGGREGATE, _aggregated)
_ExtendedLoader.add_constructor(_RESET, _unmarked)
