"""Execution modules `cmd` and `test`: what they return."""

from __future__ import annotations

import asyncio
import inspect
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.errors import NotAvailableError, RemoteTimeoutError, StateFailedError
from ensue.core.model.srn import Srn
from ensue.library.modules import cmd, test
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.connection import Command, Completed


def call(module: Any, function: str, *args: Any, opts: dict[str, Any] | None = None, **kwargs: Any) -> Any:
    ctx = FakeFunctionContext(
        MinionConnection(Srn("minion", "here")),
        grains_data={"shell": "/bin/false"},
        functions=execution_functions(),
        opts={"id": "here", **(opts or {})},
    )

    async def run() -> Any:
        returned = module.FUNCTIONS[function](ctx, *args, **kwargs)
        return await returned if inspect.isawaitable(returned) else returned

    return asyncio.run(run())


def test_each_kind_of_run_returns_its_part() -> None:
    """`run` has errors among the output in their order; the others have what their name says."""
    line = "echo a; echo b >&2; echo c; exit 4"
    assert call(cmd, "run", line, python_shell=True) == "a\nb\nc"
    assert call(cmd, "shell", line) == "a\nb\nc"
    assert call(cmd, "run_stdout", line, python_shell=True) == "a\nc"
    assert call(cmd, "run_stderr", line, python_shell=True) == "b"
    assert call(cmd, "retcode", line, python_shell=True) == 4
    outcome = call(cmd, "run_all", line, python_shell=True)
    assert (outcome["retcode"], outcome["stdout"], outcome["stderr"]) == (4, "a\nc", "b")


@pytest.mark.parametrize(
    ("line", "operator"),
    [
        ("echo a | cat", "|"),
        ("echo a >> /dev/null", ">>"),
        ("echo a; true", ";"),
        ("echo a && true", "&&"),
        ("echo '|' \"a ; b\" \\; a|b x=1;2", ""),
    ],
)
def test_a_word_of_a_shell_that_no_shell_reads(
    caplog: pytest.LogCaptureFixture, line: str, operator: str
) -> None:
    """A warning names it; in quotes it is meant as an argument."""
    assert call(cmd, "run_stdout", line).startswith(("a", "|"))
    warnings = [record.getMessage() for record in caplog.records if record.name.startswith("ensue.library")]
    assert [f"`{operator}` is an argument" in each for each in warnings] == [True] * bool(operator)
    caplog.clear()
    call(cmd, "run_stdout", line, python_shell=True)
    assert not caplog.records


def test_a_shell_reads_a_text_on_request_only() -> None:
    """Without `python_shell`, a text is a program and its arguments, split at blanks outside quotes."""
    line = "printf '<%s>' a 'b c' $HOME; touch pwned | `id` $(id) > x"
    words = "<a><b c><$HOME;><touch><pwned><|><`id`><$(id)><>><x>"
    for given in ({}, {"python_shell": False}, {"python_shell": None}, {"python_shell": "yes"}):
        assert call(cmd, "run", line, **given) == words
        assert call(cmd, "run_stdout", line, **given) == words
        assert call(cmd, "run_all", line, **given)["stdout"] == words
    assert call(cmd, "shell", line, python_shell=False) == words
    with pytest.raises(StateFailedError, match="the program 'exit' is missing on the target"):
        call(cmd, "retcode", "exit 0")
    with pytest.raises(StateFailedError, match="a quote in the command is not closed"):
        call(cmd, "run", "echo 'a")


def test_an_option_gives_every_text_to_a_shell() -> None:
    """`cmd_safe: false` is what `python_shell` is by default."""
    assert call(cmd, "run", "echo $((1+1))", opts={"cmd_safe": False}) == "2"
    assert call(cmd, "run", "echo $((1+1))", opts={"cmd_safe": False}, python_shell=False) == "$((1+1))"


def test_a_list_is_a_program_with_arguments() -> None:
    """No shell reads what is given as a list."""
    assert call(cmd, "run", ["printf", "%s|", "a b", "$HOME"]) == "a b|$HOME|"
    assert call(cmd, "run_stdout", ["printf", "%s|", "a b", "$HOME"]) == "a b|$HOME|"


def test_words_are_arguments_whatever_is_in_them() -> None:
    """A list begins with a program, and no word of it is more than one argument."""
    words = ["printf", "<%s>", "a; touch pwned", "$(id)", "it's", ""]
    expected = "<a; touch pwned><$(id)><it's><>"
    for given in ({}, {"prepend_path": "/nonono"}, {"shell": "/bin/false"}):
        assert call(cmd, "run", words, **given) == expected
        assert call(cmd, "run_stdout", words, **given) == expected
    for missing in (["exit", "0"], ["A=1", "true"], ["/tmp"], ["tmp/nothing"], [""]):
        for given in ({}, {"redirect_stderr": True}, {"success_retcodes": [127]}, {"hide_output": True}):
            with pytest.raises(
                StateFailedError, match=f"the program {missing[0]!r} is missing on the target"
            ):
                call(cmd, "run_all", missing, **given)


