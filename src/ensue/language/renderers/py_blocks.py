"""`@delayed_block` in a `py` file: a function that is called when a state calls for its block.

Source: SEP 16, "Alternative Renderers".
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.language.blocks import UNSET, Block
from ensue.language.data_faults import refuse_unbounded
from ensue.language.renderers.py_data import GivenTexts
from ensue.language.renderers.py_errors import python_errors
from ensue.language.renderers.py_places import PythonDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from ensue.language.blocks import Limit
    from ensue.language.renderers.stage import Stream


class _Here(threading.local):
    """The blocks that the calling thread collects."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []


class DelayedBlocks:
    """The global `delayed_block` of one `py` file.

    Args:
        path: the file.
        source: its text.
        namespace: its globals.
        given: the globals set before the file ran, by name; renewed when a block is called.
    """

    def __init__(
        self, path: str, source: str, namespace: dict[str, Any], given: Callable[[Stream], dict[str, Any]]
    ) -> None:
        self._path = path
        self._source = source
        self._namespace = namespace
        self._given = given
        self._last: dict[str, Any] = {}
        self._here = _Here()

    def __call__(
        self, name: str, scoped: bool = False, limit: Limit = UNSET
    ) -> Callable[[Callable[[dict[str, Any]], Any]], Callable[[dict[str, Any]], Any]]:
        """Mark a function of a file as a delayed block.

        Args:
            name: what states call it by.
            scoped: whether it is given the file's own top-level names.
            limit: how often it may be called in a run; None is no limit.
        """

        def note(function: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
            span = Span(self._path, function.__code__.co_firstlineno)
            self._check(name, limit, span)
            block = Block(
                name=name,
                place=span,
                first_line=span.line,
                scoped=bool(scoped),
                limit=limit,
                function=lambda stream: self._call(function, stream),
            )
            self._here.blocks.append(block)
            return function

        return note

    @contextlib.contextmanager
    def collected(self, stream: Stream) -> Generator[list[Block]]:
        """Collect the blocks that this thread defines inside; the globals keep their current values."""
        before = self._here.blocks
        self._here.blocks = []
        self._renew(self._given(stream))
        try:
            yield self._here.blocks
        finally:
            self._here.blocks = before

    def _renew(self, given: dict[str, Any]) -> None:
        """Set the globals that the file did not set itself."""
        for name, value in given.items():
            if name not in self._last or self._namespace.get(name) is self._last[name]:
                self._namespace[name] = value
        self._last = given

    def _call(self, function: Callable[[dict[str, Any]], Any], stream: Stream) -> Stream:
        name, line = f"{function.__name__}()", function.__code__.co_firstlineno
        given = GivenTexts()
        stream = given.watch(stream)
        with self.collected(stream) as blocks, python_errors(self._path, name, line):
            data = function(dict(stream.variables))
        refuse_unbounded(data, Span(self._path, line))
        written = PythonDocument(self._path, self._source, line)
        given.check(data, written)
        return msgspec.structs.replace(stream.with_data(data), functions=tuple(blocks), written=written)

    def _check(self, name: Any, limit: Any, span: Span) -> None:
        if not isinstance(name, str) or not name or name.split() != [name]:
            self._refuse(f"the delayed block's name is {name!r}", span, 'write @delayed_block("NAME")')
        if limit is not UNSET and limit is not None and (type(limit) is not int or limit < 1):
            self._refuse(f"limit is {limit!r}", span, "it takes a number of at least 1, or None for no limit")

    def _refuse(self, summary: str, span: Span, help_: str) -> None:
        raise CompileError([Diagnostic(code="E0902", summary=summary, span=span, help=help_)])
