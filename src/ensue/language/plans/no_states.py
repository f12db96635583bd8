"""A highstate without states: as in Salt, a failed state says why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.returns import Return
from ensue.language.plans.assigned_sls import NO_TOP_FILE
from ensue.language.plans.unassigned import NOTHING_ASSIGNED

if TYPE_CHECKING:
    from ensue.core.model.srn import Srn
    from ensue.engine.plans.first_plans import FirstPlans

_NO_STATES: Final = "no_|-states_|-states_|-None"


def why_no_states(first: FirstPlans) -> str:
    """Return why a highstate has no states; empty if that is not an error."""
    for diagnostic in first.warnings:
        if diagnostic.code in {NO_TOP_FILE, NOTHING_ASSIGNED}:
            # The warning itself follows, with its help; a line of the plan would cut that.
            return f"No states found for this minion: {diagnostic.summary}"
    return ""


def lacks_top_file(first: FirstPlans) -> bool:
    """Return whether a highstate has no top file."""
    return any(diagnostic.code == NO_TOP_FILE for diagnostic in first.warnings)


def no_states(minion: Srn, comment: str) -> dict[str, Return]:
    """Return the returns of a run that has no states, by tag.

    Args:
        minion: this machine.
        comment: why there are none.
    """
    only = Return(
        tag=_NO_STATES,
        id="states",
        name="No States",
        sls="",
        module="no",
        function="None",
        scope="",
        target=str(minion),
        result=False,
        changes={},
        comment=comment,
        ran=False,
    )
    return {_NO_STATES: only}
