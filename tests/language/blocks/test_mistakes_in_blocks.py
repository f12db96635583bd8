"""What is warned of in a delayed block fails when it is rendered, and the other way round."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.app.test_project import apply, write

CALLER = "caller:\n  test.nop:\n    - delayed_render: [{block: later}]\n#!delayed_block later\n"
FUNCTIONS = (
    "test.nop",
    "test.nope",
    "test.configurable_test_state",
    "file.absent",
    "file.symlink",
    "fil.absent",
)
ARGUMENTS = (
    "changes: true", "changes: maybe", "result: 7", "timeout: soon", "timeout: 5", "nmae: x",
    "name: /nowhere/x", "target: /nowhere/y", "makedirs: perhaps", "retry: {attempts: many}", "failhard: [1]",
)  # fmt: skip
CODES = {"E0312", "E0401", "E0402", "E0403", "E0408", "E0409", "E0419", "E0740"}
WARNINGS = {"E0408", "E0740"}
ID = st.tuples(st.sampled_from(FUNCTIONS), st.lists(st.sampled_from(ARGUMENTS), max_size=3, unique=True))


TEMPLATES = (
    "{% if prev_ret.result %}", "{% endif %}", "{% load_yaml as x %}", "{% endload %}", "{{ 1 | nofilter }}",
    "{{ 1 | upper }}", "{{ 1 is notest }}", "{{ 1 is odd }}", "{{ 1", "{% set x = 1 %}", "{% break %}",
    "{% for x in [1] %}", "{% endfor %}", "{% do [] %}", "{# x #}", "{% raw %}", "{% endraw %}", "<< 1 >>",
    "<< 1 | nofilter >>", "<< 1",
)  # fmt: skip
OPTIONS = ("", '#jinja2: {"variable_start_string": "<<", "variable_end_string": ">>"}\n')


@given(st.sampled_from(OPTIONS), st.lists(st.sampled_from(TEMPLATES), max_size=4))
def test_a_block_that_does_not_compile_is_told_with_the_error_of_its_rendering(
    options: str, tags: list[str]
) -> None:
    """The same errors on the same lines, with the tags and delimiters of the environment that renders it."""
    text = "".join(f"# {tag}\n" for tag in tags)
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), states__a=f"{CALLER}{options}{text}#!end_delayed_block\n")
        planned = apply(Path(folder), "a", test=True)
        (caller, *_) = apply(Path(folder), "a").returns.values()
    (scope,) = caller.delayed
    faults = scope.comment.split("\n") if scope.status == "failed" else []
    warned = [f"{each.span}: {each.summary}" for each in planned.warnings]
    assert len(warned) == len(faults)
    for warning, fault in zip(sorted(warned), sorted(faults), strict=True):
        assert fault.startswith(warning)


@given(st.lists(ID, min_size=1, max_size=3))
def test_a_block_without_tags_is_judged_as_it_is_rendered(ids: list[tuple[str, list[str]]]) -> None:
    """The same mistakes on the same lines, of functions, arguments, values and options."""
    states = "".join(
        f"id{number}:\n  {function}:\n    - order: last\n"
        + "".join(f"    - {argument}\n" for argument in arguments)
        for number, (function, arguments) in enumerate(ids)
    )
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), states__a=f"{CALLER}{states}#!end_delayed_block\n")
        planned = apply(Path(folder), "a", test=True)
        (caller, *_) = apply(Path(folder), "a").returns.values()
        (scope,) = caller.delayed
        faults = scope.comment.split("\n") if scope.status == "failed" else []
    warned = [
        fault for fault in planned.warnings if fault.code in CODES and (faults or fault.code not in WARNINGS)
    ]
    assert len(warned) == len(faults)
    for warning, fault in zip(
        sorted(f"{each.span}: {each.summary}" for each in warned), sorted(faults), strict=True
    ):
        assert fault.startswith(warning)
