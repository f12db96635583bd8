"""`test.configurable_test_state`: returns the result, changes, comment and warnings that the SLS requests.

Source: Salt's state module `test`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import touches_nothing
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.test.pretended import pretended_changes

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_RANDOM: Final = "random"


@touches_nothing
def configurable_test_state(
    ctx: StateContext,
    name: str,
    *,
    changes: Data = True,
    result: Data = True,
    comment: str = "",
    warnings: str | list[str] | None = None,
    allow_test_mode_failure: bool = True,
) -> StateReturn:
    """Return the requested result, changes, comment and warnings.

    Args:
        changes: whether there are changes: true, false, or `Random`.
        result: the result: true, false, or `Random`.
        warnings: a warning, or several.
        allow_test_mode_failure: whether `result: false` fails a plan, too, as it fails the apply. In Salt, it
            does so only if that is true.

    Example:
        maybe:
          test.configurable_test_state:
            - changes: true
            - result: true
            - comment: done

    Raises:
        StateFailedError: an argument has another value.
    """
    has_changes = _decided("changes", changes)
    succeeds = _decided("result", result)
    given: DataMap = pretended_changes() if has_changes else {}
    remarks = _warnings(warnings)
    if not ctx.test:
        return StateReturn(name=name, result=succeeds, changes=given, comment=comment, warnings=remarks)
    planned = False if allow_test_mode_failure and result is False else True if changes is False else None
    return StateReturn(
        name=name, result=planned, changes=given, comment=comment or "This is a test", warnings=remarks
    )


def _decided(word: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if str(value).lower() == _RANDOM:
        import random

        return random.choice((True, False))  # noqa: S311 (no secret hangs on it)
    raise StateFailedError(f"`{word}` is true, false or 'Random', not {value!r}")


def _warnings(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(map(str, value))  # pyright: ignore[reportUnknownArgumentType] # a user's list
    raise StateFailedError(f"`warnings` is a text or a list of texts, not {value!r}")
