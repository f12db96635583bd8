"""What happened to a state that failed, in one line; and all failures of a run, repeated at its end.

The line has the exit code of a command and the last line that it wrote; for any other state it has the
first line of the comment. Secrets are masked before anything is cut.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.model.data import is_mapping
from ensue.core.model.sensitive_paths import hide_in_changes
from ensue.output.colours import on_one_line
from ensue.output.own_part import is_nested_only
from ensue.output.presentable import state_comment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.output.colours import Palette

_LONGEST_LINE_CHARS: Final = 160
_LONGEST_COMMENT_CHARS: Final = 240
_WAY_OUT: Final = re.compile(r" \((?:[^()]|\([^()]*\))+\)$")
"""The last sentence of a comment, which says how to go on: `(did you mean host?)`."""
_MOST_REPEATED: Final = 50
"""The most failures that are repeated, because thousands may fail in a run."""


def failure_lines(report: RunReport, masker: Masker, palette: Palette) -> list[str]:
    """Return the failures of a run, each with what happened and where the state is declared.

    States that were not called because something they require failed are left out: that failure is listed.

    Args:
        report: the run.
        masker: the secrets of the process.
        palette: the colours.
    """
    every = list(every_return(report.returns.values()))
    has_cause = any(_is_cause(one) for one in every)
    told: list[str] = []
    for one in every:
        if one.result is False and (_is_cause(one) or not has_cause) and not is_nested_only(one):
            told.append(_failure(one, masker))
        told += [_broken(scope, one, masker) for scope in one.delayed if scope.status == "failed"]
    if not told:
        return []
    lines = ["", palette.paint(palette.red, "Failed:")]
    lines += [palette.paint(palette.red, f"  {line}") for line in told[:_MOST_REPEATED]]
    if len(told) > _MOST_REPEATED:
        lines.append(palette.paint(palette.red, f"  and {len(told) - _MOST_REPEATED} more"))
    return lines


def _is_cause(returned: Return) -> bool:
    return returned.result is False and (returned.ran or returned.unreachable)


def _broken(scope: ScopeReturn, caller: Return, masker: Masker) -> str:
    what = f"{scope.kind} {masker.name(scope.numbered_name)} of {masker.name(caller.id)}"
    return on_one_line(f"{what}: {cut_comment(_first_line(masker.text(scope.comment)))}")


def _failure(returned: Return, masker: Masker) -> str:
    # A run without states has one return without a declaration.
    function = f" ({returned.module}.{returned.function})" if has_function(returned) else ""
    what = f"{masker.name(returned.id)}{function}"
    where = f" on {returned.target}" if returned.target and not returned.target.startswith("minion:") else ""
    place = f", {returned.place}" if returned.place else f", {returned.sls}" if returned.sls else ""
    return on_one_line(f"{what}{where}{place}: {what_happened(returned, masker)}")


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
        said = _last_line(changes)
        return _cut(f"exited {exit_code}: {said}" if said else f"exited {exit_code}")
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
    way_out = _WAY_OUT.search(line[-_LONGEST_COMMENT_CHARS:])
    end = way_out[0] if way_out else ""
    start = line[: len(line) - len(end)]
    return line if len(start) <= _LONGEST_LINE_CHARS else f"{start[:_LONGEST_LINE_CHARS]}…{end}"


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE_CHARS else line[:_LONGEST_LINE_CHARS] + "…"
