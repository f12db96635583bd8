"""The template drivers: what templates see, what they give, and what they cannot do."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.errors import DriverError
from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers import go_template, template
from ensue.testing.driver import FakeDriverServices, driver_request

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.driver import Planned, Provisioned
    from ensue.core.model.data import DataMap

ID = "0123456789abcdef0123456789abcdef"


class Project:
    """Renders templates in a folder of a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.services = FakeDriverServices()

    def render(
        self, templates: Any, *, driver: Any = template, cookie: DataMap | None = None, **fields: Any
    ) -> Provisioned:
        """Return what templates render to; `values` are further plain inputs."""
        values = {"templates": templates, **fields.pop("values", {})}
        request = driver_request(self.folder, self.services, values=values, cookie=cookie, **fields)
        return asyncio.run(driver.create(request) if cookie is None else driver.update(request))

    def plan(self, templates: Any, *, driver: Any = template, **fields: Any) -> Planned:
        """Return what a plan says."""
        request = driver_request(self.folder, values={"templates": templates}, **fields)
        return asyncio.run(driver.plan(request))

    def check(self, values: Any, *, driver: Any = template, **fields: Any) -> list[str]:
        """Return what is wrong with inputs."""
        return driver.check(driver_request(self.folder, self.services, values=values, **fields))

    def failure(self, outputs: Any, *, driver: Any = template, **fields: Any) -> str:
        """Return why a template of outputs fails."""
        with pytest.raises(DriverError) as caught:
            self.render({"outputs": outputs}, driver=driver, **fields)
        return str(caught.value)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder to render in."""
    return Project(tmp_path)


IN_ORDER = {
    template: {
        "init": "host: {{ driver.values.name }}.{{ resource.zone }}",
        "outputs": "{host: {{ init.host }}, id: {{ id }}}",
        "secrets": "url: pg://{{ driver.secrets.user }}@{{ outputs.values.host }}",
        "cookie": "{{ init | tojson }}",
        "manifests": {
            "a.yaml": {
                "location": "namespace",
                "data": "kind: Secret\nurl: {{ outputs.secrets.url }}\nhost: {{ outputs.values.host }}",
            }
        },
    },
    go_template: {
        "init": "host: {{ .driver.values.name }}.{{ .resource.zone }}",
        "outputs": "{host: {{ .init.host }}, id: {{ .id }}}",
        "secrets": "url: pg://{{ .driver.secrets.user }}@{{ .outputs.values.host }}",
        "cookie": "{{ .init | toJson }}",
        "manifests": {
            "a.yaml": {
                "location": "namespace",
                "data": "kind: Secret\nurl: {{ .outputs.secrets.url }}\nhost: {{ .outputs.values.host }}",
            }
        },
    },
}


@pytest.mark.parametrize("driver", IN_ORDER, ids=["jinja", "go"])
def test_each_template_sees_those_before_it(driver: Any, project: Project) -> None:
    """Inputs, params and the id; `init`; outputs in secrets; all of it in manifests."""
    made = project.render(
        IN_ORDER[driver],
        driver=driver,
        values={"name": "db"},
        secrets={"user": "shop-user"},
        params={"zone": "eu"},
    )
    assert made.values == {"host": "db.eu", "id": ID}
    assert made.secrets == {"url": "pg://shop-user@db.eu"}
    assert made.cookie is not None
    assert made.cookie["cookie"] == {"host": "db.eu"}
    manifest = {"kind": "Secret", "url": "pg://shop-user@db.eu", "host": "db.eu"}
    assert made.manifests == {"a.yaml": {"location": "namespace", "data": manifest}}
    assert project.services.masker.text("is it pg://shop-user@db.eu") == "is it (sensitive)"


RANDOM = {
    template: (
        "word: {{ cookie.word if cookie else random_text(12) ~ '-' ~ random_digits(4) }}",
        "word: {{ init.word }}",
    ),
    go_template: (
        "word: {{ with .cookie }}{{ .word }}{{ else }}{{ randAlphaNum 12 }}-{{ randNumeric 4 }}{{ end }}",
        "word: {{ .init.word }}",
    ),
}


@pytest.mark.parametrize("driver", RANDOM, ids=["jinja", "go"])
def test_a_random_value_stays_through_the_cookie(driver: Any, project: Project) -> None:
    """A plan knows it as soon as the cookie does, and says that nothing changes."""
    init, word = RANDOM[driver]
    templates = {"init": init, "cookie": word, "outputs": word}
    before = project.plan(templates, driver=driver)
    assert (before.outputs, before.would_change) == (None, True)
    made = project.render(templates, driver=driver)
    assert len(str(made.values["word"])) == 12 + 5
    assert made.changed is True
    again = project.render(templates, driver=driver, cookie=made.cookie)
    assert (again.values, again.changed) == (made.values, False)
    after = project.plan(templates, driver=driver, cookie=made.cookie)
    assert after.outputs is not None
    assert (after.outputs.values, after.would_change) == (made.values, False)
    other = project.plan({**templates, "outputs": "a: b"}, driver=driver, cookie=made.cookie)
    assert other.would_change is True
    assert project.render(templates, driver=driver).values != made.values


@pytest.mark.parametrize(
    "text", ["{{ now }}", "{{ uuidv4 }}", '{{ htpasswd "a" "b" }}', '{{ shuffle "abc" }}']
)
def test_a_plan_knows_nothing_that_is_random(text: str, project: Project) -> None:
    """Neither the time nor randomness, wherever a function uses it."""
    assert project.plan({"outputs": {"a": f"{text}x"}}, driver=go_template).outputs is None


@pytest.mark.parametrize("part", ["values", "secrets", "params"])
def test_a_plan_waits_for_what_is_not_known(part: str, project: Project) -> None:
    """One unknown input, and the outputs are known after apply."""
    unknown: dict[str, Any] = {part: {"a": [Unknown("${x}")]}}
    planned = asyncio.run(template.plan(driver_request(project.folder, **unknown)))
    assert (planned.outputs, planned.comment) == (None, "what the templates render to is known after apply")


def test_what_is_rendered_is_read_as_data(project: Project) -> None:
    """Dates and times of day stay texts, keys are texts; nothing is rendered a second time."""
    text = "day: 2020-01-01\nat: 22:22\nport: 5432\nmode: 0644\n8080: null\ntrue: [1.5, yes]\nraw: "
    hostile = "{{ 7 * 7 }} ${context.app.id} {% raw %}"
    templates = {"outputs": text + "'{{ driver.values.raw }}'"}
    made = project.render(templates, values={"raw": hostile})
    assert made.values == {
        "day": "2020-01-01",
        "at": "22:22",
        "port": 5432,
        "mode": 0o644,
        "8080": None,
        "true": [1.5, True],
        "raw": hostile,
    }


def test_jinja_prints_what_yaml_reads(project: Project) -> None:
    """Null, booleans, lists and mappings are printed as YAML has them; a key outranks a method."""
    text = """
