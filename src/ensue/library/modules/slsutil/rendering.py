"""Renders a file or a string: `slsutil.renderer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def renderer(
    ctx: FunctionContext,
    path: str | None = None,
    string: str | None = None,
    default_renderer: str = "jinja|yaml",
    saltenv: str = "base",
    **kwargs: Any,
) -> Any:
    """Return the result of rendering a file or a string.

    A map file can thus be written for any renderer and used from any SLS.

    Args:
        path: a `salt://` URL or another source.
        string: the text to render.
        default_renderer: the render pipe, unless the first line names another (`#!py`).
        saltenv: the environment for `salt://`.
        **kwargs: variables for the template.

    Returns:
        Data, or text if the pipe ends with a text renderer. An empty mapping for an empty text and, as in
        Salt, for a path that does not exist.

    Raises:
        StateFailedError: neither or both of `path` and `string` are given, or a renderer fails.
    """
    if bool(path) == bool(string):
        raise StateFailedError("slsutil.renderer requires either a path or a string")
    if string:
        return _some(
            await ctx.render_data(string, renderer=default_renderer, name=":string:", context=kwargs)
        )
    try:
        content = await ctx.files.read(str(path), saltenv=saltenv)
    except StateFailedError:
        return {}
    variables = {"saltenv": saltenv, **kwargs}
    text = content.decode("utf-8", "replace")
    return _some(await ctx.render_data(text, renderer=default_renderer, name=str(path), context=variables))


def _some(rendered: Any) -> Any:
    return {} if rendered is None else rendered
