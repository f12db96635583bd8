"""`py`: a Python file whose `run()` returns the data.

Salt's dunder names are there as globals (`__salt__ __grains__ __pillar__ __opts__ __sls__`), and the
names of Salt's template context.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

from ensue.diagnostics import Diagnostic, Span
from ensue.errors import CompileError

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream

_DUNDERS = ("salt", "grains", "pillar", "opts", "sls", "env")


def render(stream: Stream, _arguments: str) -> Stream:
    """Run the file."""
    padded = "\n" * (stream.first_line - 1) + stream.text
    namespace: dict[str, Any] = {"__name__": "ensue.sls", "__file__": stream.path, **stream.variables}
    namespace.update({f"__{name}__": stream.variables.get(name) for name in _DUNDERS})
    namespace["context"] = dict(stream.variables)
    try:
        exec(compile(padded, stream.path, "exec"), namespace)  # noqa: S102 -- running the user's file is this renderer
        return stream.with_data(_run_function(namespace, stream.path)())
    except CompileError:
        raise
    except SyntaxError as error:
        span = Span(stream.path, error.lineno or 1, error.offset or 0)
        raise CompileError(
            [Diagnostic(code="E0211", summary="broken Python", detail=error.msg, span=span)]
        ) from None
    except Exception as error:  # noqa: BLE001 -- the user's code: anything may come
        raise CompileError(
            [
                Diagnostic(
                    code="E0211",
                    summary="the py renderer's run() raised an error",
                    detail=f"{type(error).__name__}: {error}",
                    span=_place(error, stream.path),
                )
            ]
        ) from None


def _run_function(namespace: dict[str, Any], path: str) -> Any:
    run = namespace.get("run")
    if not callable(run):
        message = "the file defines no function run()"
        raise CompileError(
            [Diagnostic(code="E0211", summary=message, span=Span(path, 1), help="def run(): return {…}")]
        )
    return run


def _place(error: Exception, path: str) -> Span:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == path:
            return Span(path, frame.lineno or 0)
    return Span(path)
