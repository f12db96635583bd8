"""`ensue schema`: every example of the repository is valid, and typical mistakes are not."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from ensue.cli import main
from ensue.output.documentation import shipped_documentation

if TYPE_CHECKING:
    from tests.cli.shell import Shell

EXAMPLES = Path(__file__).parents[2] / "examples"
_BLOCK = re.compile(r"^#!delayed_block.*?^#!end_delayed_block[^\n]*$", re.MULTILINE | re.DOTALL)


@cache
def schema(name: str, *words: str) -> jsonschema.Draft202012Validator:
    """Return a validator for what `ensue schema` prints; the schema itself is one of its dialect."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main([*words, "schema", name]) == 0
    read = json.loads(printed.getvalue())
    if not words:  # It takes seconds, and a project's own functions add nothing of another form.
        jsonschema.Draft202012Validator.check_schema(read)
    return jsonschema.Draft202012Validator(read)


def faults(validator: jsonschema.Draft202012Validator, data: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(data)]


def sls_files(root: Path) -> list[Path]:
    """Return the SLS of an example; top files have another form, and a delayed SLS needs a return."""
    paths = sorted((root / "states").rglob("*.sls"))
    return [
        path for path in paths if path.name != "top.sls" and "#!delayed_sls" not in path.read_text("utf-8")
    ]


