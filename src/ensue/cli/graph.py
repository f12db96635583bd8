"""`ensue graph`: the graph of a run to look at, before it or after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_run, complete_sls
from ensue.cli.options import pillar_options, project_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.app.project import Project
    from ensue.cli.session import Session
    from ensue.output.drawing.drawing import ScopeBox

EXAMPLES = (
    ("ensue graph web.nginx", "the states of an SLS and what they come after, as a tree"),
    ("ensue graph --out svg > run.svg", "the highstate as a picture"),
    ("ensue graph --run 20260101-1200 --out svg > run.svg", "what an earlier run grew into"),
    ("ensue graph web --out dot > run.dot", "for Graphviz"),
)


@click.command("graph", cls=ProjectCommand, names_minion=True, examples=EXAMPLES)
@click.argument("sls", nargs=-1, shell_complete=complete_sls)
@click.option(
    "--run",
    "run_id",
    metavar="RUN",
    shell_complete=complete_run,
    help="Draw what this run grew into: its id or the beginning of it, or 'last'.",
)
@pillar_options
@project_options("text", "dot", "mermaid", "svg", "json", "yaml")
def command(session: Session, *, sls: tuple[str, ...], run_id: str | None) -> int:
    """Draw states, their requisites and what grew.

    What grows during a run stands in boxes under the state that caused it. Without --run: what is known
    before a run; delayed blocks and SLS are empty boxes then. Without an SLS the highstate is drawn.

    Exit code: 0 all well; 1 it does not compile, or there is no such run.
    """
    if run_id is not None and sls:
        raise click.UsageError("an SLS and --run cannot be drawn together")
    top = _planned(session, sls) if run_id is None else _run(session, run_id)
    if session.is_for_programs:
        from ensue.output.drawing.data import drawing_data

        session.print_document({top.name: drawing_data(top, session.masker)})
    else:
        session.print_text(f"{line}\n" for line in _lines(session, top))
    return exit_codes.SUCCEEDED


def _planned(session: Session, sls: tuple[str, ...]) -> ScopeBox:
    from ensue.cli.applying import mods_of

    async def work(project: Project) -> ScopeBox:
        return await project.draw(mods_of(sls))

    return session.run(work)


def _run(session: Session, run_id: str) -> ScopeBox:
    from ensue.output.drawing.from_events import draw_events

    project = session.open()
    return draw_events(project.run_events(run_id), project.minion_id)


def _lines(session: Session, top: ScopeBox) -> Iterable[str]:
    match session.out:
        case "dot":
            from ensue.output.drawing.dot import dot_lines

            return dot_lines(top, session.masker)
        case "mermaid":
            from ensue.output.drawing.mermaid import mermaid_lines

            return mermaid_lines(top, session.masker)
        case "svg":
            from ensue.output.drawing.svg import svg_lines

            return svg_lines(top, session.masker)
        case _:
            from ensue.output.drawing.text import drawing_lines

            return drawing_lines(top, session.masker, session.stdout_palette)
