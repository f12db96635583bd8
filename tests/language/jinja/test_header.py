"""Faults in a template that sets Jinja's options for itself have the lines of the file."""

from __future__ import annotations

import pytest

from ensue.core.errors import CompileError
from ensue.language.jinja import JinjaRenderer
from ensue.language.yaml import YamlDocument

HEADER = '#jinja2: {"trim_blocks": true}\n'


@pytest.mark.parametrize("above", [HEADER, "#!jinja|yaml\n" + HEADER])
@pytest.mark.parametrize(("broken", "column"), [("{{ nope }}", 4), ("{% if %}", 1)])
def test_a_fault_has_its_line(above: str, broken: str, column: int) -> None:
    """The lines that were taken away above a template count."""
    text = f"{above}a: 1\n{broken}\n"
    with pytest.raises(CompileError) as caught:
        JinjaRenderer([], shorten=str).render(text, {}, path="t")
    (diagnostic,) = caught.value.diagnostics
    assert str(diagnostic.span) == f"t:{above.count(chr(10)) + 2}:{column}"


@pytest.mark.parametrize("above", [HEADER, "#!jinja|yaml\n" + HEADER])
def test_a_rendered_line_knows_its_place(above: str) -> None:
    """A key below the options has the line it is written on."""
    text = f"{above}{{% for n in [1, 2] %}}\na{{{{ n }}}}: 1\n{{% endfor %}}\nend: 1\n"
    rendered = JinjaRenderer([], shorten=str).render(text, {}, path="t")
    document = YamlDocument("t", rendered.text, rendered.anchors)
    lines = above.count("\n")
    assert [document.locate([key]).line for key in ("a1", "a2", "end")] == [lines + 2, lines + 2, lines + 4]


def test_one_renderer_keeps_templates_with_options_apart() -> None:
    """The same text with options and without them renders in two ways, in any order."""
    renderer, body = JinjaRenderer([], shorten=str), "{% if true %}\nx\n{% endif %}\n"
    rendered = [renderer.render(text, {}, path="t").text for text in (body, HEADER + body, body)]
    assert rendered == ["\nx\n\n", "x\n\n", "\nx\n\n"]
