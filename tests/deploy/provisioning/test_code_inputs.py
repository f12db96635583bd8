"""Outputs of resources in inputs that are code: what each language lets through, and what it refuses."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.contracts.driver import ForeignPart
from ensue.core.errors import DriverError
from ensue.core.model.bounded_yaml import load_plain_yaml
from ensue.deploy.provisioning.code_inputs import refuse_foreign_code
from ensue.testing.driver import driver_request

if TYPE_CHECKING:
    from ensue.core.contracts.driver import CodeKind

PLACEHOLDER = "${resources.config.outputs.it}"


def problem(kind: CodeKind, text: str, value: Any, keys: tuple[str | int, ...] = ("it",)) -> str:
    """Return why an output is refused in the place of `@`; empty when it is not."""
    written = value if isinstance(value, str) else json.dumps(value)
    before, _, after = text.partition("@")
    is_text = isinstance(value, str)
    end = len(before) + len(written)
    part = ForeignPart(
        placeholder=PLACEHOLDER, resource="config.default#it", start=len(before), end=end, is_text=is_text
    )
    inputs: Any = before + written + after
    for key in reversed(keys):
        inputs = [inputs] if isinstance(key, int) else {key: inputs}
    request = driver_request(Path("/nonexistent"), values=inputs, foreign={("values", *keys): (part,)})
    try:
        refuse_foreign_code(request, {str(keys[0]): kind})
    except DriverError as error:
        return str(error)
    return ""


PASSES: list[tuple[CodeKind, str, Any]] = [
    ("hcl", 'bucket = "@"', "shop-1.eu/a:b"),
    ("hcl", 'bucket = "x-${var.a}-@"', "shop"),
    ("hcl", "count = @", 3),
    ("hcl", "count = @", "3"),
    ("hcl", "names = @", ["a", "b"]),
    ("hcl", "a = <<EOT\n  @\nEOT\n", "db.example"),
    ("hcl", "# the @\n", "db.example"),
    ("shell-words", "bin/make --name=@ --fast", "a$b`c`;rm"),
    ("shell-words", "bin/make --name=@", ""),
    ("yaml", "kind: X\nname: @", "db.example"),
    ("yaml", "kind: X\nport: @", 5432),
    ("yaml", "kind: X\nlist: @", ["a", "b: c"]),
    ("yaml", "kind: X\nname: '@'", "x: y"),
    ("jinja", "a: @", "db.example"),
    ("go-template", "a: {{ @ }}", "7"),
    ("go-template", 'a: {{ "x" }}@', "a b"),
]
REFUSED: list[tuple[CodeKind, str, Any]] = [
    ("hcl", 'bucket = "@"', 'x" evil = "1'),
    ("hcl", 'bucket = "@"', "${var.password}"),
    ("hcl", 'bucket = "@"', "%{ for"),
    ("hcl", 'bucket = "@"', "a\\"),
    ("hcl", 'bucket = "@"', "a\nb"),
    ("hcl", "bucket = @", "var.password"),
    ("hcl", 'bucket = "${ @ }"', "var.password"),
    ("hcl", 'bucket = "a" + @ + "b"', "var.password"),
    ("hcl", 'a = "${"x"}" + @', "var.password"),
    ("hcl", "names = @", ["${var.password}"]),
    ("hcl", "a = <<EOT\n@\nEOT\n", "EOT"),
    ("hcl", "/* @ */", "*/ evil"),
    ("shell-words", "bin/make --name=@", "a b"),
    ("shell-words", "bin/make '--name=@'", "a' b"),
    ("shell-words", "bin/make --name=@", "a\\"),
    ("shell-words", "bin/make @ --fast", ""),
    ("yaml", "kind: X\nname: @", "x\nevil: 1"),
    ("yaml", "- @", "evil: 1"),
    ("yaml", "kind: X\nname: '@'", "it's"),
    ("jinja", "a: @", "{{ x }}"),
    ("jinja", "a: {{ @ }}", "driver.secrets.password"),
    ("go-template", "a: {{ @ }}", ".driver.secrets.password"),
]


@pytest.mark.parametrize(("kind", "text", "value"), PASSES)
def test_what_is_only_data_passes(kind: CodeKind, text: str, value: Any) -> None:
    """A value that can mean nothing in the language may be put into its text."""
    assert problem(kind, text, value) == ""


@pytest.mark.parametrize(("kind", "text", "value"), REFUSED)
def test_what_may_be_code_is_refused(kind: CodeKind, text: str, value: Any) -> None:
    """The message names the input, the placeholder and the resource, and never shows the value."""
    message = problem(kind, text, value)
    assert message.startswith(
        f"values.it is read as code ({kind}), and {PLACEHOLDER} is what config.default#it"
    )
    assert "evil" not in message
    assert "password" not in message


def test_only_files_of_terraform_are_code() -> None:
    """A file of another name is data, whatever is in it; so is what is in a manifest that is a mapping."""
    hostile = '"${var.password}\n'
    for name in ("main.tf", "x.tf.json", "x.auto.tfvars", ".terraform.lock.hcl", ".gitconfig"):
        assert problem("hcl", "@", hostile, ("files", name)), name
    for name in ("run.sh", "policy.json", "README"):
        assert not problem("hcl", "@", hostile, ("files", name)), name
    assert not problem("shell-words", "@", "a b", ("command", 0))
    manifest = {"kind": "Secret", "apiVersion": "v1", "stringData": {"password": "a: b"}}
    part = ForeignPart(placeholder=PLACEHOLDER, resource="config.default#it")
    for path in ((), ("manifests",), ("manifests", "stringData", "password")):
        foreign = {("values", *path): (part,)}
        request = driver_request(Path("/nonexistent"), values={"manifests": manifest}, foreign=foreign)
        refuse_foreign_code(request, {"manifests": "yaml"})


@given(st.text(alphabet="ab \n\t'\"\\#$`;é\x85\u2028", max_size=8))
def test_no_output_adds_a_word(value: str) -> None:
    """A command has as many words as its author wrote, each with what its author wrote in it."""
    if not problem("shell-words", "make x@y end", value):
        assert shlex.split(f"make x{value}y end") == ["make", f"x{value}y", "end"]


@given(st.text(alphabet="ab: \n-#'\"{}[],&*!|>%@`?", max_size=8))
def test_no_output_adds_yaml(value: str) -> None:
    """A manifest has the keys that its author wrote."""
    if not problem("yaml", "a: x@\nb: '@'\n", value):
        assert list(load_plain_yaml(f"a: x{value}\nb: '@'\n")) == ["a", "b"]
