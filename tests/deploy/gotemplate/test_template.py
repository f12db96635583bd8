"""What a template's errors say, and what a template cannot do."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from tests.support.work import calls_made_by

from ensue.core.errors import GoTemplateError
from ensue.deploy.gotemplate import compile_template
from ensue.deploy.gotemplate.surroundings import RenderingServices


def render(text: str, data: Any = None) -> str:
    return compile_template(text, "defs/db.yaml").render({} if data is None else data)


ERRORS = [
    ("a\n  {{ .driver.valuez.x }}", "2:6: there is no key valuez (.driver.valuez.x) (Did you mean values?)"),
    ("{{ .nothing }}", "1:4: there is no key nothing (.nothing) (There is driver, id)"),
    ("{{ uper .id }}", "1:4: there is no function uper (Did you mean upper?)"),
    ('{{ fail "no size" }}', "1:4: no size"),
    (
        "{{ upper 1 }}",
        "1:4: argument 1 of upper: a string is expected, not int (Convert it with `toString`)",
    ),
    ("{{ upper }}", "1:4: upper takes 1 argument, but is given 0"),
    ("{{ if .id }}", "1:4: `if` has no `end` (Close it with `{{ end }}`)"),
    ("\n{{ .id", "2:1: an action is not closed (Close it with `}}`)"),
    ("{{ $x }}", "1:4: there is no variable $x here (Declare it before with `$x := …`)"),
    ("{{ .id.x }}", "1:4: there is no x in string (.id.x) (Only mappings have keys)"),
    (
        '{{ index .driver "x" }}',
        "1:4: index: there is no such key, or it is null (Pipe it to `default` where it may be missing)",
    ),
]


@pytest.mark.parametrize(("text", "message"), ERRORS)
def test_an_error_says_where_what_and_how_to_mend_it(text: str, message: str) -> None:
    """Name, line and column first, the remedy last."""
    with pytest.raises(GoTemplateError) as caught:
        render(text, {"driver": {"values": {}}, "id": "a"})
    assert str(caught.value) == f"defs/db.yaml:{message}"


MISSING = [
    ('{{ .none | default "x" }}{{ .driver.none | default "y" }}{{ default "z" $.none }}', "xyz"),
    ("{{ if .none }}a{{ else if .driver.none }}b{{ else }}c{{ end }}", "c"),
    ("{{ with .none }}a{{ end }}{{ if and .none .none.more }}b{{ else }}c{{ end }}", "c"),
    ("{{ range .none }}b{{ else }}c{{ end }}{{ .none | quote }}{{ .none | toJson }}", "cnull"),
    ('{{ $x := .none }}{{ $x | default "y" }}{{ $x := .driver }}{{ $x.none | default "z" }}', "yz"),
    ("{{ $x := .none }}{{ $x }}", "it is null, or comes from a key that is missing"),
    ("{{ (.none) }}", "there is no key none (.none)"),
    ("{{ (dict).none }}", "it is null, or comes from a key that is missing"),
    ("{{ .none.more }}", "there is no key none (.none.more)"),
    ("{{ .driver.driver.driver | default 1 }}{{ $.a.b.c | default 2 }}", "12"),
    ("{{ range $key, $one := .none.more.still }}a{{ else }}b{{ end }}", "b"),
    ("{{ if .driver.none.more }}c{{ end }}", ""),
    ("{{ with .driver.none.more }}a{{ else }}b{{ end }}", "b"),
    ("{{ upper $.driver.none.more }}", "there is no key none (.driver.none.more)"),
    ("{{ .driver.none.more.still }}", "there is no key none (.driver.none.more.still) (There is values)"),
    ("{{ .null.more | default 1 }}", "there is no more in nil (.null.more)"),
    ("{{ .none | upper }}", "there is no key none (.none)"),
    ("{{ upper $.driver.none }}", "there is no key none (.driver.none)"),
    ("{{ fail .none }}", "there is no key none (.none)"),
]


@pytest.mark.parametrize(("text", "outcome"), MISSING)
def test_a_missing_key_is_nil_until_it_is_printed(text: str, outcome: str) -> None:
    """As in Go, and so is what is below it; to print it, or to give it to a function, names the key."""
    data = {"driver": {"values": {}}, "id": "a", "null": None}
    if " " not in outcome:
        assert render(text, data) == outcome
        return
    with pytest.raises(GoTemplateError) as caught:
        render(text, data)
    assert outcome in str(caught.value)


def test_randomness_is_announced() -> None:
    """`on_random` is called by each function that returns something else each time, and by no other."""
    asked: list[str] = []
    surroundings = RenderingServices(on_random=lambda: asked.append("x"))
    for text, count in (
        ('{{ upper "a" }}{{ sha256sum "a" }}{{ derivePassword 1 "long" "p" "u" "s" }}', 0),
        ("{{ if false }}{{ uuidv4 }}{{ end }}", 0),
        ("{{ randAlpha 3 }}{{ randInt 1 3 }}{{ uuidv4 }}", 3),
        ('{{ $c := genCA "a" 1 }}{{ $c.Cert | len }}{{ bcrypt "a" }}', 2),
    ):
        asked.clear()
        compile_template(text, "t").render({}, surroundings)
        assert len(asked) == count, text


@pytest.mark.parametrize("name", ["env", "expandenv", "getHostByName"])
def test_a_function_that_sees_the_machine_is_refused(name: str) -> None:
    """The environment and the network are not reachable."""
    with pytest.raises(GoTemplateError, match=f"the function {name} is not supported"):
        render(f'{{{{ {name} "HOME" }}}}')


@pytest.mark.parametrize(
    "text",
    [
        "{{ range until 100000000 }}{{ end }}",
        "{{ range 2000000 }}{{ end }}",
        "{{ range until -100000000 }}{{ end }}",
        '{{ repeat 1000000000 "abc" }}',
        '{{ indent 1000000000 "abc" }}',
        '{{ $x := "a" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}',
        '{{ $x := "a" }}{{ range until 40 }}{{ $x = replace "a" "aaaaaaaa" $x }}{{ end }}',
        '{{ $x := "a" }}{{ range until 40 }}{{ $x = regexReplaceAll "a" $x "aaaaaaaa" }}{{ end }}',
        "{{ $x := list 1 }}{{ range until 40 }}{{ $x = concat $x $x }}{{ end }}",
        "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ $x }}",
        "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ toJson $x }}",
        "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ toYaml $x }}",
        "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ deepEqual $x $x }}",
        '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ $d }}',
        '{{ $d := dict }}{{ $_ := set $d "a" $d }}{{ merge (dict) $d }}',
        '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}',
        '{{ define "a" }}{{ if 1 }}{{ with 1 }}{{ template "a" }}{{ end }}{{ end }}{{ end }}{{template "a"}}',
        "{{" + "(" * 3000 + "1" + ")" * 3000 + "}}",
        "{{ if 1 }}" * 3000 + "{{ end }}" * 3000,
        "{{ randAlphaNum 100000000 }}",
        '{{ range until 100000 }}{{ repeat 1000 "x" }}{{ end }}',
    ],
)
def test_a_bomb_ends_with_an_error(text: str) -> None:
    """Loops, texts, lists, nesting and recursion have bounds."""
    with pytest.raises(GoTemplateError, match=r"defs/db.yaml:\d+:\d+: "):
        render(text)


def test_a_huge_width_is_limited() -> None:
    """A width of `printf` makes no text that fills the memory."""
    assert len(render('{{ printf "%999999999d" 1 }}')) < 2_000_000


def test_data_is_never_a_template() -> None:
    """What looks like an action in the data is printed."""
    assert render("{{ .a }}", {"a": '{{ env "HOME" }}'}) == '{{ env "HOME" }}'


def test_data_is_not_changed() -> None:
    """`set` changes the template's own copy, which it sees itself."""
    data = {"a": {"b": 1}}
    assert render('{{ $_ := set .a "b" 2 }}{{ .a.b }}', data) == "2"
    assert data == {"a": {"b": 1}}


