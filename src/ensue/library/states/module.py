"""State module `module`: calls execution functions as states.

Both of Salt's forms are supported: functions as keys, each with a list of arguments, and the older form
with the function as `name`. As in Salt, each call counts as a change. The engine decides by requisites,
`unless`, `onlyif` and `creates` whether it is made. Returners are not supported.

Notes:
    The state acts each time it runs. A function has failed if it returns false, or a mapping with a `result`
    of false or a `retcode` other than 0. In the newer form, a state fails if one of its functions fails, and
    the others are still called.

Differences from Salt:
    Returners are not called.

Source: Salt's state module `module`, 3008: results, changes and comments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import EnsueError, NotAvailableError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_RENAMED: Final = ("name", "names", "fun", "state", "saltenv")


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """A call of an execution function.

    Args:
        key: its key in the SLS; Salt allows `cmd.run:2` for a second call.
        args: positional arguments.
        kwargs: named arguments.
    """

    key: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    @property
    def function(self) -> str:
        """The function, `module.name`."""
        return self.key.partition(":")[0]


@also_takes("args", "func", "kwargs", "m_fun", "m_name", "returner", passes_others=True)
async def run(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Call one or several execution functions on the target.

    Args:
        name: the function, in the older form.
        **kwargs: `module.function` with a list of arguments: values are positional, mappings are named. In
            the older form the function's arguments, `args`, `kwargs`, and `m_name` for an argument called
            `name`.

    Example:
        refresh:
          module.run:
            - pkg.refresh_db: []

    Returns:
        `changes` has the return of each function under its name, in the older form under `ret`. A return of
        false, or one with `result: false` or a `retcode` other than 0, is a failure.
    """
    returner = kwargs.pop("returner", None)
    kwargs.pop("sfun", None)
    is_new_form = bool(kwargs) and all("." in key for key in kwargs)
    if is_new_form:
        returned = await _run_each(ctx, name, [_new_call(key, given) for key, given in kwargs.items()])
    else:
        returned = await _run_one(ctx, name, kwargs)
    if returner is None:
        return returned
    warning = f"module.run: the returner {returner!r} is not called, because ensue has no returners"
    return msgspec.structs.replace(returned, warnings=(warning,))


@also_takes("args", "func", "kwargs", "m_fun", "m_name", "returner", passes_others=True)
def wait(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:  # kept for mod_watch
    """Do nothing, unless a watched state has changes; then call the functions.

    Args:
        name: the state's name.
        **kwargs: the arguments of `run`.

    Example:
        /etc/apt/sources.list:
          file.managed:
            - source: salt://sources.list

        refresh:
          module.wait:
            - pkg.refresh_db: []
            - watch: [{file: /etc/apt/sources.list}]
    """
    return StateReturn(name=name, result=True)


async def _run_each(ctx: StateContext, name: str, calls: list[FunctionCall]) -> StateReturn:
    if ctx.test:
        several = "s" if len(calls) > 1 else ""
        comment = f"Function{several} {', '.join(call.function for call in calls)} to be executed."
        return StateReturn.planned(name, comment)
    changes: DataMap = {}
    failures: list[str] = []
    successes: list[str] = []
    for call in calls:
        try:
            value = await ctx.call(call.function, *call.args, **call.kwargs)
        except NotAvailableError as error:
            failures.append(f"Unavailable function: {error}.")
        except (EnsueError, TypeError) as error:  # A TypeError means that the arguments do not match.
            failures.append(f"'{call.key}' failed: {error}")
        else:
            if _is_success(value):
                changes[call.key] = value
                successes.append(f"{call.key}: {_comment_of(value, 'Success')}")
            else:
                failures.append(_failure(call.key, value))
    comment = ", ".join(failures + successes)
    return StateReturn(
        name=name, result=not failures, changes=changes, comment=comment, new_state=dict(changes) or None
    )


async def _run_one(ctx: StateContext, name: str, given: DataMap) -> StateReturn:
    if "." not in name:
        comment = (
            f"Module function {name} is not available. Write the function as a key (`- test.ping: []`), "
            "or as the state's name"
        )
        return StateReturn.failed(name, comment)
    call = _old_call(name, given)
    if isinstance(call, str):
        return StateReturn.failed(name, call)
    if ctx.test:
        return StateReturn.planned(name, f"Module function {name} is set to execute")
    try:
        value: Data = await ctx.call(name, *call.args, **call.kwargs)
    except NotAvailableError as error:
        return StateReturn.failed(name, f"Module function {name} is not available: {error}")
    except (EnsueError, TypeError) as error:  # A TypeError means that the arguments do not match.
        return StateReturn.failed(name, f"Module function {name} threw an exception. Exception: {error}")
    return StateReturn(
        name=name,
        result=_is_success(value),
        changes={"ret": value},
        comment=f"Module function {name} executed",
        new_state={"ret": value},
    )


def _new_call(key: str, given: Any) -> FunctionCall:
    """Read the list of a function: mappings are named arguments, other values are positional."""
    items = given if is_list(given) else [] if given is None else [given]
    named = [item for item in items if is_mapping(item)]
    return FunctionCall(
        key=key,
        args=tuple(item for item in items if not is_mapping(item)),
        kwargs={word: value for item in named for word, value in item.items()},
    )


def _old_call(name: str, given: DataMap) -> FunctionCall | str:
    """Read the older form; return a text if it is invalid."""
    args = given.get("args", [])
    if not is_list(args):
        return "'args' must be a list."
    named = given.get("kwargs", {})
    if not is_mapping(named):
        return "'kwargs' must be a dict."
    own = {_own_name(key): value for key, value in given.items() if key not in {"args", "kwargs"}}
    return FunctionCall(key=name, args=tuple(args), kwargs={**own, **named})


def _own_name(key: str) -> str:
    """Return the function's name of an argument that has the prefix `m_` in the SLS (`m_name`)."""
    return key[2:] if key.startswith("m_") and key[2:] in _RENAMED else key


def _is_success(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    return not _holds_failure(value)


def _holds_failure(value: Any) -> bool:
    if not is_mapping(value):
        return False
    if value.get("result") is False or value.get("retcode", 0) != 0:
        return True
    return any(_holds_failure(item) for item in value.values())


def _comment_of(value: Any, default: str) -> Any:
    return value.get("comment", default) if is_mapping(value) else value


def _failure(key: str, value: Any) -> str:
    if is_mapping(value):
        return f"'{key}' failed: {_comment_of(value, '(error message N/A)')}"
    return f"'{key}': {value}"


FUNCTIONS: Final = by_name(run, wait, mod_watch=run, watch=wait)

MOD_WATCH = run
