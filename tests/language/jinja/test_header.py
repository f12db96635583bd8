"""Faults in a template that sets Jinja's options for itself have the lines of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write

from ensue.core.errors import CompileError
from ensue.language.jinja import JinjaRenderer
from ensue.language.yaml import YamlDocument

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_project_may_have_other_tags(tmp_path: Path) -> None:
    """A file and a delayed block are templates if they have these; a call in a block may wait."""
    write(
        tmp_path,
        ensue="""
            jinja_env: {line_statement_prefix: '%', variable_start_string: '<<', variable_end_string: '>>'}
        """,
        states__a=(
            "% set x = 1\na:\n  test.configurable_test_state:\n    - comment: n<< x >>\n"
            "    - delayed_render: [block: b]\n"
            "#!delayed_block b\nb:\n  test.configurable_test_state:\n"
            "    - comment: << salt['cmd.run']('echo y') >>\n#!end_delayed_block\n"
        ),
    )
    (tmp_path / "ensue.sls").rename(tmp_path / "ensue.yaml")
    (caller, *_) = apply(tmp_path, "a").returns.values()
    (inner,) = caller.delayed[0].returns.values()
    assert (caller.comment, inner.comment) == ("n1", "y")
