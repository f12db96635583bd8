"""Options and commands of other tools are answered with what to write here, and that exists."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from ensue.cli import ansible_options, deploy_words
from ensue.cli.other_tools import _COMMANDS, _OPTIONS
from ensue.cli.root import COMMANDS, root

BY_COMMAND = [text for table in ansible_options.BY_COMMAND.values() for text in table.values()]
NAMED = sorted(
    {
        quoted
        for text in (*_OPTIONS.values(), *_COMMANDS.values(), *BY_COMMAND)
        for quoted in re.findall("`(.*?)`", text)
    }
)


def refused(*words: str) -> str:
    """Return what a command line that is refused says."""
    ended = CliRunner().invoke(root, list(words))
    assert ended.exit_code == 2
    return ended.output


@pytest.mark.parametrize("line", [quoted for quoted in NAMED if quoted.startswith("ensue ")])
def test_what_is_named_exists(line: str) -> None:
    """Each command, and each option of it."""
    _, name, *words = line.split()
    if name.startswith("--"):
        assert name in {"--help", "--version"}
        return
    command: click.Command | None = root.get_command(click.Context(root), name)
    assert command is not None
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        command = command.get_command(click.Context(command), words[0])
        assert command is not None
    known = {option for param in command.params for option in (*param.opts, *param.secondary_opts)} | {
        "--help"
    }
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("option", [quoted for quoted in NAMED if quoted.startswith("--")])
def test_an_option_that_is_named_exists(option: str) -> None:
    """It is one of apply or plan."""
    commands = [root.get_command(click.Context(root), name) for name in ("apply", "plan")]
    known = {each for command in commands if command for param in command.params for each in param.opts}
    assert re.split("[ =]", option)[0] in known


@pytest.mark.parametrize("text", sorted(set(deploy_words.OPTIONS.values())))
def test_an_option_of_deploy_that_is_named_exists(text: str) -> None:
    """It is one of deploy."""
    command = root.get_command(click.Context(root), "deploy")
    assert command is not None
    known = {each for param in command.params for each in param.opts}
    assert set(re.findall(r"--[a-z-]+", text)) <= known


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("apply", "--diff"), "'--diff'. Instead: `ensue plan` shows what would change"),
        (("apply", "web", "--limit", "db"), "'--limit'. Instead: `--tgt TARGET` chooses the machines."),
        (
            ("apply", "-K"),
            "'-K'. Instead: the registration of a host, in pillar below `resources`, says it: `sudo: ",
        ),
        (("plan", "-e", "x=1"), "'-e'. Instead: `--pillar KEY=VALUE`"),
        (("apply", "-target=web"), "'-target'. Instead: `--only ID` runs a state and what it requires"),
        (
            ("apply", "x.sls", "--target", "a"),
            "'--target'. Instead: `--only ID` runs a state and what it req",
        ),
        (
            ("plan", "x.sls", "--target=a"),
            "'--target'. Instead: `--only ID` runs a state and what it requires",
        ),
        (("apply", "x.sls", "--params", "p.sls"), "'--params'. Instead: `--pillar KEY=VALUE` gives a value"),
        (("apply", "x.sls", "--hard-fail"), "'--hard-fail'. Instead: `--failhard`"),
        (("state", "x.sls"), "'state'. Instead: `ensue apply [SLS]` runs states"),
        (("plan", "-lock-timeout=10s"), "`--wait=10s` at most so long"),
        (("plan", "-var-file=x"), "`--pillar-file FILE` a file of them."),
        (("plan", "--check-mode"), "'--check-mode'. Instead: leave it out: `ensue plan` shows"),
        (("state", "mv", "a", "b"), "it keeps what it made if its `name` stays"),
        (("graph", "-type=plan"), "'-type'. Instead: leave it out: `ensue graph` draws"),
        (("apply", "-auto-approve"), "'-auto-approve'. Instead: leave it out"),
        (("apply", "--concurency", "3"), "--concurrency"),
        (("destroy",), "'destroy'. Instead: `ensue deploy --app APP --env ENV --destroy`"),
        (("validate",), "'validate'. Instead: `ensue show low [SLS]`"),
        (("runs", "validate"), "There is no command 'validate'."),
        (("aply",), "Did you mean apply"),
        (("doc", "-l"), "'-l'. Instead: `ensue doc` lists all modules"),
        (("doc", "-t", "module"), "'-t'. Instead: leave it out: `ensue doc` lists all modules"),
        (("resources", "list", "--graph"), "'--graph'. Instead: `ensue resources list` lists all hosts"),
        (("runs", "list", "--graph"), "No such option '--graph'."),
        (("keys", "edit", "x"), "There is no command 'edit'."),
        (("keys", "encrypt_string"), "'encrypt_string'. Instead: gpg decrypts pillar"),
    ],
)
def test_words_of_other_tools(words: tuple[str, ...], answer: str) -> None:
    """Misspelt words of ensue are answered as before."""
    assert answer in refused(*words).replace("\n", " ")


ANSIBLE = (
    "--args", "--ask-become-pass", "--ask-pass", "--ask-vault-pass", "--ask-vault-password", "--background",
    "--become", "--become-method", "--become-password-file", "--become-user", "--check", "--connection",
    "--connection-password-file", "--diff", "--extra-vars", "--flush-cache", "--force-handlers", "--forks",
    "--inventory", "--inventory-file", "--key-file", "--limit", "--list-hosts", "--list-tags", "--list-tasks",
    "--module-name", "--module-path", "--one-line", "--playbook-dir", "--poll", "--private-key",
    "--scp-extra-args", "--sftp-extra-args", "--skip-tags", "--ssh-common-args", "--ssh-extra-args",
    "--start-at-task", "--step", "--syntax-check", "--tags", "--task-timeout", "--tree", "--user",
    "--vault-id", "--vault-password-file", "--verbose", "-B", "-C", "-D", "-J", "-K", "-M", "-P", "-T", "-a",
    "-b", "-c", "-e", "-f", "-i", "-k", "-l", "-m", "-o", "-t", "-u", "-v", "-vvv",
)  # fmt: skip
"""The options of `ansible` and `ansible-playbook` that apply does not have."""


@pytest.mark.parametrize("option", ANSIBLE)
def test_every_option_of_ansible_is_answered(option: str) -> None:
    """It is refused with what to write instead."""
    assert f"No such option '{option}'. Instead: " in refused("apply", option, "x")


def test_no_word_of_ensue_is_another_tools() -> None:
    """A table must not hide a command."""
    assert not set(_COMMANDS) & set(COMMANDS)
