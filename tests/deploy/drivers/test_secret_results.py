"""Which results of the template drivers are secret, exactly: what is beside a secret is none."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from ensue.core.contracts.driver import ForeignPart
from ensue.core.errors import DriverError
from ensue.deploy.drivers import go_template, template
from ensue.testing.driver import driver_request

if TYPE_CHECKING:
    from ensue.core.contracts.driver import Provisioned

SECRET: Final = "hunter2-secret"
PLACEHOLDER: Final = "${resources.db.outputs.password}"
BOTH: Final = pytest.mark.parametrize("driver", [template, go_template], ids=["jinja", "go"])


def made(driver: Any, templates: Any, cookie: Any = None, **fields: Any) -> Provisioned:
    """Return what templates render to; `password` is a secret, and so is a part of `db`."""
    values = {"templates": templates, "db": {"host": "pg", "password": SECRET}, "host": "h"}
    given = {"values": values, "secrets": {"password": SECRET}, "cookie": cookie}
    given["sensitive"] = (("values", "db", "password"),)
    request = driver_request(Path("/nonexistent"), **given | fields)
    return asyncio.run(driver.create(request))


def inserted(template_text: str, *, is_secret: bool = True, value: str = SECRET) -> dict[str, Any]:
    """Return inputs with an output of another resource in a template, where `@` is."""
    start = template_text.index("@")
    part = ForeignPart(
        placeholder=PLACEHOLDER, resource="db", start=start, end=start + len(value), is_secret=is_secret
    )
    path = ("values", "templates", "outputs")
    text = template_text.replace("@", value)
    return {
        "values": {"templates": {"outputs": text}},
        "foreign": {path: (part,)},
        "sensitive": (path,) if is_secret else (),
    }


@pytest.mark.parametrize(
    ("driver", "text", "secret"),
    [
        (template, "a: {{ driver.values.db | tojson }}", [("a", "password")]),
        (template, "a: {{ driver.values.db }}", [("a", "password")]),
        (template, "a:\n  {{ driver.values.db | toyaml | indent(2) }}", [("a", "password")]),
        (template, "a: {{ driver.values.db.items() | list | tojson }}", [("a", 1, 1)]),
        (template, "a: {{ [driver.values.host] + [driver.secrets.password] }}", [("a", 1)]),
        (template, "a: {{ driver.secrets.password | length }}", []),
        (template, "a: {{ driver.secrets.password == 'x' }}", []),
        (template, "a: '{{ driver.secrets.password[0] }}'", [("a",)]),
        (template, "a: {{ driver.secrets.password | int + 1 }}", [("a",)]),
        (template, "a: {% for x in ['p', driver.secrets.password] %}{{ 'z'.upper() }}{% endfor %}", []),
        (template, "{% for x in [driver.secrets.password] %}a: {{ x.upper() }}{% endfor %}", [("a",)]),
        (template, "{% set x %}{{ driver.values.host }}{% endset %}a: {{ x }}", []),
        (go_template, "a: {{ toRawJson .driver.values.db }}", [("a", "password")]),
        (go_template, "a: {{ toPrettyJson .driver.values.db | nindent 2 }}", [("a", "password")]),
        (go_template, "a: {{ toYaml .driver.values.db | nindent 2 }}", [("a", "password")]),
        (go_template, "a: {{ list .driver.values.host .driver.secrets.password | toJson }}", [("a", 1)]),
        (go_template, 'a: {{ (dict "x" .driver.secrets.password "y" 1).y }}', []),
        (go_template, "a: {{ len .driver.secrets.password }}", []),
        (go_template, 'a: {{ eq .driver.secrets.password "x" }}', []),
        (go_template, "a: {{ index .driver.secrets.password 0 }}", [("a",)]),
        (go_template, "a: {{ atoi .driver.secrets.password | add 1 }}", [("a",)]),
        (go_template, "a: {{ range $k, $v := .driver.values.db }}{{ $k }}{{ end }}", []),
    ],
)
def test_only_what_is_computed_from_a_secret_is_one(driver: Any, text: str, secret: list[Any]) -> None:
    """JSON and YAML of data are secret where the data is; lengths, comparisons and names are open."""
    result = made(driver, {"outputs": f"{text}\nopen: 1"})
    assert list(result.sensitive) == [("values", *path) for path in secret]


@BOTH
def test_manifests_and_later_templates_know_what_is_secret(driver: Any) -> None:
    """From `init` to outputs, from secret outputs to manifests, also in YAML that is a text."""
    dot, encode = (".", "b64enc") if driver is go_template else ("", "b64encode")
    manifest = f"kind: Secret\ndata: {{x: {{{{ {dot}outputs.secrets.it | {encode} }}}}}}"
    templates = {
        "init": f"it: {{{{ {dot}driver.secrets.password | {encode} }}}}",
        "outputs": f"it: {{{{ {dot}init.it }}}}\nhost: {{{{ {dot}driver.values.host }}}}",
        "secrets": "it: of-its-own",
        "manifests": {
            "a.yaml": {"location": "namespace", "data": manifest},
            "b.yaml": "location: namespace\ndata: |\n  " + manifest.replace("\n", "\n  "),
        },
    }
    result = made(driver, templates, secrets={"password": SECRET})
    assert set(result.sensitive) == {
        ("values", "it"),
        ("manifests", "a.yaml", "data", "data", "x"),
        ("manifests", "b.yaml", "data", "data", "x"),
    }


@BOTH
def test_a_manifest_may_have_a_secret_in_quotes(driver: Any) -> None:
    """Whatever is in it: the quotes are the template's, also beside a manifest that is a text."""
    quoted = "{{ .driver.secrets.p | quote }}" if driver is go_template else "{{ driver.secrets.p | tojson }}"
    manifests = f"""
a: {{location: namespace, data: {{kind: Secret, x: {quoted}}}}}
b:
  location: namespace
  data: |
    kind: Secret
    x: {quoted}
    y: open
"""
    result = made(driver, {"manifests": manifests}, secrets={"p": "a: b # c"})
    assert result.manifests["a"] == {"location": "namespace", "data": {"kind": "Secret", "x": "a: b # c"}}
    assert result.manifests["b"] == {
        "location": "namespace",
        "data": {"kind": "Secret", "x": "a: b # c", "y": "open"},
    }
    assert {("manifests", "a", "data", "x"), ("manifests", "b", "data", "x")} <= set(result.sensitive)


