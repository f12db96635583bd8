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
    found = [
        DOCS.function(kind, f"{name}.{function}")
        for name in DOCS.modules(kind)
        if (module := DOCS.module(kind, name)) is not None
        for function in module.functions
    ]
    return [one for one in found if one is not None]


STATES = _functions("states")
MODULES = _functions("modules")


def test_every_state_function_has_an_example() -> None:
    """Only those that no SLS names have none."""
    assert {one.name for one in STATES if not one.example} == WITHOUT.keys()


def test_every_execution_function_has_an_example() -> None:
    """None is without, since a call without arguments is shown by default."""
    assert not [one.name for one in MODULES if not one.example]


@pytest.mark.parametrize("module", [*DOCS.modules("states"), "state"])
def test_the_examples_of_states_compile(
    module: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each is an SLS that compiles by itself, arguments checked, and it calls the function."""
    (tmp_path / "states").mkdir()
    for one in [*STATES, *(one for one in MODULES if one.name in CALLED_BY_STATES)]:
        if one.name.rpartition(".")[0] != module or not one.example:
            continue
        (tmp_path / "states" / "a.sls").write_text(f"{one.example}\n", encoding="utf-8")
        code = main(["--root", str(tmp_path), "show", "low", "a", "--out", "json", "--id", "m"])
        captured = capfd.readouterr()
        assert (code, captured.err) == (0, ""), f"{one.name}: {captured.out}{captured.err}"
        assert re.search(rf"\b{re.escape(one.name)}\b", one.example), one.name


@pytest.mark.parametrize(
    "one", [one for one in MODULES if one.name not in CALLED_BY_STATES], ids=lambda one: one.name
)
def test_the_examples_of_execution_functions_are_calls(one: FunctionDoc) -> None:
    """Each is a command line `ensue call TGT FUN …` whose arguments the function takes."""
    program, verb, _, function, *arguments = shlex.split(one.example)
    assert (program, verb, function) == ("ensue", "call", one.name)
    module, _, name = function.rpartition(".")
    found = Functions("ensue.library.modules").find(module, name)
    assert found is not None
    positional, keywords = call_arguments(tuple(arguments))
    assert argument_fault(function, [found], positional, keywords) is None