def test_the_clock_is_injected() -> None:
    """`now` and `ago` ask the surroundings."""
    noon = RenderingServices(now=lambda: datetime(2024, 2, 29, 12, 0, 5, tzinfo=UTC))
    template = compile_template('{{ now | date "2006-01-02 15:04" }} {{ ago 1709208000 }}', "t")
    assert template.render({}, noon) == "2024-02-29 12:00 5s"


def test_a_published_definition_renders() -> None:
    """What published definitions do: guresid, defaults, optional parts of a workload, JSON."""
    text = """{{- $name := (splitList "." .id) | last | lower | replace "_" "-" | trunc 20 -}}
name: {{ $name }}-{{ substr 0 5 (sha256sum .id) }}
size: {{ .driver.values.size | default "small" | quote }}
{{- if gt (len (dig "spec" "service" "ports" (dict) .resource)) 0 }}
ports:
{{- range $port, $spec := .resource.spec.service.ports }}
- {{ $port }}: {{ $spec.container_port }}/{{ $spec.protocol | default "TCP" | upper }}
{{- end }}
{{- end }}
values: {{ .driver.values | toRawJson }}
"""
    port = {"service_port": 80, "container_port": 8080, "protocol": "tcp"}
    data = {
        "id": "modules.web.externals.My_DB",
        "driver": {"values": {"size": "", "tag": "<a&b>"}},
        "resource": {"spec": {"service": {"ports": {"http": port}}}},
    }
    assert render(text, data) == (
        'name: my-db-f9e43\nsize: "small"\nports:\n- http: 8080/TCP\nvalues: {"size":"","tag":"<a&b>"}\n'
    )


