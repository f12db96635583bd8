"""Every rendered line knows the template line it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from ensue.core.errors import CompileError
from ensue.language.jinja import JinjaRenderer
from ensue.language.yaml import YamlDocument


@pytest.fixture
def renderer(tmp_path: Path) -> JinjaRenderer:
    (tmp_path / "map.jinja").write_text("{% set m = {'a': 1} %}\n{% macro foo(x) %}m-{{ x }}{% endmacro %}\n")
    (tmp_path / "inc.sls").write_text("inc1: 1\ninc2: 2\n")
    return JinjaRenderer([tmp_path], shorten=lambda path: Path(path).name)


TEMPLATE = """\
{% from "map.jinja" import m, foo with context %}
{%- load_yaml as y %}
q: {{ m.a }}
{%- endload %}
{% for i in range(2) %}
a{{ i }}: {{ foo(i) }}
{% endfor %}
{% include "inc.sls" %}
end: {{ y.q }}
"""


def test_lines_are_traced_through_loops_and_includes(renderer: JinjaRenderer) -> None:
    """A key in a loop, in an included file and after both has the line it is written on."""
    rendered = renderer.render(TEMPLATE, {}, path="t.sls", name="t.sls")
    document = YamlDocument("t.sls", rendered.text, rendered.anchors)
    places = {key: str(document.locate([key])).rpartition(":") for key in ("a0", "a1", "inc2", "end")}
    assert {key: place[0] + ":" + place[2] for key, place in places.items()} == {
        "a0": "t.sls:6",
        "a1": "t.sls:6",
        "inc2": "inc.sls:2",
        "end": "t.sls:9",
    }


@pytest.mark.parametrize(
    ("template", "code", "line"),
    [
        ("a\n{{ x }}\n", "E0204", 2),
        ("a\n{% if %}\n", "E0203", 2),
        ("{% for i in range(3) %}\n{{ i.foo.bar }}\n{% endfor %}", "E0204", 2),
        ("\n\n{{ 1 / 0 }}", "E0205", 3),
        ("\n{% include 'nope' %}", "E0209", 2),
        ("{{ 'a' | nofilter }}", "E0203", 1),
        ("\n{{ raise('no') }}", "E0205", 2),
    ],
)
def test_a_fault_in_a_template_has_its_line(
    renderer: JinjaRenderer, template: str, code: str, line: int
) -> None:
    """Whatever Jinja raises becomes one diagnostic with the template's line."""
    with pytest.raises(CompileError) as caught:
        renderer.render(template, {}, path="b.sls")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert (diagnostic.code, diagnostic.span.path, diagnostic.span.line) == (code, "b.sls", line)


def test_a_template_that_refuses_the_run(renderer: JinjaRenderer) -> None:
    """The error has the words of the template, and is none of its expression."""
    with pytest.raises(CompileError) as caught:
        renderer.render("{{ raise('no release') }}", {}, path="b.sls")
    [diagnostic] = caught.value.diagnostics
    assert (diagnostic.summary, diagnostic.detail) == (
        "a template refuses the run with `raise`",
        "no release",
    )


def test_a_trailing_newline_is_kept_and_none_is_invented(renderer: JinjaRenderer) -> None:
    """A rendering ends as its template does, as in Salt."""
    assert renderer.render("a{{ 1 }}\n", {}, path="x").text == "a1\n"
    assert renderer.render("a{{ 1 }}", {}, path="x").text == "a1"
