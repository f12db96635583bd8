"""Execution functions that query the engine itself, and that log in to registries.

Args:
    *registries: their names there; without any, all registries. `hub` is Docker Hub.

Source: Salt's extension `saltext-dockermod`, 0.1: names, return values, and `docker-registries`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.library.modules.docker.client import answered, described, output_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_REGISTRIES: Final = "docker-registries"


async def version(ctx: FunctionContext) -> DataMap:
    """Return the versions of the engine: `Version`, `ApiVersion`, and each as numbers (`VersionInfo`).

    Raises:
        StateFailedError: the engine does not answer.
    """
    text = await output_of(ctx, "version", "--format={{json .Server}}", what="ask docker for its version")
    details: dict[str, Any] = _read(text)
    for key, name in (
        ("Version", "VersionInfo"),
        ("ApiVersion", "ApiVersionInfo"),
        ("APIVersion", "ApiVersionInfo"),
    ):
        numbers = re.match(r"\d+(\.\d+)*", str(details.get(key, "")))
        if numbers:
            details[name] = [int(number) for number in numbers[0].split(".")]
    return details


async def info(ctx: FunctionContext) -> DataMap:
    """Return the engine's description of itself and its host; see `version`."""
    return _read(await output_of(ctx, "info", "--format={{json .}}", what="ask docker about itself"))


async def inspect(ctx: FunctionContext, name: str) -> DataMap:
    """Return the engine's description of a container, image, volume or network with this name.

    Args:
        name: a container, image, volume or network, by name or id.

    Example:
        ensue call '*' docker.inspect web

    Raises:
        StateFailedError: there is no such object.
    """
    for kind in ("container", "image", "volume", "network"):
        about = await described(ctx, kind, name)
        if about is not None:
            return about
    raise StateFailedError(f"docker has no image, container, volume or network named {name!r}")


async def login(ctx: FunctionContext, *registries: str) -> DataMap:
    """Log in to registries, with the accounts in the pillar's or the options' `docker-registries`.

    Returns:
        `Results` by registry, `Errors`, `retcode`.
    """
    known = await ctx.call("config.get", _REGISTRIES, {})
    accounts: dict[str, Any] = dict(known) if is_mapping(known) else {}
    for key, more in ctx.pillar.items():
        if key.endswith(f"-{_REGISTRIES}") and is_mapping(more):
            accounts |= more
    results: DataMap = {}
    errors: list[str] = []
    for registry in registries or accounts:
        account = accounts.get(registry)
        if not is_mapping(account) or not {"username", "password"} <= account.keys():
            errors.append(f"No match found for registry '{registry}'")
            continue
        # The client reads the password from its input: everybody on the target can read a command line.
        password = str(account["password"])
        ctx.masker.add(password)
        where = [] if str(registry).lower() == "hub" else [str(registry)]
        argv = ["login", f"--username={account['username']}", "--password-stdin", *where]
        answer = await answered(ctx, *argv, stdin=password.encode())
        results[registry] = answer.is_success
        errors += [] if answer.is_success else [answer.complaint()]
    return {"Results": results, "Errors": [*errors], "retcode": 1 if errors else 0}


async def logout(ctx: FunctionContext, *registries: str) -> DataMap:
    """Log out of registries; see `login`."""
    results: DataMap = {}
    for registry in registries:
        where = [] if registry.lower() == "hub" else [registry]
        results[registry] = (await answered(ctx, "logout", *where)).is_success
    return {"Results": results, "Errors": [], "retcode": 0 if all(results.values()) else 1}


def _read(text: str) -> dict[str, Any]:
    try:
        parsed: Any = json.loads(text)
    except ValueError:
        raise StateFailedError(f"docker printed no JSON: {text[:200]}") from None
    return parsed if is_mapping(parsed) else {}


FUNCTIONS: Final = by_name(info, inspect, login, logout, version)
