"""What is written instead of the result of a task in a template."""

from __future__ import annotations

import pytest

from ensue.language.result_words import instead_of_test, is_previous, of_return, registering

SLS = """\
check:
  cmd.run:
    - name: echo ready
    - register: answer

'other one':
  cmd.run:
    - register: "quoted"
"""


@pytest.mark.parametrize(
    ("keys", "read"),
    [
        (("stdout",), "prev_ret.new_state.stdout"),
        (("new_state", "stdout"), "prev_ret.new_state.stdout"),
        (("rc",), "prev_ret.new_state.retcode"),
        (("stdout_lines",), "prev_ret.new_state.stdout"),
        (("changed",), "prev_ret.changes"),
        (("failed",), "prev_ret.result"),
        (("json", "rc"), "prev_ret.new_state.stdout_json.rc"),
        ((), "prev_ret.new_state"),
    ],
)
def test_keys_of_a_result_are_those_of_a_return(keys: tuple[str, ...], read: str) -> None:
    """Only the first key has another name in Ansible; keys below it are data."""
    assert of_return(keys) == read


@pytest.mark.parametrize(("name", "id_"), [("answer", "check"), ("quoted", "other one"), ("check", "")])
def test_a_registered_name_leads_to_its_state(name: str, id_: str) -> None:
    """The state is the one that has the keyword, with and without quotes."""
    assert registering(name, SLS) == id_


def test_a_name_of_any_kind_is_no_result() -> None:
    """Only names of results, and what is read only of results, count."""
    assert is_previous("prev_ret", ())
    assert is_previous("result", ("stdout",))
    assert is_previous("anything", ("rc",))
    assert not is_previous("output", ())
    assert not is_previous("port", ("name",))


def test_tests_of_results_are_answered() -> None:
    """Tests of Ansible that Jinja lacks have a counterpart, and others none."""
    assert "`prev_ret.changes` in a delayed block" in instead_of_test("changed")
    assert instead_of_test("defined") == ""
