"""Turns the result of a command into a state's return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states._json_text import json_under

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import DataMap


_OUTPUT: Final = ("stdout", "stdout_json")


def secret_output(_function: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the paths of the secrets in a command's output that its declaration names."""
    return _secret_paths(arguments.get("sensitive"))


def _secret_paths(sensitive: object) -> tuple[str, ...]:
    """Return the paths into `new_state` that the argument `sensitive` means: true, or paths into the JSON."""
    if not isinstance(sensitive, (str, list, tuple)):
        return _OUTPUT if sensitive else ()
    paths: list[Any] = [sensitive] if isinstance(sensitive, str) else [*sensitive]  # pyright: ignore[reportUnknownArgumentType] # a user's list
    below = [f"stdout_json{path if path[:1] in ('', '[') else f':{path}'}" for path in map(str, paths)]
    return ("stdout", *below) if below else ()


def secrecy(sensitive: object) -> dict[str, str]:
    """Return the arguments of `cmd.run_all` by which the output of a command is not shown while it runs."""
    return {"output_loglevel": "quiet"} if sensitive else {}


def command_return(name: str, done: DataMap, *, comment: str, sensitive: object = False) -> StateReturn:
    """Make a state's return from what `cmd.run_all` returned.

    Args:
        name: the state's name.
        done: `pid retcode stdout stderr`, and `exit_code` if another code than 0 counts as success.
        comment: the comment.
        sensitive: true if the output is a secret, or the paths of the secrets in the JSON that it is; the
            output of a failure is a secret as a whole. The error output, which nobody binds, is left out.
    """
    paths = _secret_paths(sensitive)
    if paths:
        done = {**done, "stderr": ""}
    new_state = {**done, **json_under("stdout_json", str(done.get("stdout", "")))}
    if paths and done["retcode"]:
        paths = _OUTPUT
    # Salt's changes have the retcode that counts.
    changes = {key: value for key, value in done.items() if key != "exit_code"}
    return StateReturn(
        name=name,
        result=not done["retcode"],
        changes=changes,
        comment=comment,
        new_state=new_state,
        sensitive=tuple(path for path in paths if path not in _OUTPUT or new_state.get(path)),
    )


def command_name(command: str | list[str]) -> str:
    """Return the name of a command for messages: the command line; words are quoted for a shell."""
    if isinstance(command, str):
        return command
    import shlex

    return shlex.join(command)


def check_environment(env: object) -> None:
    """Refuse an `env` that is neither a mapping nor a list; a plan does this too.

    Raises:
        StateFailedError: `env` is something else.
    """
    if env is not None and not isinstance(env, (list, dict)):
        raise StateFailedError(
            f"Invalidly-formatted 'env' parameter: {env!r} (write a mapping, or a list of NAME: value)"
        )
