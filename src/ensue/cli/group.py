"""A command with subcommands, such as `resources` and `runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.cli.root import AdvisingGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

_WHOLE: Final = 1000
"""Longer than any summary, so that click cuts none."""


class ExampleGroup(AdvisingGroup):
    """A group that suggests similar commands, and whose help ends with examples.

    Args:
        examples: lines `command    what it does`.
    """

    def __init__(self, *args: object, examples: Sequence[tuple[str, str]] = (), **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # handed on as they are
        self.examples = examples

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