@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXAMPLES.glob("*/states")))
def test_sls_of_the_examples_are_valid(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each SLS validates once it is rendered, with the functions of its project."""
    root = tmp_path / name
    shutil.copytree(EXAMPLES / name, root)
    validator = schema("sls", "--root", str(root))
    for path in sls_files(root):
        path.write_text(_BLOCK.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
        source = f"salt://{path.relative_to(root / 'states').as_posix()}"
        code = main(
            ["--root", str(root), "call", "m", "slsutil.renderer", source, "--id", "m", "--out", "json"]
        )
        assert code == 0, path
        assert faults(validator, json.loads(capfd.readouterr().out)["m"]) == [], path


def test_examples_of_functions_are_valid() -> None:
    """The example of every state function validates; one with a template is no YAML before rendering."""
    validator = schema("sls")
    docs = shipped_documentation()
    wrong = {}
    for module in docs.modules("states"):
        listed = docs.module("states", module)
        for function in listed.functions if listed else ():
            doc = docs.function("states", f"{module}.{function}")
            if doc and doc.example and "{{" not in doc.example:
                mistakes = faults(validator, yaml.safe_load(doc.example))
                wrong |= {doc.name: mistakes} if mistakes else {}
    assert wrong == {}


@pytest.mark.parametrize(
    "sls",
    [
        "/etc/motd: {file.managed: [{contents: x}, {mode: '0644'}, {makedirs: 'yes'}]}",
        "/etc/motd: {file.managed: [{mode: '${file:a:mode}'}, {makedirs: '{{ pillar.x }}'}]}",
        "/etc/motd: {file.managed: [{source: salt://a}, {template: jinja}, {port: 80}]}",
        "/etc/motd: {file: [managed, {contents: x}]}",
        "a: test.nop\nb: {test.nop: []}\nc: {test.nop: null}\ninclude: [web, {base: x}]\nexclude: [{id: a}]",
        "a: {test.nop: [{require: [{file: x}, b]}, {order: last}, {failhard: true}, {tgt: 'T@x'}]}",
        "a: {acl.present: [{use: [{acl: other}]}]}",
        "a: {test.nested.present: [{new_state: 1}]}",
        "a: {test.nested: [present, {new_state: 1}]}",
        "# empty\n",
    ],
)
def test_valid_sls(sls: str) -> None:
    """Every form that the compiler accepts is valid."""
    assert faults(schema("sls"), yaml.safe_load(sls)) == []


@pytest.mark.parametrize(
    "sls",
    [
        "a: {file.manged: []}",
        "a: file.manged",
        "a: {flie.managed: []}",
        "a: {file.managed: [{contets: x}]}",
        "a: {file.managed: [{makedirs: ture}]}",
        "a: {file.managed: [{mode: rw-r--r--}]}",
        "a: {file.managed: [{mode: '0999'}]}",
        "a: {file.managed: {contents: x}}",
        "a: {cmd.run: [{timeout: 10 minutes}]}",
        "a: {acl.present: [{acl_name: x}]}",
        "a: {file.line: [{mode: insret}]}",
        "a: {test.nop: [{order: frist}]}",
        "- a\n- b",
        "include: web",
    ],
)
def test_mistakes_in_sls(sls: str) -> None:
    """A misspelt function, argument or word, a value of another type and a missing argument are refused."""
    assert faults(schema("sls"), yaml.safe_load(sls)) != []


def test_functions_of_the_project_are_known(shell: Shell) -> None:
    """A function of `_states` is among them, with its arguments."""
    shell.write("states/_states/own.py", "def made(name, size=1):\n    return {}\n")
    printed = shell.run("schema", "sls").document
    validator = jsonschema.Draft202012Validator(printed)
    assert faults(validator, {"a": {"own.made": [{"size": 2}]}}) == []
    assert faults(validator, {"a": {"own.made": [{"szie": 2}]}}) != []


def test_options_of_the_examples_are_valid() -> None:
    """The ensue.yaml of each example validates, and so does that of `ensue init`."""
    validator = schema("ensue.yaml")
    for path in EXAMPLES.glob("*/ensue.yaml"):
        assert faults(validator, yaml.safe_load(path.read_text(encoding="utf-8"))) == [], path


@pytest.mark.parametrize(
    ("options", "is_valid"),
    [
        ("id: web-01\nfile_roots: {base: [states]}\nconcurrency: 4\n", True),
        ("file_roots: states\nstate_output: changes\n", True),
        ("secret_stores: {a: {kind: file, path: secrets}}", True),
        ("vault: {driver: yaml, files: [a]}", True),
        ("concurency: 4", False),
        ("concurrency: 0", False),
        ("concurrency: many", False),
        ("failhard: 'yes'", False),
        ("log_level: verbose", False),
        ("secret_stores: {a: {kind: file}}", False),
        ("secret_stores: {a: {kind: files, path: x}}", False),
    ],
)
def test_options(options: str, is_valid: bool) -> None:
    """Names, types, words and nested keys are checked."""
    mistakes = faults(schema("ensue.yaml"), yaml.safe_load(options))
    assert (mistakes == []) is is_valid, mistakes


def test_definitions_of_the_examples_are_valid() -> None:
    """Each document of each definition file validates."""
    validator = schema("definition")
    paths = list(EXAMPLES.glob("*/definitions/*.yaml"))
    assert paths
    for path in paths:
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            assert faults(validator, document) == [], path


_ENTITY = "entity: {type: bucket, driver_type: template, criteria: [{}]}"


@pytest.mark.parametrize(
    "text",
    [
        f"metadata: {{id: a}}\n{_ENTITY}",
        f"kind: Definitoin\nmetadata: {{id: a}}\n{_ENTITY}",
        f"kind: Definition\nmetadata: {{}}\n{_ENTITY}",
        "kind: Definition\nmetadata: {id: a}",
        "kind: Definition\nmetadata: {id: a}\nentity: {type: bucket}",
        "kind: Definition\nmetadata: {id: a}\nentity: {type: b, driver_type: t, criteria: {}}",
        "kind: Definition\nmetadata: {id: a}\nentity: {type: b, driver_type: t, criteria: [{envid: x}]}",
        "kind: Definition\nmetadata: {id: a}\nentity: {type: b, driver_typ: t}",
        "kind: Definition\nmetadata: {id: a}\nentity: {type: b, driver_type: t, protect: maybe}",
        "kind: Definition\nmetadata: {id: a}\nentity: {type: b, driver_type: t, timeout: soon}",
    ],
)
def test_mistakes_in_definitions(text: str) -> None:
    """A missing part, a misspelt key and a value of another type are refused."""
    assert faults(schema("definition"), yaml.safe_load(text)) != []


def test_an_unknown_file_is_refused(shell: Shell) -> None:
    """The message lists the kinds of files."""
    ended = shell.run("schema", "pillar")
    assert ended.code == 1
    assert "sls" in ended.err
