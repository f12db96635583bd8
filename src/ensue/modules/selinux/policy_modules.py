"""Modules that the policy of SELinux is made of."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext

_WORDS: Final = {"enabled": "--enable", "disabled": "--disable"}


async def list_semod(ctx: FunctionContext) -> dict[str, dict[str, Any]]:
    """Return by module `Enabled` and `Version`, which semodule no longer tells.

    Raises:
        StateFailedError: the target has no semodule.
    """
    said = await must(ctx, "semodule", "--list-modules=full", what="list the modules of SELinux")
    lines = [line.split() for line in said.stdout.splitlines() if line.strip()]
    return {words[1]: {"Enabled": "disabled" not in words[3:], "Version": None} for words in lines}


async def getsemod(ctx: FunctionContext, module: str) -> dict[str, Any]:
    """Return what `list_semod` says of one module; empty when there is none."""
    return (await list_semod(ctx)).get(module, {})


async def setsemod(ctx: FunctionContext, module: str, state: str) -> bool:
    """Enable or disable a module; False when that was refused.

    Raises:
        StateFailedError: the state is neither `enabled` nor `disabled`.
    """
    if state.lower() not in _WORDS:
        raise StateFailedError(f"Invalid state {state}: it is enabled or disabled")
    return (await ask(ctx, "semodule", _WORDS[state.lower()], module)).is_success


async def install_semod(ctx: FunctionContext, module_path: str) -> bool:
    """Install a module from a file of the target or from `salt://`; False when it was refused."""
    if "://" not in module_path:
        return (await ask(ctx, "semodule", "--install", module_path)).is_success
    # semodule calls a module by its file's name, so the name is kept in a folder of its own.
    folder = f"/tmp/.ensue-semodule-{os.urandom(8).hex()}"  # noqa: S108 (the name cannot be guessed)
    place = f"{folder}/{module_path.rpartition('/')[2]}"
    content = await ctx.files.read(module_path)
    await ctx.connection.make_directory(folder, mode=0o700)
    try:
        await ctx.connection.write(place, content, mode=0o600)
        return (await ask(ctx, "semodule", "--install", place)).is_success
    finally:
        await ctx.connection.remove(folder, recursive=True)


async def remove_semod(ctx: FunctionContext, module: str) -> bool:
    """Remove a module; False when that was refused."""
    return (await ask(ctx, "semodule", "--remove", module)).is_success


OFFERED: Final[dict[str, Callable[..., Any]]] = {
    "getsemod": getsemod,
    "install_semod": install_semod,
    "list_semod": list_semod,
    "remove_semod": remove_semod,
    "setsemod": setsemod,
}
