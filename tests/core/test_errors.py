"""The one tree of exceptions."""

from __future__ import annotations

import builtins
import re

import pytest

from ensue.core import errors
from ensue.core.diagnostics import Diagnostic, Span

LINE = re.compile(r"(?P<indent>[│ ├└─]*)(?P<name>\w+Error)\b.*?(?:\((?P<builtin>\w+Error)\))?$")


def drawn() -> dict[str, tuple[str, str | None]]:
    """Return the parent and the builtin of each exception, as the docstring draws them."""
    exceptions: dict[str, tuple[str, str | None]] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").split("```")[1].strip().splitlines():
        match = LINE.match(line)
        assert match is not None, line
        del above[len(match["indent"]) // 4 :]
        exceptions[match["name"]] = (above[-1] if above else "Exception", match["builtin"])
        above.append(match["name"])
    return exceptions


def test_the_tree_is_as_it_is_drawn() -> None:
    """Each exception of the module is in the docstring, below its parent, with its builtin."""
    classes = {
        name: each
        for name, each in vars(errors).items()
        if isinstance(each, type) and issubclass(each, Exception) and each.__module__ == errors.__name__
    }
    tree = drawn()
    assert tree.keys() == classes.keys()
    for name, (parent, builtin) in tree.items():
        assert classes[name].__bases__[0].__name__ == parent
        assert builtin is None or issubclass(classes[name], getattr(builtins, builtin))


def test_an_error_of_diagnostics_shows_all_of_them() -> None:
    """One per line; they are its field."""
    diagnostics = [
        Diagnostic(code="E1", summary="a"),
        Diagnostic(code="E2", summary="b", span=Span("a.sls", 1)),
    ]
    error = errors.CompileError(iter(diagnostics))
    assert error.diagnostics == tuple(diagnostics)
    assert str(error) == "a\na.sls:1: b"


def test_errors_have_fields() -> None:
    """What a caller decides by."""
    template = errors.GoTemplateError("it fails", span=Span("t", 1, 2), help="do this")
    assert (str(template), str(errors.GoTemplateError("it fails", span=Span("t")))) == (
        "t:1:2: it fails (do this)",
        "t: it fails",
    )
    assert errors.RemoteTimeoutError("late", target="ssh_host:a", timeout_s=5).timeout_s == 5
    assert errors.RemoteFileError("no", path="/a", target="ssh_host:a").path == "/a"
    assert errors.LockHeldError("held", holder_pid=5).holder_pid == 5
    assert errors.ResourceTypeError("no", span=Span("a.py", 1), help="do this").help == "do this"


def test_an_input_that_cannot_be_read_has_its_cause() -> None:
    """Number and words of the cause, or its text."""
    error = errors.CommandInputError(OSError(5, "Input/output error"))
    assert (error.errno, error.why) == (5, "Input/output error")
    assert errors.CommandInputError(OSError("closed")).why == "closed"


@pytest.mark.parametrize(("method", "function"), [("run", "cmd.run"), ("read", "connection.read")])
def test_a_method_that_is_not_offered_names_the_function(method: str, function: str) -> None:
    """That of the method, until the function that needs it is known."""
    error = errors.NotOfferedError(method, target_type="dummy")
    assert str(error) == f"{function} is not available for dummy"
    needed = error.needed_by("pkg.install")
    assert (str(needed), needed.method) == ("pkg.install is not available for dummy", method)
