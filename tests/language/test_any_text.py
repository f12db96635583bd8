"""Compiling any SLS gives chunks or diagnostics with a place, never anything else."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.core.errors import CompileError
from ensue.core.model.srn import Srn
from ensue.language.compiler import Compiler, SlsRequest
from ensue.language.functions.functions import Functions
from ensue.language.renderers.rendering import SlsRenderer
from ensue.language.settings.roots import Roots
from ensue.language.yaml import load_text

PIECES = [
    "a:",
    "b:",
    "c: test.nop",
    "  test.nop:",
    "  test.nop: []",
    "  test:",
    "    - nop",
    "    - name: x",
    "    - names: [x, y]",
    "    - names:",
    "      - x",
    "      - x: [order: 1]",
    "    - require:",
    "      - test: b",
    "      - b",
    "      - sls: t",
    "      - test: '*'",
    "      - 7",
    "    - watch_in: [{test: b}]",
    "    - order: last",
    "    - order: []",
    "    - use: [{test: a}]",
    "    - use: a",
    "    - prereq: [{test: b}]",
    "    - listen: [b]",
    "    - retry: {attempts: 0}",
    "    - retry: [{until: x}]",
    "    - unless: x",
    "    - failhard: yes",
    "    - timeout: -1",
    "    - registers: [x]",
    "    - delayed_render: [block: x]",
    "include:",
    "  - sub",
    "  - .sub",
    "  - ....x",
    "  - 7",
    "extend:",
    "  a:",
    "    test.nop:",
    "      - x: 1",
    "    test: 7",
    "exclude:",
    "  - sls: sub",
    "  - id: a",
    "  - {}",
    "{% for i in range(3) %}",
    "{% endfor %}",
    "{{ i }}:",
    "{{ nothing }}",
    "{% include 'sub.sls' %}",
    "{{ 1/0 }}",
    "{% set x = [1] %}",
    "{% import_yaml 'sub.sls' as y %}",
    "#!yaml",
    "#!py",
    "#!json",
    "#!jinja|nope",
    "'",
    '"',
    "|",
    "&a x",
    "*a",
    "<<: *a",
    "? x",
    "- a",
    "\t",
    "~:",
    "1:",
    "yes:",
    "a: 7",
    "__x: y",
    "a: .",
    "a: test.",
    "\0",
    "é: test.nop",
    "__slot__:salt:x()",
    "${a:b:c}: test.nop",
]
LINES = st.lists(st.sampled_from(PIECES) | st.text(alphabet="ab:-{}[]%#'\" \n", max_size=8), max_size=14)


def compiler(root: Path) -> Compiler:
    roots = Roots({"base": [root]}, root)
    return Compiler(
        roots=roots,
        renderer=SlsRenderer(roots, dict),
        catalog=Functions("ensue.library.states"),
        target=Srn("minion", "m"),
    )


@settings(max_examples=200)
@given(LINES.map("\n".join), LINES.map("\n".join))
def test_any_text_compiles_or_is_refused_with_places(text: str, included: str) -> None:
    """Compilation ends in a plan, or in diagnostics that each have a code, a summary and a file."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "t.sls").write_text(text, encoding="utf-8")
        (root / "sub.sls").write_text(included, encoding="utf-8")
        try:
            compiled = compiler(root).compile([SlsRequest(name="t")])
        except CompileError as error:
            for diagnostic in error.diagnostics:
                assert diagnostic.code.startswith("E0")
                assert diagnostic.summary
                assert diagnostic.span is not None
                assert diagnostic.span.path
        else:
            places = range(len(compiled.plan.chunks))
            for place, chunk in enumerate(compiled.plan.chunks):
                assert all(
                    index in places and index != place for need in chunk.requisites for index in need.chunks
                )


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 100_000,
        "- " * 100_000 + "x",
        "{a: " * 5000,
    ],
)
def test_yaml_without_a_bottom_is_refused(text: str) -> None:
    """What nests deeper than libyaml's stack is an error with a place, and no crash."""
    with pytest.raises(CompileError, match="nested more than 310 levels"):
        load_text(text)
