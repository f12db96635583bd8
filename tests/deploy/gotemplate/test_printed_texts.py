"""Which of the texts that a template prints data brought, and which its author or a serializer wrote."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.core.model.printed_text import Serialized
from ensue.deploy.gotemplate import compile_template
from ensue.deploy.gotemplate.surroundings import RenderingServices

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
)
AUTHORED = (
    '{{ "a: b" }}',
    "{{ .number }}",
    '{{ default "a: b" "" }}',
    '{{ printf "a: %d" .number }}',
    '{{ ternary "a: b" "c: d" true }}',
)
SERIALIZED = (
    "{{ .text | toRawJson }}",
    "{{ .list | toJson }}",
    "{{ .text | quote }}",
    "{{ .word | squote }}",
    "{{ .list | toYaml }}",
    "{{ .list | toYaml | indent 2 }}",
    "{{ .list | toYaml | nindent 2 }}",
    "{{ .text | quote | trim }}",
    '{{ .text | quote | default "x" }}',
    "{{ $x := .text | quote }}{{ $x }}",
    "{{ .text | squote }}",
)
MADE_OF_SERIALIZED = (
    '{{ .text | quote | trimAll "\\"" }}',
    "{{ .text | toJson | fromJson }}",
    "{{ .text | quote | trunc 3 }}",
    '{{ printf "%s" (.text | quote) }}',
    "{{ .text | quote | cat 1 }}",
    '{{ .text | quote | replace "a" "b" }}',
    '{{ list (.text | quote) | join "" }}',
    '{{ "a\'b" | cat .word | squote }}',
)


def marked(text: str) -> str:
    """Return what a template prints, with `<>` around data, and `[]` if a serializer wrote it."""

    def on_printed(value: Any, printed: str, offset: int) -> str:
        assert text[offset] not in "{ "
        return f"[{printed}]" if isinstance(value, Serialized) else f"<{printed}>"

    return compile_template(text, "t").render(DATA, RenderingServices(on_printed=on_printed))


@pytest.mark.parametrize("text", OF_DATA)
def test_what_data_brought_is_told(text: str) -> None:
    """Whatever a function makes of a text of data is looked at."""
    assert marked(text).startswith("<")


@pytest.mark.parametrize("text", AUTHORED)
def test_what_an_author_wrote_is_not(text: str) -> None:
    """Constants, what is made of them alone, and numbers are the author's."""
    assert not {"<", "["} & set(marked(text))


@pytest.mark.parametrize("text", SERIALIZED)
def test_what_a_serializer_wrote_is_told(text: str) -> None:
    """JSON, YAML and quotes may be whole values; other blanks around them change nothing."""
    assert marked(text).startswith("[")


@pytest.mark.parametrize("text", MADE_OF_SERIALIZED)
def test_what_is_made_of_a_serializers_text_is_data(text: str) -> None:
    """Its quotes may be gone."""
    assert marked(text).startswith("<")
