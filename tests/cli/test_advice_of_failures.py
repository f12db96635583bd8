"""What to do about a failure is printed once: at the end of the results, if they are for a person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.shell import Shell

ADVICE = "(did you mean spain?)"
REASON = "no minion or resource matches the target 'spian'"
BLOCK_ADVICE = "(define it, or give it a value"
BLOCK_REASON = "an undefined variable in a template: 'nope' is undefined"
FAILING = """\
webs:
  test.nop:
    - tgt: spian
caller:
  test.nop:
    - delayed_render: [block: late]
#!delayed_block late
{{ nope }}
#!end_delayed_block
"""


@pytest.fixture
def failing(shell: Shell) -> Shell:
    """A state with a misspelt target, and a block that does not render."""
    shell.write("pillar/top.sls", "base: {'*': [boxes]}\n")
    spain = {"root": str(shell.root)}
    shell.write("pillar/boxes.sls", json.dumps({"resources": {"minion": {"spain": spain}}}))
    shell.write("states/t.sls", FAILING)
    return shell


@pytest.mark.parametrize(
    "words",
    [
        ("apply", "t"),
        ("apply", "t", "--state-output", "terse"),
        ("apply", "t", "--state-output", "mixed"),
        ("plan", "t"),
    ],
)
def test_the_end_of_the_results_has_it(failing: Shell, words: tuple[str, ...]) -> None:
    """The tree and the lines of progress have only what happened."""
    ended = failing.run(*words)
    tree, _, end = ended.out.partition("\nFailed:\n")
    for reason, advice in ((REASON, ADVICE), (BLOCK_REASON, BLOCK_ADVICE)):
        assert advice not in tree, words
        assert f"{reason} {advice}" in end
        assert reason in ended.err
        assert advice not in ended.err


def test_results_without_such_an_end_have_it_in_the_comment(failing: Shell) -> None:
    """Salt's form has the whole comment."""
    ended = failing.run("apply", "t", "--out", "highstate")
    assert f"Comment: {REASON} {ADVICE}\n" in ended.out
    assert BLOCK_ADVICE in ended.out
    assert ADVICE not in ended.err


def test_results_for_a_program_have_it_and_so_has_the_progress(failing: Shell) -> None:
    """The document has the comment as it is; on stderr a person reads the rest."""
    ended = failing.run("apply", "t", "--out", "json")
    (returns,) = json.loads(ended.out).values()
    comments = [returned["comment"] for returned in returns.values()]
    assert f"{REASON} {ADVICE}" in comments
    assert f"{REASON} {ADVICE}" in ended.err


def test_a_failure_that_the_end_leaves_out_has_it_in_its_comment(failing: Shell) -> None:
    """Fifty failures are repeated at the end; each of the others keeps its whole comment."""
    states = "".join(f"web-{number}:\n  test.nop:\n    - tgt: spian\n" for number in range(52))
    failing.write("states/t.sls", states)
    tree, _, end = failing.run("apply", "t").out.partition("\nFailed:\n")
    assert (tree.count(ADVICE), end.count(ADVICE)) == (2, 50)
    assert "  and 2 more\n" in end


def test_the_attempts_of_a_failed_state_are_counted(shell: Shell) -> None:
    """If it was tried again; while the run goes on, at its end, and from the journal."""
    retried = "retry: {attempts: 3, interval: 0.01}"
    shell.write(
        "states/tried.sls",
        f"often:\n  cmd.run: [name: exit 4, {retried}]\nonce:\n  cmd.run: [name: exit 5]\n",
    )
    ended = shell.run("apply", "tried")
    assert "often (cmd.run): states/tried.sls:2:3: failed after 3 attempts: exited 4" in ended.err
    for text in (ended.out, shell.run("runs", "show", "last").out):
        failed = text.partition("Failed:")[2]
        assert "failed after 3 attempts: exited 4" in failed
        assert "states/tried.sls:4:3: exited 5" in failed
