"""Every argument of a public function has a sentence in its docstring, which `ensue doc` and editors show."""

from __future__ import annotations

import inspect

import pytest

from ensue.core.contracts.function_docs import FunctionDoc, FunctionKind, function_doc
from ensue.language.functions.functions import Functions
from ensue.output.documentation import KINDS, shipped_documentation

DOCS = shipped_documentation()


def _functions(kind: FunctionKind) -> list[FunctionDoc]:
    """Return all functions, including those that only the engine calls."""
    functions = Functions(f"ensue.library.{kind}")
    return [
        function_doc(kind, f"{module}.{name}", function)
        for module in DOCS.modules(kind)
        for name, function in functions.shipped(module).items()
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_argument_has_a_sentence(kind: FunctionKind) -> None:
    """No argument of the signature is missing in the docstring, `*args` and `**kwargs` included."""
    missing = [
        f"{doc.name}: {argument.name}"
        for doc in _functions(kind)
        for argument in doc.arguments
        if not argument.meaning
    ]
    assert missing == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_sentence_is_about_an_argument(kind: FunctionKind) -> None:
    """No entry below `Args` is left of an argument that was renamed or removed."""
    functions = Functions(f"ensue.library.{kind}")
    left = [
        f"{module}.{name}: {entry}"
        for module in DOCS.modules(kind)
        for name, function in functions.shipped(module).items()
        for entry in _entries(function)
        if entry not in inspect.signature(function).parameters
    ]
    assert left == []


def _entries(function: object) -> list[str]:
    from ensue.core.model.docstrings import read_docstring

    return list(read_docstring(inspect.getdoc(inspect.unwrap(function)) or "").arguments)  # type: ignore[arg-type]
