"""Drift in the view of a plan: what an apply would correct, and what it leaves because no state manages it.

A state manages the properties that it would change. The signs of a drift are those of a diff: `-` is what is
there now, `+` what an apply makes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.returns import Return

_OF_CONTENT: Final = frozenset({"sha256", "size"})
"""Properties that every change of a file's content changes; its diff says more."""

_CONTENT: Final = frozenset({"diff", "newfile"})

_EXISTS: Final = "exists"


def content_drift(returned: Return) -> Literal["", "changed", "removed"]:
    """Return what somebody did to a thing or its content that an apply would restore; empty if nothing.

    Its size and its hash say no more than this to a person, and the diff has the rest.
    """
    drift = cast("Mapping[str, Any]", returned.drift or {})
    if _EXISTS in drift and returned.changes:
        return "removed"
    return "" if _CONTENT.isdisjoint(returned.changes) or _OF_CONTENT.isdisjoint(drift) else "changed"


def cause_of(returned: Return, masker: Masker) -> str:
    """Return who caused a drift: a state of the project, or somebody who is not known."""
    return masker.name(returned.drift_by) if returned.drift_by else "someone else"


def shown_drift(returned: Return) -> Mapping[str, Any]:
    """Return all drift, without what `content_drift` says better."""
    hidden: Collection[str] = () if _CONTENT.isdisjoint(returned.changes) else _OF_CONTENT
    if returned.changes:
        hidden = {*hidden, _EXISTS}
    return {path: change for path, change in (returned.drift or {}).items() if path not in hidden}


def managed_drift(returned: Return) -> Mapping[str, Any]:
    """Return the drift that an apply would correct, without what `content_drift` says better."""
    if not returned.changes or not returned.drift:
        return {}
    rest = shown_drift(returned)
    if _CONTENT.isdisjoint(returned.changes) and not any(_is_changed(path, returned) for path in rest):
        # Its changes do not name the properties of its state, so that none can be told apart.
        return rest
    return {path: change for path, change in rest.items() if _is_changed(path, returned)}


def unmanaged_drift(returned: Return) -> Mapping[str, Any]:
    """Return the drift that an apply would leave as it is."""
    if not returned.drift or (returned.result is not True and not returned.changes):
        return {}
    managed = managed_drift(returned)
    return {path: change for path, change in shown_drift(returned).items() if path not in managed}


def _is_changed(path: str, returned: Return) -> bool:
    return path.partition(":")[0] in returned.changes
