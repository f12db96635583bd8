"""The grammar of slots: any text is a slot, or is refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.engine.binding.slots import PREFIX, Slot, SlotSyntaxError, holds_slot, read_slot

PIECES = st.sampled_from(
    [
        "salt:",
        "test.echo",
        "(",
        ")",
        "'",
        '"',
        "\\",
        ",",
        "=",
        "[",
        "]",
        "{",
        "}",
        ".a",
        " ~ ",
        "a",
        " ",
        "\n",
        "é",
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=20).map("".join))
def test_any_text_is_a_slot_or_none(text: str) -> None:
    """A slot names a function and holds texts; any other text is refused with the same error."""
    try:
        slot = read_slot(f"{PREFIX}{text}")
    except SlotSyntaxError:
        return
    assert slot.function.strip()
    assert all(isinstance(arg, str) for arg in (*slot.args, *slot.kwargs.values(), *slot.path, slot.appended))


def test_thousands_of_brackets_are_read_at_once() -> None:
    """Neither their number nor their nesting is limited."""
    inner = "[" * 3000 + "]" * 3000
    assert read_slot(f"{PREFIX}salt:test.echo({inner})").args == (inner,)


WORDS = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)


def _quoted(text: str, quote: str) -> str:
    return quote + re.sub(r"([\\\\\"'])", r"\\\1", text) + quote


@given(
    st.lists(st.text(max_size=6), max_size=3),
    st.dictionaries(WORDS, st.text(max_size=6), max_size=3),
    st.lists(WORDS, max_size=3),
    st.none() | st.text(max_size=6),
    st.sampled_from("\"'"),
)
def test_a_slot_is_what_was_written(
    args: list[str], kwargs: dict[str, str], path: list[str], appended: str | None, quote: str
) -> None:
    """Quoted arguments, the path and the appended text are read as written, in both kinds of quotes."""
    words = [_quoted(arg, quote) for arg in args]
    words += [f"{key} = {_quoted(value, quote)}" for key, value in kwargs.items()]
    text = f"{PREFIX}salt:test.echo({', '.join(words)})" + "".join(f".{key}" for key in path)
    if appended is not None:
        text += f" ~ {quote}{appended}{quote}"
    assert read_slot(text) == Slot(
        function="test.echo", args=tuple(args), kwargs=kwargs, path=tuple(path), appended=appended or ""
    )


@pytest.mark.parametrize("text", ["a", "'", "'a", "a'", "'a\"", "a b", "aba", "'a'b"])
def test_appended_text_without_quotes_around_it_is_whole(text: str) -> None:
    """Only a pair of equal quotes around the whole appended text is removed."""
    assert read_slot(f"{PREFIX}salt:test.echo() ~ {text}").appended == text


@pytest.mark.parametrize(
    "words", ["(", "[a)", "(a]", "a]", "[{a]}", "'a", "a", "[a", "a,", "]", "a}, b"], ids=repr
)
def test_a_bracket_without_its_pair_is_refused(words: str) -> None:
    """Each bracket and quote within the arguments is closed by its own kind, and so are the arguments."""
    closing = ")" if words[-1] in "]})" else ""
    with pytest.raises(SlotSyntaxError, match="malformed slot"):
        read_slot(f"{PREFIX}salt:test.echo({words}{closing}")


def test_brackets_and_what_they_hold_are_one_argument() -> None:
    """Commas, equals signs and parentheses within brackets separate nothing."""
    slot = read_slot(f"{PREFIX}salt:test.echo([a, b=(c)], k={{d, e=f}}, )")
    assert slot.args == ("[a,b=(c)]",)
    assert slot.kwargs == {"k": "{d,e=f}"}


def test_a_slot_is_found_at_any_depth() -> None:
    """In mappings and lists, escaped or not; a text that only contains the word is no slot."""
    slot = f"{PREFIX}salt:test.ping()"
    for value in (slot, f"${slot}", f"$${slot}", {"a": [{"b": slot}]}, ["a", slot]):
        assert holds_slot(value)
    for value in (f" {slot}", "$", f"$a{slot}", {slot: "a"}, ["a", 1, None], 1, {}):
        assert not holds_slot(value)
