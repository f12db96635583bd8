"""Pillar of a command line that does not do what it looks like, judged by the pillar of the files.

An empty mapping changes nothing where pillar has keys, since mappings are merged. A key with a dot in it is a
key of its own: `collector.interval` is not `interval` below `collector`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.language.collector import Collector


def warn_of_command_line(
    pillar: Mapping[str, Any], override: Mapping[str, Any], collector: Collector
) -> None:
    """Warn of what was probably meant to replace a value of pillar and does not.

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
    for key in map(str, override):
        if key not in pillar and (path := _dotted_path(pillar, key)):
            collector.warning(
                "E0895",
                f"the command line gives the pillar key {key!r}, which is not {path}",
                None,
                detail="a dot is a character of a key; the colon goes below a mapping",
                help=f"did you mean {path}?",
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


def _dotted_path(pillar: Mapping[str, Any], key: str) -> str:
    """Return a key's path with colons if pillar has it, each dot going below a mapping; else nothing."""
    value: Any = pillar
    names = key.split(".")
    for name in names:
        if not is_mapping(value) or name not in value:
            return ""
        value = value[name]
    return ":".join(names) if len(names) > 1 else ""
