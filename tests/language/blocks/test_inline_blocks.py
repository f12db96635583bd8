"""Which delayed blocks are rendered on the event loop's own thread."""

from __future__ import annotations

import pytest

from ensue.core.diagnostics import Span
from ensue.language.blocks.block import Block
from ensue.language.blocks.inline_blocks import is_brief


def block(text: str, pipe: str = "jinja|yaml") -> Block:
    """Return a block of a text."""
    return Block(name="late", place=Span("late.sls", 1), text=text, pipe=pipe)


@pytest.mark.parametrize(
    "printed",
    [
        "plain text",
        "{{ prev_ret.name }}",
        "{{prev_ret}}",
        "{{- prev_ret['changes'].pid -}}",
        '{{ pillar["port"] }} and {{ hosts[0] }}',
        "{# a comment #}",
    ],
)
def test_a_block_that_prints_variables_is_brief(printed: str) -> None:
    """Names, attributes, keys and numbers are looked up without a wait."""
    assert is_brief(block(f"a:\n  test.nop:\n    - comment: {printed}\n"))


@pytest.mark.parametrize(
    "printed",
    [
        "{{ salt['cmd.run']('true') }}",
        "{{ salt.grains }}",
        "{{ prev_ret.changes | tojson }}",
        "{{ make(1) }}",
        "{{ prev_ret.name * 9 }}",
        "{% set one = 1 %}",
        "{%- include 'other.jinja' %}",
        "{{ a[b] }}",
        "{{ unfinished",
        "#jinja2: line_statement_prefix: '%'",
    ],
)
def test_a_block_that_does_more_is_not_brief(printed: str) -> None:
    """What calls, filters, computes or has a statement may wait, or take long."""
    assert not is_brief(block(f"a:\n  test.nop:\n    - comment: {printed}\n"))


def test_a_long_block_is_not_brief() -> None:
    """Reading its YAML takes long, whatever it prints."""
    assert not is_brief(block("a:\n  test.nop: []\n" + "# why\n" * 2000))


@pytest.mark.parametrize("pipe", ["py", "mako|yaml", "jinja|gpg|yaml"])
def test_a_block_of_another_renderer_is_not_brief(pipe: str) -> None:
    """Programs, and renderers that start them, do what they like."""
    assert not is_brief(block("a:\n  test.nop: []\n", pipe))
