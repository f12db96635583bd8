"""Which of the texts that a template prints data brought, and which its author or a serializer wrote."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.gotemplate import compile_template
from ensue.gotemplate.surroundings import Surroundings

DATA = {"text": "a: b", "list": ["x"], "number": 7, "word": "w"}
OF_DATA = (
    "{{ .text }}",
    "{{ .list }}",
    "{{ $x := .text }}{{ $x }}",
    "{{ .text | upper }}",
    "{{ .text | indent 2 }}",
    "{{ .text | nindent 2 }}",
    '{{ default "x" .text }}',
    '{{ printf "%s!" .text }}',
    "{{ index .list 0 }}",
    '{{ join "," .list }}',
    '{{ squote "it" | cat .text }}',
    "{{ \"a'b\" | cat .word | squote }}",
)  # fmt: skip
AUTHORED = (
    '{{ "a: b" }}',
    "{{ .number }}",
    '{{ default "a: b" "" }}',
    '{{ printf "a: %d" .number }}',
    '{{ ternary "a: b" "c: d" true }}',
    "{{ .text | toRawJson }}",
    "{{ .list | toJson }}",
    "{{ .text | quote }}",
    "{{ .word | squote }}",
    "{{ .list | toYaml }}",
    "{{ .list | toYaml | indent 2 }}",
    "{{ .list | toYaml | nindent 2 }}",
    "{{ $x := .text | quote }}{{ $x }}",
)


def marked(text: str) -> str:
    """Return what a template prints, with brackets around what data brought."""

    def on_printed(value: Any, printed: str, offset: int) -> str:
        del value
        assert text[offset] not in "{ "
        return f"<{printed}>"

    return compile_template(text, "t").render(DATA, Surroundings(on_printed=on_printed))


@pytest.mark.parametrize("text", OF_DATA)
def test_what_data_brought_is_told(text: str) -> None:
    """Whatever a function makes of a text of data is looked at."""
    assert marked(text).startswith("<")


@pytest.mark.parametrize("text", AUTHORED)
def test_what_an_author_or_a_serializer_wrote_is_not(text: str) -> None:
    """Constants, what is made of them alone, numbers, and what JSON, YAML and quotes make."""
    assert "<" not in marked(text)
