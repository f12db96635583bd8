"""A project's own renderers: `render(…)` of its `_renderers` files, as stages of a pipe.

Source: Salt's renderers and `salt.template.compile_template`: `render(data, saltenv, sls, **kwargs)` is given
an open file, and returns text, an open file, or data.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError, EnsueError, PluginError
from ensue.language.custom.dunders import calling
from ensue.language.data_faults import refuse_unbounded
from ensue.language.renderers.py_data import GivenTexts
from ensue.language.renderers.rendered_text import read_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.custom.folders import CustomFiles
    from ensue.language.renderers.stage import Stage, Stream
    from ensue.language.yaml import YamlDocument


class CustomRenderers:
    """The renderers of one project.

    Args:
        files: its `_renderers` files.
    """

    def __init__(self, files: CustomFiles) -> None:
        self._files = files

    def stage(self, name: str, surroundings: Callable[[], Mapping[str, Any]]) -> Stage | None:
        """Return a renderer as a stage; None if the project has none of this name.

        Args:
            name: its name in a pipe.
            surroundings: makes the globals of a call.

        Raises:
            CompileError: its file does not load, or refuses to be used.
        """
        try:
            files = self._files.of(name)
        except PluginError as error:
            raise _refused(name, str(error)) from error
        for loaded in files:
            if not loaded.refusal and (render := loaded.functions.get("render")):
                return _Stage(name, render, surroundings).run
        if files:
            raise _refused(name, "; ".join(map(str, files)))
        return None


class _Stage:
    def __init__(
        self, name: str, render: Callable[..., Any], surroundings: Callable[[], Mapping[str, Any]]
    ) -> None:
        self._name = name
        self._render = render
        self._surroundings = surroundings

    def run(self, stream: Stream, arguments: str) -> Stream:
        """Run the renderer on a stream's text."""
        own = self._surroundings()
        variables = stream.variables
        given = GivenTexts()
        watched = given.watch(
            msgspec.structs.replace(stream, context=lambda: {**variables, "salt": own["salt"]})
        )
        globals_ = {**own, "salt": watched.variables["salt"]}

        def read(document: YamlDocument) -> Any:
            made = self._made(document, arguments, variables, globals_)
            if isinstance(made, str):
                raise _TextError(made)
            refuse_unbounded(made, document.source_span(1))
            if not stream.is_rendered:  # Marks show what an author wrote.
                given.check(made, document)
            return made

        try:
            return read_data(stream, read, None)
        except _TextError as made:
            return msgspec.structs.replace(stream, text=made.text)

    def _made(
        self,
        document: YamlDocument,
        arguments: str,
        variables: Mapping[str, Any],
        globals_: Mapping[str, Any],
    ) -> Any:
        saltenv, sls = str(variables.get("saltenv") or "base"), str(variables.get("sls") or "")
        more: dict[str, Any] = {"argline": arguments} if arguments else {}
        try:
            with calling(globals_):
                made = self._render(
                    io.StringIO(document.text),
                    saltenv,
                    sls,
                    tmplpath=document.path,
                    context=dict(variables),
                    **more,
                )
                return made.read() if hasattr(made, "read") else made
        except CompileError:
            raise
        except (Exception, SystemExit) as error:
            why = str(error) if isinstance(error, EnsueError) else f"{type(error).__name__}: {error}"
            line = getattr(error, "line_num", None)
            raise _failed(self._name, why, document.source_span(line or 1)) from error


class _TextError(Exception):
    """The renderer has produced text instead of data.

    Args:
        text: the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


def _refused(name: str, why: str) -> CompileError:
    return _error(f"the renderer {name!r} cannot be used", why, None)


def _failed(name: str, why: str, span: Span) -> CompileError:
    return _error(f"the renderer {name!r} failed", why, span)


def _error(summary: str, why: str, span: Span | None) -> CompileError:
    return CompileError([Diagnostic(code="E0609", summary=summary, detail=why, span=span)])
