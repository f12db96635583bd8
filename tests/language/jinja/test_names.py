"""A filter or test that is not there is named, wherever Jinja finds out, with near names and the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import CompileError
from ensue.language.jinja import JinjaRenderer

if TYPE_CHECKING:
    from ensue.core.diagnostics import Diagnostic


def refused(template: str) -> Diagnostic:
    with pytest.raises(CompileError) as caught:
        JinjaRenderer([], shorten=str).render(template, {}, path="t.sls")
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


@pytest.mark.parametrize(
    ("template", "summary"),
    [
        ("\n{{ 'a' | regex_replce('a', 'b') }}", "there is no filter 'regex_replce'"),
        ("\n{% if true %}{{ 'a' | regex_replce('a', 'b') }}{% endif %}", "there is no filter 'regex_replce'"),
        ("\n{{ ['a'] | map('regex_replce', 'a', 'b') | list }}", "there is no filter 'regex_replce'"),
        ("\n{% filter regex_replce('a', 'b') %}a{% endfilter %}", "there is no filter 'regex_replce'"),
        ("\n{{ 1 is equallto(1) }}", "there is no test 'equallto'"),
        ("\n{{ 'x' if 1 is equallto(1) else 'y' }}", "there is no test 'equallto'"),
        ("\n{{ [1] | select('equallto', 1) | list }}", "there is no test 'equallto'"),
    ],
)
def test_a_missing_name_is_named_with_its_line(template: str, summary: str) -> None:
    """The code, the name, its kind, the line and near names are shown wherever the name is."""
    diagnostic = refused(template)
    assert (diagnostic.code, diagnostic.summary) == ("E0203", summary)
    assert str(diagnostic.span) == (
        "t.sls:2" if template.count("{%") + template.count("{{") > 1 else "t.sls:2:1"
    )
    near = "regex_replace" if "filter" in summary else "equalto"
    assert f"did you mean {near}" in diagnostic.help


def test_all_missing_names_are_refused_together() -> None:
    """Each filter and test has its first line; one in a branch fails only a rendering that reaches it."""
    template = (
        "{% set a = [1] | combine %}{{ a | b64encode }}\n{{ a | b64encode if a is nosuch else 1 }}\n"
        "{% for b in a | subelements %}{{ b is search('x') }}{% endfor %}"
    )
    with pytest.raises(CompileError) as caught:
        JinjaRenderer([], shorten=str).render(template, {}, path="t.sls")
    assert [
        (diagnostic.summary.split("'")[1], diagnostic.span.line)
        for diagnostic in caught.value.diagnostics
        if diagnostic.span
    ] == [
        ("combine", 1),
        ("b64encode", 1),
        ("subelements", 3),
        ("search", 3),
    ]


def test_a_missing_name_in_a_branch_that_is_not_taken_is_no_fault() -> None:
    """A template may ask whether a filter is there before it uses it."""
    template = "{% if 'nope' is filter %}{{ 'a' | nope }}{% else %}without{% endif %}"
    assert JinjaRenderer([], shorten=str).render(template, {}, path="t").text == "without"


def test_an_undefined_name_behind_map_is_an_undefined_variable() -> None:
    """A name without quotes is reported as an undefined variable, not as a filter."""
    diagnostic = refused("{{ ['a'] | map(upper) | list }}")
    assert "'upper' is undefined" in diagnostic.detail