none: {{ driver.values.nothing }}
list: {{ driver.values.items }}
flag: {{ driver.values.items[2] }}
word: {{ driver.values.word | tojson }}
deep: {{ driver.values | toyaml | sha256 }}
code: {{ driver.values.word | b64encode | b64decode | tojson }}
"""
    values = {"nothing": None, "items": [1, None, True], "word": "a: 'b'\n# <c>"}
    made = project.render({"outputs": text}, values=values)
    assert (made.values["none"], made.values["list"], made.values["flag"]) == (None, [1, None, True], True)
    assert made.values["word"] == made.values["code"] == values["word"]


INDENTED = [
    (template, "text: |\n  {{ driver.values.it | indent(2) }}\nb: 1"),
    (template, "text: |2\n{{ driver.values.it | indent(2, true) }}\nb: 1"),
    (go_template, "text: |\n{{ .driver.values.it | indent 2 }}\nb: 1"),
    (go_template, "text: |{{ .driver.values.it | nindent 2 }}\nb: 1"),
]


@pytest.mark.parametrize(("driver", "text"), INDENTED)
def test_indented_data_fits_into_a_block_of_text(driver: Any, text: str, project: Project) -> None:
    """Its lines are lines of the text, whatever they look like; it becomes no key of its own elsewhere."""
    several = "x: 1 # no\n\n- 'y\nb: 2"
    made = project.render({"outputs": text}, driver=driver, values={"it": several})
    assert made.values == {"text": f"{several}\n", "b": 1}
    bare = text.replace("|2", "").replace("|\n", "\n").replace("|{{", "{{")
    failure = project.failure(bare, driver=driver, values={"it": "x: 1\ny: 2"})
    assert "is more than a part of one YAML value" in failure


JINJA_FAILURES = [
    ("a: {{ driver.valuez.x }}", "templates.outputs:1: there is no key valuez (did you mean values?)"),
    ("\n\n{{ driver.values.hots }}", "templates.outputs:3: there is no key hots (did you mean host?)"),
    ("{{ driver['secretz'] }}", "templates.outputs:1: there is no key secretz (did you mean secrets?)"),
    ("{{ driver.values.hots | tojson }}", "templates.outputs:1: there is no key hots (did you mean host?)"),
    (
        "a: {{ driver.values.hots | toyaml }}",
        "templates.outputs:1: there is no key hots (did you mean host?)",
    ),
    ("{{ cokie }}", "templates.outputs:1: there is no name cokie (did you mean cookie?)"),
    ("{{ 1 / 0 }}", "templates.outputs:1: ZeroDivisionError: division by zero"),
    ("{% for %}", "templates.outputs:1: Expected an expression, got 'end of statement block'"),
    ("a\n{{ 'a' | rendom }}", "templates.outputs:2: No filter named 'rendom'."),
    ("{{ driver.copy }}", "templates.outputs:1: what is printed is no data: copy"),
    ("{{ [1] | map('string') }}", "templates.outputs:1: what is printed is a generator (write"),
    ("{{ driver.values.update({}) }}", "templates.outputs:1: access to attribute 'update' of 'dict'"),
    ("{{ ''.__class__ }}", "templates.outputs:1: access to attribute '__class__' of 'str' object is unsafe"),
    ("{% include '/etc/passwd' %}", "templates.outputs:1: a driver's template cannot include or import"),
    ("{{ lipsum() }}", "templates.outputs:1: there is no name lipsum"),
    ("{{ [1] | random }}", "templates.outputs:1: No filter named 'random'."),
    ("{{ range(1000000) | list }}", "templates.outputs:1: OverflowError"),
    ("{{ random_text(0) }}", "templates.outputs:1: a random text has 1 to 4096 characters, not 0"),
    (
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "templates.outputs:1: it is nested too deep, or a macro calls itself without end",
    ),
    ("- a", "templates.outputs: it renders to a list, where a mapping of outputs is expected"),
    ("a", "templates.outputs: it renders to one value, where a mapping of outputs is expected"),
    ("[1, 2", "templates.outputs: what it renders to is not YAML: while parsing"),
    ("a: &x [*x]", "templates.outputs: what it renders to is not YAML"),
    ("a: !!binary aGk=", "templates.outputs: what it renders to holds what is no data: bytes"),
    ({"deep": ["{{ hots }}"]}, "templates.outputs.deep.0:1: there is no name hots"),
]


@pytest.mark.parametrize(("outputs", "message"), JINJA_FAILURES)
def test_a_failure_of_jinja_says_where_and_what(outputs: Any, message: str, project: Project) -> None:
    """The template, the line, and what is wrong; near names where there are some."""
    assert project.failure(outputs, values={"host": "db"}).startswith(message)


GO_FAILURES = [
    (
        "\n  {{ .driver.valuez.x }}",
        "templates.outputs:2:6: there is no key valuez (.driver.valuez.x)",
    ),
    ("{{ .driver.values.hots }}", "templates.outputs:1:4: there is no key hots (.driver.values.hots)"),
    ("{{ nope }}", "templates.outputs:1:4: there is no function nope (Did you mean nospace?)"),
    ('{{ env "HOME" }}', "templates.outputs:1:4: the function env is not supported"),
    ("{{ .cookie.port }}", "templates.outputs:1:4: there is no port in nil (.cookie.port)"),
]


@pytest.mark.parametrize(("outputs", "message"), GO_FAILURES)
def test_a_failure_of_go_says_where_and_what(outputs: Any, message: str, project: Project) -> None:
    """The template, line and column, and what is wrong."""
    assert project.failure(outputs, driver=go_template, values={"host": "db"}).startswith(message)


def test_a_key_may_be_missing_where_go_replaces_it(project: Project) -> None:
    """`default`, `if` and `range` take a key that is not there, as published definitions have it."""
    text = (
        'path: {{ .driver.values.path | default "/" }}\n{{ if .driver.values.port }}port: 1{{ end }}'
        "{{ range .resource.labels }}x{{ end }}"
    )
    assert project.render({"outputs": text}, driver=go_template).values == {"path": "/"}


def test_no_secret_is_in_a_failure(project: Project) -> None:
    """Neither what a template says with `fail`, nor what YAML quotes."""
    for driver, text in (
        (go_template, "{{ fail .driver.secrets.password }}"),
        (go_template, "a: {{ .driver.secrets.password }}: b"),
        (template, "a: *{{ driver.secrets.password }}"),
        (template, "{{ driver.secrets[driver.secrets.password] }}"),
    ):
        message = project.failure(text, driver=driver, secrets={"password": "correct-horse"})
        assert "correct-horse" not in message


def test_manifests_are_named_and_placed(project: Project) -> None:
    """A mapping, a text or a list; text within text is YAML too; what renders to nothing is left out."""
    text = "a.yaml:\n  location: volumes\n  data: |\n    name: {{ id }}\nb: {location: cluster, data: null}"
    pod = {"location": "volumes", "data": {"name": ID}}
    assert project.render({"manifests": text}).manifests == {"a.yaml": pod}
    entries = [{"location": "volumes", "data": "name: {{ id }}"}, {"location": "cluster", "data": "\n"}]
    assert project.render({"manifests": entries}).manifests == {"0": pod}
    for wrong, problem in (
        ({"location": "namespaced", "data": "a: b"}, "its location is 'namespaced' (it is one of namespace,"),
        ({"location": "cluster", "data": "- a"}, "its data is no mapping"),
        ("text", "it renders to one value"),
    ):
        with pytest.raises(DriverError) as caught:
            project.render({"manifests": {"a.yaml": wrong}})
        assert str(caught.value).startswith(f"templates.manifests.a.yaml: {problem}")


def test_secret_outputs_may_be_written_among_the_secrets(project: Project) -> None:
    """`secrets.templates.outputs` is rendered to secret outputs, beside those of `templates.secrets`."""
    made = project.render(
        {"secrets": "a: 1", "outputs": "host: db"},
        secrets={"templates": {"outputs": "url: {{ outputs.values.host }}/"}},
    )
    assert made.secrets == {"a": 1, "url": "db/"}


@pytest.mark.parametrize(
    ("values", "problems"),
    [
        ([], ["values: it takes a mapping"]),
        ({"templates": "x"}, ["values.templates: it takes a mapping of templates"]),
        (
            {"templates": {"inti": "x", "output": "y", "outputs": 3}},
            [
                "values.templates.inti: there is no such key: did you mean init?",
                "values.templates.output: there is no such key: did you mean outputs?",
                "values.templates.outputs: it takes a text, or a mapping of texts",
            ],
        ),
        (
            {"templates": {"init": "{% if %}", "outputs": {"a": "\n{{ | }}", "b": Unknown("{{ ${x} }}")}}},
            [
                "templates.init:1: Expected an expression, got 'end of statement block'",
                "templates.outputs.a:2: unexpected '|'",
            ],
        ),
        ({"templates": Unknown("${x}")}, []),
        (None, []),
    ],
)
def test_check_names_all_that_is_wrong(values: Any, problems: list[str], project: Project) -> None:
    """Unknown keys with near names, wrong kinds, and each template that does not parse."""
    assert project.check(values) == problems


def test_inputs_are_not_changed(project: Project) -> None:
    """A template that changes a mapping changes a copy."""
    values: dict[str, Any] = {"labels": {"a": "b"}}
    text = '{{ $x := set .driver.values.labels "c" "d" }}n: {{ len $x }}'
    assert project.render({"outputs": text}, driver=go_template, values=values).values == {"n": 2}
    assert values == {"labels": {"a": "b"}}
