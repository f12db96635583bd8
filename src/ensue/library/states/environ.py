"""State module `environ`: variables of ensue's process, which commands on the managing minion inherit.

On other targets the state fails, and names an alternative.

Notes:
    `environ.setenv` works on the managing minion only.

Differences from Salt:
    In a plan the result is None, where Salt has True.

Source: Salt's state module `environ`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

MANAGING_MINION_ONLY: Final = True
"""The functions change the process of ensue itself, so other targets do not have them."""


async def setenv(
    ctx: StateContext,
    name: str,
    value: Any,
    *,
    false_unsets: bool = False,
    clear_all: bool = False,
    update_minion: bool = False,
    permanent: bool = False,
) -> StateReturn:
    """Set environment variables for the rest of this run.

    Args:
        name: the variable, or any name if `value` is a mapping.
        value: its value, or a mapping of variables to values; False sets an empty text.
        false_unsets: let False remove the variable instead.
        clear_all: set all other variables to an empty text, or with `false_unsets` remove them.
        update_minion: accepted, as in Salt, without effect.
        permanent: refused (Windows only).

    Example:
        http_proxy:
          environ.setenv:
            - value: http://proxy.example.com:3128

    Returns:
        `changes` has the new values by variable, None for a removed one.

    Raises:
        StateFailedError: a value is not text, or the target is not the managing minion.
    """
    if ctx.srn.type != "minion":
        raise StateFailedError(
            f"environ.setenv sets variables of ensue's process, which {ctx.srn} does not inherit; "
            "give `env` to cmd.run, or write /etc/environment there"
        )
    if permanent:
        raise StateFailedError("permanent: only Windows has permanent variables")
    values = _wanted(name, value)
    now: dict[str, str] = await ctx.call("environ.items")
    if clear_all:
        values = {**{key: False for key in now if key not in values}, **values}
    new_state: DataMap = {
        key: None if each is False and false_unsets else "" if each is False else each
        for key, each in values.items()
    }
    changes: DataMap = {key: each for key, each in new_state.items() if now.get(key) != each}
    if not changes:
        comment = "Environ values are already set with the correct values"
        return StateReturn.unchanged(name, comment, new_state)
    if ctx.test:
        return StateReturn.planned(name, "Environ values will be changed", changes)
    await ctx.call("environ.setenv", {key: values[key] for key in changes}, false_unsets=false_unsets)
    return StateReturn.changed(
        name,
        "Environ values were set",
        changes,
        new_state,
        old_state={key: now.get(key) for key in new_state},
    )


def _wanted(name: str, value: Any) -> dict[str, str | bool]:
    given: dict[str, Any] = value if is_mapping(value) else {name: value}
    for key, each in given.items():
        if each is not False and not isinstance(each, str):
            shown = f" (it is {each!r} for {key}; write it in quotes)"
            raise StateFailedError(f"Environ value must be string, dict or False{shown}")
    return given


FUNCTIONS: Final = by_name(setenv, make_only=())

TRANSIENT: Final = frozenset({"setenv"})
"""Functions whose effect is lost when the process ends."""
