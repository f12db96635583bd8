"""The grammar of slots: any text is one, or is refused as none."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ensue.engine.binding.slots import PREFIX, SlotSyntaxError, read_slot

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
    """What is read names a function and holds texts; whatever is not read is refused by one error."""
    try:
        slot = read_slot(f"{PREFIX}{text}")
    except SlotSyntaxError:
        return
    assert slot.function.strip()
    assert all(isinstance(one, str) for one in (*slot.args, *slot.kwargs.values(), *slot.path, slot.appended))


def test_thousands_of_brackets_are_read_at_once() -> None:
    """Neither their number nor their nesting is a bound."""
    inner = "[" * 3000 + "]" * 3000
    assert read_slot(f"{PREFIX}salt:test.echo({inner})").args == (inner,)
