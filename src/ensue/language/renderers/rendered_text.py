"""Reads text into which templates have printed values: the printed values stay data.

The stages that make data (`yaml`, `json`, `yamlex`) share this. See `authored` and `printed_values`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.errors import CompileError
from ensue.language.authored_data import mark_authored
from ensue.language.marks import NOTHING, without_marks, without_nothing
from ensue.language.references.detection import may_bind, may_hold_slot
from ensue.language.renderers.stage import Printing
from ensue.language.yaml.containment import load_any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ensue.core.model.printed_text import Extent
    from ensue.language.renderers.stage import Stream
    from ensue.language.yaml import YamlDocument

    Judge = Callable[[str, Sequence[Extent]], Iterator[Extent]]
    """Yields the extents of values that extend beyond one scalar of a text."""


def read_data(stream: Stream, read: Callable[[YamlDocument], Any], judge: Judge | None) -> Stream:
    """Return a stream ended by the data of its text.

    Args:
        stream: the stream.
        read: reads a document; raises CompileError if it cannot.
        judge: yields values that do not stay within one scalar; None if only `read` knows the format: then
            each value must be plain, and no text of the data counts as an author's.

    Raises:
        CompileError: the text cannot be read, or a value extends beyond the scalar it is printed into.
    """
    if stream.is_rendered:
        return _read_rendered(stream, read, judge)
    data = read(stream.document())
    if stream.printing is not Printing.MARKED:
        return stream.with_data(data)
    if may_bind(stream.text) or may_hold_slot(stream.text):
        from ensue.language.authored import mark_data

        data = mark_data(data)
    return stream.with_data(data if judge is None else mark_authored(data, stream.text, (), load_any))


def _read_rendered(stream: Stream, read: Callable[[YamlDocument], Any], judge: Judge | None) -> Stream:
    from ensue.language.authored import is_settled, marks_that_count, settle
    from ensue.language.printed_values import take_out_guards

    text, extents = take_out_guards(stream.text)
    lacks_values = NOTHING in text
    if lacks_values:
        read = _with_nulls(read)
    plain = without_marks(text)
    shown = msgspec.structs.replace(stream, text=plain)
    if extents:
        from ensue.language.renderers.refusal import refuse_keys_of_run, refuse_values

        refuse_values(shown, text, extents, judge)
        if stream.printing is Printing.JUDGED:
            refuse_keys_of_run(shown, text, extents, load_any)
    if stream.printing is Printing.MARKED:
        data = marks_that_count(_read_marked(shown, text, read))
        if judge is None:
            return shown.with_data(data)
        return shown.with_data(
            mark_authored(data, text, extents, lambda worded: marks_that_count(load_any(worded)))
        )
    if is_settled(text) and not lacks_values:
        return shown.with_data(read(shown.document()))
    return shown.with_data(settle(_read_marked(shown, text, read)))


def _with_nulls(read: Callable[[YamlDocument], Any]) -> Callable[[YamlDocument], Any]:
    """Return a reader whose data has null for each parameter without a value."""

    def read_nulls(document: YamlDocument) -> Any:
        return without_nothing(read(document))

    return read_nulls


def _read_marked(shown: Stream, text: str, read: Callable[[YamlDocument], Any]) -> Any:
    """Return the data of a text with marks; errors quote the text without them."""
    try:
        return read(msgspec.structs.replace(shown, text=text).document())
    except CompileError:
        read(shown.document())
        raise
