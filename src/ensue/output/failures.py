"""What happened to a state that failed, in one line; and all failures of a run, repeated at its end.

A command says most with its exit code and the last line it wrote; any other state with the first line of
its comment. Secrets are masked before anything is cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from ensue.output.colours import on_one_line
from ensue.output.presentable import mask_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.masking import Masker
    from ensue.model.report import RunReport
    from ensue.model.returns import Return
    from ensue.output.colours import Palette

_LONGEST_LINE_CHARS: Final = 160
_MOST_REPEATED: Final = 50
"""A run in which thousands fail is not repeated to its end."""


def failure_lines(report: RunReport, masker: Masker, palette: Palette) -> list[str]:
    """Return the failures of a run with what happened and where each state is written; nothing without one.

    States that were not called because something they require failed are left out: their cause is here.

    Args:
        report: the run.
        masker: the secrets of the process.
        palette: the colours.
    """
    failed = [one for one in every_return(report.returns.values()) if one.result is False]
    caused = [one for one in failed if one.ran] or failed
    if not caused:
        return []
    lines = ["", palette.paint(palette.red, "Failed:")]
    lines += [
        palette.paint(palette.red, f"  {_failure(one, masker)}")
        for one in caused[:_MOST_REPEATED]
    ]
    if len(caused) > _MOST_REPEATED:
        lines.append(palette.paint(palette.red, f"  and {len(caused) - _MOST_REPEATED} more"))
    return lines


def _failure(returned: Return, masker: Masker) -> str:
    what = f"{returned.id} ({returned.module}.{returned.function})"
    where = f" on {returned.target}" if returned.target and not returned.target.startswith("minion:") else ""
    place = f", {returned.place}" if returned.place else f", {returned.sls}" if returned.sls else ""
    return on_one_line(f"{masker.text(what)}{where}{place}: {what_happened(returned, masker)}")


def every_return(returns: Iterable[Return]) -> Iterator[Return]:
    """Yield returns and those of all scopes below them, in order."""
    for returned in returns:
        yield returned
        for scope in (*returned.applied, *returned.delayed):
            yield from every_return(scope.returns.values())


def what_happened(returned: Return, masker: Masker) -> str:
    """Return one line that says why a state failed, masked.

    Args:
        returned: the state's return.
        masker: the secrets of the process.
    """
    changes = masker.data(mask_paths(returned.changes, returned.sensitive))
    exit_code = changes.get("retcode") if isinstance(changes, dict) else None
    if isinstance(exit_code, int) and not isinstance(exit_code, bool) and exit_code:
        said = _last_line(changes)
        return _cut(f"exited {exit_code}: {said}" if said else f"exited {exit_code}")
    lines = masker.text(returned.comment).splitlines()
    return _cut(next((line.strip() for line in lines if line.strip()), ""))


def _last_line(changes: Any) -> str:
    for stream in ("stderr", "stdout"):
        text = cast("Mapping[str, Any]", changes).get(stream)
        lines = [line.strip() for line in text.splitlines()] if isinstance(text, str) else []
        if any(lines):
            return next(line for line in reversed(lines) if line)
    return ""


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE_CHARS else line[:_LONGEST_LINE_CHARS] + "…"
