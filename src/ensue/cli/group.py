"""A command with subcommands, such as `resources` and `runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from ensue.cli.root import refuse_unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

_WHOLE: Final = 1000
"""Longer than any summary, so that click cuts none."""


class ExampleGroup(click.Group):
    """A group that suggests similar commands, and whose help ends with examples.

    Args:
        examples: lines `command    what it does`.
    """

    def __init__(self, *args: object, examples: Sequence[tuple[str, str]] = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # handed on as they are
        self.examples = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command; one of another tool is answered with what to write here."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from ensue.cli.other_tools import of_another_tool

            raise of_another_tool(error, words) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the ones with a similar name."""
        refuse_unknown(ctx, args, self.commands)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 -- click's signature
        """Write the commands, each with its whole first sentence; click would cut it."""
        rows = [
            (name, command.get_short_help_str(limit=_WHOLE))
            for name, command in sorted(self.commands.items())
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    """Write examples, each as it is typed, with what it does below it."""
    if not examples:
        return
    with formatter.section("Examples"):
        pad = " " * formatter.current_indent
        for line, about in examples:
            formatter.write(f"{pad}{line}\n{pad}    {about}\n")
