"""Installs packages from files: copies them to the target, installs them and deletes the copies."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.library.modules.pkg.manager import InstallOptions, PackageManager


async def install_sources(
    ctx: FunctionContext,
    manager: PackageManager,
    sources: Sequence[Mapping[str, str]],
    options: InstallOptions,
) -> None:
    """Install packages from files.

    Args:
        manager: its package manager.
        sources: the name of each package with the location of its file: `salt://`, `https://`, or a path
            of the target.
        options: how to install them.

    Raises:
        StateFailedError: a file does not exist, or the packages cannot be installed.
    """
    what = "make a folder for packages"
    folder = (await must(ctx, "mktemp", "-d", what=what)).stdout.strip()
    try:
        paths = [await _brought(ctx, folder, str(source)) for each in sources for source in each.values()]
        await manager.install_files(ctx, paths, options)
    finally:
        await ctx.connection.remove(folder, recursive=True)


async def _brought(ctx: FunctionContext, folder: str, source: str) -> str:
    if source.startswith("/"):
        if await ctx.connection.stat(source, follow=True) is None:
            raise StateFailedError(f"there is no package file {source} on {ctx.srn}")
        return source
    content = await ctx.files.open(source)
    # A URL parser takes the file name of `salt://a.deb` for the host.
    path = posixpath.join(folder, posixpath.basename(source.partition("?")[0]))
    await ctx.connection.write(path, content)
    return path
