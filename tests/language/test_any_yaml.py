"""Any text is data or is refused with a place, by every reader of YAML that there is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ensue.core.errors import CompileError
from ensue.core.model.bounded_yaml import load_plain_yaml
from ensue.core.model.data_bounds import check_data
from ensue.language.renderers import json_stage, yaml_stage, yamlex_stage
from ensue.language.renderers.stage import Stream

if TYPE_CHECKING:
    from types import ModuleType

PIECES = st.sampled_from(
    [
        "a", "b: ", "c:\n", "- ", "  ", "\n", "\n  ", "[", "]", "{", "}", ", ", "&a ", "*a", "&b ", "*b",
        "<<: ", "? ", ": ", "|\n", ">-\n", "'", '"', "\\", "#", "%", "@", "---\n", "...", "!", "!!int ",
        "!!bool ", "!!float ", "!!null ", "!!set ", "!!omap ", "!!pairs ", "!!binary ", "!!timestamp ",
        "!!map ", "!!seq ", "!!str ", "!x ", "!aggregate ", "!reset ", "0x_", "-0b_", "1_", ".nan",
        "-.inf", "1e9", "1:2:3", "1:2.5", "2020-01-01", "yes", "~", "=", "1" * 4301, "\t", "\r", "\0",
        "\ud800", "\ufeff", "\x85", "\u2028", "\ue000", "\U0001f600", "//4=",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join)


def stream(text: str) -> Stream:
    def never() -> Any:
        raise AssertionError

    return Stream(text=text, path="t.sls", name="t.sls", context=never, jinja=never, mako=never)


@pytest.mark.parametrize(
    "stage", [yaml_stage, yamlex_stage, json_stage], ids=lambda stage: stage.__name__[-12:]
)
@given(text=TEXTS)
@example(text="a: &a [*a]")
@example(text="? &a [*a]\n: 1")
@example(text="a: &a {<<: *a}")
@example(text="!!omap [&a {x: *a}]")
@example(text="!!timestamp x")
@example(text="!!bool [a]")
@example(text="!!pairs [[a, b]]")
@example(text="#\ud800")
@example(text="\x85\u2028\u2029\r!x ")
def test_any_text_is_data_or_refused(stage: ModuleType, text: str) -> None:
    """Data is within the bounds, and its places can be asked for; a fault has a code, a file and a line."""
    try:
        made = stage.render(stream(text), "")
    except CompileError as error:
        for diagnostic in error.diagnostics:
            assert diagnostic.code in {"E0201", "E0202", "E0210", "E0215", "E0216", "E0217"}
            assert diagnostic.span is not None
            assert diagnostic.span.path == "t.sls"
            assert 0 < diagnostic.span.line <= text.count("\n") + 1
        return
    check_data(made.data)
    document = made.document()
    assert document.locate(("a", 0, "b", -1, "c")).path == "t.sls"
    keys = made.data if isinstance(made.data, dict) else ()
    assert all(document.locate((str(key), 0)).path == "t.sls" for key in keys)


@given(TEXTS)
def test_any_other_text_is_data_or_a_value_error(text: str) -> None:
    """What is no part of a project (grains, a file that is merged) is refused in one line."""
    message = ""
    try:
        check_data(load_plain_yaml(text))
    except ValueError as error:
        message = str(error)
    assert "\n" not in message
