"""Every argument of a public function has a sentence in its docstring, which `ensue doc` and editors show.

`ctx` needs none: its class documents it, and users do not pass it.
"""

from __future__ import annotations

import ast
import inspect
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ensue.library
from ensue.core.contracts.function_docs import FunctionDoc, FunctionKind, function_doc
from ensue.core.model.docstrings import read_docstring
from ensue.language.functions.functions import Functions
from ensue.output.documentation import KINDS, shipped_documentation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


def test_every_shared_sentence_is_about_arguments() -> None:
    """What a module or package documents is an argument of several of its functions."""
    left: list[str] = []
    for path, tree in _modules():
        shared = _documented(tree)
        for name, meaning in shared.items():
            within = path.parent.glob("*.py") if path.name == "__init__.py" else (path,)
            takers = [taken[name] for each in within for taken in _meanings_of(each) if name in taken]
            if len(takers) < 2 or meaning in takers:
                left.append(f"{path}: {name}")
    assert left == []


def test_a_list_of_arguments_is_complete() -> None:
    """A helper that documents arguments documents all but `ctx` and those of its module or package."""
    missing: list[str] = []
    for path, tree in _modules():
        package = _documented(_parsed(path.with_name("__init__.py")))
        known = {"self", "cls", "ctx", *_documented(tree), *package}
        missing += [
            f"{path}:{function.lineno} {function.name}: {name}"
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and _documented(function)
            for name in _parameters(function)
            if name not in known and name not in _documented(function)
        ]
    assert missing == []


def _modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in Path(ensue.library.__file__).parent.rglob("*.py"):
        yield path, _parsed(path)


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _meanings_of(path: Path) -> list[dict[str, str | None]]:
    """Return for each function of a module what its own docstring says of each parameter."""
    functions = [
        node for node in _parsed(path).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    documented = [_documented(function) for function in functions]
    return [
        {name: meanings.get(name) for name in _parameters(function)}
        for function, meanings in zip(functions, documented, strict=True)
    ]


def _documented(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> Mapping[str, str]:
    return read_docstring(ast.get_docstring(node) or "").arguments


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    taken = function.args
    starred = [argument for argument in (taken.vararg, taken.kwarg) if argument]
    return [argument.arg for argument in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs, *starred)]


def _entries(function: object) -> list[str]:
    return list(read_docstring(inspect.getdoc(inspect.unwrap(function)) or "").arguments)  # type: ignore[arg-type]
