"""The outcome of a run over many minions: counts, what failed on which minion, and nothing about the rest."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.fleet import MOST_MINIONS
from ensue.output.colours import on_one_line
from ensue.output.failures import failures_of_minion
from ensue.output.minion_lines import MOST_SUMMARY_CHARS, bounded_lines, shortened_text
from ensue.output.nested import nested_lines
from ensue.output.outcome import seconds_text
from ensue.output.presentable import presentable, returns_data
from ensue.store.runs.run_counts import RunCounts, sum_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.masking import Masker
    from ensue.core.model.fleet import FleetReport, MinionReport
    from ensue.output.colours import Palette

_MOST_NAMES: Final = 10


def fleet_text(report: FleetReport, masker: Masker, palette: Palette) -> str:
    """Return the summary of a run, with a line end.

    Args:
        report: the run.
        masker: the secrets of the process.
        palette: the colours.
    """
    failed = [minion for minion in report.minions if not minion.ok]
    lines: list[str] = []
    for outcome in failed[:MOST_MINIONS]:
        lines.append(palette.paint(palette.red, f"{on_one_line(outcome.id)}:"))
        lines += [f"  {line}" for line in _failures(outcome, masker, palette)]
    if len(failed) > MOST_MINIONS:
        lines.append(
            palette.paint(palette.red, f"and {len(failed) - MOST_MINIONS} more minions (--out json)")
        )
    lines += [palette.paint(palette.light_red, line) for line in _warnings(report, masker)]
    if report.test:
        lines += [on_one_line(shortened_text(masker.text(line))) for line in _needs(report)]
    if report.not_asked:
        names = ", ".join(report.not_asked[:_MOST_NAMES])
        more = (
            f" and {len(report.not_asked) - _MOST_NAMES} more" if len(report.not_asked) > _MOST_NAMES else ""
        )
        lines.append(palette.paint(palette.red, on_one_line(f"Not asked: {names}{more}")))
    lines.append(palette.paint(palette.bold, _summary(report)))
    return "\n".join(lines) + "\n"


def failed_line(report: MinionReport, masker: Masker) -> str:
    """Return one line about a minion that failed."""
    what = report.problem.partition("\n")[0] or (str(report.answer) if report.run is None else "")
    if not what and report.run is not None:
        outcome = RunCounts.of(report.run.counts)
        not_run = f", {outcome.not_run} not run" if outcome.not_run else ""
        what = f"{outcome.failed + outcome.unreachable} failed{not_run}"
    return on_one_line(f"ensue: {report.id}: {shortened_text(masker.text(what))}")


def would_change(report: FleetReport) -> bool:
    """Return whether a plan would change anything on any minion."""
    total = _total(report)
    return bool(total.changed or total.unknown)


def fleet_data(report: FleetReport, masker: Masker) -> dict[str, Any]:
    """Return what `--out json` prints: the returns by tag of each minion, or why there are none."""
    return {
        minion.id: masker.text(minion.problem)
        if minion.problem or minion.run is None
        else dict(returns_data(minion.run.reported.report().returns, masker))
        for minion in report.minions
    }


def answer_data(report: FleetReport, masker: Masker) -> dict[str, Any]:
    """Return the answers of a call by minion."""
    return {minion.id: _answer(minion, masker) for minion in report.minions}


def answers_text(
    report: FleetReport, masker: Masker, palette: Palette, *, most_chars: int | None = None
) -> str:
    """Return the answers of a call for a person.

    Args:
        report: the run.
        masker: the secrets of the process.
        palette: the colours.
        most_chars: how much of the answer of one minion is shown; None: all.
    """
    lines: list[str] = []
    for minion in report.minions:
        lines.append(palette.paint(palette.cyan if minion.ok else palette.red, f"{on_one_line(minion.id)}:"))
        answer = nested_lines(_answer(minion, masker), palette, indent=4)
        lines += answer if most_chars is None else bounded_lines(answer, most_chars, "--out json has it")
    return "".join(f"{line}\n" for line in lines)


def status_data(report: FleetReport, masker: Masker) -> dict[str, Any]:
    """Return what is known about each minion."""
    return {
        minion.id: {**presentable(dict(minion.status), masker), "problem": masker.text(minion.problem)}
        for minion in report.minions
    }


def status_rows(report: FleetReport, masker: Masker) -> list[tuple[str, str, str, str]]:
    """Return the rows of `ensue fleet status`."""
    return [
        (
            minion.id,
            shortened_text(str(minion.status.get("salt", ""))),
            shortened_text(str(minion.status.get("abi", ""))),
            shortened_text(masker.text(minion.problem)) or ("yes" if minion.status.get("shipped") else "no"),
        )
        for minion in report.minions
    ]


def _answer(report: MinionReport, masker: Masker) -> Any:
    return masker.text(report.problem) if report.problem else presentable(report.answer, masker)


def _failures(report: MinionReport, masker: Masker, palette: Palette) -> Iterator[str]:
    """Yield what failed on a minion, up to a size."""
    for line in bounded_lines(_failure_lines(report, masker), MOST_SUMMARY_CHARS, "`ensue runs show` has it"):
        yield palette.paint(palette.red, line)


def _failure_lines(report: MinionReport, masker: Masker) -> Iterator[str]:
    for line in report.problem.splitlines():
        yield on_one_line(masker.text(line))
    if report.run is None:
        return
    for line in failures_of_minion(report.run.failures, masker):
        yield f"  {line}"
    if report.run.more_failures:
        yield f"  and {report.run.more_failures} more"


def _warnings(report: FleetReport, masker: Masker) -> Iterator[str]:
    """Yield the warnings that most minions have."""
    counts = Counter(text for minion in report.minions for text in minion.warnings)
    for warning, count in counts.most_common(_MOST_NAMES):
        where = f" (on {count} minions)" if count > 1 else ""
        yield f"{on_one_line(f'warning: {shortened_text(masker.text(warning))}')}{where}"
    if len(counts) > _MOST_NAMES:
        yield f"warning: and {len(counts) - _MOST_NAMES} more texts of warnings"


def _needs(report: FleetReport) -> Iterator[str]:
    """Yield what states need of other minions, with the minions of these states."""
    minions: dict[str, list[str]] = {}
    for minion in report.minions:
        for need in minion.needs:
            minions.setdefault(need, []).append(minion.id)
    for need, ids in [*minions.items()][:MOST_MINIONS]:
        more = f" and {len(ids) - _MOST_NAMES} more" if len(ids) > _MOST_NAMES else ""
        yield f"{', '.join(ids[:_MOST_NAMES])}{more}: {need}"
    if len(minions) > MOST_MINIONS:
        yield f"and {len(minions) - MOST_MINIONS} more states need what others return"


def _total(report: FleetReport) -> RunCounts:
    return sum_of(RunCounts.of(minion.run.counts) for minion in report.minions if minion.run is not None)


def _summary(report: FleetReport) -> str:
    total = _total(report)
    failed = total.failed + total.unreachable
    good = sum(minion.ok for minion in report.minions)
    words = ("to change", "would fail") if report.test else ("changed", "failed")
    minions = f"{good} of {len(report.minions) + len(report.not_asked)} minions succeeded"
    states = f"states: {total.changed} {words[0]}, {total.unchanged} unchanged, {failed} {words[1]}"
    rest = "".join(
        f", {count} {what}"
        for count, what in ((total.not_run, "not run"), (total.unknown, "known after apply"))
        if count
    )
    return f"{minions}; {states}{rest}, {seconds_text(report.duration_s)} (run {report.run_id})"
