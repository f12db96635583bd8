"""`ensue compare`: what Salt and ensue make of the same tree; the first step of a move to ensue."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_sls
from ensue.cli.options import pillar_options, project_options

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.salt.compare.comparison import TreeComparison

EXAMPLES = (
    (
        "ensue compare --file-root /srv/salt --pillar-root /srv/pillar",
        "the highstate of a tree that is laid out for Salt",
    ),
    ("ensue compare", "the highstate of a project that has an ensue.yaml"),
    ("ensue compare web.nginx db --compile-only", "two SLS, compiled but not planned"),
    ("ensue compare --salt /opt/saltstack/salt", "with this Salt instead of the one in PATH"),
    (
        "ensue compare --id web-01 --grains web-01.yaml --compile-only",
        "for another machine, whose grains are in a file",
    ),
    ("ensue compare --out json > compared.json", "every difference, for a program"),
)

_BETWEEN_LINES_S: Final = 2.0

_folder = click.Path(path_type=Path)
_file = click.Path(dir_okay=False, path_type=Path)


@click.command("compare", cls=ProjectCommand, examples=EXAMPLES)
@click.argument("sls", nargs=-1, shell_complete=complete_sls)
@click.option(
    "--salt",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Salt's salt-call, its Python, or its environment. Default: salt-call in PATH, or beside ensue.",
)
@click.option("--compile-only", is_flag=True, help="Compare what is compiled; plan nothing.")
@click.option(
    "--file-root",
    "file_roots",
    multiple=True,
    metavar="DIR",
    type=_folder,
    help="A folder with SLS files, instead of those in ensue.yaml. May be given several times.",
)
@click.option(
    "--pillar-root",
    "pillar_roots",
    multiple=True,
    metavar="DIR",
    type=_folder,
    help="A folder with pillar, instead of those in ensue.yaml. May be given several times.",
)
@click.option(
    "--grains",
    metavar="FILE",
    type=_file,
    help="Grains from a YAML or JSON file; they override this machine's own and the option grains.",
)
@pillar_options
@project_options("text", "json", "yaml", "quiet")
def command(
    session: Session, *, sls: tuple[str, ...], salt: Path | None, compile_only: bool, **given: Any
) -> int:
    """Compare what Salt and ensue make of the same tree.

    Both compile the SLS, or the highstate, for this minion; their states, arguments and order are compared.
    Then both plan it, Salt with test=True, and the result of every state and the kind of its changes are
    compared. Differences are grouped by cause, what ensue lacks is counted, and a difference that is
    intended says why. Nothing is applied or stored.

    Exit code: 0 nothing differs; 1 neither program compiles it, or there is no Salt; 2 something differs.
    """
    from ensue.cli.salt_arguments import mods_of
    from ensue.salt.compare.project_comparison import CompareOrder
    from ensue.salt.compare.salt_program import salt_python

    mods = mods_of(sls)
    if paths := [name for name in mods if name.endswith(".sls")]:
        raise click.UsageError(f"{paths[0]}: Salt takes only names of SLS, such as web.nginx")
    with TemporaryDirectory(prefix="ensue-compare-") as folder:
        session.overrides = _overrides(Path(folder), **given)
        order = CompareOrder(
            mods=mods, python=salt_python(salt), folder=Path(folder, "salt"), plan=not compile_only
        )
        order.folder.mkdir(mode=0o700)
        comparison = _compared(session, order)
    _print(session, comparison)
    if comparison.compiles_nowhere:
        return exit_codes.REFUSED
    return exit_codes.FAILED if comparison.causes else exit_codes.SUCCEEDED


def _overrides(
    folder: Path, *, file_roots: tuple[Path, ...], pillar_roots: tuple[Path, ...], grains: Path | None
) -> dict[str, Any]:
    """Return the options that override ensue.yaml; the cachedir is temporary, so nothing is left behind."""
    from ensue.cli.values import mapping_of_file

    given: dict[str, Any] = {"cachedir": str(folder / "ensue"), "on_unknown_function": "fail"}
    for name, folders in (("file_roots", file_roots), ("pillar_roots", pillar_roots)):
        if missing := [str(path) for path in folders if not path.is_dir()]:
            raise click.BadParameter(f"there is no folder {', '.join(missing)}", param_hint=f"--{name[:-1]}")
        if folders:
            given[name] = {"base": [str(path.absolute()) for path in folders]}
    if grains is not None:
        given["grains"] = mapping_of_file(grains, "--grains")
    return given


def _compared(session: Session, order: Any) -> TreeComparison:
    progress = _PlanProgress(session)

    async def work(project: AppProject) -> TreeComparison:
        return await project.compare(order, progress)

    return session.run(work)


class _PlanProgress:
    """Reports on stderr how far Salt's plan is, at most every few seconds.

    Args:
        session: the command.
    """

    def __init__(self, session: Session) -> None:
        self._lines = session.lines
        self._is_silent = session.out == "quiet"
        self._last_s = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now_s = time.monotonic()
        if not self._is_silent and done < total and now_s - self._last_s >= _BETWEEN_LINES_S:
            self._last_s = now_s
            self._lines.write(f"ensue: Salt has planned {done} of {total} states")


def _print(session: Session, comparison: TreeComparison) -> None:
    from ensue.output.comparison import comparison_data, comparison_lines

    if session.is_for_programs:
        session.print_document(comparison_data(comparison, session.masker))
    elif session.out == "text":
        lines = comparison_lines(comparison, session.masker, session.stdout_palette)
        session.print_text(f"{line}\n" for line in lines)
