"""The examples in the docstrings of functions, which `ensue doc` and the reference show."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from ensue.cli import main
from ensue.cli.values import call_arguments
from ensue.language.call_arguments import argument_fault
from ensue.language.functions.functions import Functions
from ensue.output.documentation import shipped_documentation

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.function_docs import FunctionDoc, FunctionKind

DOCS = shipped_documentation()
WITHOUT = {
    "file.shortcut": "is always refused",
    "graph.cleared": "made from a resource graph, no SLS names it",
    "graph.expanded": "made from a resource graph, no SLS names it",
    "graph.provisioned": "made from a resource graph, no SLS names it",
    "graph.removed": "made from a resource graph, no SLS names it",
}
"""State functions without an example, each with the reason."""
CALLED_BY_STATES = {"state.apply", "state.single", "state.sls"}
"""Execution functions that a command line cannot call: their examples are states."""


def _functions(kind: FunctionKind) -> list[FunctionDoc]:
    documented = [
        DOCS.function(kind, f"{name}.{function}")
        for name in DOCS.modules(kind)
        if (module := DOCS.module(kind, name)) is not None
        for function in module.functions
    ]
    return [doc for doc in documented if doc is not None]


STATES = _functions("states")
MODULES = _functions("modules")


def test_every_state_function_has_an_example() -> None:
    """Only functions that no SLS calls have none."""
    assert {doc.name for doc in STATES if not doc.example} == WITHOUT.keys()


def test_every_execution_function_has_an_example() -> None:
    """All have one, because a call without arguments is shown by default."""
    assert not [doc.name for doc in MODULES if not doc.example]


@pytest.mark.parametrize("module", [*DOCS.modules("states"), "state"])
def test_the_examples_of_states_compile(
    module: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each is an SLS that compiles by itself, arguments checked, and it calls the function."""
    (tmp_path / "states").mkdir()
    for doc in [*STATES, *(doc for doc in MODULES if doc.name in CALLED_BY_STATES)]:
        if doc.name.rpartition(".")[0] != module or not doc.example:
            continue
        (tmp_path / "states" / "a.sls").write_text(f"{doc.example}\n", encoding="utf-8")
        code = main(["--root", str(tmp_path), "show", "low", "a", "--out", "json", "--id", "m"])
        captured = capfd.readouterr()
        assert (code, captured.err) == (0, ""), f"{doc.name}: {captured.out}{captured.err}"
        assert re.search(rf"\b{re.escape(doc.name)}\b", doc.example), doc.name


@pytest.mark.parametrize(
    "doc", [doc for doc in MODULES if doc.name not in CALLED_BY_STATES], ids=lambda doc: doc.name
)
def test_the_examples_of_execution_functions_are_calls(doc: FunctionDoc) -> None:
    """Each is a command line `ensue call TGT FUN …` whose arguments the function takes."""
    program, verb, _, function, *arguments = shlex.split(doc.example)
    assert (program, verb, function) == ("ensue", "call", doc.name)
    module, _, name = function.rpartition(".")
    implementation = Functions("ensue.library.modules").find(module, name)
    assert implementation is not None
    positional, keywords = call_arguments(tuple(arguments))
    assert argument_fault(function, [implementation], positional, keywords) is None
