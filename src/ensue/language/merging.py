"""Merges mappings: decides the value of a key that two pillar files set.

Source: Salt's `pillar_source_merging_strategy` and `pillar_merge_lists`, 3008.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.language.aggregation import aggregate_mappings

if TYPE_CHECKING:
    from collections.abc import Mapping

Strategy = Literal["smart", "recurse", "aggregate", "overwrite", "list", "none"]
STRATEGIES: Final = get_args(Strategy)


class Merging(msgspec.Struct, frozen=True, kw_only=True):
    """How mappings are merged.

    Args:
        strategy: `recurse`: mappings key by key, otherwise the later value; `smart`: as `recurse`, or
            `aggregate` if `yamlex` is the project's renderer; `aggregate`: values marked with `!aggregate`
            are joined; `overwrite`: the later value of each top-level key; `list`: a list of both values;
            `none`: as `recurse`, with the files of a single environment.
        lists: whether lists are joined where mappings are merged key by key, without repeating items.
        renderer: the project's renderer.
    """

    strategy: Strategy = "smart"
    lists: bool = False
    renderer: str = ""

    @property
    def aggregates(self) -> bool:
        """Whether values that are marked with `!aggregate` are joined."""
        is_yamlex = self.renderer.split("|")[-1].strip().startswith("yamlex")
        return self.strategy == "aggregate" or (self.strategy == "smart" and is_yamlex)

    def into(self, target: dict[str, Any], addition: Mapping[str, Any]) -> None:
        """Merge a mapping into another mapping, in place."""
        match self.strategy:
            case "overwrite":
                target.update(copy.deepcopy(dict(addition)))
            case _ if self.aggregates:
                _replace(target, aggregate_mappings(target, addition))
            case "list":
                for key, value in addition.items():
                    target[key] = [target[key], value] if key in target else value
            case _:
                merge_into(target, addition, merge_lists=self.lists)


def _replace(target: dict[str, Any], whole: dict[str, Any]) -> None:
    target.clear()
    target.update(whole)


def merge(
    base: Mapping[str, Any], addition: Mapping[str, Any], *, merge_lists: bool = False
) -> dict[str, Any]:
    """Return two mappings merged key by key; neither is changed."""
    merged = {key: _copied(value) for key, value in base.items()}
    merge_into(merged, addition, merge_lists=merge_lists)
    return merged


def _copied(value: Any) -> Any:
    """Return a deep copy; several times as fast as `copy.deepcopy` for what pillar consists of."""
    if isinstance(value, str):
        return value
    if value.__class__ is dict:
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if value.__class__ is list else copy.deepcopy(value)


def merge_into(target: dict[str, Any], addition: Mapping[str, Any], *, merge_lists: bool = False) -> None:
    """Merge a mapping into another mapping, in place."""
    for key, value in addition.items():
        old = target.get(key)
        if is_mapping(old) and is_mapping(value):
            merge_into(old, value, merge_lists=merge_lists)
        elif merge_lists and is_list(old) and is_list(value):
            target[key] = old + [item for item in value if item not in old]
        else:
            target[key] = _copied(value)


__all__ = ["STRATEGIES", "Merging", "Strategy", "merge", "merge_into"]
