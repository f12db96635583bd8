"""Options that several commands share, and their values.

A shared option stores its value in click's `meta`, which all contexts of a command line share. So
`ensue --root x apply` and `ensue apply --root x` mean the same, and the later one wins.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from ensue.cli.word_choice import WordChoice
from ensue.core.model.option_words import LOG_LEVELS, STATE_OUTPUTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.output.colours import ColourMode

Decorated = TypeVar("Decorated", bound="Callable[..., Any] | click.Command")

NEAR_CUTOFF: Final = 0.5
"""How similar a name must be to be suggested, from 0 to 1."""

_META: Final = "ensue."


class CommonOptions(NamedTuple):
    """The values of the shared options; a tuple, so that `ensue --help` loads no library for values.

    Args:
        root: the project's folder.
        minion_id: `--id`.
        out: the form of the results; empty where a command has only one.
        colour: when to colour.
        log_level: what is logged; None: as ensue.yaml says, else warnings.
        log_file: where the log is also written.
        pillar_files: `--pillar-file`, in order.
        pillar: `--pillar`, in order, as given.
        saltenv: `--saltenv`.
        pillarenv: `--pillarenv`.
        root_is_given: whether `--root` names the folder.
    """

    root: Path
    minion_id: str | None
    out: str
    colour: ColourMode
    log_level: str | None
    log_file: Path | None
    pillar_files: tuple[Path, ...]
    pillar: tuple[str, ...]
    saltenv: str | None
    pillarenv: str | None
    root_is_given: bool = False

    @property
    def overrides(self) -> dict[str, str]:
        """The options that override ensue.yaml, by their names there."""
        given = {"saltenv": self.saltenv, "pillarenv": self.pillarenv}
        return {name: value for name, value in given.items() if value is not None}


def common_options(ctx: click.Context) -> CommonOptions:
    """Return the values of the shared options of a command line."""

    def given(name: str, default: Any = None) -> Any:
        return ctx.meta.get(_META + name, default)

    return CommonOptions(
        root=given("root", Path()),
        minion_id=given("minion_id"),
        out=given("out", ""),
        colour=given("colour", "auto"),
        log_level=given("log_level"),
        log_file=given("log_file"),
        pillar_files=given("pillar_files", ()),
        pillar=given("pillar", ()),
        saltenv=given("saltenv"),
        pillarenv=given("pillarenv"),
        root_is_given=given("root") is not None,
    )


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if isinstance(value, str) and not value.strip():
        raise click.BadParameter("it is empty", ctx, param)
    if value is not None and value != ():
        ctx.meta[_META + str(param.name)] = value


def shared_option(*names: str, **settings: Any) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds an option whose value is stored in `meta`."""
    return click.option(*names, expose_value=False, callback=_remember, **settings)


def global_options(function: Decorated) -> Decorated:
    """Add the options that are accepted before a command as well as after it."""
    for option in (
        shared_option(
            "--no-color", "colour", flag_value="never", default=None, help="The same as --color never."
        ),
        shared_option(
            "--color",
            "colour",
            type=WordChoice(["auto", "always", "never"]),
            help="When to use colours; auto: on a terminal, unless NO_COLOR is set.",
        ),
        shared_option(
            "--log-file",
            "log_file",
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Write the log to this file, too.",
        ),
        shared_option(
            "--log-level",
            "log_level",
            type=WordChoice(LOG_LEVELS),
            metavar="LEVEL",
            help=f"What to log on stderr: {', '.join(LOG_LEVELS)}. Default: warning.",
        ),
        shared_option(
            "--root",
            "root",
            metavar="DIR",
            type=click.Path(path_type=Path),
            help="The project's folder. Default: the working directory, or one above with an ensue.yaml.",
        ),
    ):
        function = option(function)
    return function


def project_options(*outputs: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds what every command on a project takes.

    Args:
        outputs: the forms of its results, the default first.
    """

    def decorate(function: Decorated) -> Decorated:
        out = shared_option(
            "--out",
            "out",
            type=WordChoice(outputs),
            help=f"The form of the results. Default: {outputs[0]}.",
        )
        id_ = shared_option(
            "--id",
            "minion_id",
            metavar="ID",
            help="The id of this machine. Default: ensue.yaml's id, else its host name.",
        )
        return out(id_(global_options(function)))

    return decorate


def pillar_options(function: Decorated) -> Decorated:
    """Add the options that give pillar on the command line, and those that choose environments."""
    from_file = shared_option(
        "--pillar-file",
        "pillar_files",
        multiple=True,
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Pillar from a YAML or JSON file; --pillar overrides it.",
    )
    single = shared_option(
        "--pillar",
        "pillar",
        multiple=True,
        metavar="KEY=VALUE",
        help="Pillar merged over the project's: a:b=c nests, values are YAML; or a mapping, which adds keys.",
    )
    return single(from_file(_environment_options(function)))


def _environment_options(function: Decorated) -> Decorated:
    saltenv = shared_option(
        "--saltenv",
        "saltenv",
        metavar="ENV",
        help="The environment of file_roots that SLS are taken from. Default: base; for a highstate: all.",
    )
    pillarenv = shared_option(
        "--pillarenv",
        "pillarenv",
        metavar="ENV",
        help="The environment of pillar_roots that pillar is taken from. Default: all.",
    )
    return saltenv(pillarenv(function))


follow_option: Final = click.option(
    "--follow", is_flag=True, help="Print on stderr what the commands of states write, while they run."
)
"""The option that prints the output of commands while they run."""


def result_options(function: Decorated) -> Decorated:
    """Add the options that lay out results."""
    verbose = click.option(
        "--state-verbose/--no-state-verbose",
        default=None,
        help="Whether to show states that succeeded without a change.",
    )
    amount = click.option(
        "--state-output",
        type=WordChoice(STATE_OUTPUTS),
        metavar="HOW",
        default=None,
        help="How much to show of a state: full, terse, mixed (full if failed), changes (full if changed); "
        "with _id appended the ID is shown instead of the name.",
    )
    return amount(verbose(function))
