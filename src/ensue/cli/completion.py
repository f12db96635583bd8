"""`ensue completion`: the script that completes commands in a shell."""

from __future__ import annotations

import click

from ensue.cli import exit_codes
from ensue.cli.command import ExampleCommand
from ensue.cli.word_choice import WordChoice

EXAMPLES = (
    ('eval "$(ensue completion bash)"', "in ~/.bashrc"),
    ('eval "$(ensue completion zsh)"', "in ~/.zshrc, after compinit"),
    ("ensue completion fish > ~/.config/fish/completions/ensue.fish", "once, for fish"),
)


@click.command("completion", cls=ExampleCommand, examples=EXAMPLES)
@click.argument("shell", type=WordChoice(["bash", "zsh", "fish"]))
def command(shell: str) -> int:
    """Print the script that completes commands in a shell.

    Commands, options, SLS names, run ids and resource names of the project are completed.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    from ensue.cli.entry import PROGRAM
    from ensue.cli.root import root

    completion_class = get_completion_class(shell)
    assert completion_class is not None  # noqa: S101 -- click knows the three shells of the argument
    # The parent's `source`: bash's own one would start a bash to ask for its version.
    click.echo(ShellComplete.source(completion_class(root, {}, PROGRAM, "_ENSUE_COMPLETE")))
    return exit_codes.SUCCEEDED
