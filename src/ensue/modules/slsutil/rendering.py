"""A text sent through a render pipe: `slsutil.renderer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.contracts.context import FunctionContext


async def renderer(
    ctx: FunctionContext,
    path: str | None = None,
    string: str | None = None,
    default_renderer: str = "jinja|yaml",
    saltenv: str = "base",
    **kwargs: Any,
) -> Any:
    """Return what a render pipe makes of a file or a string.

    A map file can so be written for any renderer, and read from any SLS.

    Args:
        ctx: the target.
        path: a `salt://` or other source.
        string: the text itself.
        default_renderer: the pipe, unless the first line names another (`#!py`).
        saltenv: the environment of `salt://`.
        **kwargs: variables of the text.

    Returns:
        Data; text when the pipe ends in text. An empty mapping for a text that says nothing, and, as in
        Salt, when the path is nowhere.

    Raises:
        StateFailedError: there is neither path nor string, or both; a renderer refuses the text.
    """
    if bool(path) == bool(string):
        raise StateFailedError("slsutil.renderer takes a path or a string, one of the two")
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
