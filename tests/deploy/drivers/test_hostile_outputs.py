"""What outputs of other resources say is data in templates: no text of theirs is read as template or YAML."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from ensue.core.contracts.driver import ForeignPart
from ensue.core.errors import DriverError
from ensue.deploy.drivers import go_template, template
from ensue.testing.driver import driver_request

PLACEHOLDER = "${resources.config.outputs.it}"
SECRET = "hunter2-hunter2"
JINJA = (
    "a: @\nb: 1",
    "@",
    "a: '@'\nb: 1",
    'a: "@"\nb: [x, y]',
    "a: |\n  @\nb: 1",
    "a: |\n  x @ y\n  z\nb: 1",
    "a: [@, 1]\nb: {c: @}",
    "# @\na: b",
    "k@: 1\nb: 2",
    "- @\n- x",
    "a: {@: 1}\nb: 1",
    "a: x{@\nb: 1",
    "a: {% if driver.values.flag %}@{% else %}no{% endif %}",
    "a: {% raw %}{{ @ }}{% endraw %}\nb: 1",
    "a: {# @ #}\nb: 1",
    "a: {{ '@' }}\nb: 1",
    "a: {{ @ }}\nb: 1",
    "a: {{ driver.secrets.@ }}\nb: 1",
    "a: {{ driver.values.@ }}\nb: 1",
    "{% set x %}@{% endset %}a: {{ x }}\nb: 1",
    "{% macro m() %}a: @{% endmacro %}{{ m() }}\nb: 1",
    "a: {{ driver.values.it }}\nb: 1",
    "a: '{{ driver.values.it | upper }}'\nb: 1",
    "a: {{ driver.values.it ~ 'x' }}\nb: 1",
    "a: {{ driver.values.it | tojson }}\nb: 1",
    "a:\n  {{ driver.values | toyaml | indent(2) }}\nb: 1",
)
GO = (
    *(text for text in JINJA if "{{" not in text and "{%" not in text and "{#" not in text),
    "a: {{ if .driver.values.flag }}@{{ else }}no{{ end }}",
    "a: {{/* @ */}}\nb: 1",
    'a: {{ "@" }}\nb: 1',
    "a: {{ `@` }}\nb: 1",
    "a: {{ @ }}\nb: 1",
    "a: {{ .driver.secrets.@ }}\nb: 1",
    'a: {{ index .driver.values "@" }}\nb: 1',
    '{{ define "m" }}a: @{{ end }}{{ template "m" . }}\nb: 1',
    "a: {{ .driver.values.it }}\nb: 1",
    "a: {{ .driver.values.it | lower | quote }}\nb: 1",
    "a: {{ .driver.values.it | squote }}\nb: 1",
    'a: {{ printf "x-%s" .driver.values.it }}\nb: 1',
    "a: {{ $x := .driver.values.it }}{{ $x }}\nb: 1",
    "a: {{ .driver.values.it | toRawJson }}\nb: 1",
    "a: {{ list `x` .driver.values.it }}\nb: 1",
    "a: |{{ .driver.values.it | nindent 2 }}\nb: 1",
)
PIECES = (
    *("{{", "}}", "{%", "%}", "{#", "#}", "/*", "*/", "{", "}", "[", "]", "'", '"', "`", "\\", "$", "|", ">"),
    *(
        ": ",
        " #",
        "- ",
        "\n",
        "\r",
        "\x85",
        "\u2028",
        "\n  ",
        "---",
        "...",
        "<<",
        "&a ",
        "*a",
        "!!set ",
        "? ",
        ",",
    ),
    *(
        ".driver.secrets.password",
        "driver.secrets.password",
        "password",
        "secrets",
        "evil: 1",
        "x",
        " ",
        "~",
        "0",
    ),
    *(
        "endraw",
        "{% endraw %}",
        "{{ .driver.secrets.password }}",
        "{{ driver.secrets.password }}",
        "\ue001",
        "\ud800",
    ),
    *("true", "null", "5432", "%", "@", "é"),
)
OUTPUTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join) | st.text(max_size=12)


def _rendered(driver: Any, part: str, text: str, value: Any) -> Any:
    """Return what a template with an output in the place of each `@` renders to."""
    written = value if isinstance(value, str) else "[1]"
    parts: list[ForeignPart] = []
    pieces: list[str] = []
    size = 0
    for piece in text.split("@"):
        if pieces:
            parts.append(
                ForeignPart(placeholder=PLACEHOLDER, resource="config", start=size, end=size + len(written))
            )
            pieces.append(written)
            size += len(written)
        pieces.append(piece)
        size += len(piece)
    request = driver_request(
        Path("/nonexistent"),
        values={"templates": {part: "".join(pieces)}, "it": value, "flag": True},
        secrets={"password": SECRET},
        foreign={("values", "templates", part): tuple(parts)} if parts else {},
    )
    made = asyncio.run(driver.create(request))
    return [made.values, made.manifests, (made.cookie or {}).get("cookie")]


def _shape(data: Any) -> Any:
    """Return the structure of data, with the values and the names left out."""
    if isinstance(data, dict):
        return [_shape(value) for value in data.values()]
    return tuple(_shape(value) for value in data) if isinstance(data, list) else "value"


def _check(driver: Any, part: str, text: str, value: str) -> None:
    if part == "manifests":
        # The text of a manifest within a text: YAML in YAML.
        text = "f:\n  location: namespace\n  data: |\n" + "".join(
            f"    {line}\n" for line in text.split("\n")
        )
    try:
        made = _rendered(driver, part, text, value)
        harmless = _rendered(driver, part, text, "7")
    except DriverError:
        return
    assert _shape(made) == _shape(harmless)
    assert SECRET not in str(made)
    assert "\ue001" in value or "\ue001" not in str(made)


@given(st.sampled_from(JINJA), st.sampled_from(["cookie", "manifests"]), OUTPUTS)
@example("a: x{@\nb: 1", "cookie", "{ driver.secrets.password }}")
@example("a: {{ '@' }}\nb: 1", "cookie", "' ~ driver.secrets.password ~ '")
@example("a: {{ driver.secrets.@ }}\nb: 1", "cookie", "password")
def test_no_output_writes_jinja_or_yaml(text: str, part: str, value: str) -> None:
    """An output is refused, or makes what a harmless one makes; there is no secret in it."""
    _check(template, part, text, value)


@given(st.sampled_from(GO), st.sampled_from(["cookie", "manifests"]), OUTPUTS)
@example("a: x{@\nb: 1", "cookie", "{ .driver.secrets.password }}")
@example('a: {{ "@" }}\nb: 1', "cookie", '" .driver.secrets.password "')
@example("a: {{ @ }}\nb: 1", "cookie", ".driver.secrets.password")
@example("a: {{ .driver.secrets.@ }}\nb: 1", "cookie", "password")
def test_no_output_writes_go_templates_or_yaml(text: str, part: str, value: str) -> None:
    """An output is refused, or makes what a harmless one makes; there is no secret in it."""
    _check(go_template, part, text, value)
