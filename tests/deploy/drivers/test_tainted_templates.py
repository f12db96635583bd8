"""What templates compute from secrets is secret: two runs that differ only in secrets show the same.

The secrets of the two have the same form and length. Emptiness, lengths, and true, false and null are shown,
so these may differ.
"""

from __future__ import annotations

import asyncio
import base64
import json
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.errors import DriverError
from ensue.core.model.secret_marks import Secret, marked_at
from ensue.deploy.drivers import go_template, template
from ensue.deploy.drivers.templates.jinja_functions import FILTERS
from ensue.deploy.gotemplate.functions import FUNCTIONS
from ensue.testing.driver import driver_request

if TYPE_CHECKING:
    from collections.abc import Iterator

MASK: Final = "(sensitive)"
TEXTS: Final = ("Hunter-two one", "Qwertz_uio pas")


def _of_each_form(text: str) -> dict[str, Any]:
    """Return secrets of every form that a function may ask for."""
    digits = "".join(str(ord(character) % 10) for character in text)
    return {
        "text": text,
        "base64": base64.b64encode(text.encode()).decode(),
        "base32": base64.b32encode(text.encode()).decode(),
        "json": json.dumps({text[:6]: text, "list": [text, int(digits[:6])]}),
        "yaml_list": f"- {text}\n- {digits}",
        "digits": digits,
        "version": f"{digits[0]}.{digits[1:4]}.{digits[4:6]}",
        "date": f"20{digits[:2]}-01-{10 + int(digits[2])}",
        "lines": f"{text[:5]}\n{text[5:]}\n",
        "url": f"https://{text[:6]}@host/{text[-3:]}",
        "number": int(digits),
        "float": int(digits) / 1000,
        "map": {"host": "host.internal", "deep": {"pass": text, "n": int(digits[:5])}},
        "list": [text, "x", text[::-1]],
    }


SECRETS: Final = tuple(map(_of_each_form, TEXTS))
FORMS: Final = tuple(SECRETS[0])
SHORTEST_CHARS: Final = 6
"""A shorter text may be in the output by chance."""
PLAIN: Final = {"host": "host.internal", "port": 8080, "words": ["a", "b"], "nested": {"k": "v: w"}}
MIXED: Final = (("values", "mixed", "pass"), ("values", "mixed", "more", 1))
"""The secrets among the values."""


class Runs:
    """Renders templates twice; one event loop serves all of them.

    Args:
        runner: runs drivers.
    """

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner

    def check(self, driver: Any, text: str, part: str = "outputs") -> None:
        """Check that one template shows the same of both runs."""
        first, second = (self.rendered(driver, text, secrets, part) for secrets in SECRETS)
        # Whether a function fails with a secret is shown, and so is the result of a comparison.
        if bool(first[1]) == bool(second[1]):
            assert first[0] == second[0], text
        for shown, hidden in (first, second):
            for secret in hidden:
                assert len(secret) < SHORTEST_CHARS or json.dumps(secret)[1:-1] not in shown, (text, secret)

    def rendered(self, driver: Any, text: str, secrets: Any, part: str = "outputs") -> tuple[str, list[str]]:
        """Return what is shown of a rendering, or of its error, and the secret texts among the results."""
        plain = {
            **PLAIN,
            "mixed": {"pass": secrets["text"], "user": "app", "more": ["open", secrets["number"]]},
        }
        values = {"templates": {part: text}, **plain}
        request = driver_request(Path("/nonexistent"), values=values, secrets=secrets, sensitive=MIXED)
        try:
            made = self._runner.run(driver.create(request))
        except DriverError as error:
            return str(error), []
        results = {"values": made.values, "manifests": made.manifests}
        marked = marked_at(results, made.sensitive)
        hidden: list[str] = []
        return json.dumps([_shown(marked, hidden), made.comment]), hidden


@pytest.fixture(scope="module")
def runs() -> Iterator[Runs]:
    """Renders templates."""
    with asyncio.Runner() as runner:
        yield Runs(runner)


def _shown(data: Any, hidden: list[str]) -> Any:
    """Return data as it is shown; a list of nothing but secrets and empty values is one mask."""
    if isinstance(data, dict):
        if any(isinstance(key, Secret) for key in data):
            return MASK
        return {key: _shown(value, hidden) for key, value in data.items()}
    if isinstance(data, list):
        items = [_shown(item, hidden) for item in data]
        return MASK if all(item == MASK for item in items) else items
    if data is None or isinstance(data, bool) or data == "":
        return MASK
    if isinstance(data, Secret):
        hidden.append(str(data))
        return MASK
    return data


