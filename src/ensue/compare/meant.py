"""Differences that are intended: where ensue does not copy a fault of Salt's.

The tables hold the differences of docs/migrating-from-salt.md that a comparison can recognise: by the code of
a refusal, or by a function and what its plan says. Any other difference is reported as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.compare.sides import PlannedState

_NEVER_RUNS: Final = (
    "Salt runs the other states and fails this one when its turn comes; ensue refuses the run first"
)

OF_REFUSALS: Final[Mapping[str, str]] = {
    "E0202": "Salt takes the last of two equal keys in JSON; ensue refuses both, as Salt does in YAML",
    "E0206": "Salt renders nothing and says nothing; ensue refuses the file",
    "E0312": "Salt takes a default where the value of an option makes no sense; ensue refuses it",
    "E0401": _NEVER_RUNS,
    "E0402": _NEVER_RUNS,
    "E0403": _NEVER_RUNS,
    "E0503": "Salt takes no notice of a requisite of no known shape; ensue refuses it",
    "E0601": "Salt takes a broken top file for one that gives nothing; ensue says what is wrong with it",
    "E0602": "Salt takes a target that does not parse for one that does not match; ensue refuses it",
}
"""What ensue refuses and Salt does not: code to reason."""

_SAYS_CHANGES: Final = (
    "in a plan Salt says no changes; ensue says them, so that what reacts to them is planned too"
)
_KEEPS_FOLDERS: Final = "Salt removes, or says it removes, a folder that is to stay; ensue keeps it"

_CHANGES_HERE: Final[Mapping[str, str]] = {
    "file.cached": _SAYS_CHANGES,
    "file.decode": _SAYS_CHANGES,
    "ini.options_absent": _SAYS_CHANGES,
    "ini.options_present": _SAYS_CHANGES,
    "ini.sections_absent": _SAYS_CHANGES,
    "ini.sections_present": _SAYS_CHANGES,
}
"""Functions whose plan has changes here and none in Salt."""

_OTHERWISE: Final[Mapping[str, str]] = {
    "file.pruned": _KEEPS_FOLDERS,
    "file.tidied": _KEEPS_FOLDERS,
    "grains.present": "Salt remembers what a plan has said; ensue says of each state what it would do",
    "test.check_pillar": "Salt 3008 hides values of pillar from its own check; ensue checks them",
}
"""Functions that come to another result on purpose."""


def meant_in_plan(function: str, salt: PlannedState | None, ours: PlannedState | None) -> str:
    """Return why a state's plan is another one on purpose; empty where it is not."""
    if salt is None or ours is None:
        return ""
    if function in _CHANGES_HERE and ours.changes and not salt.changes:
        return _CHANGES_HERE[function]
    return _OTHERWISE.get(function, "")