def test_bytes_that_are_no_text_survive_between_functions() -> None:
    """A string is bytes within a template, and text in its output."""
    assert render('{{ "/w==" | b64dec | b64enc }} {{ "/w==" | b64dec }}') == "/w== \ufffd"


@pytest.mark.parametrize(
    "pattern", ["(?=a)", "(?<!a)", r"(a)\1", r"a\Z", r"\p{Greek}", "a++", "(?>a)", "(", "[z-a]", ")"]
)
def test_an_expression_that_go_has_not_is_refused(pattern: str) -> None:
    """What only Python's expressions can do, or only Go's, is an error."""
    with pytest.raises(GoTemplateError, match="regular expression"):
        render("{{ regexMatch .p .t }}", {"p": pattern, "t": "a"})


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"\Qa.b\E", "a.b", "a.b"),
        (r"a$", "a\n", ""),
        (r"(?m)a$", "a\nb", "a"),
        (r"x(?i)Y|z", "xy", "xy"),
        (r"[[:alpha:]-]+", "1ab-c2", "ab-c"),
        (r"[]a]+", "b]a", "]a"),
        (r"\x{41}+", "AAA", "AAA"),
        (r"a{,2}", "a{,2}", "a{,2}"),
        (r"\d+", "٣7", "7"),
        (r"\pL+", "1é2", "é"),
        (r"(?s)a.b", "a\nb", "a\nb"),
        (r"(?:(?m)^b)", "a\nb", "b"),
        (r"\pL", "1é2", "é"),
        (r"(?i)É", "é", "é"),
        (r"[^\w]+", "aéb", "é"),
        (r"[\W]+", "aéb", "é"),
        (r"x(?i)|Y", "y", "y"),
        (r"^*a", "a", "a"),
        (r"(?U)a+", "aa", "a"),
        (r"[[:^alpha:]]+", "a12b", "12"),
        (r"[\pN_]+", "a٣_", "٣_"),
    ],
)
def test_expressions_mean_what_they_mean_in_go(pattern: str, text: str, expected: str) -> None:
    """RE2's syntax where it is not Python's."""
    assert render("{{ regexFind .p .t }}", {"p": pattern, "t": text}) == expected


def test_a_rendering_costs_a_few_calls_per_line() -> None:
    """What a rendering does grows with its lines and values; nothing is parsed again."""
    body = (
        "{{ .id | lower | quote }}\n{{ range $i, $p := .l }}{{ $i }}: {{ $p | upper | trunc 3 }}\n{{ end }}"
    )
    short, long = (compile_template(body * lines + "text\n" * lines, "t") for lines in (10, 40))
    data = {"id": "A", "l": ["abcd", "efgh", "x"]}
    work = [calls_made_by(partial(template.render, data)) for template in (short, long)]
    assert work[0] < 5000
    assert work[1] < 4.4 * work[0]
