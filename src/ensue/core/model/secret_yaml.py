"""Marks the secrets in YAML that a serializer has written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_mapping
from ensue.core.model.secret_marks import Secret, SecretSerialized, holds_secret

if TYPE_CHECKING:
    from collections.abc import Iterator


def marked_yaml(text: str, data: Any) -> str:
    """Return the YAML of some data, with the values that are marked in the data marked in the text.

    Args:
        text: the YAML, without aliases; its structure is the serializer's.
        data: the data.
    """
    if not holds_secret(data):
        return text
    import yaml

    try:
        nodes = list(_secret_nodes(data, yaml.compose(str(text), Loader=yaml.CSafeLoader)))
    except (yaml.YAMLError, LookupError, ValueError):
        return SecretSerialized(text)
    return SecretSerialized(text, tuple(sorted(_inside(node, text) for node in nodes)))


def _inside(node: Any, text: str) -> tuple[int, int]:
    """Return where the content of a scalar is: without quotes, and without the first line of a block."""
    start, end = node.start_mark.index, min(node.end_mark.index, len(text))
    if node.style in ("'", '"'):
        return start + 1, end - 1
    if node.style in ("|", ">"):
        start = text.index("\n", start)
        start += len(text[start:end]) - len(text[start:end].lstrip())
    return start, end


def _secret_nodes(data: Any, node: Any) -> Iterator[Any]:
    """Yield the nodes of the marked values; a `LookupError` if YAML writes a key otherwise."""
    if isinstance(data, Secret):
        yield node
    elif is_mapping(data):
        known = {str(key): key for key in data}
        for key_node, value_node in node.value:
            key = known[key_node.value]
            yield from _secret_nodes(key, key_node)
            yield from _secret_nodes(data[key], value_node)
    elif isinstance(data, (list, tuple)):
        for datum, item in zip(data, node.value, strict=True):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # of anything
            yield from _secret_nodes(datum, item)
