"""Commands that show warnings: those in `silence_warnings` are hidden; errors never are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

import ensue
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

LOOKALIKE = "make:\n  test.nop: []\nshow:\n  test.show_notification:\n    - text: ${make}\n"


def test_a_silenced_warning_is_not_shown(tmp_path: Path) -> None:
    """The code hides the warning on stderr and in a result of the Python API."""
    shell = Shell(tmp_path)
    shell.write("states/a.sls", LOOKALIKE)
    assert "E0407" in shell.run("plan", "a").err
    assert [warning.code for warning in ensue.plan("a", root=tmp_path).warnings] == ["E0407"]
    shell.write("ensue.yaml", "silence_warnings: [E0407]\n")
    assert shell.run("plan", "a").err == ""
    assert ensue.plan("a", root=tmp_path).warnings == ()


def test_an_error_is_shown_all_the_same(tmp_path: Path) -> None:
    """The code of an error silences nothing, and what is no code is refused."""
    shell = Shell(tmp_path)
    shell.write("states/a.sls", "make:\n  test.nopp: []\n")
    shell.write("ensue.yaml", "silence_warnings: [E0401]\n")
    assert "E0401" in shell.run("plan", "a").err
    shell.write("ensue.yaml", "silence_warnings: [lookalikes]\n")
    assert "a code such as E0407" in shell.run("plan", "a").err


def test_a_call_and_show_have_the_warnings_of_options_and_pillar(tmp_path: Path) -> None:
    """They are on stderr, after the results, with every output; `show pillar` has unused files, too."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: box\ngroups: {}\nnodegroups: {web: 'box*', all: [web, box]}\n")
    shell.write("pillar/top.sls", "base: {'*': [a], web: [b]}\n")
    shell.write("pillar/a.sls", "a: 1\n")
    shell.write("pillar/b.sls", "b: 1\n")
    shell.write("pillar/c.sls", "c: 1\n")
    shell.write("states/s.sls", "s: test.nop\n")
    both = ["E0888", "E0102", "E0888"]
    for words, codes in (
        (("call", "box", "test.ping"), both),
        (("call", "N@web", "test.ping", "--out", "json"), both),
        (("show", "low", "s"), both),
        (("show", "pillar"), [*both, "E0887"]),
        (("show", "pillar", "--tgt", "box"), [*both, "E0887"]),
    ):
        ended = shell.run(*words)
        assert (ended.code, sorted(re.findall(r"warning\[(E\d+)\]", ended.err))) == (0, sorted(codes)), words
    assert shell.run("call", "N@all", "test.ping").code == 0
    shell.write("ensue.yaml", "id: box\nnodegroups: {web: 'web*', all: [web]}\n")
    ended = shell.run("call", "N@all", "test.ping")
    assert (
        "no target matched 'N@all' (in 'all', web is the id of a machine; the nodegroup is N@web)"
        in ended.err
    )


def test_a_compile_error_comes_with_the_warnings_that_may_explain_it(tmp_path: Path) -> None:
    """Those of ensue.yaml, of pillar and of the top file are shown once, and with --tgt of no host."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: box\ngroups: {}\nnodegroups: {web: 'box*'}\n")
    shell.write("pillar/top.sls", "base: {'*': [a], web: [b]}\n")
    shell.write("pillar/a.sls", "a: 1\n")
    shell.write("pillar/b.sls", "users: [x]\n")
    shell.write("pillar/c.sls", "c: 1\n")
    shell.write("states/top.sls", "base: {'*': [s], web: [s]}\n")
    shell.write("states/s.sls", "{{ pillar['users'] }}: test.nop\n")
    of_pillar = ["E0102", "E0887", "E0888"]
    for words, codes in (
        (("plan", "s"), of_pillar),
        (("apply", "s", "--tgt", "box"), of_pillar),
        (("show", "low", "s"), of_pillar),
        (("plan",), [*of_pillar, "E0888"]),
    ):
        ended = shell.run(*words)
        assert (ended.code, sorted(re.findall(r"warning\[(E\d+)\]", ended.err))) == (1, codes), words
        assert "error[E0204]" in ended.err
        assert ended.err.count("compiled for") == ("--tgt" in words)
    with pytest.raises(CompileError) as refused:
        ensue.plan("s", root=tmp_path)
    assert sorted({diagnostic.code for diagnostic in refused.value.diagnostics}) == [
        "E0204",
        "E0887",
        "E0888",
    ]
    shell.write("ensue.yaml", "id: box\nsilence_warnings: [E0887]\nnodegroups: {web: 'box*'}\n")
    with pytest.raises(CompileError) as refused:
        ensue.plan("s", root=tmp_path)
    assert "no target gets" not in str(refused.value)
