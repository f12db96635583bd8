"""What a state makes, in a form that is the same for every state about it.

Two states are about the same thing if the later one may undo what the earlier one made: `file.absent` and
`file.managed` of one path, `service.dead` and `service.running` of one service, two IDs with one name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import TOUCHES_NOTHING
from ensue.core.contracts.placed_things import PLACED_BY
from ensue.core.errors import EnsueError
from ensue.core.model.made_thing import MAKES_NOTHING, MadeByState, thing_at, thing_of_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ensue.core.model.returns import Return
    from ensue.language.functions.functions import Functions


class MadeThings:
    """The things that states make.

    Args:
        states_of: returns the state functions of a type of resource.
    """

    def __init__(self, states_of: Callable[[str], Functions]) -> None:
        self._states_of = states_of
        self._makes: dict[tuple[str, str, str], tuple[bool, bool]] = {}
        self._things: dict[tuple[str, str], Any] = {}
        self._removes: dict[tuple[str, str], Any] = {}
        self._absences: dict[tuple[str, str], Collection[str]] = {}

    def of(self, returned: Return) -> MadeByState:
        """Return what a state is about."""
        type_, module = returned.target.partition(":")[0], returned.module
        key = (type_, module, returned.function)
        if key not in self._makes:
            self._makes[key] = self._makes_things(*key)
        is_maker, may_move = self._makes[key]
        if not is_maker:
            return MAKES_NOTHING
        if (type_, module) not in self._things:
            states = self._states_of(type_)
            self._things[type_, module] = states.attribute(module, "THINGS")
            self._removes[type_, module] = states.attribute(module, "REMOVES")
            self._absences[type_, module] = states.absences(module)
        names = _names(self._things[type_, module], returned)
        return MadeByState(
            things=tuple(
                thing_at(thing_of_name(module, name), returned.placed) for name in names or (returned.name,)
            ),
            is_absence=returned.function in self._absences[type_, module],
            removed=tuple(
                thing_of_name(module, name) for name in _names(self._removes[type_, module], returned)
            ),
            may_move=may_move,
            may_be_several=self._things[type_, module] is not None,
        )

    def _makes_things(self, type_: str, module: str, function: str) -> tuple[bool, bool]:
        """Return whether a function makes things, and whether its arguments say where they are."""
        states = self._states_of(type_)
        if states.is_query(module, function):
            return False, False
        try:
            function_ = states.find(module, function)
        except EnsueError:
            return False, False
        is_maker = function_ is not None and not getattr(function_, TOUCHES_NOTHING, False)
        return is_maker, bool(getattr(function_, PLACED_BY, ()))


def _names(names_of: Any, returned: Return) -> tuple[str, ...]:
    """Return the names that a module gives to what a state makes or removes; none if it gives none."""
    if names_of is None:
        return ()
    try:
        return tuple(map(str, names_of(returned)))
    except Exception:  # noqa: BLE001 -- the module may be a project's own
        return ()
