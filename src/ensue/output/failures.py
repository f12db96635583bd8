"""What happened to a state that failed; and all failures of a run, repeated at its end.

It is the exit code of a command and the last line that it wrote; for any other state, its comment, which is
never cut. The way out in a comment is printed once: with the failures at the end, if they have it. A host
that cannot be reached is one failure, however many states it has.
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

_NO_STATES: Final = "no_|-states_|-states_|-None"
_LONGEST_OUTPUT_CHARS: Final = 1000
"""The longest end of a command's output; it is no message of ensue, and may have any length."""
_LONGEST_WAY_OUT_CHARS: Final = 600
_WAY_OUT: Final = re.compile(r" \((?:[^()]|\([^()]*\))+\)$")
"""The last sentence of a comment, which says how to go on: `(did you mean host?)`."""
_NOT_RUN: Final = (
    "Not run, which fails the run (name them, too, in `onfail` of the state that handles the failure):"
)
_MOST_REPEATED: Final = 50
"""The most failures that are repeated, because thousands may fail in a run."""


class UnreachableHosts:
    """The hosts that states could not reach, each with the state that says why.

    Every other state of such a host that did not run is counted with that one.
    """

    def __init__(self) -> None:
        self._first: dict[str, Return] = {}
        self._others: dict[str, int] = {}

    def counts_elsewhere(self, returned: Return) -> bool:
        """Take a return, and tell whether it only repeats that its host cannot be reached."""
        first = self._first.get(returned.target)
        if first is returned or returned.result is not False:
            return False
        if first is None:
            if returned.unreachable:
                self._first[returned.target] = returned
            return False
        if returned.ran and not returned.unreachable:
            return False
        self._others[returned.target] = self._others.get(returned.target, 0) + 1
        return True

    def others(self, returned: Return) -> int:
        """Return how many states are counted with this one."""
        return self._others.get(returned.target, 0) if self._first.get(returned.target) is returned else 0


class RepeatedFailures:
    """The failures of a run that are repeated at its end, each with what happened and where it is declared.

    States that were not called because something they require failed are left out: that failure is listed.
    They are listed if it is handled, because then they alone fail the run.

    Args:
        report: the run.
        masker: the secrets of the process.
        whole: whether all lines of a comment are repeated, because nothing else of the results has them.
    """

    def __init__(self, report: RunReport, masker: Masker, *, whole: bool = False) -> None:
        every = list(every_return(report.returns.values()))
        hosts = UnreachableHosts()
        # The first state that tried to reach a host says why it could not.
        by_start = sorted(every, key=lambda returned: returned.run_num)
        self._elsewhere = {id(returned) for returned in by_start if hosts.counts_elsewhere(returned)}
        has_cause = any(_is_cause(state_return) for state_return in every)
        failed = [
            (part, state_return)
            for state_return in every
            if id(state_return) not in self._elsewhere
            for part in _failed_parts(state_return, all_count=not has_cause)
        ]
        # Those that fail the run first, so that handled ones do not displace them.
        failed.sort(key=lambda pair: _is_handled(pair[0]))
        self._lines = {
            id(part): _line(part, state_return, masker, hosts.others(state_return), whole=whole)
            for part, state_return in failed[:_MOST_REPEATED]
        }
        self._handled = {id(part) for part, _ in failed if _is_handled(part)}
        self._more = len(failed) - len(self._lines)
        not_run = [each for each in every if self._handled and has_cause and self._only_not_run(each)]
        self._not_run = [_failure(returned, masker) for returned in not_run[:_MOST_REPEATED]]
        self._more_not_run = len(not_run) - len(self._not_run)

    def lines(self, palette: Palette) -> list[str]:
        """Return the lines for the end of the run; none if nothing failed."""
        if not self._lines:
            return []
        failed = [f"  {line}" for part, line in self._lines.items() if part not in self._handled]
        handled = [f"  {line}" for part, line in self._lines.items() if part in self._handled]
        not_run = [f"  {line}" for line in self._not_run]
        if self._more:
            (handled or failed).append(f"  and {self._more} more")
        if self._more_not_run:
            not_run.append(f"  and {self._more_not_run} more")
        lines: list[str] = []
        for heading, texts, colour in (
            ("Failed:", failed, palette.red),
            ("Failed and handled:", handled, palette.light_yellow),
            (_NOT_RUN, not_run, palette.red),
        ):
            if texts:
                lines += ["", *(palette.paint(colour, line) for line in (heading, *texts))]
        return lines

    def counts_elsewhere(self, returned: Return) -> bool:
        """Return whether a state is counted with the one that says why their host cannot be reached."""
        return id(returned) in self._elsewhere

    def _only_not_run(self, returned: Return) -> bool:
        is_failure = returned.result is False and not returned.handled_by and not is_nested_only(returned)
        return is_failure and not _is_cause(returned) and not self.counts_elsewhere(returned)

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
        shortened = without_way_out(text)
        return shortened if line is not None and line.endswith(text[len(shortened) :]) else text


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