def test_a_program_may_end_with_the_exit_code_of_a_missing_one() -> None:
    """Whether a program is missing is looked up with its own PATH, and not inferred from its exit code."""
    for code in (126, 127):
        assert call(cmd, "retcode", ["sh", "-c", f"exit {code}"]) == code
        assert call(cmd, "retcode", ["/bin/sh", "-c", f"exit {code}"]) == code
    assert call(cmd, "retcode", ["env", "no-such-program"]) == 127
    assert call(cmd, "retcode", "no-such-program", python_shell=True) == 127
    assert call(cmd, "retcode", ["no-such-program"], python_shell=True) == 127


def test_a_program_in_a_folder_of_its_own_path(tmp_path: Path) -> None:
    """The look-up sees `prepend_path`, `env` and `cwd`, as the command does."""
    program = tmp_path / "ends-with-127"
    program.write_text("#!/bin/sh\nexit 127\n")
    program.chmod(0o755)
    folder = str(tmp_path)
    assert call(cmd, "retcode", [program.name], prepend_path=folder) == 127
    assert call(cmd, "retcode", [f"./{program.name}"], cwd=folder) == 127
    with pytest.raises(StateFailedError, match="missing"):
        call(cmd, "retcode", [program.name])


def test_a_login_shell_reads_no_command() -> None:
    """`/bin/sh` reads a line that names no shell, whatever the grain `shell` is."""
    assert call(cmd, "run", "echo $0", python_shell=True) == "/bin/sh"


def test_a_shell_that_is_no_posix_shell() -> None:
    """It reads the line alone: what options add to the line is for `/bin/sh`."""
    line = "import os, sys; print('a', flush=True); print(os.environ['PATH'], file=sys.stderr)"
    path = call(cmd, "shell", line, shell=sys.executable, prepend_path="/nonono")
    assert path.startswith("a\n/nonono:")
    assert call(cmd, "run_all", line, shell=sys.executable, bg=True, python_shell=True)["pid"] > 0


def test_programs_are_found_in_path() -> None:
    """`which` finds programs, not what the shell has built in."""
    assert call(cmd, "which", "sh").endswith("/sh")
    assert call(cmd, "which", "/bin/sh") == "/bin/sh"
    assert call(cmd, "which", "no-such-program") is None
    assert call(cmd, "has_exec", "sh") is True
    assert call(cmd, "which_bin", ["no-such-program", "sh"]).endswith("/sh")


@pytest.mark.parametrize("command", [True, 5, None])
def test_a_command_that_is_none_is_refused(command: object) -> None:
    """A word of a command line that reads as a boolean or a number is no command, and the remedy is named."""
    with pytest.raises(TypeError, match=r"a command is a text or a list of words, not .*quotes"):
        call(cmd, "run", command)


def test_a_target_without_commands_says_so() -> None:
    """`cmd.run` on a target that cannot run commands names the type; it is not asked for its grains."""
    ctx = FakeFunctionContext(FakeConnection(Srn("dummy", "d"), can_run=False))
    with pytest.raises(NotAvailableError, match=r"cmd\.run is not available for dummy"):
        asyncio.run(cmd.FUNCTIONS["run"](ctx, "true"))


def test_a_target_that_does_not_answer_is_no_command_out_of_time() -> None:
    """The silence of a target is its fault, also where the command has a timeout that is not over."""

    def silence(_: Command) -> Completed:
        raise RemoteTimeoutError("no answer", target="fake:target")

    fake = FakeConnection()
    fake.on_run("*", silence)
    ctx = FakeFunctionContext(fake)
    for limits in ({}, {"timeout": 3}):
        with pytest.raises(RemoteTimeoutError):
            asyncio.run(cmd.FUNCTIONS["run_all"](ctx, "true", **limits))


@pytest.mark.parametrize(
    ("option", "word"),
    [
        ({"umask": "99"}, "umask"),
        ({"timeout": "soon"}, "timeout"),
        ({"env": [1]}, "env"),
        ({"env": {"A=B": 1}}, "A=B"),
        ({"success_retcodes": ["x"]}, "success_retcodes"),
    ],
)
def test_an_option_of_a_wrong_kind_is_named(option: dict[str, Any], word: str) -> None:
    """A fault in an option is a message that names it, not a traceback."""
    with pytest.raises(StateFailedError, match=word):
        call(cmd, "run", "true", **option)


def test_functions_of_test() -> None:
    """They return what Salt's return."""
    assert call(test, "ping") is True
    assert call(test, "echo", "x") == "x"
    assert call(test, "arg", 1, a=2) == {"args": [1], "kwargs": {"a": 2}}
    assert call(test, "kwarg", a=2) == {"a": 2}
    assert call(test, "fib", 10)[0] == 55
    assert call(test, "collatz", 6)[0] == [6, 3, 10, 5, 16, 8, 4, 2]
    assert call(test, "true") is True
    assert call(test, "false_") is False
    assert call(test, "version")
    assert call(test, "try_", "test.raise_exception", name="OSError") is None
    assert "OSError" in call(test, "try_", "test.raise_exception", return_try_exception=True, name="OSError")
    with pytest.raises(StateFailedError, match="Negative"):
        call(test, "fib", -1)
