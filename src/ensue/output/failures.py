"""What happened to a state that failed, in one line; and all failures of a run, repeated at its end.

The line has the exit code of a command and the last line that it wrote; for any other state it has the
first line of the comment. Secrets are masked before anything is cut. The way out in a comment is printed
once: with the failures at the end, if they have it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.model.data import is_mapping
from ensue.core.model.returns import ScopeReturn
from ensue.core.model.sensitive_paths import hide_in_changes
from ensue.output.colours import on_one_line
from ensue.output.own_part import is_nested_only
from ensue.output.presentable import state_comment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return
    from ensue.output.colours import Palette

_LONGEST_LINE_CHARS: Final = 160
_LONGEST_COMMENT_CHARS: Final = 240
_LONGEST_WAY_OUT_CHARS: Final = 600
_WAY_OUT: Final = re.compile(r" \((?:[^()]|\([^()]*\))+\)$")
"""The last sentence of a comment, which says how to go on: `(did you mean host?)`."""
_MOST_REPEATED: Final = 50
"""The most failures that are repeated, because thousands may fail in a run."""


class RepeatedFailures:
    """The failures of a run that are repeated at its end, each with what happened and where it is declared.

    States that were not called because something they require failed are left out: that failure is listed.

    Args:
        report: the run.
        masker: the secrets of the process.
    """

    def __init__(self, report: RunReport, masker: Masker) -> None:
        every = list(every_return(report.returns.values()))
        has_cause = any(_is_cause(state_return) for state_return in every)
        failed = [
            (part, state_return)
            for state_return in every
            for part in _failed_parts(state_return, all_count=not has_cause)
        ]
        # Those that fail the run first, so that handled ones do not displace them.
        failed.sort(key=lambda pair: _is_handled(pair[0]))
        self._lines = {
            id(part): _line(part, state_return, masker) for part, state_return in failed[:_MOST_REPEATED]
        }
        self._handled = {id(part) for part, _ in failed if _is_handled(part)}
        self._more = len(failed) - len(self._lines)

    def lines(self, palette: Palette) -> list[str]:
        """Return the lines for the end of the run; none if nothing failed."""
        if not self._lines:
            return []
        failed = [f"  {line}" for part, line in self._lines.items() if part not in self._handled]
        handled = [f"  {line}" for part, line in self._lines.items() if part in self._handled]
        if self._more:
            (handled or failed).append(f"  and {self._more} more")
        lines: list[str] = []
        for heading, texts, colour in (
            ("Failed:", failed, palette.red),
            ("Failed and handled:", handled, palette.light_yellow),
        ):
            if texts:
                lines += ["", *(palette.paint(colour, line) for line in (heading, *texts))]
        return lines

    def repeats(self, failed: Return | ScopeReturn) -> bool:
        """Return whether the lines for the end of the run have a failure."""
        return id(failed) in self._lines

    def shortened(self, failed: Return | ScopeReturn, text: str) -> str:
        """Return a text about a failure without the way out at its end, if the end of the run repeats it.

        Args:
            failed: the return of the state or scope.
            text: its comment, or a line with it, masked.
        """
        line = self._lines.get(id(failed))
        if line is None:
            return text
        way_out = _WAY_OUT.search(text[-_LONGEST_WAY_OUT_CHARS:])
        return text.removesuffix(way_out[0]) if way_out and line.endswith(way_out[0]) else text


def failures_of_minion(failures: Iterable[Return], masker: Masker) -> Iterator[str]:
    """Yield a line about each failure of a minion, without an indent.

    Args:
        failures: those that its report lists.
        masker: the secrets of the process.
    """
    for returned in failures:
        for part in _failed_parts(returned, all_count=True):
            yield _line(part, returned, masker)


def without_way_out(line: str) -> str:
    """Return a line from `what_happened` without the way out at its end."""
    way_out = _WAY_OUT.search(line[-_LONGEST_WAY_OUT_CHARS:])
    return line.removesuffix(way_out[0]) if way_out else line


def _is_handled(failed: Return | ScopeReturn) -> bool:
    return not isinstance(failed, ScopeReturn) and bool(failed.handled_by)


def _is_cause(returned: Return) -> bool:
    return returned.result is False and (returned.ran or returned.unreachable)


def _failed_parts(returned: Return, *, all_count: bool) -> Iterator[Return | ScopeReturn]:
    """Yield a return if it is a failure to report, and its delayed renderings that are."""
    if returned.result is False and (all_count or _is_cause(returned)) and not is_nested_only(returned):
        yield returned
    yield from (scope for scope in returned.delayed if scope.status == "failed")


def _line(failed: Return | ScopeReturn, returned: Return, masker: Masker) -> str:
    """Return the line about a state that failed, or about a delayed rendering of a state."""
    if isinstance(failed, ScopeReturn):
        return _broken(failed, returned, masker)
    return _failure(failed, masker)


def _broken(scope: ScopeReturn, caller: Return, masker: Masker) -> str:
    what = f"{scope.kind} {masker.name(scope.numbered_name)} of {masker.name(caller.id)}"
    return on_one_line(f"{what}: {cut_comment(_first_line(masker.text(scope.comment)))}")


def _failure(returned: Return, masker: Masker) -> str:
    # A run without states has one return without a declaration.
    function = f" ({returned.module}.{returned.function})" if has_function(returned) else ""
    what = f"{masker.name(returned.id)}{function}"
    where = f" on {returned.target}" if returned.target and not returned.target.startswith("minion:") else ""
    place = f", {returned.place}" if returned.place else f", {returned.sls}" if returned.sls else ""
    handled = f", handled by {masker.name(returned.handled_by)}" if returned.handled_by else ""
    return on_one_line(f"{what}{where}{place}{handled}: {what_happened(returned, masker)}")


def every_return(returns: Iterable[Return]) -> Iterator[Return]:
    """Yield returns and those of all scopes that they caused, in order, if they count."""
    for returned in returns:
        yield returned
        for scope in (*returned.applied, *returned.delayed):
            if scope.counts:
                yield from every_return(scope.returns.values())


def has_function(returned: Return) -> bool:
    """Return whether a state was declared; a run without states has a return `no.None`, as in Salt."""
    return (returned.module, returned.function) != ("no", "None")


def what_happened(returned: Return, masker: Masker) -> str:
    """Return one line that says why a state failed, masked.

    Args:
        returned: the state's return.
        masker: the secrets of the process.
    """
    changes: Any = masker.data(hide_in_changes(returned.changes, returned.sensitive))
    exit_code = changes.get("retcode") if is_mapping(changes) else None
    if isinstance(exit_code, int) and not isinstance(exit_code, bool) and exit_code:
        last_line = _last_line(changes)
        return _cut(f"exited {exit_code}: {last_line}" if last_line else f"exited {exit_code}")
    return cut_comment(_first_line(state_comment(returned, masker)))


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def _last_line(changes: Any) -> str:
    for stream in ("stderr", "stdout"):
        text = cast("Mapping[str, Any]", changes).get(stream)
        lines = [line.strip() for line in text.splitlines()] if isinstance(text, str) else []
        if any(lines):
            return next(line for line in reversed(lines) if line)
    return ""


def cut_comment(line: str) -> str:
    """Return a line of a comment, cut if it is long; the way out in parentheses at its end is kept.

    Args:
        line: the line, masked.
    """
    if len(line) <= _LONGEST_COMMENT_CHARS:
        return line
    way_out = _WAY_OUT.search(line[-_LONGEST_WAY_OUT_CHARS:])
    end = way_out[0] if way_out else ""
    start = line[: len(line) - len(end)]
    return line if len(start) <= _LONGEST_LINE_CHARS else f"{start[:_LONGEST_LINE_CHARS]}…{end}"


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE_CHARS else line[:_LONGEST_LINE_CHARS] + "…"