def _line(
    failed: Return | ScopeReturn, returned: Return, masker: Masker, others: int = 0, *, whole: bool = False
) -> str:
    """Return the text about a state that failed, or about a delayed rendering of a state."""
    if isinstance(failed, ScopeReturn):
        return _broken(failed, returned, masker, whole=whole)
    return _failure(failed, masker, others, whole=whole)


def _broken(scope: ScopeReturn, caller: Return, masker: Masker, *, whole: bool) -> str:
    what = f"{scope.kind} {masker.name(scope.numbered_name)} of {masker.name(caller.id)}"
    first, *further = _lines(masker.text(scope.comment)) or [""]
    return _joined(f"{what}: {first}", further if whole else ())


def _failure(returned: Return, masker: Masker, others: int = 0, *, whole: bool = False) -> str:
    # A run without states has one return without a declaration.
    function = f" ({returned.module}.{returned.function})" if has_function(returned) else ""
    what = f"{masker.name(returned.id)}{function}"
    where = f" on {returned.target}" if returned.target and not returned.target.startswith("minion:") else ""
    if others:
        where += f" and {others} more {'state' if others == 1 else 'states'} of it"
    place = f", {returned.place}" if returned.place else f", {returned.sls}" if returned.sls else ""
    handled = f", handled by {masker.name(returned.handled_by)}" if returned.handled_by else ""
    further = [] if not whole or _exit_code(returned, masker) else _lines(state_comment(returned, masker))[1:]
    return _joined(f"{what}{where}{place}{handled}: {what_happened(returned, masker)}", further)


def _joined(first: str, further: Iterable[str]) -> str:
    return "\n      ".join([on_one_line(first), *map(on_one_line, further)])


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


def says_no_states(returned: Return) -> bool:
    """Return whether a return says that the run has no states at all; it has the tag that Salt gives it."""
    return returned.tag == _NO_STATES


def what_happened(returned: Return, masker: Masker) -> str:
    """Return one line that says why a state failed, masked.

    Args:
        returned: the state's return.
        masker: the secrets of the process.
    """
    after = f"failed after {returned.attempts} attempts: " if returned.attempts else ""
    return f"{after}{_why_failed(returned, masker)}"


def _why_failed(returned: Return, masker: Masker) -> str:
    if exit_code := _exit_code(returned, masker):
        last_line = _last_line(_changes(returned, masker))
        return f"exited {exit_code}: {last_line}" if last_line else f"exited {exit_code}"
    return first_line(state_comment(returned, masker))


def first_line(text: str) -> str:
    """Return the first line of a text that is not empty; empty if there is none."""
    return next(iter(_lines(text)), "")


def _lines(text: str) -> list[str]:
    return [stripped for line in text.splitlines() if (stripped := line.strip())]


def _changes(returned: Return, masker: Masker) -> Any:
    return masker.data(hide_in_changes(returned.changes, returned.sensitive))


def _exit_code(returned: Return, masker: Masker) -> int:
    changes = _changes(returned, masker)
    exit_code = changes.get("retcode") if is_mapping(changes) else None
    return exit_code if isinstance(exit_code, int) and not isinstance(exit_code, bool) else 0


def _last_line(changes: Any) -> str:
    for stream in ("stderr", "stdout"):
        text = cast("Mapping[str, Any]", changes).get(stream)
        if lines := _lines(text) if isinstance(text, str) else []:
            line = lines[-1]
            return line if len(line) <= _LONGEST_OUTPUT_CHARS else f"{line[:_LONGEST_OUTPUT_CHARS]}…"
    return ""
