"""Default values and flow control.

Source: Sprig's documentation, "Default Functions" and "Flow Control Functions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.values import is_true

if TYPE_CHECKING:
    from collections.abc import Mapping


def _default(default: Any, value: Any = None) -> Any:
    return value if is_true(value) else default


def _coalesce(*values: Any) -> Any:
    return next((value for value in values if is_true(value)), None)


def _all(*values: Any) -> bool:
    return all(map(is_true, values))


def _any(*values: Any) -> bool:
    return any(map(is_true, values))


def _fail(message: str) -> NoReturn:
    raise CallError(message)


def _required(message: str, value: Any) -> Any:
    if value is None or value == "":
        raise CallError(message)
    return value


DEFAULT_FUNCTIONS: Final[Mapping[str, Function]] = {
    "all": function(_all, "a*"),
    "any": function(_any, "a*"),
    "coalesce": function(_coalesce, "a*"),
    "default": function(_default, "aa?"),
    "empty": function(lambda value: not is_true(value), "a"),
    "fail": function(_fail, "s"),
    "required": function(_required, "sa"),
    "ternary": function(lambda yes, no, condition: yes if condition else no, "aab"),
}
"""The functions by name."""
