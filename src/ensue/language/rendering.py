"""Rendering SLS files and templates with one target's context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.diagnostics import Diagnostic, Span
from ensue.errors import CompileError
from ensue.language.pipe import DEFAULT_PIPE, pipe_of, run_pipe
from ensue.language.renderers.stage import Stream
from ensue.language.sls_context import place_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.jinja import JinjaRenderer
    from ensue.language.roots import Roots, SlsFile


class SlsRenderer:
    """Renders files with the context of one target.

    Args:
        roots: file roots; templates are loaded from them.
        variables: makes `salt grains pillar opts` and whatever else every file sees, when asked.
        jinja_options: options of the Jinja environment, by Jinja's names.
        default_pipe: what a file without `#!` is rendered with.
        allow_undefined: an undefined Jinja variable is empty instead of an error.
    """

    def __init__(
        self,
        roots: Roots,
        variables: Callable[[], Mapping[str, Any]],
        *,
        jinja_options: Mapping[str, Any] | None = None,
        default_pipe: str = DEFAULT_PIPE,
        allow_undefined: bool = False,
    ) -> None:
        self._roots = roots
        self._variables = variables
        self._jinja_options = jinja_options or {}
        self._default_pipe = default_pipe
        self._allow_undefined = allow_undefined
        self._jinja: dict[str, JinjaRenderer] = {}

    def render_file(self, file: SlsFile, defaults: Mapping[str, Any] | None = None) -> Stream:
        """Render one SLS file to data.

        Args:
            file: the file.
            defaults: further variables, as a pillar `include` may give.

        Raises:
            CompileError: it cannot be read, or a stage refuses it.
        """
        shown = self._roots.shown(file.path)
        text = read_text(file.path.read_bytes, shown)

        def context() -> dict[str, Any]:
            return {**self._variables(), **(defaults or {}), **place_variables(file)}

        stream = self._stream(text, shown, file.relative, context, file.saltenv)
        return run_pipe(stream, pipe_of(text, self._default_pipe))

    def render_text(
        self, text: str, *, renderer: str, name: str, extra: Mapping[str, Any], saltenv: str = "base"
    ) -> str:
        """Render a template to text (`file.managed` with `template: jinja`).

        Raises:
            CompileError: the renderer is unknown, or refuses the text.
        """
        variables = {**self._variables(), "saltenv": saltenv, "env": saltenv, "sls": "", **extra}
        relative = name.removeprefix("salt://")
        folder = relative.rpartition("/")[0]
        places = {
            "tplfile": relative,
            "tpldir": folder or ".",
            "tpldot": folder.replace("/", "."),
            "slspath": folder,
        }
        for key, value in places.items():
            variables.setdefault(key, value)
        stream = run_pipe(self._stream(text, name, relative, lambda: variables, saltenv), renderer)
        return stream.text

    def _stream(
        self, text: str, path: str, name: str, context: Callable[[], Mapping[str, Any]], saltenv: str
    ) -> Stream:
        return Stream(text=text, path=path, name=name, context=context, jinja=lambda: self._jinja_of(saltenv))

    def _jinja_of(self, saltenv: str) -> JinjaRenderer:
        if saltenv not in self._jinja:
            from ensue.language.jinja import JinjaRenderer

            self._jinja[saltenv] = JinjaRenderer(
                self._roots.folders(saltenv),
                shorten=self._roots.shown,
                options=self._jinja_options,
                allow_undefined=self._allow_undefined,
            )
        return self._jinja[saltenv]


def read_text(read: Callable[[], bytes], shown: str) -> str:
    """Return the text of a file, line ends made one newline each.

    Raises:
        CompileError: it cannot be read, or is not UTF-8; with the line.
    """
    try:
        content = read()
    except OSError as error:
        raise CompileError(
            [
                Diagnostic(
                    code="E0208",
                    summary="a file cannot be read",
                    detail=error.strerror or str(error),
                    span=Span(shown),
                    help="check its owner and mode",
                )
            ]
        ) from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CompileError(
            [
                Diagnostic(
                    code="E0208",
                    summary="a file is not UTF-8",
                    detail=f"byte 0x{content[error.start]:02x} does not belong there",
                    span=Span(shown, line),
                    help="save it as UTF-8",
                )
            ]
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
