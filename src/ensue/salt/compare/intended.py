"""Intended differences: where ensue does not copy an error of Salt's.

The tables have those differences of docs/migrating-from-salt.md that a comparison can recognise: by the code
of a refusal, or by a function and the result of its plan. No other difference counts as intended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.salt.compare.sides import PlannedState

_ENCRYPTED: Final = "Salt uses the encrypted message itself as the value; ensue refuses it"
_NEVER_RUNS: Final = (
    "Salt runs the other states and fails this one when its turn comes; ensue refuses the run first"
)

OF_REFUSALS: Final[Mapping[str, str]] = {
    "E0202": "In JSON, Salt uses the last of two equal keys; ensue refuses them, as Salt does in YAML",
    "E0206": "Salt silently renders nothing; ensue refuses the file",
    "E0312": "Salt uses the default for an invalid value of an option; ensue refuses the value",
    "E0401": _NEVER_RUNS,
    "E0402": _NEVER_RUNS,
    "E0403": _NEVER_RUNS,
    "E0503": "Salt ignores a requisite of an unknown form; ensue refuses it",
    "E0601": "Salt treats a broken top file as an empty one; ensue reports the error",
    "E0602": "Salt treats a target that does not parse as one that matches nothing; ensue refuses it",
    "E0885": _ENCRYPTED,
    "E0886": _ENCRYPTED,
}
"""Reasons for what ensue refuses and Salt does not, by code."""

OF_LONGER_FUNCTIONS: Final = (
    "Salt drops what follows the second dot of a function's name; ensue looks for the whole name"
)
"""The reason for a state whose function has more than one dot, which has another tag in each program."""

_TOP_FILE_BROKEN: Final = "Unable to render top file"

_REPORTS_CHANGES: Final = (
    "Salt's plan leaves changes out; ensue's has them, so that states that react to them are planned, too"
)
_KEEPS_FOLDERS: Final = "Salt removes, or plans to remove, a folder that should stay; ensue keeps it"

_OPEN: Final = (
    "Salt plans each state as if the earlier ones changed nothing; ensue says what only an apply can know"
)

_CHANGES_HERE: Final[Mapping[str, str]] = {
    "file.cached": _REPORTS_CHANGES,
    "file.copy": _REPORTS_CHANGES,
    "file.decode": _REPORTS_CHANGES,
    "file.rename": _REPORTS_CHANGES,
    "ini.options_absent": _REPORTS_CHANGES,
    "ini.options_present": _REPORTS_CHANGES,
    "ini.sections_absent": _REPORTS_CHANGES,
    "ini.sections_present": _REPORTS_CHANGES,
}
"""Functions whose plan has changes in ensue and none in Salt."""

_OTHERWISE: Final[Mapping[str, str]] = {
    "file.pruned": _KEEPS_FOLDERS,
    "file.tidied": _KEEPS_FOLDERS,
    "grains.present": "Salt plans it as if earlier states had been applied; ensue plans each state by itself",
    "test.check_pillar": "Salt 3008 masks pillar values for its own check; ensue checks the values",
}
"""Functions whose result differs on purpose."""


def is_longer(function: str) -> bool:
    """Return whether a function's name has more than one dot."""
    return function.count(".") > 1


def shortened(function: str) -> str:
    """Return what Salt takes of a function's name: the words before its second dot."""
    return ".".join(function.split(".")[:2])


def meant_in_top_file(log: Iterable[str]) -> str:
    """Return why ensue refuses a tree whose top file Salt treats as empty; empty if Salt renders it.

    Args:
        log: the errors that Salt logged.
    """
    is_broken = any(message.startswith(_TOP_FILE_BROKEN) for message in log)
    return OF_REFUSALS["E0601"] if is_broken else ""


def meant_in_plan(function: str, salt: PlannedState | None, ours: PlannedState | None) -> str:
    """Return why a state's plan differs on purpose; empty if it does not."""
    if salt is None or ours is None:
        return ""
    if ours.is_open:
        return _OPEN
    if function in _CHANGES_HERE and ours.changes and not salt.changes:
        return _CHANGES_HERE[function]
    return _OTHERWISE.get(function, "")
