"""What the documentation of a function takes from its module and from its signature."""

from __future__ import annotations

from typing import Any

from ensue.core.contracts.function_docs import FunctionDoc, FunctionKind, function_doc

SOURCE = '''"""Shelves.

Args:
    shelf: the shelf.
    user: the user of the target who reads it.
"""

def books(ctx, shelf="all", user=None):
    """Return the books."""

def put(ctx, book, shelf, user=None):
    """Put a book on a shelf.

    Args:
        book: the book.
        user: the user who puts it there.

    Example:
        ensue call '*' shelf.put Dune top
    """
'''


def _doc(name: str, kind: FunctionKind = "modules") -> FunctionDoc:
    module: dict[str, Any] = {}
    exec(SOURCE, module)  # noqa: S102 (a module with a docstring)
    return function_doc(kind, f"shelf.{name}", module[name])


def test_an_argument_has_the_sentence_of_its_module() -> None:
    """The docstring of a module documents arguments of its functions, except where a function does itself."""
    assert {argument.name: argument.meaning for argument in _doc("put").arguments} == {
        "book": "the book.",
        "shelf": "the shelf.",
        "user": "the user who puts it there.",
    }


def test_a_function_without_required_arguments_has_an_example() -> None:
    """Its example is a call without arguments; a function with an example of its own keeps that."""
    assert _doc("books").example == "ensue call '*' shelf.books"
    assert _doc("put").example == "ensue call '*' shelf.put Dune top"


def test_the_example_of_a_state_is_never_made_up() -> None:
    """An SLS needs an ID that says something, so a state function without an example has none."""
    assert not _doc("books", "states").example
