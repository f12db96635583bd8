"""Pillar keys to which two environments give different values, where nobody has chosen between the two.

Without `pillarenv`, all environments are merged, as in Salt. `base` comes first, and others override it;
`env_order` is an order. Otherwise the order is that of the names, which says nothing of what is meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument

_MOST_NAMED: Final = 5
_BASE: Final = "base"


class EnvironmentConflicts:
    """Follows the files of one target's pillar, in the order in which they are merged.

    Args:
        documents: the documents that are read; it grows.
        joins_lists: whether lists are joined where mappings are merged.
    """

    def __init__(self, documents: Sequence[YamlDocument], *, joins_lists: bool) -> None:
        self._documents = documents
        self._joins_lists = joins_lists
        self._parts: list[tuple[str, Mapping[str, Any], Sequence[YamlDocument]]] = []
        self._seen = 0

    def add(self, saltenv: str, data: Mapping[str, Any]) -> None:
        """Note what a file with its includes says; its documents are those read since the last one."""
        documents, self._seen = self._documents[self._seen :], len(self._documents)
        if saltenv != _BASE and data:
            self._parts.append((saltenv, data, documents))

    def warn(self, collector: Collector) -> None:
        """Warn of the first keys that two environments set to different values."""
        reported: dict[tuple[str, ...], None] = {}
        for number, (later, data, documents) in enumerate(self._parts):
            for earlier, before, others in self._parts[:number]:
                if earlier == later:
                    continue
                for path in self._differing(before, data):
                    if path not in reported and len(reported) < _MOST_NAMED:
                        reported[path] = None
                        places = (_place(others, path), _place(documents, path))
                        _warn(collector, ":".join(map(str, path)), (earlier, later), places)

    def _differing(
        self, before: Mapping[str, Any], data: Mapping[str, Any], above: tuple[str, ...] = ()
    ) -> Iterator[tuple[str, ...]]:
        for key, value in data.items():
            if key not in before or (other := before[key]) == value:
                continue
            if is_mapping(value) and is_mapping(other):
                yield from self._differing(other, value, (*above, key))
            elif not (self._joins_lists and is_list(value) and is_list(other)):
                yield (*above, key)


def _place(documents: Sequence[YamlDocument], path: Sequence[str]) -> Span:
    """Return the place of a value; if an include moves it below a key, a place in the file that includes."""
    places = (document.find(path) for document in reversed(documents))
    return next(filter(None, places), None) or documents[0].locate(path)


def _warn(collector: Collector, key: str, environments: tuple[str, str], places: tuple[Span, Span]) -> None:
    earlier, later = environments
    of_earlier, of_later = places
    collector.warning(
        "E0913",
        f"the environments {earlier} and {later} of pillar give different values to {key!r}",
        of_later,
        detail=f"all environments are merged, and this value replaces that of {earlier} ({of_earlier})",
        help="choose one with --pillarenv or `pillarenv` in ensue.yaml, or give their order with `env_order`",
    )
