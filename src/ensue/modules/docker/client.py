"""Asking a container engine, by the target's own `docker` client.

The option `docker.url` says where the engine listens; without it the client decides. Whether something is
there is never read out of an error's text: when the client cannot describe a thing, the engine is asked
whether it answers at all.

Source: docker(1); Salt's extension `saltext-dockermod`, 0.1: the option `docker.url`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.model.data import is_list, is_mapping
from ensue.modules._programs import Answer, ask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.contracts.context import FunctionContext

PROGRAM: Final = "docker"


async def said(
    ctx: FunctionContext,
    *words: str,
    what: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> str:
    """Run the client, which has to succeed, and return what it prints.

    Args:
        ctx: the target.
        *words: its arguments.
        what: what it is for, after "cannot".
        env: variables of the client.
        stdin: what it reads.

    Raises:
        StateFailedError: the target has no client, or the client fails.
    """
    answer = await answered(ctx, *words, env=env, stdin=stdin)
    if not answer.is_success:
        raise StateFailedError(f"cannot {what}: {answer.complaint()}")
    return answer.stdout.strip()


async def answered(
    ctx: FunctionContext, *words: str, env: Mapping[str, str] | None = None, stdin: bytes = b""
) -> Answer:
    """Run the client, whatever comes of it.

    Args:
        ctx: the target.
        *words: its arguments.
        env: variables of the client.
        stdin: what it reads.

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
    """Return what the engine says of a thing, None when it has no such thing.

    Args:
        ctx: the target.
        kind: `container`, `image`, `network` or `volume`.
        name: its name or id.

    Raises:
        StateFailedError: the engine does not answer.
    """
    answer = await answered(ctx, kind, "inspect", checked(name))
    if answer.is_success:
        found = _json(answer.stdout, f"docker {kind} inspect")
        if is_list(found) and found and is_mapping(found[0]):
            return found[0]
    elif not (await answered(ctx, "version")).is_success:
        raise StateFailedError(f"cannot ask docker for the {kind} {name!r}: {answer.complaint()}")
    return None


async def must_describe(ctx: FunctionContext, kind: str, name: str) -> dict[str, Any]:
    """Return what the engine says of a thing that has to be there; see `described`.

    Raises:
        StateFailedError: there is no such thing, or the engine does not answer.
    """
    found = await described(ctx, kind, name)
    if found is None:
        raise StateFailedError(f"docker has no {kind} {name!r}")
    return found


async def all_described(ctx: FunctionContext, kind: str, names: list[str]) -> list[dict[str, Any]]:
    """Return what the engine says of several things; one that has gone meanwhile is left out.

    Args:
        ctx: the target.
        kind: `container`, `image`, `network` or `volume`.
        names: their names or ids.
    """
    if not names:
        return []
    answer = await answered(ctx, kind, "inspect", *names)
    found: Any = _json(answer.stdout, f"docker {kind} inspect") if answer.stdout.strip() else []
    return [one for one in found if is_mapping(one)] if is_list(found) else []


def part(about: Any, key: str) -> dict[str, Any]:
    """Return a mapping within what the engine says of a thing; empty when it says none."""
    found = about.get(key) if is_mapping(about) else None
    return found if is_mapping(found) else {}


def items(about: Any, key: str) -> list[Any]:
    """Return a list within what the engine says of a thing; empty when it says none."""
    found = about.get(key) if is_mapping(about) else None
    return found if is_list(found) else []


def checked(name: Any) -> str:
    """Return a name as text.

    Raises:
        StateFailedError: the client would read it as an option.
    """
    text = str(name)
    if not text or text.startswith("-"):
        raise StateFailedError(f"{text!r} is no name of anything that docker has")
    return text


def _json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise StateFailedError(f"`{what}` printed no JSON: {text.strip()[:200]}") from None
