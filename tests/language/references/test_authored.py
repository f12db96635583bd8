"""Which signs of references and slots count."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ensue.engine.binding.slots import is_escaped, read_slot
from ensue.language.authored import as_literal, is_settled, mark_data, mark_signs, marks_that_count, settle
from ensue.language.marks import has_marks, unmarked, without_marks
from ensue.language.references.grammar import read_text

TEXTS = st.lists(
    st.sampled_from(
        (
            "${test:a:b}",
            "$",
            "$$",
            "{",
            "}",
            "\\",
            "a",
            ":b:",
            "test:a",
            "__slot__",
            "__slot__:",
            "salt:x()",
            '"',
            "[0]",
        )
    ),
    max_size=8,
).map("".join)


def _meant(text: str) -> str:
    """Return the value with which a state is called for a text without references."""
    if is_escaped(text):
        text = text[1:]
    pieces = read_text(text)
    assert all(isinstance(piece, str) for piece in pieces), pieces
    return "".join(map(str, pieces))


@given(TEXTS)
def test_a_literal_is_what_it_was(text: str) -> None:
    """A literal value stays the same, whatever signs and escapes are in it."""
    (escaped,) = as_literal([text])
    assert not escaped.startswith("__slot__:")
    assert _meant(escaped) == text


@given(TEXTS)
def test_what_an_author_wrote_is_left_as_it_is(text: str) -> None:
    """Marks change nothing of a text whose signs are all an author's."""
    marked = mark_signs(text)
    assert settle([marked, {marked: marked}]) == [text, {text: text}]
    assert without_marks(marked) == text
    assert is_settled(marked) or "\\" in text


@given(TEXTS, TEXTS)
def test_a_value_behind_an_authors_text_brings_no_reference_along(authored: str, value: str) -> None:
    """References in a text that was put together are those that the author began."""
    (settled,) = settle([f"{mark_signs(authored)} {value}"])
    references = [piece.text for piece in read_text(settled) if not isinstance(piece, str)]
    assert len(references) <= authored.count("${")


@given(TEXTS)
def test_marks_survive_json(text: str) -> None:
    """A mark counts as well where a serializer has written it as an escape."""
    written = json.dumps(mark_signs(text))
    assert settle([json.loads(written)]) == [text]


@given(TEXTS)
def test_pillar_has_marks_only_where_they_count(text: str) -> None:
    """What merely looks like a reference has no mark in pillar, and no text there is changed."""
    (kept,) = mark_data([text])
    counts = any(not isinstance(piece, str) for piece in read_text(text)) or text.lstrip("$").startswith(
        "__slot__:"
    )
    assert has_marks(kept) or not counts
    assert marks_that_count([kept]) == [kept]
    assert unmarked([kept]) == [text]


def test_data_without_marks_is_shared() -> None:
    """Taking marks out copies only what holds one."""
    inner = {"a": ["b", 1]}
    data = {"one": inner, "two": [mark_signs("${a:b:c}")]}
    plain = unmarked(data)
    assert plain["one"] is inner
    assert plain["two"] == ["${a:b:c}"]
    assert unmarked(plain) is plain


def test_an_alias_is_escaped_once() -> None:
    """What an alias of YAML puts in several places is one object, and is changed once."""
    inner = {"a": "${test:a:b}"}
    assert settle({"x": inner, "y": [inner]}) == {"x": {"a": "$${test:a:b}"}, "y": [{"a": "$${test:a:b}"}]}


def test_a_slot_that_is_escaped_is_no_slot() -> None:
    """The escape of a slot is text; the slot itself can be read."""
    assert is_escaped("$__slot__:salt:x()")
    assert not is_escaped("x$__slot__:salt:x()")
    assert read_slot("__slot__:salt:x.y()").function == "x.y"
