"""Reads network configuration files as lists of lines, as Salt's functions return them, and writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._text_files import text_of, write_text

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def lines_of(ctx: FunctionContext, path: str) -> list[str]:
    """Return the lines of a file with line ends, an empty list if there is no such file."""
    return file_lines(await text_of(ctx, path) or "", keepends=True)


async def bare_lines_of(ctx: FunctionContext, path: str) -> list[str]:
    """Return the lines of a file without line ends and without the first empty line."""
    return bare_lines(await text_of(ctx, path) or "")


def bare_lines(text: str) -> list[str]:
    """Return the lines of a text without line ends and without the first empty line."""
    lines = file_lines(text)
    if "" in lines:
        lines.remove("")
    return lines


async def write_in_folder(ctx: FunctionContext, path: str, text: str, *, mode: int | None = None) -> None:
    """Write a file to a folder that must exist.

    Raises:
        StateFailedError: the folder does not exist.
    """
    folder = path.rpartition("/")[0]
    if await ctx.connection.stat(folder, follow=True) is None:
        raise StateFailedError(f"{path} cannot be written. {folder} does not exist")
    await write_text(ctx, path, text, mode=mode)


async def install_missing(ctx: FunctionContext, package: str) -> None:
    """Install a package that an interface requires, unless it is installed.

    Raises:
        StateFailedError: the package cannot be installed.
    """
    if not await ctx.call("pkg.version", package):
        await ctx.call("pkg.install", package)
