"""The place of a placeholder whose value is missing, for errors; nothing here decides whether it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import EnsueError
from ensue.core.model.data import leaf_places
from ensue.deploy.provisioning.placeholder_values import ResourceReference
from ensue.deploy.provisioning.placeholders import Placeholder, PlaceholderText
from ensue.deploy.provisioning.written import TextPlace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.written import TemplatedData


def place_of_wrong(node: GraphNode, values: GraphValues) -> TextPlace | None:
    """Return the place of the first placeholder of a resource that has no value; None if there is none.

    Args:
        node: the resource.
        values: has the known outputs.
    """
    for written in (node.params, node.account, node.inputs.values, node.inputs.secrets):
        for placeholder in _wrong(written, node, values) if written is not None else ():
            if place := _place(written, placeholder):
                return place
    return None


def _wrong(written: TemplatedData, node: GraphNode, values: GraphValues) -> Iterator[Placeholder]:
    for _, leaf in leaf_places(written.data):
        for part in leaf.parts if isinstance(leaf, PlaceholderText) else ():
            if isinstance(part, Placeholder) and not _has_value(part, node, values):
                yield part


def _has_value(part: Placeholder, node: GraphNode, values: GraphValues) -> bool:
    try:
        values.part_of(node, PlaceholderText(part.text, (part,)))
    except EnsueError:
        return False
    return True


def _place(written: TemplatedData | None, placeholder: Placeholder) -> TextPlace | None:
    """Return where a placeholder is written: the file is that of the first one for the same resource."""
    meaning = placeholder.meaning
    if written is None or not isinstance(meaning, ResourceReference):
        return None
    for (target, _), place in written.mentions.references.items():
        if target == meaning.target:
            return TextPlace(place.document, place.keys[:1], placeholder.text)
    return None
