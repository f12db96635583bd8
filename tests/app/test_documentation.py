"""The documentation of functions: ensue's, and a project's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.language.functions.functions import Functions
from ensue.output.documentation import KINDS, shipped_documentation

if TYPE_CHECKING:
    from ensue.core.contracts.function_docs import FunctionKind

DOCS = shipped_documentation()


def test_arguments_have_type_unit_default_and_meaning() -> None:
    """They come from signature and docstring, in the order of the signature and without the context."""
    doc = DOCS.function("states", "file.managed")
    assert doc is not None
    by_name = {argument.name: argument for argument in doc.arguments}
    assert next(iter(by_name)) == "name"
    assert "ctx" not in by_name
    assert by_name["name"].required
    assert (by_name["makedirs"].type, by_name["makedirs"].default) == ("true or false", False)
    assert by_name["dir_mode"].unit == "octal digits"
    assert by_name["kwargs"].repeated == "**"
    assert "attrs" in by_name["kwargs"].names


def test_seconds_are_a_unit() -> None:
    """A time has its unit, from the annotation."""
    doc = DOCS.function("states", "cmd.run")
    assert doc is not None
    assert {argument.unit for argument in doc.arguments if argument.name == "timeout"} == {"seconds"}


def test_keys_of_new_state_are_those_of_the_page() -> None:
    """A state function has the keys that docs/new-state.md lists, with type, presence and meaning."""
    doc = DOCS.function("states", "file.symlink")
    assert doc is not None
    assert [(key.name, key.type, key.present) for key in doc.new_state] == [
        ("path", "text", "always"),
        ("target", "text", "exists"),
        ("user", "text", "exists"),
        ("group", "text", "exists"),
    ]


def test_parts_of_modules_are_not_modules() -> None:
    """`docker.images` is a part of `docker`; `test.nested` is a module that SLS name."""
    assert "docker.images" not in DOCS.modules("modules")
    assert "docker" in DOCS.modules("modules")
    assert "test.nested" in DOCS.modules("states")


@pytest.mark.parametrize("kind", KINDS)
def test_every_module_and_function_has_a_sentence(kind: FunctionKind) -> None:
    """No summary is empty, and none is cut off from its first line."""
    without = [
        f"{module}.{name}"
        for module in DOCS.modules(kind)
        if (doc := DOCS.module(kind, module)) is not None
        for name, text in {"": doc.summary, **doc.functions}.items()
        if not text.endswith((".", "…", ":"))
    ]
    assert without == []


def test_every_function_can_be_found() -> None:
    """A function that a module lists has a documentation of its own, with all its arguments."""
    for kind in KINDS:
        functions = Functions(f"ensue.library.{kind}")
        for module in DOCS.modules(kind):
            doc = DOCS.module(kind, module)
            assert doc is not None
            assert set(functions.names(module)) - {"mod_watch"} == set(doc.functions)
            for name in doc.functions:
                assert DOCS.function(kind, f"{module}.{name}") is not None


def test_near_names() -> None:
    """A misspelt module, function, or both, leads to the right one."""
    assert "file.managed" in DOCS.near("file.manged")
    assert "file.managed" in DOCS.near("flie.managed")
    assert "docker_container" in DOCS.near("docker_contaner")
    assert DOCS.near("qqqqqq") == []
