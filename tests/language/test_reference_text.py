"""A reference in a template may be printed, and no template reads its value or changes it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.errors import CompileError
from ensue.language.authored_text import is_authored
from ensue.language.jinja import JinjaRenderer
from ensue.language.marks import without_marks
from ensue.language.reference_text import ReferenceReadError, ReferenceText, reference_text

REFERENCE = "${cmd:a:stdout}"
HEAD = "{% set s = '" + REFERENCE + "' %}{% set m = 'x-' ~ s ~ '-y' %}{% set l = ['b', s] %}"

PRINTED = {
    "s": REFERENCE,
    "s ~ 1": f"{REFERENCE}1",
    "1 ~ s": f"1{REFERENCE}",
    "s + 'b'": f"{REFERENCE}b",
    "'b' + s": f"b{REFERENCE}",
    "'%s!' % s": f"{REFERENCE}!",
    "'%s%s' | format(s, 1)": f"{REFERENCE}1",
    "'{}!'.format(s)": f"{REFERENCE}!",
    "l | join(',')": f"b,{REFERENCE}",
    "','.join(l)": f"b,{REFERENCE}",
    "l[1]": REFERENCE,
    "l | last": REFERENCE,
    "l | length": "2",
    "s | default('x')": REFERENCE,
    "none | default(s, true)": REFERENCE,
    "s or 'x'": REFERENCE,
    "s | trim": REFERENCE,
    "s | string": REFERENCE,
    "s.strip()": REFERENCE,
    "s | indent(2)": REFERENCE,
    "s | quote": f"'{REFERENCE}'",
    "{'a': s, s: 1} | json": f'{{"{REFERENCE}": 1, "a": "{REFERENCE}"}}',
    "{'a': s} | yaml": f"{{a: '{REFERENCE}'}}",
    "{s: 1}[s]": "1",
    "m | replace('x', 'z')": f"z-{REFERENCE}-y",
    "m | upper if false else 1": "1",
    "1 if s else 2": "1",
    "1 if s is string else 2": "1",
    "1 if s is none else 2": "2",
    "1 if s is iterable and s is not string else 2": "2",
    "1 if s == '' else 2": "2",
    "1 if s == none else 2": "2",
    "1 if s == s else 2": "1",
    "1 if m == 'z' else 2": "2",
    "1 if m.startswith('x') else 2": "1",
    "1 if m.startswith('z') else 2": "2",
    "1 if m.endswith('y') else 2": "1",
    "1 if '-y' in m else 2": "1",
    "1 if 'b' in l else 2": "1",
}

READ = (
    *("1 if s == 'x' else 2", "1 if 'x' == s else 2", "1 if s != 'x' else 2", "1 if s > 5 else 2"),
    *("1 if s < 'x' else 2", "1 if 'q' in s else 2", "1 if s in ['x'] else 2", "1 if 'x' in [s] else 2"),
    *(
        "s | length",
        "s | count",
        "s | int",
        "s | float",
        "s | list",
    ),
    *(
        "s | sort",
        "s | load_json",
        "s | load_yaml",
        "s | regex_search('c')",
        "s | to_bool",
        "s | map('upper')",
    ),
    *("s[0]", "s[:3]", "s.split(':')", "s.splitlines()", "s.find('c')", "s.startswith('c')", "s.isdigit()"),
    *("[s] | select('equalto', 'x') | list", "m.endswith('-z-y')", "m == 'x-1-y'", "s is lower"),
    *("{% for k in s %}{{ k }}{% endfor %}", "{% for k in s %}{% endfor %}", "s is match('c')"),
    *("{% set t %}" + REFERENCE + "{% endset %}{{ t == 'x' }}",),
    *("{% if '" + REFERENCE + "' %}1{% endif %}", "1 if not '" + REFERENCE + "' else 2"),
    *("'" + REFERENCE + "' == 'x'", "'" + REFERENCE + "' | length"),
)

CHANGED = (
    *("s | upper", "s.upper()", "s | replace('cmd', 'x')", "s | title", "s | truncate(5)", "s | urlencode"),
    *(
        "l | map('upper') | list",
        "s | first",
        "s | last",
        "s | reverse",
        "'" + REFERENCE + "' | upper",
        "m | upper",
        "s | regex_replace('c', 'd')",
    ),
)


@pytest.mark.parametrize("expression", PRINTED)
def test_a_reference_is_printed_whole(expression: str) -> None:
    """What prints a reference, asks whether there is one, or decides by the text around it is allowed."""
    assert rendered(expression) == PRINTED[expression]


@pytest.mark.parametrize("expression", READ)
def test_what_reads_the_value_is_refused(expression: str) -> None:
    """No template has the value of a reference."""
    assert refusal(expression) == f"a template reads the value of {REFERENCE}"


@pytest.mark.parametrize("expression", CHANGED)
def test_what_changes_a_reference_is_refused(expression: str) -> None:
    """A changed reference would name another state."""
    assert refusal(expression) == f"a template changes the text of {REFERENCE}"


def test_other_files_than_sls_have_no_references() -> None:
    """In a file that a template writes, such text is data."""
    assert JinjaRenderer([], shorten=str).render(HEAD + "{{ s | length }}", {}, path="f").text == "15"


@given(before=st.text("ab- "), after=st.text("ab-$ }"), other=st.text("ab-$ {}", max_size=8))
def test_a_comparison_never_answers_for_some_values_only(before: str, after: str, other: str) -> None:
    """A comparison that is answered has this answer for every value."""
    text = reference_text(before + REFERENCE + after)
    assert isinstance(text, ReferenceText)
    assert is_authored(text)
    try:
        answer = text == other
    except ReferenceReadError:
        return
    plain = without_marks(str(text))
    start, _, end = plain.partition(REFERENCE)
    fits = other.startswith(start) and other[len(start) :].endswith(end)
    assert not answer
    assert not fits or not other


def rendered(expression: str) -> str:
    """Render an expression, or a whole template, as part of an SLS."""
    body = expression if expression.startswith("{%") else "{{ " + expression + " }}"
    output = JinjaRenderer([], shorten=str).render(HEAD + body, {}, path="t.sls", is_guarded=True)
    return without_marks(output.text)


def refusal(expression: str) -> str:
    """Return the summary of the error for an expression."""
    with pytest.raises(CompileError) as caught:
        rendered(expression)
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.code == "E0890"
    return diagnostic.summary
