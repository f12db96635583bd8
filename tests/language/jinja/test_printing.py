"""What templates print, log and draw: what a table of expressions cannot show."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.library.states.call_state import execution_functions

from ensue.core.model.srn import Srn
from ensue.language.jinja import JinjaRenderer
from ensue.language.jinja.printing import printable
from ensue.language.yaml import load_text
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext

_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=8)
_LEAVES = st.one_of(
    st.integers(), _TEXTS.map(lambda text: f"a{text}b\n c"), st.sampled_from(["x", "a: b", "'"])
)
_DATA = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3)
)


def render(template: str, **variables: Any) -> str:
    return JinjaRenderer([], shorten=str).render(template, variables, path="t").text


def test_a_mapping_with_line_ends_is_read_back_by_yaml() -> None:
    """Printed mappings give YAML the same data, line ends and tabs in texts included."""
    data = {"a": "one\ntwo\t'x' \"y\"", "b": OrderedDict(c=["d", {"e": "f\n"}], g=OrderedDict())}
    assert load_text(render("{{ data }}", data=data), "t") == data


@given(_DATA)
def test_printing_gives_text_for_whatever_data(data: Any) -> None:
    """No data makes printing fail, and what is no container is printed as it is."""
    assert isinstance(str(printable(data)), str)
    assert isinstance(data, (dict, list)) or printable(data) is data


def test_profile_says_in_the_log_how_long_a_part_took(caplog: pytest.LogCaptureFixture) -> None:
    """The tag renders what is in it, and logs its label at Salt's level `profile`."""
    with caplog.at_level(15):
        assert render("{% profile as 'part ' ~ 1 %}{{ 1 + 1 }}{% endprofile %}") == "2"
    (record,) = [record for record in caplog.records if record.name.startswith("ensue.language.jinja")]
    assert record.levelno == logging.DEBUG + 5
    assert record.getMessage().startswith("Time (in seconds) to render profile block 'part 1': ")


@pytest.mark.parametrize(
    "expression", ["32 | random_str", "'02:00:00' | gen_mac", "999999 | random_hash('sha256')"]
)
def test_chance_is_new_in_every_rendering(expression: str) -> None:
    """A compiled template that is rendered again does not print the chance of its first rendering."""
    renderer = JinjaRenderer([], shorten=str)
    printed = {renderer.render(f"{{{{ {expression} }}}}", {}, path="t").text for _ in range(20)}
    assert len(printed) > 1


def test_a_loaded_block_exports_what_it_names_alone() -> None:
    """`load_yaml` and `profile` leave no variables of their own behind."""
    template = "{% load_yaml as y %}a: 1{% endload %}{% profile as 'p' %}{% set z = 2 %}{% endprofile %}"
    rendered = JinjaRenderer([], shorten=str).render(template, {}, path="t")
    assert rendered.exported == {"y": {"a": 1}, "z": 2}


def test_show_full_context_has_variables_as_plain_data() -> None:
    """It shows data as data, the execution functions as text alone, and what was set before."""
    template = "{% set own = [1] %}{{ show_full_context() | yaml }}"
    shown = load_text(render(template, salt={"test.ping": 1}, grains={"id": "m", "class": object}), "t")
    assert (shown["own"], shown["grains"]["id"]) == ([1], "m")
    assert isinstance(shown["salt"], str)


@pytest.mark.parametrize(
    ("condition", "held"),
    [("'web*'", True), ("'db*'", False), ("'G@os:Debian and not I@role:db'", True), ("'L@a,b'", False)],
)
def test_ifelse_matches_targets(condition: str, held: bool) -> None:
    """A condition that is text is a compound target, matched with the target's id, grains and pillar."""
    context = FakeFunctionContext(
        FakeConnection(Srn("minion", "web1")),
        pillar={"role": "web"},
        grains_data={"os": "Debian"},
        functions=dict(execution_functions()),
    )
    variables = {"salt": {"match.compound": lambda tgt: asyncio.run(context.call("match.compound", tgt))}}
    assert render(f"{{{{ ifelse({condition}, 'yes', 'no') }}}}", **variables) == ("yes" if held else "no")
