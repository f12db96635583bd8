"""Values bound into an argument that is itself a template: they are data, and no template text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from ensue.app.project import AppProject, ProjectOptions, RunOptions

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport

HOSTILE = "{{ salt['cmd.run']('touch PWNED') }}{% set a = 1 %}{# gone #}<% open('PWNED', 'w') %>${1 + 1}"
"""What a host prints that wants to be rendered; each engine finds something in it."""


def hostile(root: Path) -> str:
    return HOSTILE.replace("PWNED", str(root / "pwned"))


def apply(root: Path, text: str, **switches: Any) -> RunReport:
    """Apply an SLS below a producer, `probe`, that returns the hostile text; `OUT` is the file it writes."""
    (root / "states").mkdir(exist_ok=True)
    (root / "said").write_text(hostile(root))
    sls = "probe:\n  cmd.run:\n    - name: cat SAID\n" + text
    sls = sls.replace("SAID", str(root / "said")).replace("OUT", str(root / "out"))
    (root / "states/t.sls").write_text(sls)

    async def run() -> RunReport:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.apply(("t",), RunOptions(**switches), on_event=lambda _: None)

    return asyncio.run(run())


def written(root: Path, text: str) -> str:
    report = apply(root, text)
    assert report.exit_code == 0, [returned.comment for returned in report.returns.values()]
    assert not (root / "pwned").exists()
    return (root / "out").read_text()


@pytest.mark.parametrize("renderer", ["jinja", "mako"])
def test_a_bound_value_is_not_rendered(tmp_path: Path, renderer: str) -> None:
    """`contents` that is all bound goes into the file as the producer returned it."""
    text = f'OUT:\n  file.managed:\n    - contents: "${{cmd:probe:stdout}}"\n    - template: {renderer}\n'
    assert written(tmp_path, text) == hostile(tmp_path) + "\n"


def test_what_the_author_wrote_around_it_is_rendered(tmp_path: Path) -> None:
    """Template text beside a reference is rendered, and the value is inserted into what comes of it."""
    text = """
OUT:
  file.managed:
    - template: jinja
    - context: {word: shown}
    - contents: |
        {% raw %}{% for n in [1, 2] %}{{ word }} {{ n }}: ${cmd:probe:stdout}
        {% endfor %}{% endraw %}
"""
    value = hostile(tmp_path)
    assert written(tmp_path, text) == f"shown 1: {value}\nshown 2: {value}\n\n"


def test_mako_renders_what_the_author_wrote_around_it(tmp_path: Path) -> None:
    """The same holds for every renderer that a state may name."""
    text = """
OUT:
  file.managed:
    - template: mako
    - context: {word: shown}
    - contents: |
        % for n in range(2):
        ${word} ${n}: ${cmd:probe:stdout}
        % endfor
"""
    value = hostile(tmp_path)
    assert written(tmp_path, text) == f"shown 0: {value}\nshown 1: {value}\n"


def test_items_of_a_list_are_data(tmp_path: Path) -> None:
    """Each item of a list of lines is a template of its author, or a value."""
    text = """
lines:
  test.present:
    - new_state: {lines: ["{% raw %}{{ 1 + 1 }}{% endraw %}", "% if True:", 3]}
OUT:
  file.managed:
    - template: jinja
    - contents: ["{% raw %}{{ 2 + 2 }}{% endraw %}", "${cmd:probe:stdout}"]
more:
  file.managed:
    - name: OUT.more
    - template: mako
    - contents: "${test:lines:lines}"
"""
    assert written(tmp_path, text) == f"4\n{hostile(tmp_path)}\n"
    assert (tmp_path / "out.more").read_text() == "{{ 1 + 1 }}\n% if True:\n3\n"


def test_the_value_of_a_slot_is_data(tmp_path: Path) -> None:
    """What a slot's call returns is not rendered; the text that its author put behind it is."""
    text = """
OUT:
  file.managed:
    - template: jinja
    - contents: "{% raw %}__slot__:salt:cmd.run('cat SAID') ~ {{ 1 + 1 }}{% endraw %}"
"""
    assert written(tmp_path, text) == f"{hostile(tmp_path)}2\n"


