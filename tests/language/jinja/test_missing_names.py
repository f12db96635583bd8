"""Undefined names of a template: all that it reads in any case, with their columns and remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jinja2
import pytest

from ensue.core.errors import CompileError
from ensue.language.jinja.missing_names import NameRead, column_of, column_of_tag, missing_names
from ensue.language.jinja.render import JinjaRenderer

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT = jinja2.Environment(autoescape=False)  # noqa: S701  # it only parses


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{{ a }} {{ b.c['d'] }}", [("a", ()), ("b", ("c", "d"))]),
        ("{{ a }}{{ a }}", [("a", ())]),
        ("{{ a | default('x') }} {{ b is defined }} {{ c | upper }}", [("c", ())]),
        ("{% if a %}{{ b }}{% endif %}", [("a", ())]),
        ("{% for x in a %}{{ x }}{{ b }}{% endfor %}", [("a", ())]),
        ("{{ a if b else c }} {{ d or e }}", [("b", ()), ("d", ())]),
        ("{% set a = 1 %}{% macro m() %}{{ z }}{% endmacro %}{{ a }}{{ m() }}", []),
        ("{% import 'x' as a %}{% from 'y' import b as c, d %}{{ a }}{{ c }}{{ d }}{{ b }}", [("b", ())]),
        ("{{ known }} {{ a.b(c) }}", [("a", ("b",)), ("c", ())]),
        ("{{ a", []),
    ],
)
def test_names_that_are_read_in_any_case(text: str, names: list[tuple[str, tuple[str, ...]]]) -> None:
    """A name in a branch, with a default, or set by the template is not among them."""
    missing = [
        (missing_name.name, missing_name.keys) for missing_name in missing_names(ENVIRONMENT, text, {"known"})
    ]
    assert missing == names


def test_a_name_has_its_line() -> None:
    """Lines are counted from 1."""
    assert list(missing_names(ENVIRONMENT, "x\n{{ a }}", ())) == [NameRead("a", 2)]


@pytest.mark.parametrize(
    ("line", "name", "column"),
    [("tok: {{ tok.x }}", "tok", 9), ("{{ a.b }} {{ b }}", "b", 14), ("{{ 'b' }}", "b", 0), ("  b", "b", 3)],
)
def test_the_column_of_a_name(line: str, name: str, column: int) -> None:
    """A word in the text around tags, an attribute and a quoted text are not the name."""
    assert column_of(line, name) == column


def test_the_column_of_a_tag_is_certain() -> None:
    """A line with several tags has no column: the error may be in any of them."""
    assert (column_of_tag("a {{ b }}"), column_of_tag("{{ a }}{{ b }}"), column_of_tag("x")) == (3, 0, 0)


def _errors(root: Path, text: str, *, path: str = "a.sls") -> list[tuple[str, str]]:
    renderer = JinjaRenderer([root], shorten=str)
    with pytest.raises(CompileError) as raised:
        renderer.render(text, {"grains": {}}, path=path)
    return [(str(diagnostic.span), diagnostic.help) for diagnostic in raised.value.diagnostics]


def test_all_of_a_template_are_reported(tmp_path: Path) -> None:
    """One rendering reports each undefined name with its column; a name that is nearly set is suggested."""
    errors = _errors(tmp_path, "{% set colour = 1 %}\n{{ color }}\n  {{ grians }}\n")
    assert [place for place, _ in errors] == ["a.sls:2:4", "a.sls:3:6"]
    assert [text.partition("?")[0] for _, text in errors] == ["did you mean colour", "did you mean grains"]


def test_a_state_is_read_with_a_reference(tmp_path: Path) -> None:
    """A name that is the ID of a state, of this SLS or another, is answered with the reference to write."""
    (tmp_path / "other.sls").write_text("far:\n  file.managed:\n    - name: /x\n")
    text = "tok:\n  cmd.run: []\nuse: {{ tok.stdout }} {{ far['path'] }}\n"
    first, second = (text for _, text in _errors(tmp_path, text))
    assert first.startswith("tok is a state; write ${cmd:tok:stdout}: ")
    assert second.startswith("far is a state; write ${file:far:path}: ")


def test_a_file_is_not_answered_with_a_reference(tmp_path: Path) -> None:
    """References count in SLS only, so that a template of a file gets the usual advice."""
    (tmp_path / "other.sls").write_text("tok:\n  cmd.run: []\n")
    ((_, advice),) = _errors(tmp_path, "{{ tok.stdout }}", path="x.conf")
    assert advice.startswith("define it")
