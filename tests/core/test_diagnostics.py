"""Errors and warnings about a user's input, as values."""

from __future__ import annotations

import pytest

from ensue.core.diagnostics import Diagnostic, Severity, Span, sort_key, without_silenced


@pytest.mark.parametrize(
    ("span", "text"),
    [(Span("a.sls"), "a.sls"), (Span("a.sls", 5), "a.sls:5"), (Span("a.sls", 5, 7), "a.sls:5:7")],
)
def test_a_place_is_shown_as_far_as_it_is_known(span: Span, text: str) -> None:
    """File, line and column."""
    assert str(span) == text


def test_a_message_is_one_line() -> None:
    """Place, summary, reason and remedy; what is not known is left out."""
    assert Diagnostic(code="E0101", summary="it fails").message == "it fails"
    whole = Diagnostic(code="E0101", summary="it fails", span=Span("a.sls", 5), detail="why", help="do this")
    assert whole.message == "a.sls:5: it fails: why (do this)"


def test_warnings_are_silenced_and_errors_are_not() -> None:
    """By code; others stay in their order."""
    warning = Diagnostic(code="W0101", summary="a", severity=Severity.WARNING)
    other = Diagnostic(code="W0102", summary="b", severity=Severity.WARNING)
    error = Diagnostic(code="W0101", summary="c")
    assert without_silenced([other, warning, error], {"W0101"}) == [other, error]


def test_diagnostics_are_sorted_as_they_are_read() -> None:
    """By file, line, column and code; what has no file comes first."""
    places = (None, Span("a", 2), Span("a", 10, 1), Span("a", 10, 5), Span("b"))
    expected = [Diagnostic(code=code, summary="x", span=place) for place in places for code in ("E1", "E2")]
    backwards = expected[::-1]
    assert sorted(backwards, key=sort_key) == expected
