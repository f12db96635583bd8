"""`stateconf`: a template and data, with IDs of their SLS and values that other SLS may set.

A file with the line `# --- end of state config ---` is rendered twice: the text before that line sets values,
and the whole file sees them as variables.

Source: Salt's renderer `stateconf`, 3008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_mapping
from ensue.language.aggregation import unmarked
from ensue.language.authored import settle
from ensue.language.marks import unmarked as without_any_mark
from ensue.language.renderers.stage import Printing
from ensue.language.stateconf.options import read_options
from ensue.language.stateconf.places import rewritten_document
from ensue.language.stateconf.rewriting import rewrite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.language.renderers.stage import Stream
    from ensue.language.stateconf.options import StateconfOptions

_END_OF_CONFIG: Final = re.compile(r"#\s*-+\s*end of state config\s*-+")


def render(stream: Stream, arguments: str) -> Stream:
    """Render an SLS, and rewrite its data.

    Raises:
        CompileError: an option, a name or an ID is invalid, or one of the renderers refuses the text.
    """
    options = read_options(arguments, stream.path)
    sls = str(stream.variables.get("sls") or "")
    if stream.is_data or options.takes_data:
        return _rewritten(stream, sls, options, is_whole=True)
    if end := _END_OF_CONFIG.search(stream.text):
        head = msgspec.structs.replace(stream, text=stream.text[: end.start()])
        _rewritten(_to_data(head, sls, options, {}), sls, options, is_whole=False)
    values = stream.stateconf.variables(sls)
    rendered = _rewritten(_to_data(stream, sls, options, values), sls, options, is_whole=True)
    return msgspec.structs.replace(
        _settled(rendered, stream.printing), context=stream.context, exported={**values, **rendered.exported}
    )


def _to_data(stream: Stream, sls: str, options: StateconfOptions, values: Mapping[str, Any]) -> Stream:
    """Return a stream after the two renderers, with the marks of authors if these set any.

    A value keeps them, so that a reference in it counts where a template prints it.
    """
    from ensue.language.pipe import makes_data, run_pipe_to_data

    given = {"sls_dir": _folder(sls), **values}
    seeing = msgspec.structs.replace(
        stream,
        context=lambda: {**stream.variables, **given},
        printing=Printing.MARKED if makes_data(options.data) else stream.printing,
    )
    return run_pipe_to_data(seeing, f"{options.template}|{options.data}")


def _rewritten(stream: Stream, sls: str, options: StateconfOptions, *, is_whole: bool) -> Stream:
    data: Any = {} if stream.data is None else unmarked(stream.data)
    if not is_mapping(data):
        return stream
    document = stream.document()
    rewritten = rewrite(data, sls, options, document, is_whole=is_whole)
    stream.stateconf.collect(rewritten.data, sls)
    return msgspec.structs.replace(
        stream.with_data(rewritten.data), written=rewritten_document(document, rewritten)
    )


def _settled(stream: Stream, printing: Printing) -> Stream:
    """Return a stream whose references and slots all count, unless its file is one whose marks are kept."""
    if stream.printing is printing:
        return stream
    data = without_any_mark(settle(stream.data))
    return msgspec.structs.replace(stream, data=data, printing=printing)


def _folder(sls: str) -> str:
    """Return the folder of an SLS as Salt's `sls_dir` has it."""
    return sls.replace(".", "/").rpartition("/")[0] or sls or "."
