"""Salt's highstate output: a block per state, indented blocks for what it caused, a summary.

Blocks are built as plain strings and written in batches: a hundred thousand of them are printed in about a
second. Secrets are masked here, value by value, before anything is laid out.

Source: Salt's `highstate` outputter, its text compared with the real one in the tests. Nested scopes
and what follows the summary are ensue's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from ensue.core.model.sensitive_paths import hide_in_changes
from ensue.output.colours import PLAIN, Palette, on_one_line, without_escapes
from ensue.output.drift import cause_of, content_drift, shown_drift
from ensue.output.failures import RepeatedFailures, has_function
from ensue.output.foreseen import foreseen_lines
from ensue.output.nested import nested_lines
from ensue.output.outcome import outcome_line
from ensue.output.own_part import own_changes
from ensue.output.presentable import state_comment, state_name
from ensue.output.recap import recap_lines
from ensue.output.summary import remarks, summary_lines
from ensue.output.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.masking import Masker
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return, ScopeReturn

StateOutput = Literal["full", "terse", "mixed", "changes", "full_id", "terse_id", "mixed_id", "changes_id"]
"""How much is shown of each state; with `_id` the ID is shown instead of the name."""

_BATCH: Final = 2000
"""How many returns are written as one piece of text."""

_VALUE_INDENT: Final = 14
_SCOPE_INDENT: Final = 8
_TERSE_SCOPE_INDENT: Final = 4


class HighstateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How results are laid out.

    Args:
        state_output: how much is shown of each state.
        state_verbose: whether states that succeeded without a change are shown at all, unless they caused
            something that is shown.
        palette: the colours.
        with_outcome: whether the end is ensue's (failures, a recap of hosts, one line of counts) in place of
            Salt's figures.
    """

    state_output: StateOutput = "full"
    state_verbose: bool = True
    palette: Palette = PLAIN
    with_outcome: bool = False


def highstate_text(report: RunReport, masker: Masker, options: HighstateOptions) -> Iterator[str]:
    """Yield the whole output of a run, piece by piece; each piece ends with a line end.

    Args:
        report: the run.
        masker: the secrets of the process.
        options: the layout.
    """
    palette = options.palette
    tally = Tally()
    for returned in report.returns.values():
        tally.add(returned)
    yield f"{_headline_colour(tally, palette)}{on_one_line(report.minion_id)}:{palette.end}\n"
    failures = RepeatedFailures(report, masker) if options.with_outcome else None
    blocks = _Blocks(masker, options, failures)
    lines: list[str] = []
    for number, returned in enumerate(report.returns.values(), 1):
        blocks.add(lines, returned)
        if number % _BATCH == 0 and lines:
            yield "\n".join(lines) + "\n"
            lines.clear()
    if failures is not None:
        lines.extend([*failures.lines(palette), *recap_lines(report, palette)])
        lines.extend(["", palette.paint(palette.bold, outcome_line(report))])
    else:
        lines.extend(summary_lines(report.minion_id, tally, palette))
    lines.extend(remarks(report, tally, masker, palette))
    yield "\n".join(lines) + "\n"


def _headline_colour(tally: Tally, palette: Palette) -> str:
    if tally.failed:
        return palette.red
    return palette.light_yellow if tally.undecided else palette.green