def test_a_grain_is_data_and_pillar_is_its_authors(tmp_path: Path) -> None:
    """`contents_grains` goes into the file as it is; `contents_pillar` is rendered as in Salt."""
    (tmp_path / "pillar").mkdir()
    (tmp_path / "pillar/top.sls").write_text("base: {'*': [p]}\n")
    (tmp_path / "pillar/p.sls").write_text("banner: '{% raw %}{{ 1 + 1 }}{% endraw %}'\n")
    (tmp_path / "ensue.yaml").write_text("grains: {banner: '{{ 1 + 1 }}'}\n")
    text = """
OUT:
  file.managed: [{contents_pillar: banner}, {template: jinja}]
grain:
  file.managed: [{name: OUT.grain}, {contents_grains: banner}, {template: jinja}]
"""
    assert written(tmp_path, text) == "2\n"
    assert (tmp_path / "out.grain").read_text() == "{{ 1 + 1 }}\n"


def test_a_value_keeps_its_lines(tmp_path: Path) -> None:
    """Lines of a value end as those of `contents` do, whether or not there is a template around them."""
    text = r"""
lines:
  test.present:
    - new_state: {text: "one\r\n\n  {% raw %}{{ two }}{% endraw %}  \n", empty: ""}
OUT:
  file.managed:
    - template: jinja
    - contents: "${test:lines:text}"
plain:
  file.managed:
    - name: OUT.plain
    - contents: "${test:lines:text}"
empty:
  file.managed:
    - name: OUT.empty
    - template: jinja
    - contents: "${test:lines:empty}"
"""
    assert written(tmp_path, text) == "one\n\n  {{ two }}  \n"
    assert (tmp_path / "out.plain").read_text() == "one\n\n  {{ two }}  \n"
    assert (tmp_path / "out.empty").read_text() == ""


def test_a_value_within_an_expression_is_refused(tmp_path: Path) -> None:
    """A text cannot be inserted after the rendering where an expression reads it; `context` can hold it."""
    text = """
OUT:
  file.managed:
    - template: jinja
    - contents: "{% raw %}{{ '${cmd:probe:stdout}' | upper }}{% endraw %}"
"""
    report = apply(tmp_path, text)
    assert report.exit_code == 2
    [comment] = [returned.comment for returned in report.returns.values() if returned.module == "file"]
    assert "context" in comment
    assert "expression" in comment
    assert not (tmp_path / "out").exists()


def test_a_number_within_an_expression_is_inserted_before(tmp_path: Path) -> None:
    """Numbers mean nothing to a template engine: an expression reckons with them."""
    text = """
OUT:
  file.managed:
    - template: jinja
    - contents: "{% raw %}{% if ${cmd:probe:retcode} == 0 %}well{% endif %}{% endraw %}"
"""
    assert written(tmp_path, text) == "well\n"


def test_context_is_data(tmp_path: Path) -> None:
    """A value bound into `context` reaches the template as a variable, whatever is in it."""
    text = """
OUT:
  file.managed:
    - template: jinja
    - context: {said: "${cmd:probe:stdout}"}
    - contents: "{% raw %}{{ said }}{% endraw %}"
"""
    assert written(tmp_path, text) == hostile(tmp_path) + "\n"


def test_a_plan_shows_the_value(tmp_path: Path) -> None:
    """A plan of what is applied finds nothing to change: the same value in the same place."""
    text = 'OUT:\n  file.managed:\n    - contents: "${test:p:v}"\n    - template: jinja\n'
    text += "p:\n  test.present:\n    - new_state: {v: '{% raw %}{{ 1 }}{% endraw %}'}\n"
    assert written(tmp_path, text) == "{{ 1 }}\n"
    report = apply(tmp_path, text, test=True)
    [managed] = [returned for returned in report.returns.values() if returned.module == "file"]
    assert (managed.result, managed.changes) == (True, {})


def test_a_project_marks_what_its_functions_render(tmp_path: Path) -> None:
    """A value in an argument that a project's own function renders is data, once the function says so."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/card.py").write_text("""
from ensue.core.contracts.functions import renders
from ensue.core.model.returns import StateReturn


@renders(text="engine")
async def printed(ctx, name, text, engine=None):
    rendered = await ctx.render_template(text, renderer=engine) if engine else text
    await ctx.connection.write(name, rendered.encode())
    return StateReturn(name=name, result=True)


FUNCTIONS = {"printed": printed}
""")
    text = """
OUT:
  card.printed:
    - engine: ENGINE
    - text: "{% raw %}{{ 1 + 1 }}{% endraw %} ${cmd:probe:stdout}"
"""
    value = hostile(tmp_path)
    assert written(tmp_path, text.replace("ENGINE", "jinja")) == f"2 {value}"
    assert written(tmp_path, text.replace("ENGINE", "")) == f"{{{{ 1 + 1 }}}} {value}"
