"""`test.present`: an imaginary object that the SLS describes.

It imitates a resource that is created and returns its properties, to try out bindings, delayed blocks and
derived resources.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import touches_nothing
from ensue.core.errors import StateFailedError
from ensue.core.model.declared_secrets import as_path
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data


@touches_nothing
def present(
    ctx: StateContext,
    name: str,
    *,
    new_state: Data = None,
    result: bool | None = True,
    changes: Any = None,
    comment: Any = "",
    sensitive: Any = None,
) -> StateReturn:
    """Return the given result, changes, comment and `new_state`.

    Args:
        new_state: the description of the object; any data.
        result: the result.
        changes: the changes. In a plan, they make the result None and `new_state` unknown.
        sensitive: property paths into `new_state` whose values are secrets.

    Example:
        address:
          test.present:
            - new_state: {ip: 10.0.0.5}

    Returns:
        The requested return, in a plan too if there are no changes.

    Raises:
        StateFailedError: `changes` is not a mapping, or `sensitive` not a list of paths.
    """
    if changes is not None and not isinstance(changes, dict):
        raise StateFailedError(f"`changes` of test.present is a mapping, not {changes!r}")
    comment = "" if comment is None else str(comment)  # YAML may have read a word as another type.
    if ctx.test and changes:
        return StateReturn.planned(name, comment, changes)  # pyright: ignore[reportUnknownArgumentType] # a user's mapping
    if sensitive is not None:
        return StateReturn(name, result, changes or {}, comment, new_state, sensitive=_paths(sensitive))  # pyright: ignore[reportUnknownArgumentType] # a user's mapping
    return StateReturn(name, result, changes or {}, comment, new_state)  # pyright: ignore[reportUnknownArgumentType] # a user's mapping


def _paths(sensitive: Any) -> tuple[str, ...]:
    paths: Any = [sensitive] if isinstance(sensitive, str) else sensitive
    if not isinstance(paths, (list, tuple)):
        raise StateFailedError(
            f"`sensitive` of test.present lists property paths into new_state, not {sensitive!r}"
        )
    return tuple(map(as_path, paths))  # pyright: ignore[reportUnknownArgumentType] # a user's list


def secrets_of(function: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the property paths that a declaration of this module says are secret."""
    if function != "present" or arguments.get("sensitive") is None:
        return ()
    with suppress(StateFailedError):  # The call says so.
        return _paths(arguments["sensitive"])
    return ()
