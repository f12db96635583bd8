"""What a command left behind, as a state's return."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from ensue.errors import StateFailedError
from ensue.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext
    from ensue.model.data import Data, DataMap

_NOT_JSON: Final = object()
_STARTS_OF_JSON: Final = frozenset('{["-0123456789tfn')


def command_return(name: str, done: DataMap, *, comment: str) -> StateReturn:
    """Make a return of what `cmd.run_all` returned.

    Args:
        name: the state's name.
        done: `pid retcode stdout stderr`.
        comment: the comment.
    """
    new_state = dict(done)
    parsed = parsed_json(str(done.get("stdout", "")))
    if parsed is not _NOT_JSON:
        new_state["stdout_json"] = parsed
    return StateReturn(
        name=name, result=not done["retcode"], changes=dict(done), comment=comment, new_state=new_state
    )


def parsed_json(text: str) -> Data:
    """Return the data of a JSON text; a mark that no data equals when it is none."""
    if text.lstrip()[:1] not in _STARTS_OF_JSON or not text:
        return _NOT_JSON  # type: ignore[return-value] # the mark is looked at by identity alone
    try:
        data: Data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return _NOT_JSON  # type: ignore[return-value] # same
    return data


async def folder_is_missing(ctx: StateContext, path: str) -> bool:
    """Say whether there is no such folder on the target."""
    found = await ctx.connection.stat(path, follow=True)
    return found is None or found.kind != "directory"


def check_environment(env: object) -> None:
    """Refuse an `env` that is neither a mapping nor a list, in a plan too.

    Raises:
        StateFailedError: it is something else.
    """
    if env is not None and not isinstance(env, (list, dict)):
        raise StateFailedError(
            f"Invalidly-formatted 'env' parameter: {env!r} (write a mapping, or a list of NAME: value)"
        )


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")
