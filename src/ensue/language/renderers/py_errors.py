"""Turns the exceptions of a user's Python into Diagnostics with the line of the file."""

from __future__ import annotations

import contextlib
import traceback
from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Generator


@contextlib.contextmanager
def python_errors(path: str, called: str, line: int = 0, *, renderer: str = "py") -> Generator[None]:
    """Turn exceptions raised in the context into Diagnostics.

    Args:
        path: the file.
        called: the called function, for the message.
        line: the function's line, for errors on no line of the file.
        renderer: the renderer that runs it.

    Raises:
        CompileError: with the line.
    """
    try:
        yield
    except CompileError:
        raise
    except SyntaxError as error:
        span = Span(path, error.lineno or 1, error.offset or 0)
        raise CompileError(
            [Diagnostic(code="E0211", summary="broken Python", detail=error.msg, span=span)]
        ) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- the user's code: anything may come
        raise CompileError(
            [
                Diagnostic(
                    code="E0211",
                    summary=f"the {renderer} renderer's {called} raised an error",
                    detail=f"{type(error).__name__}: {error}",
                    span=_place(error, path, line),
                )
            ]
        ) from None


def _place(error: BaseException, path: str, line: int) -> Span:
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == path:
            return Span(path, frame.lineno or 0)
    return Span(path, line)