class _Blocks:
    """Lays out returns; one instance per run."""

    def __init__(self, masker: Masker, options: HighstateOptions, failures: RepeatedFailures | None) -> None:
        self._failures = failures
        self._masker = masker
        self._palette = options.palette
        self._mode = options.state_output.removesuffix("_id")
        self._by_id = options.state_output.endswith("_id")
        self._verbose = options.state_verbose
        # Salt's terse line has no ID, nor has this one where it must equal Salt's text.
        self._with_ids = options.with_outcome and self._mode == "terse"

    def add(self, lines: list[str], returned: Return, indent: int = 0) -> None:
        """Add the lines of a return and of everything it caused."""
        if self._is_hidden(returned):
            return
        terse = self._is_terse(returned)
        first = len(lines)
        if terse:
            self._terse(lines, returned)
        else:
            self._full(lines, returned)
        if indent:
            pad = " " * indent
            lines[first:] = [f"{pad}{line}" for text in lines[first:] for line in text.split("\n")]
        if returned.delayed or returned.applied:
            self._scopes(lines, returned, indent, terse=terse)

    def _is_hidden(self, returned: Return) -> bool:
        if self._verbose or returned.result is not True or returned.changes:
            return False
        return all(self._is_hidden_scope(scope) for scope in (*returned.delayed, *returned.applied))

    def _is_hidden_scope(self, scope: ScopeReturn) -> bool:
        if self._verbose or scope.status != "done":
            return False
        return all(self._is_hidden(inner) for inner in scope.returns.values())

    def _is_terse(self, returned: Return) -> bool:
        match self._mode:
            case "terse":
                return True
            case "mixed":
                return returned.result is not False
            case "changes":
                return returned.result is True and not returned.changes
            case _:
                return False

    def _colour(self, returned: Return) -> str:
        if returned.result is False:
            return self._palette.red
        if returned.result is None:
            return self._palette.light_yellow
        return self._palette.cyan if returned.changes else self._palette.green

    def _names(self, returned: Return) -> tuple[str, str]:
        """Return ID and name; the name is the declared one, which a function may not echo."""
        id_ = _one_line(self._masker.name(returned.id))
        name = _declared_name(returned)
        return id_, id_ if self._by_id else _one_line(state_name(name, returned.id, self._masker))

    def _text(self, text: str) -> str:
        return without_escapes(self._masker.text(text))

    def _name(self, text: str) -> str:
        return _one_line(self._masker.text(text))

    def _full(self, lines: list[str], returned: Return) -> None:
        end = self._palette.end
        colour = self._colour(returned)
        id_, name = self._names(returned)
        comment = without_escapes(state_comment(returned, self._masker)).strip()
        if self._failures is not None:
            comment = self._failures.shortened(returned, comment)
        comment = comment.replace("\n", "\n" + " " * _VALUE_INDENT)
        named = f"    {colour}    Name: {name}{end}\n" if name != id_ else ""
        function = f"    {colour}Function: {_function(returned)}{end}\n" if has_function(returned) else ""
        lines.append(
            f"{colour}----------{end}\n"
            f"    {colour}      ID: {id_}{end}\n"
            f"{function}{named}"
            f"    {colour}  Result: {returned.result}{end}\n"
            f"    {colour} Comment: {comment}{end}\n"
            f"    {colour} Started: {returned.start_time}{end}\n"
            f"    {colour}Duration: {returned.duration_ms} ms{end}"
        )
        if changes := own_changes(returned):
            lines.append(f"{colour}     Changes:   ")
            shown = self._masker.data(hide_in_changes(changes, returned.sensitive))
            lines.extend(nested_lines(shown, self._palette, indent=_VALUE_INDENT))
            lines[-1] += end
        else:
            lines.append(f"{colour}     Changes:   {end}")
        if returned.handled_by:
            handler = _one_line(self._masker.name(returned.handled_by))
            lines.append(f"    {self._palette.light_yellow} Handled: by {handler}{end}")
        if returned.drift:
            self._drift(lines, returned)
        if returned.foreseen:
            self._foreseen(lines, returned)
        if returned.warnings:
            self._warnings(lines, returned)

    def _drift(self, lines: list[str], returned: Return) -> None:
        """Add what differs from the state that the last apply left."""
        cause = f", by {_one_line(cause_of(returned, self._masker))}" if returned.drift_by else ""
        drift = f"Drift: since the last apply{cause}"
        lines.append(f"    {self._palette.light_yellow}   {drift}{self._palette.end}")
        pad = " " * _VALUE_INDENT
        if what := content_drift(returned):
            lines.append(f"{pad}content: {what}" + ("" if cause else " by someone else"))
        for path, change in self._masker.data(shown_drift(returned)).items():
            lines.append(self._name(f"{pad}{path}: {change['old']!r} -> {change['new']!r}"))

    def _foreseen(self, lines: list[str], returned: Return) -> None:
        """Add what a state would register, and what would be applied to that."""
        palette, pad = self._palette, " " * _VALUE_INDENT
        lines.append(f"    {palette.cyan}   After: an apply{palette.end}")
        lines.extend(f"{pad}{line}" for line in foreseen_lines(returned, self._masker))

    def _warnings(self, lines: list[str], returned: Return) -> None:
        import textwrap

        pad = " " * _VALUE_INDENT
        text = self._text("\n".join(returned.warnings))
        wrapped = textwrap.fill(text, width=80, initial_indent=pad, subsequent_indent=pad).lstrip()
        lines.append(f"   {self._palette.light_red} Warnings: {wrapped}{self._palette.end}")

    def _terse(self, lines: list[str], returned: Return) -> None:
        palette = self._palette
        if returned.warnings:
            warnings = "\n".join(map(self._name, returned.warnings))
            lines.append(f"{palette.light_red}Warnings:\n{warnings}{palette.end}")
        function = f" - Function: {_function(returned)}" if has_function(returned) else ""
        id_, name = self._names(returned)
        shown_id = f" - ID: {id_}" if self._with_ids and name != id_ else ""
        lines.append(
            f" {self._colour(returned)} Name: {name}{function}"
            f" - Result: {_terse_result(returned)}"
            f" - Started: {returned.start_time} - Duration: {returned.duration_ms} ms{shown_id}{palette.end}"
        )

    def _scopes(self, lines: list[str], returned: Return, indent: int, *, terse: bool) -> None:
        for label, scopes in (("Applied", returned.applied), ("Delayed", returned.delayed)):
            for scope in scopes:
                if not self._is_hidden_scope(scope):
                    self._scope(lines, label, scope, indent, terse=terse)

    def _scope(self, lines: list[str], label: str, scope: ScopeReturn, indent: int, *, terse: bool) -> None:
        pad = " " * indent
        colour = _scope_colour(scope, self._palette)
        heading = without_escapes(scope_heading(scope, self._masker))
        if self._failures is not None:
            heading = self._failures.shortened(scope, heading)
        lead = "    " if terse else "     "
        heading = heading.replace("\n", f"\n{pad}{' ' * _VALUE_INDENT}")
        lines.append(f"{pad}{colour}{lead}{label}: {heading}{self._palette.end}")
        deeper = indent + (_TERSE_SCOPE_INDENT if terse else _SCOPE_INDENT)
        for inner in scope.returns.values():
            self.add(lines, inner, deeper)


