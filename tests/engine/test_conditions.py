"""`unless`, `onlyif`, `creates`, `check_cmd`; comments and results as measured in Salt 3008.5."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.harness import MINION, Lab, Row

from ensue.core.contracts.reach import Reach
from ensue.core.errors import RemoteTimeoutError, UnreachableError
from ensue.core.model.chunk import Retry, StateOptions
from ensue.core.model.returns import Return, StateReturn
from ensue.engine.services import EngineHooks
from ensue.testing.connection import FakeConnection


def lab(**functions: Any) -> Lab:
    connection = FakeConnection(files={"/etc/hosts": b""})
    connection.on_run("false", returncode=1)
    connection.on_run("true")
    return Lab(connection=connection, functions=functions)


def one(fun: str = "change", test: bool = False, **options: Any) -> tuple[bool | None, str, bool]:
    back = lab().returns([Row("a", fun, options=StateOptions(**options))], test=test)["a"]
    return back.result, back.comment, bool(back.changes)


RUNS = (True, "changed", True)
FUN_TRUE: Any = {"fun": "test.true"}
FUN_FALSE: Any = {"fun": "test.false"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"unless": ("true",)}, (True, "unless condition is true", False)),
        ({"unless": ("false",)}, RUNS),
        ({"unless": ("true", "false")}, RUNS),
        ({"unless": ("false", "true")}, RUNS),
        ({"unless": (FUN_TRUE,)}, (True, "unless condition is true", False)),
        ({"unless": (FUN_FALSE,)}, RUNS),
        ({"unless": ("true", FUN_TRUE)}, (True, "unless condition is true", False)),
        ({"onlyif": ("false",)}, (True, "onlyif condition is false", False)),
        ({"onlyif": ("true",)}, RUNS),
        ({"onlyif": ("true", "false")}, (True, "onlyif condition is false", False)),
        ({"onlyif": (FUN_TRUE, FUN_FALSE)}, (True, "onlyif condition is false", False)),
        ({"onlyif": (True,)}, RUNS),
        ({"unless": (True,)}, RUNS),
        ({"onlyif": ({},)}, RUNS),
        ({"unless": ({},)}, RUNS),
        ({"creates": ("/etc",)}, (True, "/etc exists", False)),
        ({"creates": ("/etc", "/tmp")}, (True, "All files in creates exist", False)),
        ({"creates": ("/etc", "/nowhere")}, RUNS),
        (
            {"onlyif": ("true",), "unless": ("true",), "creates": ("/etc",)},
            (True, "onlyif condition is true\nunless condition is true\n/etc exists", False),
        ),
        (
            {"onlyif": ("false",), "unless": ("true",)},
            (True, "onlyif condition is false\nunless condition is true", False),
        ),
    ],
)
def test_conditions(options: dict[str, Any], expected: tuple[bool, str, bool]) -> None:
    """A condition that is not met skips the state with result True; all are evaluated and in the comment."""
    assert one(**options) == expected


def warned(line: str, option: str = "unless", *, returncode: int, stderr: bytes = b"", **of: Any) -> str:
    """Return the warning of a state whose condition ends with this code; empty if there is none."""
    prepared = lab()
    prepared.connection.on_run(line, returncode=returncode, stderr=stderr)
    options = StateOptions(**{option: (line,)})  # type: ignore[arg-type] # one of two
    back = prepared.returns([Row("a", "change", of, options=options)])["a"]
    assert back.comment == ("changed" if option == "unless" else "onlyif condition is false")
    return back.warnings[0] if back.warnings else ""


@pytest.mark.parametrize(
    ("option", "effect"),
    [("onlyif", "so the state is skipped"), ("unless", "so `unless` does not skip the state")],
)
def test_a_command_that_the_shell_does_not_find(option: str, effect: str) -> None:
    """It counts as false, as in Salt, with a warning; a code among `success_retcodes` does not."""
    line = 'grains.os == "Debian"'
    warning = warned(line, option, returncode=127, stderr=b"sh: grains.os: not found\nsecond line\n")
    assert warning.startswith(
        f"the shell did not find the command of `{option}` (exit code 127), which counts as false, {effect}: "
        f"{line}: sh: grains.os: not found (an expression of pillar or grains belongs in {{% if … %}};"
    )


@pytest.mark.parametrize(
    ("line", "code", "event"),
    [
        ("test x == y", 2, "the command of `unless` reports an error (exit code 2)"),
        ("test -e /a && LC_ALL=C [ x", 2, "reports an error (exit code 2)"),
        ("cat /a 2>/dev/null | grep -q x /b", 2, "`grep -s` treats a file that does not exist"),
        ("grep -q x /a;", 2, "reports an error (exit code 2)"),
        ("test x == z", 2, "`/bin/sh` compares with `=`, and needs a value on each side"),
        ("cmp /a /b || /usr/bin/diff /a /c", 3, "reports an error (exit code 3)"),
        ("/a/file", 126, "the shell cannot execute the command of `unless` (exit code 126)"),
        ('test "" -eq 1', 2, "reports an error (exit code 2)"),
        ("sleep 9", -15, "signal 15 ended the command of `unless`"),
        ("[[ a == b ]]", 127, "`[[` is of bash: write `shell: /bin/bash`"),
    ],
)
def test_a_command_that_reports_an_error(line: str, code: int, event: str) -> None:
    """An exit code of 2 and more counts as false with a warning where POSIX defines it as an error."""
    assert event in warned(line, returncode=code, stderr=b"x: trouble\n")


@pytest.mark.parametrize(
    ("line", "code", "stderr"),
    [
        ("test -e /a", 1, b""),
        ("grep -qs x /a", 2, b""),
        ("systemctl is-active app", 3, b"no such unit\n"),
        ("ls /a", 2, b"ls: /a: no such file\n"),
        ("test -e /a && psql -c x", 2, b"no connection\n"),
        ("grep x /a | app --check", 4, b"no\n"),
        ("grep -q x /a & app --check", 2, b"no\n"),
    ],
)
def test_exit_codes_that_are_answers(line: str, code: int, stderr: bytes) -> None:
    """Other programs use such codes for a negative answer, and options such as `grep -s` silence errors."""
    assert not warned(line, returncode=code, stderr=stderr)


@pytest.mark.parametrize("secret", ["correct horse battery staple", "two  blanks", "first line\nsecond line"])
def test_secrets_of_a_warning_are_masked_before_it_is_shortened(secret: str) -> None:
    """No part of a secret is left where a long line or error output is cut, or has its blanks joined."""
    for width in range(40, 210, 5):
        line, prepared = f"check {'x' * width} '{secret}' and more", lab()
        prepared.masker.add(secret)
        prepared.connection.on_run(line, returncode=127, stderr=f"{'y' * width} {secret}: no".encode())
        [warning] = prepared.returns([Row("a", "change", options=StateOptions(unless=(line,)))])["a"].warnings
        assert not [word for word in secret.split() if word in warning]


def test_success_codes_of_a_condition_are_no_errors() -> None:
    """A code among `success_retcodes` counts as true, without a warning."""
    prepared = lab()
    prepared.connection.on_run("test x == y", returncode=2, stderr=b"unexpected operator")
    options = StateOptions(unless=("test x == y",))
    back = prepared.returns([Row("a", "change", {"success_retcodes": [2]}, options=options)])["a"]
    assert (back.comment, back.warnings) == ("unless condition is true", ())


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash", "/opt/python3"])
def test_only_the_shell_decides_about_a_syntax_error(shell: str) -> None:
    """A line that fails is read again without running it, where the shell can do that."""
    prepared = lab()
    line = "if true"
    prepared.connection.on_run(line, returncode=2, stderr=b"Syntax error")
    prepared.connection.on_run(f"{shell} -n -c 'if true'", returncode=2)
    options = StateOptions(onlyif=(line,))
    back = prepared.returns([Row("a", "change", {"shell": shell}, options=options)])["a"]
    can_read = shell != "/opt/python3"
    assert len(prepared.connection.commands) == 1 + can_read
    assert [warning[:53] for warning in back.warnings] == [
        "the shell cannot read the command of `onlyif` (exit c"
    ] * can_read


@pytest.mark.parametrize(
    ("fun", "options", "expected"),
    [
        ("fail", {"check_cmd": ("true",)}, (True, "check_cmd determined the state succeeded", False)),
        (
            "change",
            {"check_cmd": ("true", "false")},
            (False, "check_cmd determined the state failed: `false` exited 1", True),
        ),
        (
            "change",
            {"check_cmd": ("false",), "unless": ("true",)},
            (False, "check_cmd determined the state failed: `false` exited 1", False),
        ),
    ],
)
def test_check_cmd(fun: str, options: dict[str, Any], expected: tuple[bool, str, bool]) -> None:
    """`check_cmd` decides about result and comment, whatever the state returned; changes stay."""
    assert one(fun, **options) == expected


def test_function_that_checks_itself() -> None:
    """A function with a `check_cmd` argument of its own (`file.managed`) is given the commands instead."""
    given: list[Any] = []

    def managed(_ctx: Any, name: str, check_cmd: list[str]) -> StateReturn:
        given.append(check_cmd)
        return StateReturn(name=name, result=True, comment="checked")

    options = StateOptions(check_cmd=("false",))
    back = lab(managed=managed).returns([Row("a", "managed", options=options)])["a"]
    assert (back.comment, given) == ("checked", [["false"]])


def test_skipped_state_does_not_watch() -> None:
    """A state that a condition skips is not called through `mod_watch` either."""
    rows = [Row("a", "change"), Row("b", watch=["a"], options=StateOptions(unless=("true",)))]
    assert lab().returns(rows)["b"].comment == "unless condition is true"


def test_commands_run_as_the_state_says() -> None:
    """`runas`, `cwd`, `env` and `shell` of the state hold for its conditions."""
    where = lab()
    arguments = {"cwd": "/tmp", "env": [{"A": 1}, {"B": None}], "shell": "/bin/bash"}
    options = StateOptions(unless=("true",), runas="www-data")
    where.returns([Row("a", "nop", arguments, options=options)])
    (command,) = where.connection.commands
    assert (command.user, command.cwd, command.shell) == ("www-data", "/tmp", "/bin/bash")
    assert command.env == {"A": "1", "B": None}
    where.returns(
        [Row("b", "nop", {**arguments, "env": {"C": 2}, "cmd_opts_exclude": "cwd"}, options=options)]
    )
    assert (where.connection.commands[-1].env, where.connection.commands[-1].cwd) == ({"C": "2"}, None)


def test_what_is_added_to_a_command_is_not_for_its_shell() -> None:
    """`/bin/sh` reads a line that names no shell, and what `prepend_path` adds to a line for another one."""
    where = lab()
    where.returns([Row("a", "nop", {}, options=StateOptions(unless=("true",)))])
    arguments = {"prepend_path": "/opt", "shell": "/usr/bin/fish"}
    where.returns([Row("b", "nop", arguments, options=StateOptions(unless=("true",)))])
    plain, added = where.connection.commands
    assert plain.shell == added.shell == "/bin/sh"
    assert added.shell_line == 'PATH=/opt:"$PATH"; export PATH\nexec /usr/bin/fish --no-config -c true'


def test_arguments_of_a_function_call() -> None:
    """A call takes `args`, keywords, and a path into what it returns."""
    entry: Any = {"fun": "test.echo", "args": [{"k": [{"on": True}]}], "get_return": "k:0:on"}
    assert one(onlyif=(entry,)) == RUNS
    assert one(onlyif=({**entry, "get_return": "k:on"},)) == RUNS, "as in Salt: of the first that has it"
    entry = {**entry, "get_return": "k:1:on"}
    assert one(onlyif=(entry,))[1] == "onlyif condition is false"


def test_condition_that_cannot_be_looked_at() -> None:
    """An unreachable host is a failed state, not a condition that is false."""

    class Gone(FakeConnection):
        async def run(self, _command: Any) -> Any:
            raise UnreachableError("no connection to ssh_host:a (is it running?)")

    where = Lab(connection=Gone())
    back = where.returns([Row("a", options=StateOptions(onlyif=("true",)))])["a"]
    assert (back.result, back.comment) == (False, "no connection to ssh_host:a (is it running?)")


def test_condition_on_a_host_that_does_not_answer() -> None:
    """A host that does not answer within its own limit fails the state, though the condition has one, too."""

    class Silent(FakeConnection):
        async def run(self, _command: Any) -> Any:
            raise RemoteTimeoutError("nobody there", target="ssh_host:a", timeout_s=1)

    for condition in ({"onlyif": ("true",)}, {"unless": ("true",)}, {"check_cmd": ("true",)}):
        options = StateOptions(timeout_s=5, **condition)  # type: ignore[arg-type] # one of three
        back = Lab(connection=Silent()).returns([Row("a", options=options)])["a"]
        assert (back.result, back.comment) == (False, "nobody there")


def test_crashing_condition_is_a_failed_state() -> None:
    """A function called in a condition that raises names itself in the comment."""
    back = lab().returns([Row("a", options=StateOptions(onlyif=({"fun": "no.such"},)))])["a"]
    assert back.result is False
    assert back.comment.startswith("An exception occurred in this state: KeyError: 'no.such'")


def planned(maker: Row | None, **options: Any) -> Return:
    """Return the plan of a state with conditions after one that would change something."""
    prepared = lab()
    prepared.connection.on_run("test -e /x")
    prepared.connection.on_run("missing /x", returncode=127, stderr=b"sh: missing: not found")
    rows = [Row("a", "change", options=StateOptions(**options))]
    return prepared.returns(rows if maker is None else [maker, *rows], test=True)["a"]


def test_a_plan_does_not_know_a_condition_that_an_earlier_state_changes() -> None:
    """A state makes the file that `unless` names; without that state the condition is known."""
    alone = planned(None, unless=("test -e /x",))
    assert (alone.result, alone.unknown) == (True, False)
    after = planned(Row("/x", "change"), unless=("test -e /x",))
    assert (after.result, after.unknown) == (None, True)


@pytest.mark.parametrize("option", ["onlyif", "unless"])
def test_a_plan_does_not_know_what_a_required_state_may_make_true(option: str) -> None:
    """A condition that does not hold now is for the apply to evaluate, whatever the required state makes."""
    for maker, function, is_open in (("m", "change", True), ("m", "nop", False), ("b", "change", False)):
        options = StateOptions(**{option: ("false",)})
        rows = [Row(maker, function), *([Row("m")] if maker == "b" else [])]
        back = lab().returns([*rows, Row("a", "change", require=["m"], options=options)], test=True)["a"]
        assert back.unknown == is_open
        assert not is_open or back.comment.startswith("waits for 'm' (known after apply)")


def test_a_plan_knows_a_state_whose_creates_exist() -> None:
    """It is skipped whatever earlier states change for its other conditions."""
    back = planned(Row("/x", "change"), unless=("test -e /x",), creates=("/etc",))
    assert (back.result, back.unknown, back.skipped) == (True, False, True)


def test_a_plan_calls_a_state_without_conditions_whatever_would_make_its_folder() -> None:
    """Only a condition that runs in the folder depends on it."""
    rows = [Row("/x", "change"), Row("a", "change", {"cwd": "/x"}, options=StateOptions(timeout_s=5))]
    assert lab().returns(rows, test=True)["a"].comment == "changed"


def test_a_plan_warns_of_no_command_that_an_earlier_state_may_install() -> None:
    """What the apply will find is not known; without such a state the warning counts."""
    assert planned(None, onlyif=("missing /x",)).warnings
    assert not planned(Row("/x", "change"), onlyif=("missing /x",)).warnings


def test_a_host_that_is_known_to_be_out_of_reach_is_tried_only_with_retry() -> None:
    """Without `retry` the function is not called."""
    for retry, tried in ((None, []), (Retry(attempts=1), ["a"])):
        calls: list[str] = []

        def note(_ctx: Any, name: str, noted: list[str] = calls) -> StateReturn:
            noted.append(name)
            return StateReturn(name=name, result=True)

        reach = Reach()
        prepared = Lab(hooks=EngineHooks(reach=reach), functions={"note": note})
        with reach.of_run():
            reach.lost(UnreachableError("no connection", target=str(MINION)))
            back = prepared.returns([Row("a", "note", options=StateOptions(retry=retry))])["a"]
        assert (calls, back.result) == (tried, bool(tried))
