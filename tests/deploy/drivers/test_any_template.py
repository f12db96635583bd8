"""Whatever a template says, a driver renders it to data or refuses it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ensue.core.errors import DriverError
from ensue.core.model.data import not_data
from ensue.deploy.drivers import go_template, template
from ensue.testing.driver import driver_request

PIECES = (
    *(
        "{{",
        "}}",
        "{%",
        "%}",
        "{{-",
        "-}}",
        "{#",
        "if ",
        "else",
        "end",
        "endif",
        "for x in ",
        "range ",
        "set ",
    ),
    *(
        ".",
        "driver",
        ".values",
        ".secrets",
        "cookie",
        "init",
        "id",
        "resource",
        "outputs",
        "x",
        " | ",
        "tojson",
    ),
    *(
        "toRawJson",
        "default",
        "(",
        ")",
        "[",
        "]",
        '"',
        "'",
        ":",
        ": ",
        "\n",
        "- ",
        "&a ",
        "*a",
        "!!set ",
        "? ",
    ),
    *(
        "1",
        "-",
        "0x1",
        "1e9999",
        ".inf",
        "null",
        "~",
        "\t",
        "\0",
        "\ud800",
        "é",
        "%",
        "@",
        "`",
        ">",
        "|\n",
        "<<: ",
    ),
    *(
        "2020-01-01",
        "random_text",
        "randAlpha 3",
        "namespace()",
        "loop",
        "macro m()",
        "call",
        "include 'a'",
        "---",
    ),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
TEMPLATES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from([template, go_template]), st.sampled_from(["init", "outputs", "manifests"]), TEMPLATES)
def test_any_template_gives_data_or_is_refused(driver: Any, part: str, given_template: Any) -> None:
    """Nothing but a `DriverError` is raised, by `check`, `create` and `plan`; what is given is data."""
    values: dict[str, Any] = {"templates": {part: given_template}, "x": {"x": "a: b"}}
    request = driver_request(Path("/nonexistent"), values=values, secrets={"x": "secret"})
    faults = driver.check(request)
    try:
        made = asyncio.run(driver.create(request))
        asyncio.run(driver.plan(request))
    except DriverError:
        return
    assert not faults
    assert not not_data([made.values, made.secrets, made.manifests, made.cookie])
