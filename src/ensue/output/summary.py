"""The end of the highstate output: Salt's summary, followed by ensue's own remarks.

Source: Salt's `highstate` outputter for the summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.output.colours import on_one_line
from ensue.output.failures import every_return

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.masking import Masker
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return
    from ensue.output.colours import Palette
    from ensue.output.tally import Tally

_LONGEST_LABEL_CHARS: Final = len("Succeeded")
_MOST_NOT_RUN: Final = 50
"""The most states that are listed as not run; there may be thousands."""


def summary_lines(minion_id: str, tally: Tally, palette: Palette) -> list[str]:
    """Return Salt's summary, as texts that may contain line ends.

    Args:
        minion_id: the id in the heading.
        tally: the counts.
        palette: the colours.
    """
    counts = (tally.succeeded, tally.undecided, tally.failed, tally.warned)
    digits = max((len(str(count)) for count in counts if count), default=0)
    width = _LONGEST_LABEL_CHARS + digits + 2
    rule = "-" * width
    paint = palette.paint

    def counted(label: str, count: int) -> str:
        return f"{label}: {count:>{width - len(label) - 2}}"

    lines = [
        paint(palette.cyan, f"\nSummary for {on_one_line(minion_id)}\n{rule}"),
        paint(palette.green, counted("Succeeded", tally.succeeded + tally.undecided))
        + _change_counts(tally, palette),
        paint(palette.red if tally.failed else palette.cyan, counted("Failed", tally.failed)),
    ]
    if tally.warned:
        lines.append(paint(palette.light_red, counted("Warnings", tally.warned)))
    lines.append(paint(palette.cyan, f"{rule}\nTotal states run: {tally.total:>{width - 7}}"))
    lines.append(paint(palette.cyan, f"Total run time: {_run_time(tally.duration_ms, width - 5)}"))
    return lines


def _change_counts(tally: Tally, palette: Palette) -> str:
    counts: list[str] = []
    if tally.undecided:
        counts.append(palette.paint(palette.light_yellow, f"unchanged={tally.undecided}"))
    if tally.changed:
        counts.append(palette.paint(palette.green, f"changed={tally.changed}"))
    return f" ({', '.join(counts)})" if counts else ""


def _run_time(duration_ms: float, width: int) -> str:
    # As Salt does: milliseconds up to 999, seconds above.
    amount, unit = (duration_ms / 1000, "s") if duration_ms > 999 else (duration_ms, "ms")  # noqa: PLR2004 -- said above
    return f"{f'{amount:.3f}'.rjust(width)} {unit}"


def remarks(report: RunReport, tally: Tally, masker: Masker, palette: Palette) -> Iterator[str]:
    """Yield remarks on the run: what was deferred, what was not run, and what is owed."""
    if report.resumes:
        yield palette.paint(palette.cyan, f"Resumes: {report.resumes}")
    if tally.deferred:
        yield palette.paint(palette.light_yellow, f"Deferred: {tally.deferred} (known after apply)")
    if tally.not_rendered:
        yield palette.paint(palette.light_yellow, f"Not rendered: {tally.not_rendered}")
    if report.excluded:
        yield from _excluded(report, masker, palette)
    if report.status == "interrupted":
        yield palette.paint(palette.red, f"Interrupted: {_count(len(report.not_run))} not run")
    elif report.stopped:
        why = on_one_line(masker.text(report.stopped))
        left_out = f"{_count(len(report.not_run))} not run: " if report.not_run else ""
        yield palette.paint(palette.red, f"Stopped: {left_out}{why}")
    elif report.not_run:
        yield palette.paint(palette.red, f"Not run: {_count(len(report.not_run))}")
    for name in report.not_run[:_MOST_NOT_RUN]:
        yield palette.paint(palette.red, f"  {on_one_line(masker.name(name))}")
    if len(report.not_run) > _MOST_NOT_RUN:
        yield palette.paint(palette.red, f"  and {len(report.not_run) - _MOST_NOT_RUN} more")
    yield from _owed(report, masker, palette)


def _owed(report: RunReport, masker: Masker, palette: Palette) -> Iterator[str]:
    """Yield the reactions to changes that later runs owe, because they failed or did not run in this one."""
    names = [_owed_name(returned) for returned in every_return(report.returns.values()) if returned.owed]
    names += report.owed_not_run
    if not names:
        return
    count, they = ("1 reaction", "it") if len(names) == 1 else (f"{len(names)} reactions", "them")
    line = f"Owed: {count} to a change failed or did not run, and the next apply runs {they}:"
    yield palette.paint(palette.light_yellow, line)
    for name in names[:_MOST_NOT_RUN]:
        yield palette.paint(palette.light_yellow, f"  {on_one_line(masker.name(name))}")
    if len(names) > _MOST_NOT_RUN:
        yield palette.paint(palette.light_yellow, f"  and {len(names) - _MOST_NOT_RUN} more")


def _owed_name(returned: Return) -> str:
    where = f"{returned.scope}: " if returned.scope else ""
    return f"{where}{returned.id} ({returned.module}.{returned.function})"


def _excluded(report: RunReport, masker: Masker, palette: Palette) -> Iterator[str]:
    """Yield how many states are left out, and which of them only because of what they require."""
    part = on_one_line(masker.text(report.part))
    yield palette.paint(palette.cyan, f"Excluded: {_count(len(report.excluded))} ({part})")
    dependents = [excluded for excluded in report.excluded if excluded.is_dependent]
    for dependent in dependents[:_MOST_NOT_RUN]:
        where = f" in {dependent.scope}" if dependent.scope else ""
        line = on_one_line(masker.text(f"{dependent.id} ({dependent.function}){where}: {dependent.comment}"))
        yield palette.paint(palette.cyan, f"  {line}")
    if len(dependents) > _MOST_NOT_RUN:
        yield palette.paint(palette.cyan, f"  and {len(dependents) - _MOST_NOT_RUN} more")


def _count(states: int) -> str:
    return "1 state" if states == 1 else f"{states} states"
