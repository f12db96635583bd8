"""Drift in the view of a plan: what an apply would correct, and what it leaves because no state manages it.

A state manages the properties that it would change. The signs of a drift are those of a diff: `-` is what is
there now, `+` what an apply makes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.returns import Return

_OF_CONTENT: Final = frozenset({"sha256", "size"})
"""Properties that every change of a file's content changes; its diff says more."""

_CONTENT: Final = frozenset({"diff", "newfile"})


def content_drift(returned: Return) -> Literal["", "changed", "removed"]:
    """Return what somebody did to content that an apply would restore; empty: nothing that is known.

    Its size and its hash say no more than this to a person, and the diff has the rest.
    """
    drift = cast("Mapping[str, Any]", returned.drift or {})
    if _CONTENT.isdisjoint(returned.changes):
        return ""
    differing = [drift[path] for path in _OF_CONTENT if path in drift]
    if not differing:
        return ""
    return "removed" if all(change["new"] is None for change in differing) else "changed"


def cause_of(returned: Return, masker: Masker) -> str:
    """Return who caused a drift: a state of the project, or somebody who is not known."""
    return masker.name(returned.drift_by) if returned.drift_by else "someone else"


def shown_drift(returned: Return) -> Mapping[str, Any]:
    """Return all drift, without what the diff of the content says better."""
    if not returned.drift or _CONTENT.isdisjoint(returned.changes):
        return returned.drift or {}
    return {path: change for path, change in returned.drift.items() if path not in _OF_CONTENT}


def managed_drift(returned: Return) -> Mapping[str, Any]:
    """Return the drift that an apply would correct, without what the diff of the content says better."""
    if not returned.changes or not returned.drift:
        return {}
    has_content = not _CONTENT.isdisjoint(returned.changes)
    rest = {
        path: change for path, change in returned.drift.items() if not (has_content and path in _OF_CONTENT)
    }
    if not has_content and not any(_is_changed(path, returned) for path in rest):
        # Its changes do not name the properties of its state, so that none can be told apart.
        return rest
    return {path: change for path, change in rest.items() if _is_changed(path, returned)}


def unmanaged_drift(returned: Return) -> Mapping[str, Any]:
    """Return the drift that an apply would leave as it is."""
    if not returned.drift or (returned.result is not True and not returned.changes):
        return {}
    managed = managed_drift(returned)
    has_content = not _CONTENT.isdisjoint(returned.changes)
    return {
        path: change
        for path, change in returned.drift.items()
        if path not in managed and not (has_content and path in _OF_CONTENT)
    }


def _is_changed(path: str, returned: Return) -> bool:
    return path.partition(":")[0] in returned.changes
