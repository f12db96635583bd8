"""Warnings about keys in the containers of a Score file that nothing reads, most of them misspelt.

They are warnings, because a driver of a definition may read further keys.

Source: the Score specification, score.dev/v1b1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.near_names import near_question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.deploy.provisioning.written import TextPlace
    from ensue.language.collector import Collector

_CODE: Final = "E0867"
_CONTAINER: Final = (
    "image", "command", "args", "variables", "files", "volumes", "resources", "livenessProbe",
    "readinessProbe", "before",
)  # fmt: skip
_ITEMS: Final = {
    "files": ("target", "mode", "noExpand", "content", "binaryContent", "source"),
    "volumes": ("target", "source", "path", "readOnly", "id", "sub_path", "read_only"),
}
_RESOURCES: Final = ("limits", "requests")


def warn_of_unknown_keys(
    name: str, container: Mapping[str, Any], place: TextPlace, collector: Collector
) -> None:
    """Warn of keys of a container, of its files, volumes and resources, that are not known.

    Args:
        name: of the container.
        container: the container as written.
        place: its place.
        collector: receives the warnings.
    """
    what = f"the container {name!r}"
    _warn(container, what, place, _CONTAINER, collector, more=_of_outputs())
    for key, keys in _ITEMS.items():
        for item_name, item in _items(container.get(key)):
            if is_mapping(item):
                item_place = place.below(key, item_name)
                _warn(item, f"{item_name!r} in {key!r} of {what}", item_place, keys, collector)
    resources = container.get("resources")
    if is_mapping(resources):
        _warn(resources, f"'resources' of {what}", place.below("resources"), _RESOURCES, collector)


def _of_outputs() -> frozenset[str]:
    from ensue.workload_output import CONTAINER_KEYS

    return CONTAINER_KEYS


def _items(value: Any) -> Iterator[tuple[str | int, Any]]:
    if is_mapping(value):
        yield from value.items()
    elif is_list(value):
        yield from enumerate(value)


def _warn(
    mapping: Mapping[str, Any],
    what: str,
    place: TextPlace,
    keys: Sequence[str],
    collector: Collector,
    *,
    more: frozenset[str] = frozenset(),
) -> None:
    for key in mapping:
        if key not in keys and key not in more:
            collector.warning(
                _CODE,
                f"{what} has no key {str(key)!r}",
                place.below(str(key)).span(),
                detail="nothing reads it, unless a driver does",
                help=near_question(str(key), keys) or f"it has {', '.join(keys)}",
            )
