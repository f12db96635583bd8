"""Empty mappings in the pillar of a command line: merged with one that has keys, they change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.language.collector import Collector


def warn_of_empty_mappings(
    pillar: Mapping[str, Any], override: Mapping[str, Any], collector: Collector
) -> None:
    """Warn of each empty mapping that was probably meant to replace one that has keys.

    Args:
        pillar: what the files of a target say.
        override: the pillar of the command line.
        collector: receives the warnings.
    """
    for place in _without_effect(pillar, override):
        key = ":".join(map(str, place))
        collector.warning(
            "E0915",
            f"the command line gives {{}} for the pillar key {key!r}, which changes nothing",
            None,
            detail="pillar has keys there; mappings are merged, and an empty one adds none",
            help=f"--pillar {key}=null is a value without keys; --pillar {key}:KEY=null replaces one of them",
        )


def _without_effect(
    pillar: Mapping[str, Any], override: Mapping[str, Any], place: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    for key, value in override.items():
        present = pillar.get(key)
        if is_mapping(value) and is_mapping(present) and present:
            if value:
                yield from _without_effect(present, value, (*place, key))
            else:
                yield (*place, key)
