"""Renderers: one stage of the pipe named on an SLS file's first line (`#!jinja|yaml`).

A distribution offers one under the entry point group `ensue.renderers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping


class RenderInput(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a renderer.

    Args:
        text: the output of the stage before it.
        data: the data of the stage before it, None if that stage returned text.
        path: the file, for messages.
        variables: Salt's context: `salt grains pillar opts sls slspath tpldir tplfile saltenv`, and more.
        arguments: the text after the renderer's name on the first line.
    """

    text: str
    path: str
    variables: Mapping[str, Any]
    arguments: tuple[str, ...] = ()
    data: Any = None


class Renderer(Protocol):
    """One stage: text to text, or text to data (the last one)."""

    def __call__(self, source: RenderInput) -> Any:
        """Render.

        Args:
            source: its input.

        Returns:
            Text, or data.

        Raises:
            CompileError: with the place in the source; any other exception is reported as a failure.
        """
        ...