_SLOW: Final = frozenset(
    name
    for name in FUNCTIONS
    if name.startswith(("gen", "build", "derive")) or name in {"bcrypt", "htpasswd", "now"}
)
_RANDOM: Final = frozenset(name for name, function in FUNCTIONS.items() if function.is_random)


def _arguments(name: str, form: str) -> str:
    called = FUNCTIONS[name]
    count = max(called.least, 1 if called.checks else 0, len(called.checks) if called.most is None else 0)
    kinds = [getattr(check, "__name__", "") for check in called.checks]
    by_kind = {
        "_integer": "3",
        "_float": "1.5",
        "_boolean": "true",
        "_mapping": '(dict "host" "x" "k" .driver.secrets.text "m" .driver.secrets.map)',
        "_list": '(list "x" .driver.secrets.text .driver.secrets.number)',
        "_optional_list": "(list .driver.secrets.text)",
        "_object": '(toDate "2006-01-02" .driver.secrets.date)',
    }
    secret = f".driver.secrets.{form}"
    return " ".join(by_kind.get(kinds[min(place, len(kinds) - 1)], secret) for place in range(count))


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - _SLOW - _RANDOM))
def test_every_function_of_go_templates(runs: Runs, name: str) -> None:
    """Each is called with secrets of every form; what it returns is shown only if it tells no content."""
    shapes = ("{{ toRawJson (%s %s) }}", "'{{ %s %s }}'", "{{ %s %s | toString | b64enc }}")
    for form, shape in zip(FORMS, cycle(shapes), strict=False):
        runs.check(go_template, "v: " + shape % (name, _arguments(name, form)))


ALL_FILTERS: Final = (
    *FILTERS,
    *("abs", "batch(2)", "capitalize", "center(40)", "count", "dictsort", "e", "filesizeformat", "first"),
    *(
        "float",
        "forceescape",
        "format",
        "int",
        "items | list",
        "join('-')",
        "last",
        "length",
        "list",
        "lower",
    ),
    *("map('upper') | list", "max", "min", "pprint", "reject('none') | list", "replace('e', 'E')", "reverse"),
    *("reverse | list", "round", "safe", "select('string') | list", "slice(2) | list", "sort", "string"),
    *("striptags", "sum(start='') | string", "title", "truncate(5)", "unique | list", "upper", "urlencode"),
    *("urlize", "wordcount", "wordwrap(4)", "xmlattr", "default('x')", "attr('real')"),
)
METHODS: Final = (
    *("upper()", "split('-')", "encode().decode()", "partition('-')", "format(1)", "replace('a', 'b')[2:5]"),
    *("title().swapcase()", "splitlines()", "join(['1', '2'])", "zfill(40)", "translate({72: 'x'})"),
    *("encode().hex()", "real", "bit_length()", "as_integer_ratio()", "values() | list", "items() | list"),
    *("keys() | list", "get('deep')", "index('x')", "deep.pass"),
)
SHAPES: Final = (
    *("%s", "%s ~ '!'", "'<%%s>' %% %s", "[%s, 'x']", "'x' + %s", "%s + 1", "%s * 2", "%s % 7", "-%s"),
    *("%s[1]", "%s[1:4]", "'abcdefghijklm'[:%s %% 9]", "dict(a=%s, b='open')", "range(%s %% 9) | list"),
    *("'{}-{a}'.format(%s, a='x')", "%s if true else 'x'", "cycler(%s, 'x').next()", "[%s] + ['x']"),
)


@pytest.mark.parametrize("form", FORMS)
def test_every_operation_of_jinja(runs: Runs, form: str) -> None:
    """Filters, methods and operators on secrets of every form, printed as JSON and as they are."""
    name = f"driver.secrets.{form}"
    expressions = [
        *(f"{name} | {filter_}" for filter_ in ALL_FILTERS),
        *(f"{name}.{method}" for method in METHODS),
        *(pattern.replace("%s", name).replace("%%", "%") for pattern in SHAPES),
    ]
    shapes = (
        "{{ (%s) | tojson }}",
        "'{{ %s }}'",
        "{% set x %}a{{ %s }}{% endset %}{{ x | b64encode }}",
    )
    for expression, shape in zip(expressions, cycle(shapes), strict=False):
        runs.check(template, f"v: {shape}".replace("%s", expression))


