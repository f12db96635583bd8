"""State module `kmod`: kernel modules of the target, now and at boot.

Source: Salt's state module `kmod`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def present(
    ctx: StateContext, name: str, persist: bool = False, mods: list[str] | None = None
) -> StateReturn:
    """Load kernel modules.

    Args:
        name: the module, or any name if `mods` is given.
        persist: also load them at boot.
        mods: several modules.

    Example:
        br_netfilter:
          kmod.present:
            - persist: true

    Returns:
        `changes` has `loaded` by module, including dependencies.

    Raises:
        StateFailedError: the modules cannot be listed.
    """
    requested = [name] if mods is None else [str(each) for each in mods]
    loaded: set[str] = set(await ctx.call("kmod.mod_list"))
    if persist:
        loaded &= set(await ctx.call("kmod.mod_list", True))
    there = [each for each in requested if each.replace("-", "_") in loaded or each in loaded]
    missing = [each for each in requested if each not in there]
    texts = [_listed(there, "is already present", "are already present")] if there else []
    new_state: DataMap = {"modules": [*requested], "persist": persist}
    if not missing:
        return StateReturn.unchanged(name, texts[0] if texts else "", new_state)
    if ctx.test:
        texts.append(_listed(missing, "is set to be loaded", "are set to be loaded"))
        return StateReturn.planned(name, "\n".join(texts))
    changes: DataMap = {}
    done: list[str] = []
    for each in missing:
        try:
            loaded_now: list[str] = await ctx.call("kmod.load", each, persist)
        except StateFailedError as error:
            texts.append(f"Failed to load kernel module {each}: {error}")
            continue
        changes |= dict.fromkeys(loaded_now or [each], "loaded")
        done.append(each)
    if done:
        word = "modules" if len(done) > 1 else "module"
        texts.insert(1 if there else 0, f"Loaded kernel {word} {', '.join(done)}")
    if len(done) < len(missing):
        return StateReturn.failed(name, "\n".join(texts), changes)
    return StateReturn.changed(name, "\n".join(texts), changes, new_state)


async def absent(
    ctx: StateContext, name: str, persist: bool = False, comment: bool = True, mods: list[str] | None = None
) -> StateReturn:
    """Unload kernel modules.

    Args:
        name: the module, or any name if `mods` is given.
        persist: also no longer load them at boot.
        comment: comment their lines out instead of removing them.
        mods: several modules.

    Example:
        pcspkr:
          kmod.absent:
            - persist: true

    Returns:
        `changes` has `removed` by module.

    Raises:
        StateFailedError: the modules cannot be listed.
    """
    unwanted = [name] if mods is None else [str(each) for each in mods]
    loaded: set[str] = set(await ctx.call("kmod.mod_list"))
    if persist:
        loaded |= set(await ctx.call("kmod.mod_list", True))
    there = [each for each in unwanted if each in loaded]
    gone: DataMap = {"modules": [*unwanted], "persist": persist, "exists": False}
    if not there:
        text = _listed(unwanted, "is already removed", "are already removed")
        return StateReturn.unchanged(name, text, gone)
    if ctx.test:
        return StateReturn.planned(name, _listed(there, "is set to be removed", "are set to be removed"))
    changes: DataMap = {}
    texts: list[str] = []
    for each in there:
        try:
            removed_now: list[str] = await ctx.call("kmod.remove", each, persist, comment)
        except StateFailedError as error:
            texts.append(f"Failed to remove kernel module {each}: {error}")
            continue
        changes |= dict.fromkeys(removed_now, "removed")
    done = [each for each in there if each in changes]
    if done:
        word = "modules" if len(done) > 1 else "module"
        texts.insert(0, f"Removed kernel {word} {', '.join(done)}")
    if len(done) < len(there):
        return StateReturn.failed(name, "\n".join(texts), changes)
    return StateReturn.changed(name, "\n".join(texts), changes, gone)


def _listed(names: Sequence[str], singular: str, several: str) -> str:
    if len(names) == 1:
        return f"Kernel module {names[0]} {singular}"
    return f"Kernel modules {', '.join(names)} {several}"


FUNCTIONS: Final = by_name(absent, present, make_only=())
