"""`ensue` itself: the list of commands, and the options that are accepted before one.

The short descriptions are here as text, so that `ensue --help` loads no command. A test compares
them with what the commands say of themselves.
"""

from __future__ import annotations

import importlib
from typing import Final, NamedTuple

import click

from ensue.cli.options import NEAR_CUTOFF, global_options


class _CommandEntry(NamedTuple):
    module: str
    about: str


COMMANDS: Final[dict[str, _CommandEntry]] = {
    "apply": _CommandEntry("ensue.cli.apply", "Bring machines to the state that SLS files describe."),
    "plan": _CommandEntry("ensue.cli.plan", "Show what an apply would change; change nothing."),
    "call": _CommandEntry("ensue.cli.call", "Call an execution function on one or more targets."),
    "fleet": _CommandEntry("ensue.cli.fleet", "Ship ensue to minions of Salt's master, and list them."),
    "resources": _CommandEntry(
        "ensue.cli.resources", "List, refresh, register and forget what can be targeted."
    ),
    "runs": _CommandEntry("ensue.cli.runs", "List earlier runs, show their results, resume one."),
    "show": _CommandEntry("ensue.cli.show", "Show what a project compiles to, and what it has enforced."),
    "enforced": _CommandEntry(
        "ensue.cli.enforced", "Forget what earlier applies enforced; `ensue show enforced` lists it."
    ),
    "compare": _CommandEntry("ensue.cli.compare", "Compare what Salt and ensue make of the same tree."),
    "deploy": _CommandEntry("ensue.cli.deploy", "Provision what Score files and deployment sets need."),
    "deployments": _CommandEntry(
        "ensue.cli.deployments",
        "List and compare deployments, remove environments that have expired.",
    ),
    "graph": _CommandEntry("ensue.cli.graph", "Draw the graph of a run, or of a deployment's resources."),
    "keys": _CommandEntry("ensue.cli.keys", "Encrypt values for pillar; change the key of stored secrets."),
    "init": _CommandEntry("ensue.cli.init", "Make a small project to start from."),
    "doc": _CommandEntry(
        "ensue.cli.doc", "Show the documentation of a function, a module, a driver, or a topic."
    ),
    "schema": _CommandEntry(
        "ensue.cli.schema",
        "Print a JSON Schema, with which editors check and complete files.",
    ),
    "explain": _CommandEntry("ensue.cli.explain", "Explain the code of a diagnostic, or a function."),
    "completion": _CommandEntry(
        "ensue.cli.completion", "Print the script that completes commands in a shell."
    ),
}
"""Commands by name, in the order of the help."""

_EXAMPLES: Final = """\b
Examples:
  ensue init                      a small project to start from
  ensue plan                      what would change
  ensue apply                     the highstate: what top.sls assigns
  ensue apply web.nginx --test    one SLS, as a plan
  ensue call '*' test.ping        ask every target"""
# \b tells click to keep the lines of a paragraph.


class AdvisingGroup(click.Group):
    """A group that answers words that it does not know with what was meant."""

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
        _refuse_unknown(ctx, args, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


class LazyGroup(AdvisingGroup):
    """A group whose commands are loaded when they are named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 -- click's signature
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 -- click's signature
        """Load a command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = importlib.import_module(entry.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 -- click's signature
        """Write the list of commands without loading one."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.about) for name, entry in COMMANDS.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 -- click's signature
        """Write the examples as they are; click would load `inspect` to remove an indentation from them."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_EXAMPLES)


def _refuse_unknown(ctx: click.Context, args: list[str], known: list[str]) -> None:
    """Refuse the name of a command that does not exist.

    Raises:
        click.UsageError: there is no such command; the message suggests similar names.
    """
    name = args[0]
    if name in known or name.startswith("-") or ctx.resilient_parsing:
        return
    import difflib

    from ensue.cli.other_tools import instead_of_command

    if instead := instead_of_command(name, (ctx.info_name or "") if ctx.parent else ""):
        raise click.UsageError(f"There is no command {name!r}. Instead: {instead}.", ctx)
    close = difflib.get_close_matches(name, known, n=2, cutoff=NEAR_CUTOFF)
    hint = f" Did you mean {' or '.join(close)}?" if close else f" There are: {', '.join(known)}."
    raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        click.echo(f"ensue {version('ensue')}")
    except PackageNotFoundError:
        click.echo("ensue (not installed)")
    ctx.exit()


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
@global_options
def root() -> None:
    """Bring machines to a desired state; one apply owns the whole outcome."""
