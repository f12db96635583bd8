"""The returns of a run of ensue as Salt's `state.apply` returns them: one mapping, without nesting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping
from ensue.output.presentable import returns_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.core.masking import Masker
    from ensue.core.model.report import RunReport

_GROWN: Final = ("delayed", "applied")
_SEPARATOR: Final = "_|-"


def salt_returns(report: RunReport, masker: Masker) -> dict[str, dict[str, Any]]:
    """Return the returns of a run by tag; the IDs of states that others caused have the path of their scope.

    Args:
        report: the run.
        masker: its secrets.
    """
    return dict(_flat(returns_data(report.returns, masker)))


def _flat(returns: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for tag, shown in returns:
        scopes = [scope for key in _GROWN for scope in shown.pop(key, ())]
        shown.pop("old_state", None)
        if not is_mapping(shown["changes"]):
            shown["changes"] = {"changed": shown["changes"]}
        yield _unique(tag, shown["__scope__"]), shown
        for scope in scopes:
            yield from _flat(scope["returns"].items())


def _unique(tag: str, scope: str) -> str:
    if not scope:
        return tag
    module, id_, rest = tag.split(_SEPARATOR, 2)
    return _SEPARATOR.join((module, f"{scope}/{id_}", rest))
