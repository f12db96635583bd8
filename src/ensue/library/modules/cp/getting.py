"""Copies sources to a path of the target, or returns their text.

Args:
    makedirs: create the parent folder.
    template: the renderer of both paths.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.cp.caching import cache_file, is_wanted
from ensue.library.modules.cp.sources import content_of, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.content import Content
    from ensue.core.contracts.context import FunctionContext


async def get_file(
    ctx: FunctionContext,
    path: str,
    dest: str,
    saltenv: str = "base",
    makedirs: bool = False,
    template: str | None = None,
    gzip: int | None = None,
    **kwargs: Any,
) -> str:
    """Copy a source to a path of the target, and return that path, empty if the source does not exist.

    Args:
        path: `salt://…`, http(s), or a path of the managing minion; with `template` it is rendered first.
        dest: the destination, also rendered; in a folder, or a path that ends in `/`, the name is kept.
        gzip: accepted as by Salt, without effect.
        **kwargs: `context` and more variables for the template.

    Example:
        ensue call '*' cp.get_file salt://www/index.html /srv/www/
    """
    if template:
        variables: dict[str, Any] = {**(kwargs.pop("context", None) or {}), **kwargs}
        path = await ctx.render_template(path, renderer=template, name="path", context=variables)
        dest = await ctx.render_template(dest, renderer=template, name="dest", context=variables)
    content = await opened(ctx, path, saltenv)
    return (
        "" if content is None else await _put(ctx, await _place(ctx, path, dest), content, makedirs=makedirs)
    )


async def get_template(
    ctx: FunctionContext,
    path: str,
    dest: str,
    template: str = "jinja",
    saltenv: str = "base",
    makedirs: bool = False,
    **kwargs: Any,
) -> str:
    """Render a source and write the text to a path of the target; see `get_file`.

    Args:
        dest: the destination, also rendered; in a folder, or a path that ends in `/`, the name is kept.
        **kwargs: `context` and more variables for the template.

    Example:
        ensue call '*' cp.get_template salt://www/index.html /srv/www/
    """
    content = await content_of(ctx, path, saltenv)
    if content is None:
        return ""
    context: Mapping[str, Any] = {**(kwargs.pop("context", None) or {}), **kwargs}
    text = await ctx.render_template(content.decode(), renderer=template, name=path, context=context)
    return await _put(ctx, await _place(ctx, path, dest), text.encode(), makedirs=makedirs)


async def get_url(
    ctx: FunctionContext,
    path: str,
    dest: str | None = "",
    saltenv: str = "base",
    makedirs: bool = False,
    **kwargs: Any,
) -> str | bool:
    """Copy a source to a path of the target, and return that path, False if the source does not exist.

    Args:
        dest: the destination; empty for the cache; None to return the text and write nothing.
        **kwargs: `source_hash`; others are accepted as by Salt, without effect.

    Example:
        ensue call '*' cp.get_url salt://www/index.html
    """
    if dest is None:
        return await get_file_str(ctx, path, saltenv)
    if not dest:
        return await cache_file(ctx, path, saltenv, kwargs.get("source_hash"))
    return await get_file(ctx, path, dest, saltenv, makedirs) or False


async def get_dir(
    ctx: FunctionContext,
    path: str,
    dest: str,
    saltenv: str = "base",
    template: str | None = None,
    gzip: int | None = None,
    **kwargs: Any,
) -> list[str]:
    """Copy a folder of the file roots into a folder of the target, and return the paths of the copies.

    Args:
        path: `salt://…`; the copy has its last name, unless it ends in `/`.
        dest: the folder to copy into.
        gzip: accepted as by Salt, without effect.
        **kwargs: `include_pat` and `exclude_pat`, see `cache_dir`; `context` and more variables.

    Example:
        ensue call '*' cp.get_dir salt://www /srv/www/
    """
    include, exclude = kwargs.pop("include_pat", None), kwargs.pop("exclude_pat", None)
    if template:
        variables: dict[str, Any] = {**(kwargs.pop("context", None) or {}), **kwargs}
        path = await ctx.render_template(path, renderer=template, name="path", context=variables)
        dest = await ctx.render_template(dest, renderer=template, name="dest", context=variables)
    base = path.rstrip("/")
    into = dest if path.endswith("/") else posixpath.join(dest, posixpath.basename(base))
    copied: list[str] = []
    for below in ctx.files.list_tree(path, saltenv=saltenv):
        if not is_wanted(below, include, exclude):
            continue
        content = await opened(ctx, f"{base}/{below}", saltenv)
        if content is not None:
            copied.append(await _put(ctx, posixpath.join(into, below), content, makedirs=True))
    return copied


async def get_file_str(ctx: FunctionContext, path: str, saltenv: str = "base") -> str | bool:
    """Return the text of a source (`salt://` or other), False if it does not exist.

    Example:
        ensue call '*' cp.get_file_str salt://www/index.html
    """
    content = await content_of(ctx, path, saltenv)
    return False if content is None else content.decode()


async def _place(ctx: FunctionContext, source: str, dest: str) -> str:
    name = posixpath.basename(source.partition("?")[0])
    if dest.endswith("/"):
        return posixpath.join(dest, name)
    file_stat = await ctx.connection.stat(dest, follow=True)
    return posixpath.join(dest, name) if file_stat is not None and file_stat.kind == "directory" else dest


async def _put(ctx: FunctionContext, place: str, content: Content, *, makedirs: bool) -> str:
    """Write a file, unless this is a plan; return its path, empty if its folder does not exist."""
    if ctx.test:
        return place
    folder = posixpath.dirname(place)
    if makedirs:
        await ctx.connection.make_directory(folder, parents=True)
    elif await ctx.connection.stat(folder, follow=True) is None:
        return ""
    await ctx.connection.write(place, content)
    return place


OFFERED: Final = by_name(get_dir, get_file, get_file_str, get_template, get_url)
