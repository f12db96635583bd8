"""The help of every command, and what it costs to show it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest
from tests.cli.shell import environment

from ensue.cli.command import ExampleCommand
from ensue.cli.group import ExampleGroup
from ensue.cli.root import COMMANDS, root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.shell import Shell


def _commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command = root.get_command(click.Context(root), name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", subcommand) for inner, subcommand in command.commands.items())


ALL = dict(_commands())


@pytest.mark.parametrize("name", [name for name, command in ALL.items() if isinstance(command, click.Group)])
def test_a_group_lists_whole_summaries(name: str) -> None:
    """None of them is cut."""
    group = ALL[name]
    text = group.get_help(click.Context(group, info_name=name))
    assert "..." not in text.partition("Commands:")[2].partition("Examples:")[0]


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_examples(name: str) -> None:
    """The help of a command ends with examples, each of which is a command line that parses."""
    command = ALL[name]
    assert isinstance(command, ExampleCommand | ExampleGroup)
    assert command.examples
    help_text = command.get_help(click.Context(command, info_name=name))
    for line, about in command.examples:
        assert f"  {line}\n      {about}" in help_text
        words = _words_of(line)
        if words[0] == "ensue":
            _parse(root, words[1:])


def _words_of(line: str) -> list[str]:
    """Return the words of the first command of a line, without what a shell redirects."""
    words = shlex.split(line)
    ends = [place for place, word in enumerate(words) if word in {"&&", ">"}]
    return words[: min(ends, default=len(words))]


def _parse(group: click.Group, words: list[str]) -> None:
    """Parse a command line down to its last command, running nothing."""
    name, command, rest = group.resolve_command(click.Context(group), words)
    assert command is not None
    if isinstance(command, click.Group):
        _parse(command, rest)
    else:
        command.make_context(name, rest)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    """The short description that is shown without loading a command is the command's own."""
    own = (ALL[name].help or "").strip().partition("\n")[0]
    assert own == COMMANDS[name].about


def test_help_is_shown_by_the_command_itself(shell: Shell) -> None:
    """`ensue --help`, `ensue apply -h` and `ensue resources list --help` succeed and name examples."""
    for words in (("--help",), ("apply", "-h"), ("resources", "--help"), ("resources", "list", "--help")):
        ended = shell.run(*words)
        assert (ended.code, ended.err) == (0, "")
        assert "Examples:" in ended.out


def test_the_examples_of_ensue_itself_have_a_line_each(shell: Shell) -> None:
    """`ensue --help` ends with its examples, one a line."""
    lines = shell.run("--help").out.splitlines()
    examples = lines[lines.index("  Examples:") + 1 :]
    assert [line.split()[0] for line in examples] == ["ensue"] * 5


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("aply",), "apply"),
        (("resources", "lst"), "list"),
        (("runs", "sho"), "show"),
        (("apply", "--tset"), "--test"),
    ],
)
def test_near_names_are_offered(shell: Shell, words: tuple[str, ...], near: str) -> None:
    """A misspelt command or option is answered with the one that was meant."""
    ended = shell.run(*words)
    assert ended.code == 1
    assert near in ended.err


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("apply", "--out", "jsn"), "did you mean json?"),
        (("apply", "--state-output", "tersse"), "did you mean terse"),
        (("apply", "--color", "allways"), "did you mean always?"),
        (("apply", "--log-level", "debgu"), "did you mean debug?"),
        (("deploy", "x", "--render", "compsoe"), "did you mean compose?"),
        (("show", "hihg"), "did you mean high?"),
        (("completion", "bsh"), "did you mean bash"),
    ],
)
def test_near_values_are_offered(shell: Shell, words: tuple[str, ...], near: str) -> None:
    """A misspelt value is refused; the message has all words, and asks whether a near one was meant."""
    ended = shell.run(*words)
    assert ended.code == 1
    assert near in ended.err
    assert "is not one of" in ended.err


def test_a_value_that_is_near_none_is_answered_with_all(shell: Shell) -> None:
    """Where no word is near, the message has the words alone."""
    err = shell.run("apply", "--color", "xyzzy").err
    assert "'xyzzy' is not one of auto, always, never" in err
    assert "did you mean" not in err


HEAVY = (
    "asyncio",
    "asyncssh",
    "cryptography",
    "ensue.app",
    "jinja2",
    "logging",
    "msgspec",
    "rich",
    "sqlalchemy",
    "yaml",
)


@pytest.mark.parametrize("code", ["import ensue.cli", "from ensue.cli import main; main(['--help'])"])
def test_start_up_loads_nothing_heavy(code: str) -> None:
    """Importing the command line, and showing its help, loads no library that only a run needs."""
    program = f"{code}\nimport sys; print('loaded:', *sorted(set(sys.argv[1:]) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program, *HEAVY], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_the_version(shell: Shell) -> None:
    """`ensue --version` names the program."""
    ended = shell.run("--version")
    assert ended.code == 0
    assert ended.out.startswith("ensue")