PIECES: Final = {
    template: (
        "{{ driver.secrets.text | upper | tojson }}",
        "{{ driver.values.mixed | tojson }}",
        "{{ driver.values.mixed | toyaml | indent(2) }}",
        "{{ (driver.values.mixed | tojson)[3:20] | tojson }}",
        "{{ (driver.values.mixed | tojson | sha256) ~ driver.values.host }}",
        "{% for k, v in driver.values.mixed.items() %}{{ k }}{{ v | string | b64encode }}{% endfor %}",
        "{% macro m(x) %}{{ x | reverse }}{% endmacro %}{{ m(driver.secrets.text) | trim | tojson }}",
        "{% filter upper %}{{ driver.secrets.text }}{% endfilter %}",
        "{% call(x) m(1) %}{{ driver.secrets.text }}{% endcall %}",
        "{{ driver.values[driver.secrets.text] }}",
        "{{ driver.secrets.text.missing }}",
        "{{ {driver.secrets.text: 1}.missing }}",
        "{{ driver.secrets.text | b64decode }}",
        "{% include driver.secrets.text %}",
        "{{ driver.values.words | map(attribute=driver.secrets.text) | join }}",
        "!{{ driver.secrets.digits }} x",
        "*{{ driver.secrets.digits }}",
        "{{ driver.values.host }}",
        "{{ driver.values.words }}",
    ),
    go_template: (
        "{{ .driver.secrets.text | upper | quote }}",
        "{{ .driver.values.mixed | toRawJson }}",
        "{{ .driver.values.mixed | toYaml | nindent 2 }}",
        '{{ .driver.values.mixed | toPrettyJson | trimSuffix "}" | quote }}',
        "{{ substr 3 20 (toJson .driver.values.mixed) | quote }}",
        "{{ range $k, $v := .driver.values.mixed }}{{ $k }}{{ $v | toString | sha1sum }}{{ end }}",
        '{{ define "m" }}{{ . | nospace }}{{ end }}{{ template "m" .driver.secrets.text }}',
        "{{ with .driver.secrets.map }}{{ .deep.pass | lower | b64enc }}{{ .host }}{{ end }}",
        '{{ range $c := splitList "" .driver.secrets.text }}{{ $c | toString | b64enc }}{{ end }}',
        '{{ fail (printf "no %s" (.driver.secrets.text | upper)) }}',
        "{{ .driver.secrets.text | b64dec }}",
        "{{ (fromJson .driver.secrets.json).missing | b64enc }}",
        "{{ required .driver.secrets.text nil }}",
        "{{ $x := dict .driver.secrets.text 1 }}{{ $x.missing }}",
        "{{ (semver .driver.secrets.version).Minor }}",
        "{{ semver .driver.secrets.text }}",
        "!{{ .driver.secrets.digits }} x",
        "*{{ .driver.secrets.digits }}",
        "{{ .driver.values.host }}",
        "{{ .driver.values.words }}",
    ),
}
FAILS: Final = (
    *(
        "b64dec",
        "[driver.secrets.text]",
        ".missing",
        "include",
        "map(attribute",
        "fail",
        "required",
        "!",
        "*",
    ),
    *("semver .driver.secrets.text", "toyaml | indent", "call(x) m"),
)
"""Signs of the pieces that fail with a secret, or at the beginning of a value."""
PARTS: Final = ("outputs", "manifests")


@given(st.sampled_from([template, go_template]), st.sampled_from(PARTS), st.data())
def test_templates_of_many_pieces(runs: Runs, driver: Any, part: str, data: st.DataObject) -> None:
    """In outputs and in manifests, plain and within YAML of its own, together with open values."""
    pieces = data.draw(st.lists(st.sampled_from(PIECES[driver]), min_size=1, max_size=4))
    body = "\n".join(f"k{place}: {piece}" for place, piece in enumerate(pieces))
    if part == "manifests":
        inner = body.replace("\n", "\n    ")
        is_text = data.draw(st.booleans())
        body = f"m.yaml:\n  location: namespace\n  data: {'|' if is_text else ''}\n    {inner}"
    runs.check(driver, body, part)


@pytest.mark.parametrize(
    ("driver", "text"),
    [(driver, text) for driver, texts in PIECES.items() for text in texts],
)
def test_pieces_do_not_hide_what_is_open(runs: Runs, driver: Any, text: str) -> None:
    """An open value beside a secret one stays readable, unless the secret makes the template fail."""
    dot = "." if driver is go_template else ""
    shown, _ = runs.rendered(driver, f"k: {text}\nopen: x-{{{{ {dot}driver.values.host }}}}", SECRETS[0])
    assert ("x-host.internal" in shown) is not any(sign in text for sign in FAILS), shown
