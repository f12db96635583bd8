"""`py`: a Python file whose `run()` returns the data.

The globals are Salt's dunder names (`__salt__ __grains__ __pillar__ __opts__ __sls__`), the names of
Salt's template context, `delayed_block` and `literal`. Names of `salt` can be imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.language.data_faults import refuse_unbounded
from ensue.language.marks import without_marks
from ensue.language.renderers.py_blocks import DelayedBlocks
from ensue.language.renderers.py_data import GivenTexts, literal
from ensue.language.renderers.py_errors import python_errors
from ensue.language.renderers.py_places import PythonDocument
from ensue.language.salt_names.file_builtins import builtins_of_file
from ensue.language.salt_names.running import running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.language.renderers.stage import Stream

_DUNDERS: Final = {
    **{f"__{name}__": name for name in ("salt", "grains", "pillar", "opts", "sls")},
    "__env__": "saltenv",
}


def render(stream: Stream, _arguments: str) -> Stream:
    """Run the file."""
    padded = "\n" * (stream.first_line - 1) + without_marks(stream.text)
    given = GivenTexts()
    stream = given.watch(stream)
    namespace: dict[str, Any] = {"__name__": "ensue.sls", "__file__": stream.path, **builtins_of_file()}
    blocks = DelayedBlocks(stream.path, padded, namespace, _given)
    namespace["delayed_block"] = blocks
    with (
        python_errors(stream.path, "run()", stream.first_line),
        running(stream.variables.get("salt", {})),
        blocks.collected(stream) as block_functions,
    ):
        before = dict(namespace)
        exec(compile(padded, stream.path, "exec"), namespace)  # noqa: S102 -- running the user's file is this renderer
        run = _run_function(namespace, stream.path)
        data = run()
    code = getattr(run, "__code__", None)
    line = code.co_firstlineno if code else 0
    refuse_unbounded(data, Span(stream.path, line))
    exported = {
        name: value
        for name, value in namespace.items()
        if value is not before.get(name, before) and name != "run" and not name.startswith("_")
    }
    written = PythonDocument(stream.path, padded, line)
    given.check(data, written)
    return msgspec.structs.replace(
        stream.with_data(data), functions=tuple(block_functions), exported=exported, written=written
    )


def faults(stream: Stream) -> Sequence[Diagnostic]:
    """Return why a file does not compile."""
    try:
        with python_errors(stream.path, "run()"):
            compile("\n" * (stream.first_line - 1) + stream.text, stream.path, "exec")
    except CompileError as error:
        return error.diagnostics
    return ()


def _given(stream: Stream) -> dict[str, Any]:
    variables = dict(stream.variables)
    dunders = {word: variables.get(name) for word, name in _DUNDERS.items()}
    return {**variables, **dunders, "context": variables, "literal": literal}


def _run_function(namespace: dict[str, Any], path: str) -> Any:
    run = namespace.get("run")
    if not callable(run):
        message = "the file defines no function run()"
        raise CompileError(
            [Diagnostic(code="E0211", summary=message, span=Span(path, 1), help="def run(): return {…}")]
        )
    return run
