"""The short view of a run: a line per state that changes or fails, the others counted.

`ensue plan` prints it, and `ensue apply` on a terminal. States are grouped by the SLS and the target they
belong to. `highstate` prints everything that a state returned.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.first_names import first_names
from ensue.core.model.missing_folders import missing_folder_of
from ensue.core.model.sensitive_paths import hide_in_changes
from ensue.core.model.target_paths import folders_above
from ensue.output.change_lines import (
    change_items,
    change_texts,
    drift_lines,
    mark_of,
    preview_lines,
    with_old,
)
from ensue.output.colours import on_one_line, without_escapes
from ensue.output.drift import cause_of, content_drift, managed_drift, unmanaged_drift
from ensue.output.failures import RepeatedFailures, first_line, has_function, what_happened
from ensue.output.foreseen import foreseen_lines, only_applies
from ensue.output.highstate import scope_heading
from ensue.output.outcome import outcome_line
from ensue.output.own_part import is_nested_only, own_changes
from ensue.output.presentable import state_name
from ensue.output.recap import recap_lines
from ensue.output.summary import remarks
from ensue.output.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.output.colours import Palette

_LONGEST_NAME_CHARS = 120
_BELOW = " " * 6
_MOST_PREVENTED: Final = 10
"""The most states that the line about one cause names."""
_UNMANAGED = "changed by someone else, not managed (an apply takes it over as it is)"
_UNDONE = "changed by other states, not managed (an apply takes it over as it is)"
_QUERIED = "output that differs from the last apply"


def changes_text(report: RunReport, masker: Masker, palette: Palette) -> Iterator[str]:
    """Yield the view of a run, piece by piece; each piece ends with a line end.

    Args:
        report: the run.
        masker: the secrets of the process.
        palette: the colours.
    """
    failures = RepeatedFailures(report, masker, whole=True)
    view = _View(masker, palette, report, failures)
    tally = Tally()
    for returned in report.returns.values():
        tally.add(returned)
        view.add(returned)
    yield f"{on_one_line(report.minion_id)}:\n"
    for heading, lines in view.groups():
        yield "\n".join([palette.paint(palette.cyan, f"  {heading}:"), *lines]) + "\n"
    for heading, lines in view.drifted.items():
        yield "\n".join([palette.paint(palette.cyan, f"  {heading}:"), *lines]) + "\n"
    end = [*failures.lines(palette), *recap_lines(report, palette), ""]
    end.append(palette.paint(palette.bold, outcome_line(report)))
    end.extend(remarks(report, tally, masker, palette))
    yield "\n".join(end) + "\n"


class _View:
    """Gathers the lines of a run by group; one instance per run."""

    def __init__(
        self, masker: Masker, palette: Palette, report: RunReport, failures: RepeatedFailures
    ) -> None:
        self._failures = failures
        self._test = report.test
        self._minion = f"minion:{report.minion_id}"
        self._masker = masker
        self._palette = palette
        green, yellow, red, cyan = palette.green, palette.light_yellow, palette.red, palette.cyan
        self._colours = {"+": green, "~": yellow, "-": red, "-/+": red, "?": cyan, "!": red, "=": palette.dim}
        self._groups: dict[tuple[str, str, str], list[str]] = {}
        self._prevented: dict[tuple[str, str, str], dict[tuple[str, ...], list[Return]]] = {}
        """The states of a group that were not called, by the IDs of the states whose failure is the cause."""
        self._made: set[tuple[str, str]] = set()
        """Each path that an earlier state of a plan may make, and the folders above it, with the target."""
        self.drifted: dict[str, list[str]] = {}
        """A line per state with drift in properties that it does not manage, by the heading it belongs to."""

    def groups(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the heading and the lines of each group that has lines."""
        for (sls, target, scope), lines in self._groups.items():
            where = "" if target in ("", self._minion) else f" on {target}"
            grown = f", grown in {self._masker.name(scope)}" if scope else ""
            prevented = self._prevented.get((sls, target, scope), {})
            below = [self._prevented_line(causes, returns) for causes, returns in prevented.items()]
            yield on_one_line(f"{sls or 'inline'}{where}{grown}"), [*lines, *below]

    def add(self, returned: Return) -> None:
        """Add a return and everything that it caused."""
        key = (returned.sls, returned.target, returned.scope)
        is_failure = returned.result is False and not returned.handled_by
        is_prevented = is_failure and bool(returned.causes) and not returned.warnings
        lines = [] if is_prevented else list(self._state_lines(returned))
        if is_prevented:
            self._groups.setdefault(key, [])
            by_cause = self._prevented.setdefault(key, {})
            by_cause.setdefault(returned.causes, []).append(returned)
        if unmanaged := unmanaged_drift(returned):
            heading = _QUERIED if returned.is_query else _UNDONE if returned.drift_by else _UNMANAGED
            self.drifted.setdefault(heading, []).append(self._unmanaged_line(returned, unmanaged))
        scopes = (*returned.applied, *returned.delayed)
        lines += [self._scope_line(scope, returned) for scope in scopes if scope.status != "done"]
        if lines:
            self._groups.setdefault(key, []).extend(lines)
        for scope in scopes:
            for inner in scope.returns.values():
                self.add(inner)

    def _state_lines(self, returned: Return) -> Iterator[str]:
        if is_nested_only(returned) and not returned.warnings:
            return
        if self._failures.counts_elsewhere(returned):
            return
        if not has_function(returned):
            return  # The end of the plan says why there are no states.
        if returned.result is True and not returned.changes and not returned.warnings:
            return
        yield self._headline(returned)
        yield from self._indented(self._below(returned))
        yield from self._missing_folder(returned)
        for line in foreseen_lines(returned, self._masker):
            yield f"{_BELOW}{self._palette.paint(self._colours['?'], f'? {line}')}"

    def _prevented_line(self, causes: tuple[str, ...], returns: list[Return]) -> str:
        """Return the line for the states that were not called because some states failed."""
        ids = [self._id(returned) for returned in returns]
        counts = Counter(ids)
        names = [
            id_ if counts[id_] == 1 else self._called(returned)
            for id_, returned in zip(ids, returns, strict=True)
        ]
        shown = first_names(names, _MOST_PREVENTED)
        why = " and ".join(_shown_name(self._masker.name(cause)) for cause in causes)
        verb = "would fail" if self._test else "failed"
        line = on_one_line(f"! not run because {why} {verb}: {shown}")
        return f"    {self._palette.paint(self._colours['!'], line)}"

    def _missing_folder(self, returned: Return) -> Iterator[str]:
        """Yield a line if a plan lacks the folder of a state, and no state before makes it."""
        if returned.result is not None:
            return
        missing = missing_folder_of(returned.comment)
        if missing is None:
            paths = (returned.name, *folders_above(returned.name)) if returned.name.startswith("/") else ()
            self._made.update((returned.target, path) for path in paths)
        elif (returned.target, missing.folder) not in self._made:
            line = on_one_line(self._masker.text(missing.line))
            yield f"{_BELOW}{self._palette.paint(self._palette.light_red, line)}"

    def _unmanaged_line(self, returned: Return, drift: Mapping[str, Any]) -> str:
        shown = self._masker.data(drift)
        where = "" if returned.target == self._minion else f" on {returned.target}"
        cause = f", by {cause_of(returned, self._masker)}" if returned.drift_by else ""
        line = f"! {self._named(returned)}{where}: {change_items(shown, '')}{cause}"
        return f"    {self._palette.paint(self._palette.light_yellow, on_one_line(line))}"

    def _headline(self, returned: Return) -> str:
        mark = mark_of(returned)
        what = self._what(returned)
        line = f"{mark} {self._named(returned)}"
        shown = on_one_line(f"{line}: {what}" if what else line)
        return f"    {self._palette.paint(self._colours[mark], shown)}"

    def _id(self, returned: Return) -> str:
        return _shown_name(self._masker.name(returned.id).removeprefix(_prefix(returned)))

    def _called(self, returned: Return) -> str:
        """Return the ID of a state, with its name unless that is the ID."""
        id_, name = self._id(returned), _shown_name(state_name(returned.name, returned.id, self._masker))
        return id_ if name == id_ else f"{id_} {name}"

    def _named(self, returned: Return) -> str:
        """Return the ID of a state with its function, and its name unless that is the ID."""
        id_ = self._id(returned)
        name = _shown_name(state_name(returned.name, returned.id, self._masker))
        named = f" {name}" if name != id_ else ""
        function = f" ({returned.module}.{returned.function})" if has_function(returned) else ""
        return f"{id_}{function}{named}"

    def _what(self, returned: Return) -> str:
        if returned.result is False:
            # The end of the run says what happened, with the place of the state.
            if returned.handled_by:
                return f"handled by {_shown_name(self._masker.name(returned.handled_by))}"
            return "" if self._failures.repeats(returned) else what_happened(returned, self._masker)
        if only_applies(returned) and not returned.unknown:
            return ""
        if returned.unknown:
            return without_escapes(self._masker.text(returned.comment))
        if not returned.changes:
            return "" if returned.result else without_escapes(self._masker.text(first_line(returned.comment)))
        before = self._masker.data(hide_in_changes(returned.old_state, returned.sensitive))
        name = self._masker.text(returned.name)
        items = change_items(with_old(self._masked(returned), before, name), name)
        # Only a command that reports itself (`stateful`) has this among its changes, and writes its comment.
        own = (
            first_line(returned.comment) if returned.module == "cmd" and "changed" in returned.changes else ""
        )
        return ", ".join(filter(None, (without_escapes(self._masker.text(own)), items)))

    def _below(self, returned: Return) -> Iterator[str]:
        if what := content_drift(returned):
            yield on_one_line(f"drift since the last apply: {what} by {cause_of(returned, self._masker)}")
        if returned.result is not False:
            yield from change_texts(self._masked(returned), self._palette)
            yield from preview_lines(self._masker.text(returned.preview), self._palette)
        if drift := managed_drift(returned):
            cause = f", by {cause_of(returned, self._masker)}" if returned.drift_by else ""
            yield from drift_lines(self._masker.data(drift), self._palette, cause=cause)
        for warning in returned.warnings:
            text = f"warning: {on_one_line(self._masker.text(warning))}"
            yield self._palette.paint(self._palette.light_red, text)

    def _scope_line(self, scope: ScopeReturn, caller: Return) -> str:
        palette = self._palette
        heading = self._failures.shortened(scope, on_one_line(scope_heading(scope, self._masker)))
        caller_id = _shown_name(self._masker.name(caller.id))
        rule = f", from delayed_render of {caller_id}" if scope.status == "deferred" else ""
        mark, colour = ("!", palette.red) if scope.status == "failed" else ("?", palette.cyan)
        return f"    {palette.paint(colour, f'{mark} {heading}{rule}')}"

    def _masked(self, returned: Return) -> Any:
        return self._masker.data(hide_in_changes(own_changes(returned), returned.sensitive))

    def _indented(self, lines: Iterable[str]) -> Iterator[str]:
        return (f"{_BELOW}{line}" for line in lines)


def _prefix(returned: Return) -> str:
    """Return the id of the resource before the ID of a state, which the heading says; empty without one."""
    prefix = f"{returned.target.partition(':')[2]} "
    head = f"{returned.module}_|-{returned.id}_|-{prefix}"
    # The name in the tag has it as well, unless the state is grown there; a bound name is there as declared.
    return prefix if returned.tag.startswith((f"{head}{returned.name}_|-", f"{head}${{")) else ""


def _shown_name(name: str) -> str:
    shown = on_one_line(name.removesuffix("\n"))
    return shown if len(shown) <= _LONGEST_NAME_CHARS else shown[:_LONGEST_NAME_CHARS] + "…"
