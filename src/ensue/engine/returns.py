"""Turns whatever a function returned into a `StateReturn`.

Functions that come with ensue return a `StateReturn`; a project's own may return the mapping that
Salt's functions return. Exceptions become returns here, too. Returns are not recorded here.
"""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.errors import EnsueError, StateFailedError
from ensue.core.model.data import is_list
from ensue.core.model.data_bounds import DataBoundError, check_data
from ensue.core.model.returns import PreventedReturn, StateReturn, UnknownReturn, UnreachableReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_log = logging.getLogger(__name__)

SALT_KEYS: Final = ("name", "result", "changes", "comment")
"""The keys that a mapping must have."""

_DATA: Final = ("changes", "new_state", "old_state")
_HOLDS_DATA: Final[frozenset[type]] = frozenset({dict, list, tuple})


def state_return(raw: Any, *, name: str, function: str) -> StateReturn:
    """Check what a state function returned.

    Args:
        raw: what it returned.
        name: the state's name, for a return without one.
        function: `module.function`, for the message.

    Returns:
        The return; with result False and a comment that names the function if its form is wrong.
    """
    if raw.__class__ is StateReturn and _is_in_order(raw):
        fault = _beyond_bounds(raw)
        if fault:
            return failure(name, _comment(function, fault))
        return raw if raw.sensitive == () else _with_checked_paths(raw)
    fault = ""
    if isinstance(raw, dict):
        mapping = cast("Mapping[str, Any]", raw)
        fault = _missing(mapping)
        raw = mapping if fault else _from_mapping(mapping)
    fault = fault or _fault(raw)
    if fault:
        return failure(name, _comment(function, fault))
    function_return = cast("StateReturn", raw)
    return function_return if function_return.sensitive == () else _with_checked_paths(function_return)


def _with_checked_paths(function_return: StateReturn) -> StateReturn:
    # Most states have no secrets; a run of such states does not need this module.
    from ensue.engine.sensitive_returns import with_checked_paths

    return with_checked_paths(function_return)


def _comment(function: str, fault: str) -> str:
    return f"The state function {function} returned {fault}; this is a fault of that function"


def failure(name: str, comment: str) -> StateReturn:
    """Return a result False."""
    return StateReturn(name=name, result=False, comment=comment)


def known_later(name: str, now: str, makers: Iterable[str]) -> UnknownReturn:
    """Return in a plan that only an apply can know the result.

    Args:
        name: the state's name.
        now: what would be its comment, if nothing changed before.
        makers: the IDs of the states that come before it and may change that.
    """
    ids = ", ".join(f"'{each}'" for each in makers)
    comment = f"waits for {ids} (known after apply); now: {now}"
    return UnknownReturn(name=name, result=None, comment=comment)


def unreachable(function_return: StateReturn) -> UnreachableReturn:
    """Return a failure as that of a target that cannot be reached."""
    return UnreachableReturn(name=function_return.name, result=False, comment=function_return.comment)


def exception_return(error: Exception, *, name: str) -> StateReturn:
    """Make a return of an exception: one of ensue has its message, any other is a bug of the function."""
    if isinstance(error, StateFailedError) and error.causes:
        return PreventedReturn(name, False, comment=str(error), causes=error.causes)
    if isinstance(error, EnsueError):
        return failure(name, str(error))
    _log.debug("a state function raised", exc_info=error)
    return failure(name, f"An exception occurred in this state: {exception_text(error)}")


def exception_text(error: BaseException) -> str:
    """Write an exception as `Type: message (file:line)`, with the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def _is_in_order(function_return: StateReturn) -> bool:
    """Return quickly whether a return is in order; False may be wrong."""
    is_known = (
        function_return.result is True or function_return.result is False or function_return.result is None
    )
    return is_known and function_return.changes.__class__ is dict and function_return.comment.__class__ is str


def _missing(raw: Mapping[str, Any]) -> str:
    """Return what a mapping lacks to be a state's return."""
    missing = [key for key in SALT_KEYS if key not in raw]
    return f"a mapping without {', '.join(missing)}" if missing else ""


def _from_mapping(raw: Mapping[str, Any]) -> StateReturn:
    known = {field: raw[field] for field in StateReturn.__struct_fields__ if field in raw}
    known["comment"] = _joined(known["comment"])
    if isinstance(known.get("warnings"), list):
        known["warnings"] = tuple(known["warnings"])
    return StateReturn(**known)


def _joined(comment: Any) -> Any:
    """Return a comment as text; Salt's functions may return a list of lines."""
    return "\n".join(map(str, comment)) if is_list(comment) else comment


def _fault(returned: Any) -> str:
    """Return the error in a return as text; empty if there is none."""
    if not isinstance(returned, StateReturn):
        return f"{type(returned).__name__} instead of a state return"
    function_return: Any = returned  # a plug-in may have put anything into it
    if function_return.result is not None and not isinstance(function_return.result, bool):
        return f"the result {function_return.result!r} (True, False and None are allowed)"
    if not isinstance(function_return.changes, dict):
        return f"changes that are no mapping ({type(function_return.changes).__name__})"
    if not isinstance(function_return.comment, str):
        return f"a comment that is no text ({type(function_return.comment).__name__})"
    return _beyond_bounds(returned)


def _beyond_bounds(function_return: StateReturn) -> str:
    """Return as text which limit the data of a return exceeds; empty if none."""
    for name in _DATA:
        data = getattr(function_return, name)
        if data.__class__ in _HOLDS_DATA and data:
            try:
                check_data(data)
            except DataBoundError as error:
                return f"{name} that cannot be kept: {error}"
    return ""
