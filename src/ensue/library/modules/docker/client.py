"""Queries a container engine with the target's own `docker` client.

The option `docker.url` is the address of the engine; without it the client decides. The text of an error
never decides whether an object exists: if the client cannot describe it, a second query checks that the
engine answers.

Source: docker(1); Salt's extension `saltext-dockermod`, 0.1: the option `docker.url`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.library.modules._programs import ProgramResult, ask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext

PROGRAM: Final = "docker"


async def output_of(
    ctx: FunctionContext, *words: str, what: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> str:
    """Run the client and return its output; fail if it does not succeed.

    Args:
        *words: the client's arguments.
        what: the purpose, which follows "cannot" in the message.
        env: environment variables of the client.
        stdin: the client's input.

    Raises:
        StateFailedError: the target has no client, or the client fails.
    """
    answer = await answered(ctx, *words, env=env, stdin=stdin)
    if not answer.is_success:
        raise StateFailedError(f"cannot {what}: {answer.complaint()}")
    return answer.stdout.strip()


async def answered(
    ctx: FunctionContext, *words: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> ProgramResult:
    """Run the client and return its outcome, whatever the exit code.

    Args:
        *words: the client's arguments.
        env: environment variables of the client.
        stdin: the client's input.

    Raises:
        StateFailedError: the target has no client.
    """
    host = await ctx.call("config.option", "docker.url", "")
    where = [f"--host={host}"] if host else []
    answer = await ask(ctx, PROGRAM, *where, *words, env=env, stdin=stdin)
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `{PROGRAM}`; install docker there")
    return answer


async def described(ctx: FunctionContext, kind: str, name: str) -> dict[str, Any] | None:
    """Return the engine's description of an object, None if there is no such object.

    Args:
        kind: `container`, `image`, `network` or `volume`.

    Raises:
        StateFailedError: the engine does not answer.
    """
    answer = await answered(ctx, kind, "inspect", checked(name))
    if answer.is_success:
        about = _json(answer.stdout, f"docker {kind} inspect")
        if is_list(about) and about and is_mapping(about[0]):
            return about[0]
    elif not (await answered(ctx, "version")).is_success:
        raise StateFailedError(f"cannot ask docker for the {kind} {name!r}: {answer.complaint()}")
    return None


async def must_describe(ctx: FunctionContext, kind: str, name: str) -> dict[str, Any]:
    """Return the engine's description of an object that must exist; see `described`.

    Raises:
        StateFailedError: there is no such object, or the engine does not answer.
    """
    about = await described(ctx, kind, name)
    if about is None:
        raise StateFailedError(f"docker has no {kind} {name!r}")
    return about


async def all_described(ctx: FunctionContext, kind: str, names: list[str]) -> list[dict[str, Any]]:
    """Return the engine's description of several objects, except those that no longer exist.

    Args:
        kind: `container`, `image`, `network` or `volume`.
        names: their names or ids.
    """
    if not names:
        return []
    answer = await answered(ctx, kind, "inspect", *names)
    about: Any = _json(answer.stdout, f"docker {kind} inspect") if answer.stdout.strip() else []
    return [name for name in about if is_mapping(name)] if is_list(about) else []


def part(about: Any, key: str) -> dict[str, Any]:
    """Return a mapping from the description of an object, empty if it is missing."""
    mapping = about.get(key) if is_mapping(about) else None
    return mapping if is_mapping(mapping) else {}


def items(about: Any, key: str) -> list[Any]:
    """Return a list from the description of an object, empty if it is missing."""
    listed = about.get(key) if is_mapping(about) else None
    return listed if is_list(listed) else []


def checked(name: Any) -> str:
    """Return a name as text, after a check.

    Raises:
        StateFailedError: the client would read it as an option.
    """
    text = str(name)
    if not text or text.startswith("-"):
        raise StateFailedError(f"{text!r} is not a valid name for docker")
    return text


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise StateFailedError(f"`{what}` printed no JSON: {text.strip()[:200]}") from None
