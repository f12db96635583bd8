"""The modules of the SELinux policy.

Args:
    module: the module.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_WORDS: Final = {"enabled": "--enable", "disabled": "--disable"}


async def list_semod(ctx: FunctionContext) -> dict[str, dict[str, Any]]:
    """Return `Enabled` and `Version` of each module, by name; current versions of semodule report no version.

    Raises:
        StateFailedError: the target has no semodule.
    """
    answer = await must(ctx, "semodule", "--list-modules=full", what="list the SELinux modules")
    lines = [line.split() for line in answer.stdout.splitlines() if line.strip()]
    return {words[1]: {"Enabled": "disabled" not in words[3:], "Version": None} for words in lines}


async def getsemod(ctx: FunctionContext, module: str) -> dict[str, Any]:
    """Return `Enabled` and `Version` of a module; empty if there is no such module.

    Example:
        ensue call '*' selinux.getsemod zabbix
    """
    return (await list_semod(ctx)).get(module, {})


async def setsemod(ctx: FunctionContext, module: str, state: str) -> bool:
    """Enable or disable a module; returns False if that was refused.

    Args:
        state: `enabled` or `disabled`.

    Example:
        ensue call '*' selinux.setsemod zabbix enabled

    Raises:
        StateFailedError: `state` is neither `enabled` nor `disabled`.
    """
    if state.lower() not in _WORDS:
        raise StateFailedError(f"Invalid state {state}: use enabled or disabled")
    return (await ask(ctx, "semodule", _WORDS[state.lower()], module)).is_success


async def install_semod(ctx: FunctionContext, module_path: str) -> bool:
    """Install a module from a file of the target or from `salt://`; returns False if it was refused.

    Args:
        module_path: the path of the module's file on the target.

    Example:
        ensue call '*' selinux.install_semod /usr/share/selinux/shop.pp
    """
    if "://" not in module_path:
        return (await ask(ctx, "semodule", "--install", module_path)).is_success
    # semodule names a module after its file, so the temporary copy keeps the file name.
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
    """Remove a module; returns False if that was refused.

    Example:
        ensue call '*' selinux.remove_semod zabbix
    """
    return (await ask(ctx, "semodule", "--remove", module)).is_success


OFFERED: Final = by_name(getsemod, install_semod, list_semod, remove_semod, setsemod)
