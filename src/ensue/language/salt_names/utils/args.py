"""`salt.utils.args`: the arguments of functions."""
# pyright: basic
# Custom code may pass values of any type.

from __future__ import annotations

import inspect
import shlex
from typing import TYPE_CHECKING, Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.exceptions import SaltInvocationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def clean_kwargs(**kwargs: Any) -> dict[str, Any]:
    """Return the arguments without those that Salt adds internally (`__pub_user`)."""
    return {name: value for name, value in kwargs.items() if not name.startswith("__")}


def invalid_kwargs(invalid_kwargs: Mapping[str, Any], raise_exc: bool = True) -> str:
    """Report arguments that a function does not accept; call it only if there are any.

    Args:
        invalid_kwargs: the arguments.
        raise_exc: raise an error; otherwise return the message.

    Raises:
        SaltInvocationError: always, with `raise_exc`.
    """
    shown = ", ".join(f"{name}={value}" for name, value in invalid_kwargs.items())
    message = f"The following keyword arguments are not valid: {shown}"
    if raise_exc:
        raise SaltInvocationError(message)
    return message


def get_function_argspec(func: Callable[..., Any], *_options: Any) -> inspect.FullArgSpec:
    """Return the parameters of a function."""
    return inspect.getfullargspec(func)


def arg_lookup(fun: Callable[..., Any], aspec: inspect.FullArgSpec | None = None) -> dict[str, Any]:
    """Return the parameters of a function as `args` and, with their defaults, `kwargs`."""
    spec = aspec or inspect.getfullargspec(fun)
    defaults = spec.defaults or ()
    needed = spec.args[: len(spec.args) - len(defaults)]
    return {"args": needed, "kwargs": dict(zip(spec.args[len(needed) :], defaults, strict=True))}


def shlex_split(s: Any, **kwargs: Any) -> Any:
    """Split a command line into words; anything but a string is returned as it is."""
    return shlex.split(s, **kwargs) if isinstance(s, str) else s


def split_input(val: Any, mapper: Callable[[str], Any] | None = None) -> list[Any]:
    """Return a list; anything else is split at commas."""
    convert = mapper or (lambda part: part)
    if isinstance(val, list):
        return [convert(part) for part in val]
    return [convert(part.strip()) for part in str(val).split(",")]


__getattr__ = not_there(__name__)