@BOTH
def test_a_cookie_keeps_its_secrets(driver: Any) -> None:
    """What a cookie was computed from is not known the next time, so the cookie says what is secret in it."""
    dot, encode = (".", "b64enc") if driver is go_template else ("", "b64encode")
    templates = {
        "cookie": f"{{p: {{{{ {dot}driver.secrets.password | {encode} }}}}, host: h}}",
        "outputs": f"{{a: {{{{ {dot}cookie.p }}}}, b: {{{{ {dot}cookie.host }}}}}}",
    }
    empty = {"cookie": {"p": "x", "host": "h"}}
    first = made(driver, templates, empty)
    assert first.sensitive == ()
    assert made(driver, templates, first.cookie, secrets={}, values={"templates": {
        "outputs": templates["outputs"]}}).sensitive == (("values", "a"),)  # fmt: skip


@BOTH
@pytest.mark.parametrize("text", ["a: @", "a: 'x @ y'", "a: |\n  @\n", 'a: "{{ "@" }}"', "a: {{ '@' ~ '' }}"])
def test_an_output_in_a_template_keeps_its_mark(driver: Any, text: str) -> None:
    """In printed text and in a string of an expression; another output is none."""
    if driver is go_template:
        text = text.replace("{{ '@' ~ '' }}", '{{ "@" | upper }}')
    assert made(driver, {}, **inserted(f"{text}\nb: 1")).sensitive == (("values", "a"),)
    assert made(driver, {}, **inserted(f"{text}\nb: 1", is_secret=False)).sensitive == ()


@BOTH
def test_a_secret_output_is_no_code(driver: Any) -> None:
    """A number is allowed within an action if it is open; a secret one has no place for its mark."""
    add = "a: {{ add 1 @ }}" if driver is go_template else "a: {{ 1 + @ }}"
    assert made(driver, {}, **inserted(add, is_secret=False, value="41")).values == {"a": 42}
    with pytest.raises(DriverError) as caught:
        made(driver, {}, **inserted(add, value="41"))
    assert f"{PLACEHOLDER} is secret, and may only be in a string within an action" in str(caught.value)


@pytest.mark.parametrize(
    ("driver", "text", "reason"),
    [
        (template, "{{ driver.secrets.password | upper }}: 1", "a name in it is computed from a secret"),
        (go_template, "{{ .driver.secrets.password | upper }}: 1", "a name in it is computed from a secret"),
        (template, "a: {{ driver.secrets.password | b64decode }}", "an operation with a secret failed"),
        (template, "a: {{ ('{' ~ driver.secrets.password ~ '}').format() }}", "an operation with a secret"),
        (template, "a: {{ driver.values[driver.secrets.password] }}", "an operation with a secret failed"),
        (template, "{% include driver.secrets.password %}", "cannot include or import others"),
        (go_template, "a: {{ b64dec .driver.secrets.password }}", "b64dec: it failed, and an argument is"),
        (
            go_template,
            "a: {{ fail (upper .driver.secrets.password) }}",
            "it failed, and an argument is secret",
        ),
        (
            go_template,
            "a: {{ (semver .driver.secrets.password).x }}",
            "semver: it failed, and an argument is",
        ),
        (go_template, "a: *{{ upper .driver.secrets.password }}", "the reason may quote a secret"),
    ],
)
def test_no_failure_quotes_what_is_computed_from_a_secret(driver: Any, text: str, reason: str) -> None:
    """The message says that instead of the reason. Names are shown, so none is made of a secret."""
    with pytest.raises(DriverError) as caught:
        made(driver, {"outputs": text})
    assert reason in str(caught.value)
    assert "hunter" not in str(caught.value).lower()


def test_a_formatted_text_is_no_structure() -> None:
    """The method `format` of a constant fills in data, which stays within one YAML value."""
    values = {"templates": {"outputs": "a: {{ '{}'.format(driver.values.x) }}"}, "x": "1\nb: 2"}
    with pytest.raises(DriverError, match="more than a part of one YAML value"):
        made(template, {}, values=values, secrets={})
