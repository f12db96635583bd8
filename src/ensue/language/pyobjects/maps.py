"""`Map`: a class whose attributes depend on grains.

Each inner class has the attributes for one value of a grain: by default of `os_family`, and the value is the
name of the class.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GRAIN: Final = "os_family"


def map_class(salt: Mapping[str, Any]) -> type:
    """Return the class `Map` of one rendering.

    Args:
        salt: the execution functions, which return grains and pillar.
    """

    class Map:
        """Values by grains; `merge` names pillar that overrides them, `priority` the order of grains."""

        def __init_subclass__(cls) -> None:
            for name, value in _values(cls, salt).items():
                setattr(cls, name, value)

    return Map


def _values(cls: type, salt: Mapping[str, Any]) -> dict[str, Any]:
    choices = [
        (getattr(inner, "__grain__", _GRAIN), getattr(inner, "__match__", name), inner)
        for name, inner in vars(cls).items()
        if inspect.isclass(inner) and not name.startswith("_")
    ]
    values: dict[str, Any] = {}
    if choices:
        grains: Mapping[str, Any] = salt["grains.item"](*sorted({grain for grain, _, _ in choices}))
        for grain, expected, inner in _by_priority(choices, getattr(cls, "priority", ())):
            if grain in grains and grains[grain] == expected:
                values.update((name, value) for name, value in vars(inner).items() if name[0] != "_")
    if merged := getattr(cls, "merge", ""):
        values.update(salt["pillar.get"](merged) or {})
    return values


def _by_priority(
    choices: list[tuple[str, Any, type]], priority: Sequence[str]
) -> list[tuple[str, Any, type]]:
    """Return choices with the named grains first, in the order of these names."""
    named = list(priority) if not isinstance(priority, str) else [priority]
    return sorted(choices, key=lambda choice: named.index(choice[0]) if choice[0] in named else len(named))
