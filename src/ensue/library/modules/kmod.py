"""Execution module `kmod`: modules of the target's kernel.

Args:
    mod: the module.

Source: Salt's execution module `kmod`, 3008: names and return values; modules-load.d(5).
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask, must
from ensue.library.modules._text_files import text_of, write_text

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_LOADED: Final = "/proc/modules"
_FOLDER: Final = "/etc/modules-load.d"
_KEPT: Final = f"{_FOLDER}/salt_managed.conf"
_PLAIN: Final = "/etc/modules"


async def lsmod(ctx: FunctionContext) -> list[dict[str, Any]]:
    """Return the loaded modules, each with `module`, `size`, `depcount` and `deps`."""
    modules: list[dict[str, Any]] = []
    for line in file_lines(await text_of(ctx, _LOADED) or ""):
        name, size, count, users, *_ = [*line.split(), "", "", "", ""]
        deps = [] if users in {"", "-"} else users.strip(",").split(",")
        modules.append({"module": name, "size": size, "depcount": count, "deps": deps})
    return modules


async def mod_list(ctx: FunctionContext, only_persist: bool = False) -> list[str]:
    """Return the names of the loaded modules, or of those that are loaded at each boot, sorted.

    Args:
        only_persist: only those that are loaded at each boot.
    """
    if not only_persist:
        return sorted(each["module"] for each in await lsmod(ctx))
    lines = file_lines(await text_of(ctx, await _file(ctx)) or "")
    return sorted(
        {line.split()[0] for line in lines if line.strip() and not line.strip().startswith(("#", ";"))}
    )


async def available(ctx: FunctionContext) -> list[str]:
    """Return the names of the modules that the kernel can load, including built-in ones, sorted."""
    release = (await must(ctx, "uname", "-r", what="read the kernel's release")).stdout.strip()
    modules: set[str] = set()
    for index in ("modules.builtin", "modules.dep"):
        text = await text_of(ctx, f"/lib/modules/{release}/{index}") or ""
        names = (posixpath.basename(line.partition(":")[0]) for line in file_lines(text))
        modules |= {re.sub(r"\.ko.*$", "", name).replace("-", "_") for name in names}
    return sorted(modules)


async def check_available(ctx: FunctionContext, mod: str) -> bool:
    """Return whether the kernel can load a module.

    Example:
        ensue call '*' kmod.check_available br_netfilter
    """
    return mod.replace("-", "_") in await available(ctx)


async def is_loaded(ctx: FunctionContext, mod: str) -> bool:
    """Return whether a module is loaded.

    Example:
        ensue call '*' kmod.is_loaded br_netfilter
    """
    return mod.replace("-", "_") in await mod_list(ctx)


async def load(ctx: FunctionContext, mod: str, persist: bool = False) -> list[str]:
    """Load a module.

    Args:
        persist: load it at each boot, too.

    Example:
        ensue call '*' kmod.load br_netfilter

    Returns:
        The names of all modules that were loaded with it, sorted.

    Raises:
        StateFailedError: it could not be loaded.
    """
    before = set(await mod_list(ctx))
    await must(ctx, "modprobe", "--", mod, what=f"load the kernel module {mod}")
    loaded = set(await mod_list(ctx)) - before
    return sorted(loaded | await _keep(ctx, mod) if persist else loaded)


async def remove(ctx: FunctionContext, mod: str, persist: bool = False, comment: bool = True) -> list[str]:
    """Unload a module.

    Args:
        persist: do not load it at each boot either.
        comment: turn its line in the file into a comment instead of removing it.

    Example:
        ensue call '*' kmod.remove br_netfilter

    Returns:
        The names of all modules that were unloaded with it, sorted.

    Raises:
        StateFailedError: it could not be unloaded.
    """
    before = set(await mod_list(ctx))
    if mod in before:
        await must(ctx, "rmmod", "--", mod, what=f"unload the kernel module {mod}")
    removed = before - set(await mod_list(ctx))
    return sorted(removed | await _forget(ctx, mod, comment=comment) if persist else removed)


async def _keep(ctx: FunctionContext, mod: str) -> set[str]:
    if mod in await mod_list(ctx, only_persist=True):
        return set()
    path = await _file(ctx)
    lines = file_lines(await text_of(ctx, path) or "")
    off = re.compile(rf"#[\t ]*{re.escape(mod)}[\t ]*$")
    new = [mod if off.match(line) else line for line in lines]
    await write_text(ctx, path, "".join(f"{line}\n" for line in (new if new != lines else [*lines, mod])))
    return {mod}


async def _forget(ctx: FunctionContext, mod: str, *, comment: bool) -> set[str]:
    if mod not in await mod_list(ctx, only_persist=True):
        return set()
    path = await _file(ctx)
    lines = file_lines(await text_of(ctx, path) or "")
    new = [f"#{line}" if comment else "" for line in lines if line.split()[:1] == [mod]]
    kept = [line for line in lines if line.split()[:1] != [mod]]
    await write_text(ctx, path, "".join(f"{line}\n" for line in [*kept, *filter(None, new)]))
    return {mod}


async def _file(ctx: FunctionContext) -> str:
    folder_stat = await ctx.connection.stat(_FOLDER, follow=True)
    if folder_stat is None and not (await ask(ctx, "systemctl", "--version")).is_success:
        return _PLAIN
    return _KEPT


FUNCTIONS: Final = by_name(available, check_available, is_loaded, load, lsmod, mod_list, remove)
