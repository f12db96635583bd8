"""ensue prints for Jinja expressions what Salt 3008.5 printed: filters, tests and functions, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.compat.expressions import Expression, all_expressions, print_on_ensue, read_recorded

from ensue.language.jinja.filters import FILTERS, GLOBALS, TESTS

EXPRESSIONS = all_expressions()
RECORDED = read_recorded()
# Templates have `'\s'` where Python requires `'\\s'`; Jinja reads that, and Python warns.
pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
ASKS_THE_MACHINE = {
    "dns_check",
    "file_hashsum",
    "get_uid",
    "http_query",
    "is_bin_file",
    "is_empty",
    "is_text_file",
    "list_files",
    "which",
}


@pytest.fixture(autouse=True)
def _in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.mark.parametrize("theme", sorted({expression.theme for expression in EXPRESSIONS}))
def test_expressions_print_what_salt_printed(theme: str) -> None:
    """Every expression of a theme prints, or is refused, as in Salt, or as it documents."""
    differing = {
        expression.text: (expected, ours)
        for expression in EXPRESSIONS
        if expression.theme == theme
        and (ours := print_on_ensue(expression))
        != (expected := expression.ours if expression.differs else _salts(expression))
    }
    assert not differing


def test_every_expression_is_recorded() -> None:
    """What was recorded and what stands in the files are the same set, with no expression twice."""
    assert sorted((expression.theme, expression.text) for expression in EXPRESSIONS) == sorted(RECORDED)


def test_a_documented_difference_is_one() -> None:
    """An expression that documents a difference prints something else in Salt, and says why."""
    documented = [expression for expression in EXPRESSIONS if expression.differs]
    assert [
        expression.text
        for expression in documented
        if expression.ours == _salts(expression) or not expression.reason
    ] == []


@pytest.mark.parametrize("name", sorted({*FILTERS, *TESTS, *GLOBALS} - ASKS_THE_MACHINE))
def test_every_name_stands_in_an_expression(name: str) -> None:
    """Every filter, test and function that Salt has, too, was compared with Salt's."""
    assert any(name in expression.text for expression in EXPRESSIONS)


def test_users_are_told_of_every_name() -> None:
    """The page on migrating from Salt lists every filter, test and function."""
    page = (Path(__file__).resolve().parents[2] / "docs/migrating-from-salt.md").read_text()
    assert [name for name in (*FILTERS, *TESTS, *GLOBALS) if f"`{name}`" not in page] == []


def _salts(expression: Expression) -> str | None:
    return RECORDED[expression.theme, expression.text]
