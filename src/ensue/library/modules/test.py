"""Execution module `test`: checks that the target answers and how arguments arrive.

Source: Salt's execution module `test`, 3008: names and return shapes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError, UnreachableError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def ping(ctx: FunctionContext) -> bool:
    """Return whether the target answers; a failed connection is an error, as for any function."""
    if not await ctx.ping():
        raise UnreachableError(f"{ctx.srn} does not answer", target=str(ctx.srn))
    return True


def echo(ctx: FunctionContext, text: Any) -> Any:
    """Return the argument.

    Args:
        text: the text.

    Example:
        ensue call '*' test.echo hello
    """
    return text


def version(ctx: FunctionContext) -> str:
    """Return ensue's version."""
    from importlib.metadata import version as installed

    return installed("ensue")


def arg(ctx: FunctionContext, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Return the arguments.

    Args:
        *args: values.
        **kwargs: values by name.

    Example:
        ensue call '*' test.arg 1 text key=2.5
    """
    return {"args": list(args), "kwargs": kwargs}


def kwarg(ctx: FunctionContext, **kwargs: Any) -> dict[str, Any]:
    """Return the keyword arguments.

    Args:
        **kwargs: values by name.

    Example:
        ensue call '*' test.kwarg key=2.5
    """
    return kwargs


def arg_repr(ctx: FunctionContext, *args: Any, **kwargs: Any) -> dict[str, str]:
    """Return the `repr` of the arguments.

    Args:
        *args: values.
        **kwargs: values by name.
    """
    return {"args": repr(args), "kwargs": repr(kwargs)}


def arg_type(ctx: FunctionContext, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Return the types of the arguments.

    Args:
        *args: values.
        **kwargs: values by name.
    """
    return {
        "args": [_type(each) for each in args],
        "kwargs": {key: _type(value) for key, value in kwargs.items()},
    }


def fib(ctx: FunctionContext, num: int | str) -> list[Any]:
    """Return a Fibonacci number and the seconds it took.

    Args:
        num: its index.

    Example:
        ensue call '*' test.fib 10

    Raises:
        StateFailedError: `num` is negative.
    """
    count = int(num)
    if count < 0:
        raise StateFailedError("Negative number is not allowed!")
    started = time.monotonic()
    before, here = 1, 0
    for _ in range(count):
        before, here = here, before + here
    return [here, time.monotonic() - started]


def collatz(ctx: FunctionContext, start: int | str) -> list[Any]:
    """Return the Collatz steps from a number down to 1, and the seconds it took.

    Args:
        start: the number to start from.

    Example:
        ensue call '*' test.collatz 6

    Raises:
        StateFailedError: `start` is not positive.
    """
    number = int(start)
    if number < 1:
        raise StateFailedError("Only positive numbers reach 1!")
    started = time.monotonic()
    steps: list[int] = []
    while number != 1:
        steps.append(number)
        number = number * 3 + 1 if number % 2 else number // 2
    return [steps, time.monotonic() - started]


def get_opts(ctx: FunctionContext) -> dict[str, Any]:
    """Return the options of the project."""
    return dict(ctx.opts)


def true_(ctx: FunctionContext) -> bool:
    """Return true."""
    return True


def false_(ctx: FunctionContext) -> bool:
    """Return false."""
    return False


def _type(value: object) -> str:
    return str(type(value))


async def try_(ctx: FunctionContext, module: str, return_try_exception: bool = False, **kwargs: Any) -> Any:
    """Call a function and return None if it fails.

    Args:
        module: the function's full name.
        return_try_exception: return the error message instead of None.
        **kwargs: its keyword arguments.

    Example:
        ensue call '*' test.try service.restart name=nginx
    """
    try:
        return await ctx.call(module, **kwargs)
    except Exception as error:  # noqa: BLE001 (a plug-in call, of which every failure counts)
        return str(error) if return_try_exception else None


def raise_exception(ctx: FunctionContext, name: str, *args: Any, **kwargs: Any) -> Any:
    """Fail with a message.

    Args:
        name: the kind of failure, as shown in the message.
        *args: the message.
        **kwargs: accepted as by Salt, without effect.

    Example:
        ensue call '*' test.raise_exception StateFailedError

    Raises:
        StateFailedError: always.
    """
    raise StateFailedError(f"{name}: {' '.join(map(str, args))}")


FUNCTIONS: Final = by_name(
    arg, arg_repr, arg_type, collatz, echo, false_, fib, get_opts, kwarg, ping, raise_exception,
    true_, try_, version, false_=false_, outputter=echo, true_=true_, try_=try_,
)  # fmt: skip
