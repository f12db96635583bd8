"""Which texts are an author's: the mark stays with the value, and is lost where another text is mixed in."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
import yaml

from ensue.language.authored_text import Authored, authored, is_authored
from ensue.language.jinja import JinjaRenderer
from ensue.language.marks import unmarked
from ensue.language.printed_values import take_out_guards

HOSTILE = "a: #b"
AUTHORS = "x: y"

KEEPS = [
    "pillar.a",
    "pillar['a']",
    "pillar.get('a')",
    "pillar.none | default(pillar.a)",
    "pillar.list | first",
    "'q: ' ~ pillar.a",
    "pillar.a ~ 5",
    "pillar.a + 'q: '",
    "'%s: ' % pillar.a",
    "'%s: %s' | format(pillar.a, 1)",
    "'{}: {}'.format(pillar.a, 1)",
    "'{a}: '.format(a=pillar.a)",
    "pillar.list | join(', ')",
    "', '.join(pillar.list)",
    "pillar.list | map('upper') | join(': ')",
    "pillar.a | replace('y', 'z: ')",
    "pillar.a.replace('y', 'z: ')",
    "pillar.a | upper",
    "pillar.a.strip()",
    "pillar.a.split(',')[0]",
    "pillar.a | indent(2)",
    "pillar.a | trim",
    "pillar.a | string",
    "pillar.a | yaml_squote",
    "pillar.list | json",
    "pillar.list | yaml(False)",
    "pillar.list",
    "pillar",
    "'[' * 3",
    "named(foreign | length)",
    "'a: ' if foreign else 'b: '",
    "{'a': 'x: y'}[foreign[:1]]",
    "foreign | authored",
    "[foreign] | authored",
]

LOSES = [
    "foreign",
    "[foreign][0]",
    "'q: ' ~ foreign",
    "foreign ~ ''",
    "'q: ' + foreign",
    "foreign + ''",
    "'%s: ' % foreign",
    "'%s: ' | format(foreign)",
    "'{}: '.format(foreign)",
    "'{a}: '.format(a=foreign)",
    "named(1).format(foreign) ~ foreign",
    "braces().format(foreign)",
    "braces() | format(foreign)",
    "[foreign, pillar.a] | join(', ')",
    "[foreign] | join",
    "pillar.list | join(foreign)",
    "', '.join([foreign])",
    "foreign.join(pillar.list)",
    "[pillar.a, named(1), foreign] | join",
    "pillar.a | replace('y', foreign)",
    "named(1) | replace('1', foreign)",
    "pillar.a.replace('y', foreign)",
    "foreign | trim('x: ')",
    "foreign | replace('a', 'b')",
    "foreign | upper",
    "foreign.upper()",
    "pillar.a | indent(foreign, true)",
    "named(1) | indent(foreign, true)",
    "foreign | indent",
    "foreign | string",
    "foreign | e",
    "foreign | default('x')",
    "none | default(foreign, true)",
    "'' or foreign",
    "changed[0] ~ ''",
    "changed | join(', ')",
    "printed(foreign) | regex_replace('[^a-z: #]', '')",
    "captured ~ ''",
    "replaced",
    "foreign if foreign",
    "(foreign, 'b') | first",
    "[[foreign, 1]] | map('first') | join",
    "{'a': foreign}.a",
    "{'a': foreign} | dictsort | map('last') | join",
    "joiner(foreign)() or joiner(foreign)",
    "namespace(a=foreign).a",
    "foreign | wordwrap(50)",
    "foreign.splitlines()[0]",
    "foreign.partition('@')[0]",
]

SET_UP = """
{%- macro named(x) %}m: {{ x }}{% endmacro %}
{%- macro braces() %}m: {} %s{% endmacro %}
{%- macro printed(x) %}{{ x }}{% endmacro %}
{%- set changed = [] %}{% do changed.append(foreign) %}
{%- set captured %}{{ foreign }}{% endset %}
{%- set replaced | replace("@", foreign) %}@{% endset %}
"""


def _render(expression: str) -> tuple[str, list[str]]:
    """Return what an expression prints, and the values in it that are not an author's."""
    renderer = JinjaRenderer([], shorten=str)
    variables = {"pillar": authored({"a": AUTHORS, "list": [AUTHORS, "z: -"]}), "foreign": HOSTILE}
    text = f"{SET_UP}{{{{ {expression} }}}}"
    rendered = renderer.render(text, variables, path="t.sls", is_guarded=True)
    plain, extents = take_out_guards(rendered.text.strip())
    return plain, [plain[extent.start : extent.end] for extent in extents]


@pytest.mark.parametrize("expression", KEEPS)
def test_what_is_made_of_authored_texts_is_authored(expression: str) -> None:
    """What an expression makes of an author's texts and numbers alone has no guards."""
    text, values = _render(expression)
    assert text
    assert values == []


@pytest.mark.parametrize("expression", LOSES)
def test_what_another_text_is_mixed_into_is_not_authored(expression: str) -> None:
    """All that comes from the run, in what an expression prints, is within guards."""
    text, values = _render(expression)
    assert values
    for value in values:
        text = text.replace(value, "", 1)
    assert "#" not in text
    assert "b" not in text.replace("&#b", "")


def test_a_block_of_a_filter_is_guarded() -> None:
    """What a filter puts into a block of text is not an author's."""
    for text in (
        "{% filter replace('@', foreign) %}q: @{% endfilter %}",
        "{% filter upper %}q: {{ foreign }}{% endfilter %}",
    ):
        rendered = JinjaRenderer([], shorten=str).render(
            text, {"foreign": HOSTILE}, path="t.sls", is_guarded=True
        )
        plain, extents = take_out_guards(rendered.text)
        assert any(HOSTILE.lower() in plain[extent.start : extent.end].lower() for extent in extents)


def test_an_authors_text_is_a_text_for_everything_else() -> None:
    """Copies stay authored; keys, messages, JSON, YAML and pickles have ordinary text."""
    text = Authored(AUTHORS)
    assert copy.deepcopy([text])[0].__class__ is Authored
    assert {text: 1}[AUTHORS] == 1
    assert {AUTHORS: 1}[text] == 1
    assert json.loads(json.dumps({text: text})) == {AUTHORS: AUTHORS}
    assert pickle.loads(pickle.dumps(text)).__class__ is str  # noqa: S301 (its own)
    assert repr(text) == repr(AUTHORS)
    assert type(text).__name__ == "str"
    plain: Any = unmarked(authored({"a": [AUTHORS]}))
    assert plain["a"][0].__class__ is str
    assert yaml.safe_load(yaml.safe_dump(plain)) == {"a": [AUTHORS]}


def test_data_is_authored_if_all_of_it_is() -> None:
    """Keys count as well as values, at any depth; numbers are neutral."""
    assert is_authored(authored({"a": [AUTHORS, 1, None, 2.5, True, {"b": AUTHORS}]}))
    assert not is_authored({Authored("a"): [AUTHORS]})
    assert not is_authored({"a": Authored(AUTHORS)})
    assert not is_authored([authored(AUTHORS), object()])
