"""What a driver's template prints never changes the structure of its result, with serializers as well.

Each way to print a value is tried in each place of a YAML text, in both languages, with hostile values. The
result has the keys and number of items that it has with a harmless value, or it is refused. There are 2,000
cases per language, with `ENSUE_TORTURE_ROUNDS` 100 per round.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.torture.hostile_values import HARMLESS, hostile

from ensue.core.errors import DriverError
from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.drivers import go_template, template
from ensue.testing.driver import driver_request

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "20"))
CASES = 100 * max(ROUNDS, 20)
CONTEXTS = (
    *("a: @", "{a: @, b: 1}", "a: [x, @, y]", "a: x @ y", "a: x@y # z", "a: 1 # @", "a:\n- @\n- b", "@: 1"),
    *("a: 'x @ y'", 'a: "x @ y"', "{a: 'x @ y', b: 1}", '{a: "x @ y", b: 1}', "['@']", '["@", 1]'),
    *("a: |\n  x @\nb: 1", "a: >\n  x @\n  y\nb: 1", "a: &x @\nb: *x", "a: {b: @ }\nc: 1", "a:\n  b: 1\n  @"),
)
MANIFESTS = (
    "m: {location: namespace, data: {a: @, b: 1}}",
    "m: {location: namespace, data: {a: 'x @ y', b: 1}}",
    "m:\n  location: namespace\n  data: |\n    a: @\n    b: 1",
    "m:\n  location: namespace\n  data: |\n    {a: 'x @ y', b: 1}",
    'm:\n  location: namespace\n  data: |\n    {a: "x @ y", b: 1}',
)
GO = (
    *("$v", "$v | quote", "$v | squote", "$v | toJson", "$v | toRawJson", "$v | toYaml", "list $v | toJson"),
    *(
        "$v | quote | nindent 4",
        "list $v | toYaml | nindent 4",
        'dict "k" $v | toYaml | nindent 6',
        "list $v",
    ),
    *(
        '$v | quote | trimAll "\\""',
        "$v | toJson | fromJson",
        "$v | quote | trunc 9",
        'printf "%s" (quote $v)',
    ),
    *('printf "x %q" $v', 'cat (quote $v) "x"', 'list (quote $v) | join ","', "$v | toJson | toJson"),
    *(
        '$v | squote | replace "\'" ""',
        "$v | upper",
        "$v | b64enc | b64dec",
        "$v | toPrettyJson",
        "$v | trim",
    ),
    *(
        'dict "k" $v | toRawJson',
        '$v | quote | default "a: b"',
        "$v | quote | substr 1 99",
        "$v | quote | trim",
    ),
)
JINJA = (
    *("v", "v | tojson", "v | toyaml", "[v] | tojson", "[v]", "{'k': v}", "{'k': v} | toyaml | indent(6)"),
    *("v | tojson | trim", "v | tojson | trim('\"')", "v | tojson | replace('\"', '')", "v | tojson ~ ''"),
    *("'x: %s' | format(v | tojson)", "v | tojson | tojson", "[v | tojson, 'x'] | join(', ')", "v | upper"),
    *(
        "v | tojson | indent(4)",
        "v | tojson | indent('a: ', true)",
        "v | toyaml | string",
        "(v | tojson)[1:-1]",
    ),
    *("v | b64encode | b64decode", "v | tojson | first", "v | default('a: b')", "(v | tojson) + ': 1'"),
)
WORDS = (*HARMLESS, "  word", "")
"""Harmless values; one with blanks before it may go on with the line above, and a list of none is empty."""
LANGUAGES = {
    "go": (go_template, [f"{{{{ {expression.replace('$v', '.driver.values.v')} }}}}" for expression in GO]),
    "jinja": (template, [f"{{% set v = driver.values.v %}}{{{{ {expression} }}}}" for expression in JINJA]),
}


def made(driver: Any, templates: dict[str, str], value: str) -> Any:
    """Return the shape of what templates give with a value; None if it is refused."""
    values = {"templates": templates, "v": value}
    try:
        result = asyncio.run(driver.create(driver_request(Path("/nonexistent"), values=values)))
    except DriverError:
        return None
    return shape([result.values, result.manifests])


def shape(data: Any) -> Any:
    """Return keys and numbers of items; texts count as texts, a key with a printed value as a key."""
    if is_mapping(data):
        return {
            ("key" if place == len(data) else str(place)): shape(value)
            for place, value in enumerate(data.values())
        } | {"keys": len(data)}
    if is_list(data):
        return [shape(value) for value in data]
    return "text"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hostile_value_changes_nothing_but_itself(language: str) -> None:
    """Keys, items and their number are those of a harmless value, or it is refused."""
    seed = random.randrange(10**6)  # noqa: S311 -- chance, not secrecy
    chance = random.Random(seed)  # noqa: S311 -- chance, not secrecy
    driver, expressions = LANGUAGES[language]
    counts: Counter[str] = Counter()
    differences: list[str] = []
    while counts["cases"] < CASES:
        kind = chance.choice(("outputs", "manifests"))
        context = chance.choice(CONTEXTS if kind == "outputs" else MANIFESTS)
        text = context.replace("@", chance.choice(expressions))
        harmless = [rendering for word in WORDS if (rendering := made(driver, {kind: text}, word))]
        for _ in range(10):
            value = hostile(chance, context)
            result = made(driver, {kind: text}, value)
            counts["cases"] += 1
            counts["refused" if result is None else "accepted"] += 1
            if result is not None and result not in harmless:
                differences.append(f"{text!r} with {value!r}: {result}, not {harmless[:1]}")
    print(f"seed {seed}: {dict(counts)}")  # noqa: T201 -- figures, shown with -s
    assert not differences, f"seed {seed}\n" + "\n".join(differences[:20])
    assert counts["accepted"] > CASES // 10
    assert counts["refused"] > CASES // 10
