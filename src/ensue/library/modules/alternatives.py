"""Execution module `alternatives`: which of several programs a generic name refers to.

Args:
    name: the generic name (`editor`).
    path: the path of the program (`/usr/bin/vim.basic`).

Source: Salt's execution module `alternatives`, 3008: names and return values; update-alternatives(1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import ask, must
from ensue.library.modules._text_files import text_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_LINKS: Final = "/etc/alternatives"
_KEPT: Final = {"RedHat": "/var/lib/alternatives", "Suse": "/var/lib/rpm/alternatives"}
_LINK: Final = re.compile(r"^(?:Link: | *link \S+ is )(?P<path>\S+)$", re.MULTILINE)


async def display(ctx: FunctionContext, name: str) -> str:
    """Return the output of the program for a generic name.

    Example:
        ensue call '*' alternatives.display editor
    """
    answer = await ask(ctx, await _program(ctx), "--display", name)
    return answer.stdout if answer.is_success else answer.complaint()


async def show_link(ctx: FunctionContext, name: str) -> str | bool:
    """Return the path of the generic name (`/usr/bin/editor`), False if there is none.

    Example:
        ensue call '*' alternatives.show_link editor
    """
    folder = _KEPT.get(await _family(ctx))
    if folder is not None:
        lines = (await text_of(ctx, f"{folder}/{name}") or "").splitlines()
        return lines[1] if len(lines) > 1 else False
    answer = await ask(ctx, "update-alternatives", "--query", name)
    match = _LINK.search(answer.stdout) if answer.is_success else None
    return match["path"] if match else False


async def show_current(ctx: FunctionContext, name: str) -> str | bool:
    """Return the path of the program that a generic name refers to, False if there is none.

    Example:
        ensue call '*' alternatives.show_current editor
    """
    link = await ctx.connection.stat(f"{_LINKS}/{name}")
    return link.link_target if link is not None and link.kind == "symlink" else False


async def check_exists(ctx: FunctionContext, name: str, path: str) -> bool:
    """Return whether a program is an alternative for a generic name.

    Example:
        ensue call '*' alternatives.check_exists editor /usr/bin/vim.basic
    """
    answer = await ask(ctx, await _program(ctx), "--display", name)
    return any(line.startswith(f"{path} - ") for line in answer.stdout.splitlines())


async def check_installed(ctx: FunctionContext, name: str, path: str) -> bool:
    """Return whether a generic name refers to a program.

    Example:
        ensue call '*' alternatives.check_installed editor /usr/bin/vim.basic
    """
    return await show_current(ctx, name) == path


async def install(ctx: FunctionContext, name: str, link: str, path: str, priority: int | str) -> str:
    """Register an alternative for a generic name; the one with the highest priority is used.

    Args:
        link: the path of the generic name (`/usr/bin/editor`).
        priority: the priority; the alternative with the highest one is used.

    Example:
        ensue call '*' alternatives.install editor /usr/bin/editor /usr/bin/vim.basic 50
    """
    return await _do(ctx, name, "--install", link, name, path, str(priority))


async def remove(ctx: FunctionContext, name: str, path: str) -> str:
    """Remove an alternative for a generic name.

    Example:
        ensue call '*' alternatives.remove editor /usr/bin/vim.basic
    """
    return await _do(ctx, name, "--remove", name, path)


async def auto(ctx: FunctionContext, name: str) -> str:
    """Let a generic name refer to the alternative with the highest priority.

    Example:
        ensue call '*' alternatives.auto editor
    """
    return await _do(ctx, name, "--auto", name)


async def set_(ctx: FunctionContext, name: str, path: str) -> str:
    """Let a generic name refer to a program, whatever its priority.

    Example:
        ensue call '*' alternatives.set editor /usr/bin/vim.basic
    """
    return await _do(ctx, name, "--set", name, path)


async def _do(ctx: FunctionContext, name: str, *words: str) -> str:
    answer = await must(ctx, await _program(ctx), *words, what=f"change the alternatives of {name}")
    return answer.stdout


async def _program(ctx: FunctionContext) -> str:
    return "alternatives" if await _family(ctx) == "RedHat" else "update-alternatives"


async def _family(ctx: FunctionContext) -> str:
    return str((await ctx.grains()).get("os_family"))


FUNCTIONS: Final = by_name(
    auto, check_exists, check_installed, display, install, remove, set_, show_current, show_link
)
