"""What a plan knows of resources that it cannot plan on: who registers them, and which SLS they would get.

The states of these SLS are known after an apply, so they count as the states of resources that will join, or
that are registered and may not run yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.first_names import first_names
from ensue.output.colours import on_one_line
from ensue.output.failures import every_return
from ensue.output.presentable import foreseen_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.returns import Return

_KNOWN_LATER: Final = "its states are known after apply"
_MOST_NAMED: Final = 5
_DECIDED_LATER: Final = "what its grains or pillar decide"


class JoiningCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The resources that an apply would add to a run.

    Args:
        joining: how many new ones would get states whose SLS the plan names.
        known: how many that are registered already would get such states.
        registered: how many others would be registered.
        undecided: how many that are registered may be orphaned.
    """

    joining: int = 0
    known: int = 0
    registered: int = 0
    undecided: int = 0

    def parts(self) -> Iterator[str]:
        """Yield the counts for the line of outcomes."""
        if self.registered:
            yield f"{_resources(self.registered)} will be registered"
        if self.joining:
            whose = "its" if self.joining == 1 else "their"
            yield f"{_resources(self.joining)} will join, {whose} states are known after apply"
        if self.known:
            are, whose = ("is", "its") if self.known == 1 else ("are", "their")
            yield f"{_resources(self.known)} {are} registered, {whose} states are known after apply"
        if self.undecided:
            yield f"{_resources(self.undecided)} may be orphaned"


def joining_of(returns: Iterable[Return]) -> JoiningCounts:
    """Count the resources that the states of a plan would register or configure, each once."""
    registered: set[str] = set()
    applied: dict[str, bool] = {}
    undecided: set[str] = set()
    for foreseen in (returned.foreseen for returned in every_return(returns) if returned.foreseen):
        registered.update(foreseen.get("registers", ()))
        applied.update((each["target"], "registered" in each) for each in foreseen.get("applies", ()))
        undecided.update(each["target"] for each in foreseen.get("undecided", ()))
    return JoiningCounts(
        joining=sum(not is_registered for is_registered in applied.values()),
        known=sum(applied.values()),
        registered=len(registered - applied.keys()),
        undecided=len(undecided - registered - applied.keys()),
    )


def only_applies(returned: Return) -> bool:
    """Return whether a state would do nothing but apply SLS to a resource that does not exist yet."""
    foreseen = returned.foreseen or {}
    return "applies" in foreseen and "registers" not in foreseen and not returned.changes


def foreseen_lines(returned: Return, masker: Masker) -> Iterator[str]:
    """Yield a line per resource that a state would register or that would get SLS, and per `check_cmd`."""
    shown = foreseen_data(returned, masker)
    for srn in shown.get("registers", ()):
        yield on_one_line(f"registers {srn}")
    for apply in shown.get("applies", ()):
        yield on_one_line(f"applies {_what(apply)} to {apply['target']} ({_KNOWN_LATER})")
    for command in shown.get("checks", ()):
        yield on_one_line(f"checked by `{command}` in the apply")
    yield from map(on_one_line, _undecided_lines(shown.get("undecided", ())))


def _undecided_lines(undecided: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a line for resources that get the same SLS if they stay registered."""
    by_sls: dict[str, list[str]] = {}
    for each in undecided:
        what = _what(each) if each["sls"] or not each["complete"] else ""
        by_sls.setdefault(what, []).append(each["target"])
    for what, targets in by_sls.items():
        named = first_names(targets, _MOST_NAMED)
        if len(targets) == 1:
            stays, those = "stays registered or is orphaned", "it if it stays"
        else:
            stays, those = "stay registered or are orphaned", "those that stay"
        applies = f"; applies {what} to {those}" if what else ""
        yield f"{named} {stays} (known after apply){applies}"


def _what(applies: Mapping[str, Any]) -> str:
    names = ", ".join(applies["sls"])
    if applies["complete"]:
        return names
    return f"{names} and {_DECIDED_LATER}" if names else _DECIDED_LATER


def _resources(count: int) -> str:
    return "1 resource" if count == 1 else f"{count} resources"