def scope_heading(scope: ScopeReturn, masker: Masker) -> str:
    """Return one line that names a scope and its status, masked."""
    kind = "sls" if scope.kind == "apply" else scope.kind
    comment = masker.text(scope.comment)
    what = f"{kind} {on_one_line(masker.name(scope.numbered_name))}"
    where = f" on {on_one_line(scope.target)}" if scope.target else ""
    match scope.status:
        case "deferred":
            reason = f", {on_one_line(masker.text(scope.waits_for))}" if scope.waits_for else ""
            return f"deferred: {kind} {on_one_line(masker.name(scope.name))}{reason} (known after apply)"
        case "not_rendered":
            return comment or f"not rendered: {what}"
        case "retried":
            return f"tried again: {what}{where}"
        case "failed":
            return f"failed: {what}{where}{f': {comment}' if comment else ''}"
        case _:
            return f"{what}{where}"


def _one_line(text: str) -> str:
    # A command that is written as a YAML block ends with a line end.
    return on_one_line(text.removesuffix("\n"))


def _function(returned: Return) -> str:
    # In a journal, it may be anything.
    return on_one_line(f"{returned.module}.{returned.function}")


def _scope_colour(scope: ScopeReturn, palette: Palette) -> str:
    match scope.status:
        case "failed":
            return palette.red
        case "deferred" | "not_rendered":
            return palette.light_yellow
        case _:
            return palette.cyan


def _terse_result(returned: Return) -> str:
    if returned.result is False:
        return "Failed"
    if returned.result is None:
        return "Differs"
    return "Changed" if returned.changes else "Clean"


def _declared_name(returned: Return) -> str:
    """Return the name from the tag, which has it as declared; for a bound name, what it was bound to."""
    head = f"{returned.module}_|-{returned.id}_|-"
    tail = f"_|-{returned.function}"
    if returned.tag.startswith(head) and returned.tag.endswith(tail):
        declared = returned.tag[len(head) : -len(tail)]
        return returned.name if "${" in declared else declared
    return returned.name
