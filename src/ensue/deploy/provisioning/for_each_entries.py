"""Read an entry of `provision` with `for_each`: its id has placeholders, its value is a list or mapping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.provisioning.for_each import ForEach
from ensue.deploy.provisioning.identity import Descriptor, parse_descriptor
from ensue.deploy.provisioning.placeholder_values import DEFINITION, ENTRY_ID, EachItem
from ensue.deploy.provisioning.placeholders import Placeholder, PlaceholderText, parse_text
from ensue.deploy.provisioning.written import read_written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.deploy.provisioning.shapes import Shape
    from ensue.deploy.provisioning.written import TextPlace


def read_for_each(
    key: str, given: Any, place: TextPlace, shape: Shape
) -> tuple[Descriptor | None, ForEach | None]:
    """Return the type and class of an entry's resources, and their list.

    Args:
        key: the entry's key as written.
        given: its `for_each`.
        place: the place of the entry.
        shape: receives the errors.

    Returns:
        None for both if the entry is malformed.
    """
    inside = place.below("for_each")
    value = read_written(given, DEFINITION, inside, shape.collector)
    if not (is_list(given) or is_mapping(given) or _is_placeholder(value.data)):
        help_ = "write a list, a mapping, or one placeholder: ${resources.TYPE.outputs.NAME}"
        shape.wrong(f"'for_each' of {key!r} is neither a list nor a mapping", inside, help_)
    for selector_place in value.mentions.selections.values():
        shape.wrong("'for_each' cannot use a selector", selector_place, "name the resource that has the list")
    head, _, written = key.partition("#")
    target = parse_descriptor(head)
    if target is None:
        shape.wrong(
            f"{key!r} is not a resource to provision",
            place,
            "write TYPE[.CLASS]#ID; only the ID may have placeholders",
        )
        return None, None
    id_, faults = parse_text(written, ENTRY_ID)
    for fault in faults:
        reason = (
            "its first word is neither each nor context" if fault.refusal is None else fault.refusal.reason
        )
        shape.wrong(f"the placeholder {fault.text} in {key!r} cannot be read: {reason}", place)
    if faults:
        return None, None
    if not isinstance(id_, PlaceholderText) or not any(_item_parts(id_)):
        shape.wrong(
            f"the id in {key!r} is the same for all items of 'for_each'",
            place,
            f"write {head}#${{each.key}}, or an id that contains ${{each.key}}",
        )
        return None, None
    return target, ForEach(entry=key, value=value, id=id_)


def _is_placeholder(data: Any) -> bool:
    return isinstance(data, PlaceholderText) and data.whole is not None


def _item_parts(id_: PlaceholderText) -> Iterator[Placeholder]:
    for part in id_.parts:
        if isinstance(part, Placeholder) and isinstance(part.meaning, EachItem):
            yield part
