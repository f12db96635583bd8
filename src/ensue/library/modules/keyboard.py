"""Execution module `keyboard`: the keyboard layout of the target's console, and that of its X server.

The functions write the file that the system reads at boot, so they work without systemd too. A console in use
keeps its layout until the next boot.

Args:
    layout: its name (`de`, `us,de`).

Source: Salt's execution module `keyboard`, 3008: names and return values; keyboard(5), vconsole.conf(5),
setxkbmap(1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import must
from ensue.library.modules._text_files import text_of, with_line, write_text

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_DEBIAN: Final = ("/etc/default/keyboard", "XKBLAYOUT")
_OPENRC: Final = ("/etc/conf.d/keymaps", "keymap")
_SYSTEMD: Final = ("/etc/vconsole.conf", "KEYMAP")
_LAYOUT: Final = re.compile(r"[A-Za-z0-9_.,:()+/][A-Za-z0-9_.,:()+/-]*")


async def get_sys(ctx: FunctionContext) -> str:
    """Return the keyboard layout of the console, empty if none is set."""
    path, variable = await _setting(ctx)
    pattern = re.compile(rf"\s*{variable}=[\"']?(?P<layout>[^\"'\s]*)")
    lines = file_lines(await text_of(ctx, path) or "")
    layouts = [match["layout"] for line in lines if (match := pattern.match(line))]
    return layouts[-1] if layouts else ""


async def set_sys(ctx: FunctionContext, layout: str) -> str:
    """Set the keyboard layout of the console, from the next boot on.

    Example:
        ensue call '*' keyboard.set_sys de

    Returns:
        The layout.

    Raises:
        StateFailedError: `layout` is not a valid name.
        RemoteFileError: the file cannot be written.
    """
    _check(layout)
    path, variable = await _setting(ctx)
    text = await text_of(ctx, path) or ""
    await write_text(ctx, path, with_line(text, rf"\s*{variable}=", f'{variable}="{layout}"'))
    return layout


async def get_x(ctx: FunctionContext) -> str:
    """Return the keyboard layout of the X server.

    Raises:
        StateFailedError: there is no X server, or no program `setxkbmap`.
    """
    answer = await must(ctx, "setxkbmap", "-query", what="read the keyboard layout")
    layouts = [line.partition(":")[2].strip() for line in answer.stdout.splitlines() if _is_layout(line)]
    return layouts[0] if layouts else ""


async def set_x(ctx: FunctionContext, layout: str) -> str:
    """Set the keyboard layout of the running X server.

    Example:
        ensue call '*' keyboard.set_x de

    Returns:
        The layout.

    Raises:
        StateFailedError: there is no such layout, no X server, or no program `setxkbmap`.
    """
    _check(layout)
    await must(ctx, "setxkbmap", layout, what=f"set the keyboard layout {layout}")
    return layout


async def _setting(ctx: FunctionContext) -> tuple[str, str]:
    if (await ctx.grains()).get("os_family") == "Debian":
        return _DEBIAN
    return _SYSTEMD if await text_of(ctx, _OPENRC[0]) is None else _OPENRC


def _is_layout(line: str) -> bool:
    return line.partition(":")[0].strip() == "layout"


def _check(layout: str) -> None:
    if not _LAYOUT.fullmatch(layout):
        raise StateFailedError(f"{layout!r} is not a valid name of a keyboard layout")


FUNCTIONS: Final = by_name(get_sys, get_x, set_sys, set_x)
