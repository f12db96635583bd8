"""What templates that are imported without context see, and for how long."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from inspect import signature
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING

import jinja2
import pytest

from ensue.core.errors import CompileError
from ensue.language.jinja import JinjaRenderer

if TYPE_CHECKING:
    from collections.abc import Callable

MACRO = "{% set at_import = pillar %}{% macro show() %}{{ at_import }}{{ pillar }}{% endmacro %}"
CALL = "{% from 'm.jinja' import show %}{{ show() }}"
INCLUDE = "{% include 'i.jinja' without context %}"


@pytest.fixture
def renderer(tmp_path: Path) -> JinjaRenderer:
    (tmp_path / "m.jinja").write_text(MACRO)
    (tmp_path / "i.jinja").write_text("<{{ pillar }}>")
    (tmp_path / "d.yaml").write_text("a: {{ pillar }}")
    (tmp_path / "calls.jinja").write_text("{% macro call(text) %}{{ render(text) }}{% endmacro %}")
    return JinjaRenderer([tmp_path], shorten=lambda path: Path(path).name)


@pytest.mark.parametrize(
    ("template", "of_one", "of_two"),
    [
        (CALL, "11", "22"),
        (INCLUDE, "<1>", "<2>"),
        ("{% import_yaml 'd.yaml' as d %}{{ d.a }}", "1", "2"),
    ],
)
def test_nothing_stays_from_one_rendering_to_the_next(
    renderer: JinjaRenderer, template: str, of_one: str, of_two: str
) -> None:
    """The same compiled template gives each rendering its own variables, in any order."""
    rendered = [renderer.render(template, {"pillar": n}, path="t").text for n in (1, 2, 1)]
    assert rendered == [of_one, of_two, of_one]


def test_a_rendering_within_a_rendering_has_modules_of_its_own(renderer: JinjaRenderer) -> None:
    """What a called function renders sees its own variables, and the outer rendering goes on with its."""

    def inner(text: str) -> str:
        return renderer.render(text, {"pillar": 2}, path="inner").text

    outer = f"{CALL} {{% from 'calls.jinja' import call %}}{{{{ call(text) }}}} {CALL}"
    variables = {"pillar": 1, "render": inner, "text": CALL}
    assert renderer.render(outer, variables, path="t").text == "11 22 11"


def test_renderings_beside_each_other_do_not_mix(renderer: JinjaRenderer) -> None:
    """Two threads in the middle of a rendering at the same time each import with their own variables."""
    barrier = Barrier(2, timeout=300)

    def wait() -> str:
        barrier.wait()
        return ""

    def render(number: int) -> str:
        text = f"{CALL}{{{{ wait() }}}}{CALL}{INCLUDE}"
        return renderer.render(text, {"pillar": number, "wait": wait}, path=f"t{number}").text

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(render, (1, 2))) == ["1111<1>", "2222<2>"]


def test_a_rendering_that_failed_leaves_nothing_behind(renderer: JinjaRenderer) -> None:
    """After an error the next rendering, and the one around the failed one, see their own variables."""

    def attempt(render: Callable[[], object]) -> str:
        with pytest.raises(CompileError):
            render()
        return ""

    def broken() -> object:
        return renderer.render(f"{CALL}{{{{ nope }}}}", {"pillar": 2}, path="inner")

    template = f"{CALL}{{{{ fail() }}}}{CALL}"
    variables = {"pillar": 1, "fail": lambda: attempt(broken)}
    assert renderer.render(template, variables, path="t").text == "1111"


def test_a_changed_file_is_imported_anew(renderer: JinjaRenderer, tmp_path: Path) -> None:
    """A macro file that was changed after a rendering is read again by the next."""
    renderer.render(CALL, {"pillar": 1}, path="t")
    (tmp_path / "m.jinja").write_text("{% macro show() %}changed {{ pillar }}{% endmacro %}")
    assert renderer.render(CALL, {"pillar": 1}, path="t").text == "changed 1"


def test_a_fault_in_an_imported_macro_has_its_line(renderer: JinjaRenderer, tmp_path: Path) -> None:
    """An undefined variable in a macro is placed in the macro's file, not where it was called."""
    (tmp_path / "bad.jinja").write_text("\n{% macro show() %}\n{{ local }}{% endmacro %}")
    text = "{% set local = 1 %}{% from 'bad.jinja' import show %}{{ show() }}"
    with pytest.raises(CompileError) as caught:
        renderer.render(text, {}, path="t")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, str(diagnostic.span)) == ("E0204", "bad.jinja:3")


def test_jinja_asks_where_it_is_answered() -> None:
    """Jinja still has the private method that is overridden here, with the same arguments.

    When this fails, a new release of Jinja has changed: adapt `SaltJinjaTemplate` and the pin in
    pyproject.toml.
    """
    code = jinja2.Environment(autoescape=True).compile("{% import 'm' as m %}", raw=True)
    assert "._get_default_module(context)" in code
    assert [*signature(jinja2.Template._get_default_module).parameters] == ["self", "ctx"]


@pytest.mark.parametrize("names", ["'none.jinja', 'i.jinja'", "'i.jinja'"])
def test_the_first_template_of_a_list_is_noted(renderer: JinjaRenderer, tmp_path: Path, names: str) -> None:
    """A template that is pulled in by a list of names is one of the rendering's templates."""
    rendered = renderer.render(f"{{% include [{names}] %}}", {"pillar": 1}, path="t.sls")
    assert (rendered.text, rendered.templates) == ("<1>", (str(tmp_path / "i.jinja"),))
