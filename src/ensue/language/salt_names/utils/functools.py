"""`salt.utils.functools`: functions for use in another file."""

from __future__ import annotations

import copy
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ensue.language.salt_names.absent import not_there

if TYPE_CHECKING:
    from collections.abc import Callable


def namespaced_function(function: Any, global_dict: dict[str, Any], *_options: Any, **_more: Any) -> Any:
    """Return a function with the globals of another file; ensue's own functions are returned as they are."""
    if not isinstance(function, FunctionType) or not function.__module__.startswith("ensue_project"):
        return function
    made = FunctionType(
        function.__code__,
        global_dict,
        name=function.__name__,
        argdefs=function.__defaults__,
        closure=function.__closure__,
    )
    made.__dict__.update(function.__dict__)
    made.__kwdefaults__ = copy.copy(function.__kwdefaults__)
    return made


def alias_function(fun: Callable[..., Any], name: str, doc: str | None = None) -> Callable[..., Any]:
    """Return a function under another name."""
    alias = FunctionType(fun.__code__, fun.__globals__, name, fun.__defaults__, fun.__closure__)
    alias.__dict__.update(fun.__dict__)
    alias.__kwdefaults__ = fun.__kwdefaults__
    alias.__doc__ = doc if doc is not None else f"This function is an alias of ``{fun.__name__}``."
    return alias


__getattr__ = not_there(__name__)
