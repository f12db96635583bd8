"""The changes that `make mutants` makes to sources, and the tests that it chooses for one."""

from __future__ import annotations

import ast
import tomllib
from typing import TYPE_CHECKING

import pytest
from tools.mutants.__main__ import EQUIVALENT
from tools.mutants.calls import Recorded
from tools.mutants.mutations import mutations
from tools.mutants.trials import ROOT, chosen, digest_of

if TYPE_CHECKING:
    from pathlib import Path


def _changes(source: str) -> set[str]:
    return {each.applied(source.encode()).decode() for each in mutations("ensue/a.py", source.encode())}


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a == b", {"(a != b)"}),
        ("a < b", {"(a <= b)"}),
        ("a is not b", {"(a is b)"}),
        ("a and b", {"(a or b)"}),
        ("not a", {"(a)"}),
        ("a + b", {"(a - b)"}),
        ("a + 'text'", set()),
        ("f(a=True)", {"pass", "f(a=False)"}),
        ("f(a, strict=True)", {"pass"}),
        ("a == 'x'", {"(a != 'x')", "a == 'x-mutant'"}),
        ("a.b = c", {"pass"}),
        ("a = b", set()),
        ("raise E('ä' == b)", {"pass"}),
        ("'ä'; a[1]", {"'ä'; a[2]"}),
        ("f'{a == b}'", set()),
        ("if a: b", {"if True: b", "if False: b"}),
        ("if TYPE_CHECKING:\n    a = 1", set()),
        ("[a for a in b if c]", {"[a for a in b if True]", "[a for a in b if False]"}),
        ("def f(a=1):\n    return a", {"def f(a=2):\n    return a", "def f(a=1):\n    return None"}),
        ("def __repr__(a=1):\n    return a", set()),
        ("@f(1)\nclass A:\n    '''Text.'''", set()),
        ("match a:\n    case 'b': c", {"match a:\n    case 'b-mutant': c"}),
    ],
)
def test_each_change_is_made(source: str, changed: set[str]) -> None:
    """Each kind of decision is changed, one change at a time, and what is for people is not."""
    assert _changes(source) == changed


def test_any_change_of_the_product_is_python() -> None:
    """Each change of a module of the product can be parsed, and its line and its function are where it is."""
    source = ROOT / "src" / "ensue" / "engine" / "growth.py"
    text = source.read_bytes()
    for mutation in mutations("ensue/engine/growth.py", text):
        ast.parse(mutation.applied(text))
        assert text[: mutation.start].count(b"\n") == mutation.line - 1
        name = mutation.function.rpartition(".")[2]
        assert name == "<module>" or f" {name}".encode() in text


def test_the_name_of_a_function_is_what_python_calls_it() -> None:
    """A mutation's function is `co_qualname`, within a class and within a function too."""
    source = b"a = 1\nclass A:\n    b = 3\n    def f(self):\n        def g():\n            return 2\n"
    assert [(each.old, each.function) for each in mutations("ensue/a.py", source)] == [
        ("1", "<module>"),
        ("3", "<module>"),
        ("return 2", "A.f.<locals>.g"),
        ("2", "A.f.<locals>.g"),
    ]


def test_the_nearest_tests_are_chosen_within_the_budget() -> None:
    """Only tests that call the function are chosen: the mirror first, then the folder, quick before slow."""
    call = ("ensue/engine/retry.py", "f")

    def took(duration_s: float, *calls: tuple[str, str]) -> Recorded:
        return Recorded(duration_s=duration_s, calls=frozenset(calls))

    recorded = {
        "tests/spec/test_spec.py::far": took(1, call),
        "tests/engine/test_retry.py::slow": took(3, call),
        "tests/engine/test_retry.py::other": took(1, ("ensue/engine/retry.py", "g")),
        "tests/engine/test_retry.py::quick": took(1, call),
        "tests/engine/test_clock.py::folder": took(2, call),
    }
    mutation = next(iter(mutations(call[0], b"def f():\n    return 1\n")))
    assert chosen(mutation, recorded, 6) == [
        "tests/engine/test_retry.py::quick",
        "tests/engine/test_retry.py::slow",
        "tests/engine/test_clock.py::folder",
    ]
    assert chosen(mutation, recorded, 0) == ["tests/engine/test_retry.py::quick"]


def test_what_no_test_can_notice_is_a_change_of_the_product() -> None:
    """Each entry has a reason and is a mutation of its module, or else it excuses nothing any more."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["mutation"]
    for entry in entries:
        source = (ROOT / "src" / entry["path"]).read_bytes()
        changes = {(mutation.function, mutation.change) for mutation in mutations(entry["path"], source)}
        assert (entry["function"], entry["change"]) in changes, entry
        assert entry["reason"]


def test_the_record_of_a_test_ends_when_a_case_beside_it_changes(tmp_path: Path) -> None:
    """Cases in Markdown call what the test file alone does not name."""
    file = tmp_path / "test_spec.py"
    file.write_text("")
    before = digest_of(file)
    (tmp_path / "case.md").write_text("## a case")
    assert digest_of(file) != before
