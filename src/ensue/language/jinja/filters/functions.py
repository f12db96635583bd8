"""Functions that every template sees: `raise`, `ifelse`, `show_full_context`, and `odict`.

Source: Salt's Jinja documentation ("Global Functions"), 3008. In Salt, `ifelse` fails on
every condition; here it does what Salt's documentation says.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, NoReturn

from jinja2 import TemplateRuntimeError, pass_context

from ensue.language.jinja.filters.kinds import is_mapping, is_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2.runtime import Context


class RaisedByTemplateError(TemplateRuntimeError):
    """What a template says with `raise`."""


def raise_error(message: Any) -> NoReturn:
    """Refuse the template with an error."""
    raise RaisedByTemplateError(str(message))


@pass_context
def ifelse(context: Context, *parts: Any) -> Any:
    """Return the value after the first condition that is true, else the last part.

    Args:
        context: the template's context.
        *parts: condition, value, condition, value, …, default. A condition that is text is a compound target
            (`web*`, `G@os:Debian and not I@role:db`) that this target matches or not.

    Raises:
        TemplateRuntimeError: the default is missing.
    """
    *pairs, default = parts or (None, None)
    if len(pairs) % 2:
        raise TemplateRuntimeError("ifelse takes pairs of condition and value, and a default behind them")
    for condition, value in zip(pairs[::2], pairs[1::2], strict=True):
        if _is_targeted(context, condition) if isinstance(condition, str) else condition:
            return value
    return default


@pass_context
def show_full_context(context: Context) -> dict[str, Any]:
    """Return all variables that the template sees, as plain data."""
    # The execution functions are a mapping too, but not data.
    return {
        name: repr(value) if name == "salt" else _simple(value) for name, value in context.get_all().items()
    }


def _is_targeted(context: Context, expression: str) -> bool:
    return bool(context.parent["salt"]["match.compound"](expression))


def _simple(value: Any) -> Any:
    if is_mapping(value):
        return {_scalar(key): _simple(item) for key, item in value.items()}
    if is_row(value):
        return [_simple(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, int, float)) else repr(value)


GLOBALS: Final[Mapping[str, Any]] = {
    "ifelse": ifelse,
    "odict": OrderedDict,
    "raise": raise_error,
    "show_full_context": show_full_context,
}
"""Functions by the name that templates use."""
