"""On a terminal: colours, and a live display of what is running."""

from __future__ import annotations

import os
import termios
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Shell

RED = "\x1b[0;31m"


def on_terminal(shell: Shell, *words: str, columns: int = 0) -> str:
    """Run a command whose stdout and stderr are one terminal, and return what it showed."""
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, columns))
    process = shell.start(*words, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:  # the other end is closed
            break
    os.close(master)
    process.wait()
    return shown.decode().replace("\r\n", "\n")


def test_results_are_coloured(shell: Shell) -> None:
    """A terminal shows Salt's colours; --no-color and --color never turn them off."""
    full = on_terminal(shell, "apply", "bad", "--state-output", "full")
    assert f"{RED}web-01:\x1b[0;0m\n{RED}----------" in full
    assert f"    {RED}! bad (test.fail_without_changes)" in on_terminal(shell, "apply", "bad")
    assert "\x1b" not in on_terminal(shell, "apply", "bad", "--no-color")
    assert "\x1b" not in on_terminal(shell, "--color", "never", "apply", "bad")


def test_a_pipe_is_coloured_on_demand(shell: Shell) -> None:
    """A pipe has no colours until --color always."""
    assert "\x1b" not in shell.run("apply", "bad").out
    assert RED in shell.run("apply", "bad", "--color", "always").out
    assert RED in shell.run("apply", "bad", "--color", "always", NO_COLOR="1").out


def test_paths_of_deep_scopes_fit(shell: Shell) -> None:
    """Lines of growth are not wider than the terminal: the middle of a scope's path is left out."""
    shell.write(
        "states/deep.sls",
        "caller:\n  test.nop:\n    - delayed_render: [block: again]\n"
        "#!delayed_block again delayed_repeat_limit=9\ncaller:\n  test.nop:\n"
        "    - delayed_render: [block: again]\n#!end_delayed_block\n",
    )
    shown = on_terminal(shell, "apply", "deep", "--color", "never", columns=80)
    grown = [line for line in shown.splitlines() if line.startswith("caller/")]
    assert len(grown) == 9
    assert grown[0] == "caller/again: block again on minion:web-01, 1 state"
    assert grown[8] == "caller/…/again/caller/again/caller/again: block again on minion:web-01, 1 state"
    whole = shell.run("apply", "deep").err.splitlines()
    assert f"{'/'.join(['caller/again'] * 9)}: block again on minion:web-01, 1 state" in whole


def test_a_short_run_shows_no_display(shell: Shell) -> None:
    """A run that is over at once moves no cursor."""
    assert "\x1b[?25l" not in on_terminal(shell, "apply", "good")


def test_a_longer_run_is_shown_live(shell: Shell, tmp_path: Path) -> None:
    """While a state runs the display names it; failures and followed output are above; it goes at the end."""
    end = tmp_path / "end"
    os.mkfifo(end)
    shell.write(
        "states/slow.sls",
        f"bad:\n  test.fail_without_changes: []\nwaits:\n  cmd.run:\n    - name: echo begun; cat {end}\n",
    )
    master, slave = os.openpty()
    process = shell.start("apply", "slow", "--follow", stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    while b"waits (cmd.run)" not in shown:
        shown += os.read(master, 65536)
    end.write_text("")
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:  # the other end is closed
            break
    os.close(master)
    assert process.wait() == 2
    text = shown.decode()
    assert "failed: bad (test.fail_without_changes)" in text[: text.index("1 of 2 done, 0 changed, 1 failed")]
    assert "waits |\x1b[0;0m begun" in text
    assert text.index("\x1b[?25l") < text.index("\x1b[?25h") < text.index(" unchanged, ")
