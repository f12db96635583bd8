"""`ensue resources refresh`: discover resources, and gather their grains again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import click

from ensue.cli import exit_codes
from ensue.cli.command import ProjectCommand
from ensue.cli.complete import complete_target
from ensue.cli.options import pillar_options, project_options
from ensue.cli.resource_records import FORMS

if TYPE_CHECKING:
    from ensue.app.project import AppProject
    from ensue.cli.session import Session
    from ensue.language.targets.refresh import Refreshed

_DEFAULT_TIMEOUT_S: Final = 60.0
_LONGEST_S: Final = 1e9
_BETWEEN_LINES_S: Final = 2.0


@click.command(
    "refresh",
    cls=ProjectCommand,
    examples=(
        ("ensue resources refresh", "discover resources, and gather the grains of all"),
        ("ensue resources refresh 'T@ssh_host:web-*'", "only the grains of these"),
        (
            "ensue resources refresh --out json",
            "{added: [], gone: [], refreshed: [], failed: {}}",
        ),
    ),
)
@click.argument("target", metavar="[TGT]", required=False, shell_complete=complete_target)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=_LONGEST_S),
    default=_DEFAULT_TIMEOUT_S,
    metavar="SECONDS",
    help="How long a resource may take to answer. Default: 60.",
)
@pillar_options
@project_options(*FORMS)
def refresh(session: Session, *, target: str | None, timeout: float) -> int:
    """Discover resources, and gather their grains again.

    Each resource type looks for its resources. Grains are gathered from all resources, or from those that
    TGT matches; later commands use them until they are older than the option grains_cache_expiration.
    Resources are reported as added or gone in comparison with the last refresh.

    Exit code: 0 success; 1 refused; 2 a resource did not answer, or TGT matched none.
    """
    from ensue.output.colours import on_one_line

    progress = _RefreshProgress(session)

    async def work(project: AppProject) -> tuple[Refreshed, str]:
        done = await project.refresh(target, timeout_s=timeout, on_answer=progress)
        if target is None or done.refreshed or done.failed:
            return done, ""
        return done, await project.near_target(target)

    done, near = session.run(work)
    if session.is_for_programs:
        session.print_document(_document(session, done))
    elif session.out == "nested":
        _print_table(session, done)
    if near:
        session.lines.write(on_one_line(f"ensue: no resource matched {target!r} ({near})"))
        return exit_codes.FAILED
    return exit_codes.FAILED if done.failed else exit_codes.SUCCEEDED


class _RefreshProgress:
    """Reports on stderr how many resources have answered, at most every few seconds.

    Args:
        session: the command.
    """

    def __init__(self, session: Session) -> None:
        self._lines = session.lines
        self._last_s = time.monotonic()

    def __call__(self, done: int, count: int) -> None:
        now_s = time.monotonic()
        if done < count and now_s - self._last_s >= _BETWEEN_LINES_S:
            self._last_s = now_s
            self._lines.write(f"ensue: {done} of {count} resources have answered")


def _document(session: Session, done: Refreshed) -> dict[str, object]:
    import msgspec

    from ensue.output.presentable import presentable

    shown: dict[str, object] = presentable(msgspec.structs.asdict(done), session.masker)
    return shown


def _print_table(session: Session, done: Refreshed) -> None:
    from ensue.output.colours import on_one_line
    from ensue.output.tables import table_text

    rows = [
        *((srn, "new", "") for srn in done.added if srn not in done.failed),
        *((srn, "gone", "") for srn in done.gone),
        *((srn, "no answer", on_one_line(why)) for srn, why in done.failed.items()),
    ]
    if rows:
        table = table_text(("resource", "what", "why"), sorted(rows), session.stdout_palette)
        session.print_text([session.masker.text(table)])
    counts = (
        (len(done.refreshed), "refreshed"),
        (len(done.added), "new"),
        (len(done.gone), "gone"),
        (len(done.failed), "without an answer"),
    )
    session.print_text([", ".join(f"{count} {what}" for count, what in counts) + "\n"])
