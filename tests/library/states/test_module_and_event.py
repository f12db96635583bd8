"""State modules `module` and `event`."""

from __future__ import annotations

import pytest
from tests.library.states.system_states import HERE, context, state

from ensue.library.states import event, module, saltutil
from ensue.reach.resources.minion.connection import MinionConnection


def test_functions_as_keys_are_called_with_their_lists() -> None:
    """Single values go by position, mappings by name, and what each function returned is its change."""
    arguments = {
        "cmd.run_stdout": ["echo $A", {"env": {"A": "b"}, "python_shell": True}],
        "cmd.retcode": ["true", {"cwd": "/"}],
    }
    planned = state("module.run", context(test=True), "anything", **arguments)
    assert (planned.result, planned.changes) == (None, {})
    assert planned.comment == "Functions cmd.run_stdout, cmd.retcode to be executed."

    done = state("module.run", context(), "anything", **arguments)
    assert (done.result, done.changes) == (True, {"cmd.run_stdout": "b", "cmd.retcode": 0})
    assert done.comment == "cmd.run_stdout: b, cmd.retcode: 0"
    assert done.new_state == done.changes


@pytest.mark.parametrize("given", [None, [], [{}]])
def test_a_function_may_need_nothing(given: list[str] | None) -> None:
    """An empty list, or none at all, is a call without arguments."""
    done = state("module.run", context(), "anything", **{"cmd.shells": given})
    assert done.result is True


def test_a_function_can_be_called_twice() -> None:
    """What follows a colon tells two calls of one function apart."""
    done = state("module.run", context(), "x", **{"cmd.run:1": ["echo a"], "cmd.run:2": ["echo b"]})
    assert done.changes == {"cmd.run:1": "a", "cmd.run:2": "b"}


def test_the_older_form_has_the_function_as_its_name() -> None:
    """`args`, `kwargs` and the function's own arguments are all passed on."""
    planned = state("module.run", context(test=True), "cmd.run", args=["ls"])
    assert (planned.result, planned.comment) == (None, "Module function cmd.run is set to execute")
    done = state(
        "module.run",
        context(),
        "cmd.run",
        args=["echo $A; pwd"],
        kwargs={"env": {"A": "b"}, "python_shell": True},
        cwd="/",
    )
    assert (done.result, done.changes) == (True, {"ret": "b\n/"})
    assert done.comment == "Module function cmd.run executed"


def test_an_argument_called_name_is_written_with_m() -> None:
    """`m_name` is the function's `name`; the state's own is the function."""
    done = state("module.run", context(), "group.info", m_name="daemon")
    assert done.changes["ret"] == {"name": "daemon", "passwd": "x", "gid": 1, "members": []}


def test_what_a_function_says_of_itself_is_the_result() -> None:
    """False, a retcode other than 0 and a result of false are failures, nested too."""
    failed = state("module.run", context(), "x", **{"cmd.run_all": ["sh -c 'exit 3'"], "cmd.run": ["echo a"]})
    assert (failed.result, failed.changes) == (False, {"cmd.run": "a"})
    assert failed.comment == "'cmd.run_all' failed: (error message N/A), cmd.run: a"
    ctx = context()
    ctx.functions |= {"x.no": lambda ctx: bool(ctx.test), "x.deep": lambda ctx: {"a": {"result": ctx.test}}}
    assert state("module.run", ctx, "x", **{"x.no": []}).comment == "'x.no': False"
    assert state("module.run", ctx, "x.deep").result is False


def test_faults_of_a_call_are_told() -> None:
    """An unknown function, arguments that do not fit and odd `args` are results, each with its reason."""
    unknown = state("module.run", context(), "x", **{"nosuch.thing": []})
    assert (unknown.result, "nosuch.thing is not available" in unknown.comment) == (False, True)
    assert "nosuch.thing is not available" in state("module.run", context(), "nosuch.thing").comment
    assert "'cmd.run' failed: " in state("module.run", context(), "x", **{"cmd.run": []}).comment
    assert "threw an exception" in state("module.run", context(), "cmd.run").comment
    assert state("module.run", context(), "cmd.run", args="ls").comment == "'args' must be a list."
    assert state("module.run", context(), "cmd.run", kwargs=[1]).comment == "'kwargs' must be a dict."
    assert "Write the function as a key" in state("module.run", context(), "no_function").comment
    assert "is not called" in state("module.run", context(), "cmd.shells", returner="redis").warnings[0]


def test_custom_modules_are_copied_nowhere() -> None:
    """Each `saltutil.sync_…` holds without a change, in a plan as well."""
    for name in saltutil.FUNCTIONS:
        for test in (False, True):
            done = state(f"saltutil.{name}", context(test=test), name)
            assert (done.result, done.changes) == (True, {}), name


def test_an_event_is_a_change_each_time() -> None:
    """`send` returns its tag and data; a plan says that it would, and `show_changed` hides it."""
    expected = {"tag": "a/b", "data": {"x": 1}}
    planned = state("event.send", context(test=True), "a/b", data={"x": 1})
    assert (planned.result, planned.changes) == (None, expected)
    assert (planned.comment, planned.new_state) == ("Event would have been fired", None)
    done = state("event.send", context(MinionConnection(HERE)), "a/b", data={"x": 1}, with_grains=True)
    assert (done.result, done.changes, done.comment) == (True, expected, "Event fired")
    assert "with_grains has no effect" in done.warnings[0]
    quiet = state("event.send", context(), "a/b", show_changed=False)
    assert (quiet.changes, quiet.new_state) == ({}, {"tag": "a/b", "data": None})


def test_waiting_states_act_when_what_they_watch_changed() -> None:
    """`wait` does nothing by itself; its `mod_watch` does what it is for."""
    assert state("event.wait", context(), "a/b", data=1).changes == {}
    assert event.MOD_WATCH(context(), "a/b", sfun="wait", data=1).changes == {"tag": "a/b", "data": 1}
    assert state("module.wait", context(), "cmd.run", args=["ls"]).changes == {}
    assert module.MOD_WATCH is module.run
