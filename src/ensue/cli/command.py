"""The classes of ensue's commands: examples in the help, a session, and no traceback on an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import iter_params_for_processing

from ensue.cli.exit_codes import FAILED
from ensue.cli.interrupts import Interrupts
from ensue.cli.optional_value import with_values
from ensue.cli.options import common_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.cli.options import CommonOptions


class ExampleCommand(click.Command):
    """A command whose help ends with examples.

    Args:
        examples: lines `command    what it does`.
    """

    def __init__(self, *args: Any, examples: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command line, and report every refused value instead of only the first."""
        words = with_values(self.get_params(ctx), args)
        try:
            return super().parse_args(ctx, list(words))
        except click.NoSuchOption as error:
            from ensue.cli.other_tools import of_another_tool

            raise of_another_tool(error, words) from None
        except click.BadParameter as first:
            refused = self._refused(ctx, words)
            if len(refused) < 2:  # noqa: PLR2004 (click's own message names the one)
                raise
            raise click.UsageError("\n".join(error.format_message() for error in refused), ctx) from first

    def _refused(self, ctx: click.Context, words: list[str]) -> list[click.BadParameter]:
        given, _, order = self.make_parser(ctx).parse_args(words)
        refused: list[click.BadParameter] = []
        for param in iter_params_for_processing(order, self.get_params(ctx)):
            try:
                param.handle_parse_result(ctx, given, [])
            except click.BadParameter as error:
                refused.append(error)
        return refused

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        from ensue.cli.group import write_examples

        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


class ProjectCommand(ExampleCommand):
    """A command that works on a project; its function gets a `Session` first and returns an exit code.

    Args:
        names_minion: whether a failure is printed under the minion id, as results of states are.
    """

    def __init__(self, *args: Any, names_minion: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._names_minion = names_minion

    def invoke(self, ctx: click.Context) -> int:
        """Run the command, and turn any error into a message and an exit code."""
        from ensue.cli.session import Session

        options = _with_found_root(common_options(ctx))
        interrupts = ctx.ensure_object(Interrupts)
        session = Session(_with_default_out(options, self), interrupts, names_minion=self._names_minion)
        session.out_is_given = bool(options.out)
        assert self.callback is not None  # noqa: S101 -- every command of ours is a decorated function
        try:
            code: int = ctx.invoke(self.callback, session, **ctx.params)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            return session.interrupted()
        except Exception as error:  # noqa: BLE001 -- no exception may leave a command
            return session.failed(error)
        return max(code, FAILED) if session.results_lost else code


def _with_found_root(options: CommonOptions) -> CommonOptions:
    """Look for the project in the folders above the working directory, unless `--root` names it."""
    if options.root_is_given:
        return options
    from ensue.cli.project_root import project_root

    return options._replace(root=project_root())


def _with_default_out(options: CommonOptions, command: click.Command) -> CommonOptions:
    """Fill in the command's default form of results."""
    if options.out:
        return options
    for param in command.params:
        if param.name == "out" and isinstance(param.type, click.Choice):
            return options._replace(out=str(param.type.choices[0]))
    return options
