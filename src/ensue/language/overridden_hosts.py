"""Values of pillar for one machine that a target below its own in the top file overrides.

Later targets win, as in Salt, however many machines they match. Who knows groups and hosts from elsewhere
expects the host to win.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.language.collector import Collector
    from ensue.language.merging import Merging
    from ensue.language.top import TopMatch

_MOST_NAMED: Final = 5
_MISSING: Final = object()


def warn_of_overridden_hosts(
    parts: Sequence[tuple[TopMatch, Mapping[str, Any]]], merging: Merging, collector: Collector
) -> None:
    """Warn of each file that only a target with the name of the machine assigns, and that loses values.

    Args:
        parts: the files in the order in which they are merged, with their data.
        merging: how; where it joins values, none is lost.
        collector: collects the warnings.
    """
    if merging.strategy == "list" or merging.aggregates:
        return
    for index, (match, data) in enumerate(parts):
        if not match.names_subject:
            continue
        # The order of environments has another reason than the order of targets.
        later = [part for part in parts[index:] if part[0].saltenv == match.saltenv]
        merged, own = dict[str, Any](), dict[str, Any]()
        for other, addition in later:
            merging.into(merged, addition)
            if other.names_subject:
                merging.into(own, addition)
        lost = [
            ":".join(map(str, path))
            for path, value in _values(data)
            if _at(own, path) == value and not _holds(_at(merged, path), value)
        ]
        if lost:
            more = f" and {len(lost) - _MOST_NAMED} more" if len(lost) > _MOST_NAMED else ""
            collector.warning(
                "E0729",
                f"targets below this one override values of {match.name!r}: "
                f"{', '.join(lost[:_MOST_NAMED])}{more}",
                match.span,
                detail="the later target of a top file wins, also over the pillar of a single machine",
                help="move the target of the machine below the others that match it",
            )


def _values(data: Mapping[str, Any], above: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every value that is no mapping with entries, after its path."""
    for key, value in data.items():
        if is_mapping(value) and value:
            yield from _values(value, (*above, key))
        else:
            yield (*above, key), value


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        if not is_mapping(data) or key not in data:
            return _MISSING
        data = data[key]
    return data


def _holds(merged: Any, value: Any) -> bool:
    """Return whether a merged value is the same, or a list with the same items."""
    if is_list(merged) and is_list(value):
        return all(item in merged for item in value)
    # An empty mapping is merged into another one.
    return merged == value or (is_mapping(merged) and is_mapping(value))
