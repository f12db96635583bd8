"""Regular expressions of Go templates: RE2's syntax and preferences, in linear time."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.core.errors import GoTemplateError
from ensue.deploy.gotemplate import compile_template
from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.regex import StepBudget, compiled
from ensue.deploy.gotemplate.regex.machine import MOST_WORK
from ensue.deploy.gotemplate.surroundings import RenderingServices

CASES: list[tuple[str, str, Any]] = json.loads(
    Path(__file__).with_name("regular_expressions.json").read_text(encoding="utf-8")
)
TABLE_PIECES = sorted({char for pattern, _, _ in CASES for char in pattern})


def render(template: str, pattern: str, text: str) -> str:
    return compile_template(template, "t").render({"p": pattern, "t": text})


def groups(pattern: str, text: str) -> Any:
    """Return what the table has for an expression and a text."""
    try:
        program = compiled(pattern)
    except CallError:
        return "refused"
    match = program.search(text, StepBudget())
    if match is None:
        return None
    slots = match.slots
    return [list(slots[index : index + 2]) for index in range(0, len(slots), 2)]


def test_expressions_match_as_in_re2() -> None:
    """Matches, groups and refusals are those recorded from RE2 with `record_regular_expressions.py`."""
    assert [
        (pattern, text, expected, ours)
        for pattern, text, expected in CASES
        if (ours := groups(pattern, text)) != expected
    ] == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 50 + "b"),
        ("(a|a)*$", "a" * 50 + "b"),
        ("(a|aa)+$", "a" * 50 + "b"),
        ("(.*a){20}$", "a" * 50 + "b"),
        ("(x+x+)+y", "x" * 50),
        ("(a?){30}a{30}b", "a" * 50),
        (r"(\w+\s?)*$", "a" * 50 + "!"),
        ("(([a-z])+.)+[A-Z]([a-z])+$", "a" * 50),
    ],
)
def test_a_catastrophic_expression_ends_at_once(pattern: str, text: str) -> None:
    """What takes a backtracking matcher years takes milliseconds, in every function."""
    begin = process_time()
    assert render("{{ regexMatch .p .t }}", pattern, text) in {"true", "false"}
    render(
        '{{ regexFindAll .p .t -1 }}{{ regexReplaceAll .p .t "x" }}{{ regexSplit .p .t -1 }}', pattern, text
    )
    assert process_time() - begin < 1


def test_the_steps_of_a_rendering_are_counted_together() -> None:
    """Expressions that are cheap one by one have a bound in a loop."""
    template = "{{ range until 100000 }}{{ regexMatch $.p $.t }}{{ end }}"
    message = r"t:1:\d+: regexMatch: the regular expressions take more than 2,000,000 steps"
    with pytest.raises(GoTemplateError, match=message):
        render(template, "(a+)+$", "a" * 2000)


def test_each_rendering_has_its_own_steps() -> None:
    """The steps of one rendering are not taken from the next."""
    surroundings = RenderingServices()
    compile_template('{{ regexMatch "a+$" "aaa" }}', "t").render({}, surroundings)
    assert surroundings.work.left == MOST_WORK


@pytest.mark.parametrize(
    "pattern",
    [
        "a{1001}",
        "(a{100}){11}",
        "((a{10}){10}){11}",
        "a{99999999999999999999}",
        "(" * 200 + ")" * 200,
        "(?:ab){1000}" * 30,
    ],
)
def test_a_huge_expression_is_refused(pattern: str) -> None:
    """Counts multiply to at most 1,000, as in Go; levels and the size of the program have bounds."""
    with pytest.raises(GoTemplateError, match="the regular expression"):
        render("{{ regexMatch .p .t }}", pattern, "a")


def test_a_layout_with_many_readings_ends_at_once() -> None:
    """A date layout, which becomes an expression, is matched in linear time too."""
    begin = process_time()
    with pytest.raises(GoTemplateError, match="is not a time in the layout"):
        render("{{ mustToDate .p .t }}", "2" * 60, "1" * 61 + "x")
    assert process_time() - begin < 1


@settings(max_examples=300)
@given(st.lists(st.sampled_from(TABLE_PIECES), max_size=12).map("".join), st.text("abAé1 \n", max_size=8))
def test_no_expression_crashes(pattern: str, text: str) -> None:
    """Any text is an expression or is refused with a reason."""
    assert groups(pattern, text) is not NotImplemented


@pytest.mark.parametrize("text", [" " * 50_000, "." * 50_000, ">" * 50_000, "1" * 50_000])
def test_a_long_version_constraint_is_refused_at_once(text: str) -> None:
    """Versions and constraints of more than 1,000 characters are not read."""
    with pytest.raises(GoTemplateError, match="longer than 1,000 characters"):
        compile_template('{{ semverCompare .t "1.2.3" }}', "t").render({"t": text})
    with pytest.raises(GoTemplateError, match="longer than 1,000 characters"):
        compile_template("{{ semver .t }}", "t").render({"t": text})
