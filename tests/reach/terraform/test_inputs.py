"""Inputs of a resource that terraform provisions are read, and all errors are reported together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ensue.core.model.unknown import Unknown
from ensue.reach.terraform.inputs import read_inputs

ROOT = Path("/project")
SCRIPT = {"script": "# HCL"}


def problems(values: Any, secrets: Any = None, account: Any = None) -> list[str]:
    return read_inputs(values, secrets or {}, account, ROOT)[1]


def test_credentials_become_environment_variables_and_a_file() -> None:
    """They are the account's, or in the secret input `credentials`, which may be JSON."""
    config = {"environment": {"AWS_KEY": "Key"}, "variables": {"token": "Token"}, "file": "sub/c.json"}
    for secrets, account in (
        ({"credentials": {"Key": "k", "Token": "t"}}, "aws"),
        ({"credentials": '{"Key": "k", "Token": "t"}'}, None),
        ({}, {"Key": "k", "Token": "t"}),
    ):
        inputs, messages = read_inputs({**SCRIPT, "credentials_config": config}, secrets, account, ROOT)

        assert messages == []
        assert inputs.environment == {"AWS_KEY": "k"}
        assert inputs.variables == {"token": "t"}
        assert inputs.files == {"script.tf": "# HCL", "sub/c.json": '{"Key": "k", "Token": "t"}'}


def test_secret_inputs_win() -> None:
    """Files and variables of both are merged."""
    values = {**SCRIPT, "files": {"a": "1", "b": {"c": 1}}, "variables": {"x": 1, "y": 2}}
    inputs, messages = read_inputs(values, {"files": {"a": "2"}, "variables": {"y": 3}}, None, ROOT)

    assert messages == []
    assert inputs.files == {"a": "2", "b": '{"c": 1}', "script.tf": "# HCL"}
    assert inputs.variables == {"x": 1, "y": 3}


def test_sources() -> None:
    """A path alone is a folder of the project; `file://` with a revision is a repository."""

    def source(**values: str) -> Any:
        return read_inputs({"source": values}, {"source": {"password": "p"}}, None, ROOT)[0].source

    assert source(path="modules/box").folder == ROOT / "modules/box"
    assert source(url="file:///opt/m", path="a").folder == Path("/opt/m")
    assert source(url="file:///opt/m", rev="v1").repository.revision == "v1"
    assert source(url="https://example.org/r.git", username="me").repository.password == "p"
    assert source(url="git@example.org:o/r.git").repository.url == "git@example.org:o/r.git"


@pytest.mark.parametrize(
    ("values", "secrets", "expected"),
    [
        ({}, {}, "there is no configuration"),
        ({"source": {}}, {}, "there is no configuration"),
        ({"source": "./mod"}, {}, "source is not a mapping: write {path: ./mod}"),
        ({**SCRIPT, "varables": {}}, {}, "varables is not an input (did you mean variables?)"),
        ({**SCRIPT, "source": {"ref": "x"}}, {}, "source.ref is not an input (did you mean rev?)"),
        ({**SCRIPT, "files": ["a"]}, {}, "files is not a mapping"),
        ({"script": ["a"]}, {}, "script is not a text"),
        ({"files": {"../a": "x"}}, {}, "'../a' would be outside"),
        ({"source": {"path": "../a"}}, {}, "leads out of the source"),
        ({"source": {"url": "./m", "rev": "v1"}}, {}, "a local folder has no revisions"),
        ({**SCRIPT, "files": {"script.tf": "x"}}, {}, "rename the file"),
        (
            {**SCRIPT, "credentials_config": {"environment": {"A": "b"}}},
            {"credentials": {"c": "secret-value"}},
            "no credential 'b' (there are: c)",
        ),
        ({**SCRIPT, "credentials_config": {"file": "a"}}, {}, "write them as secrets.credentials"),
    ],
)
def test_what_is_wrong_is_named(values: Any, secrets: Any, expected: str) -> None:
    """A sentence each, and no secret in it."""
    messages = problems(values, secrets)

    assert any(expected in problem for problem in messages), messages
    assert "secret-value" not in str(messages)


def test_what_is_not_known_yet_is_no_problem() -> None:
    """Wherever it is."""
    unknown = Unknown("${resources.a.outputs.b}")
    for values in (
        {"script": unknown},
        {"source": unknown},
        {"source": {"url": unknown}},
        {"source": {"path": "a"}, "files": unknown, "variables": {"a": unknown}},
        {**SCRIPT, "credentials_config": {"environment": {"A": "b"}}},
    ):
        assert problems(values, {"credentials": unknown}) == []
