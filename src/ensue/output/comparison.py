"""A comparison with Salt, for people and for programs: what prevents a move to ensue, by cause."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.secret_values import mask_arguments
from ensue.output.colours import on_one_line, without_escapes
from ensue.output.presentable import presentable
from ensue.salt.compare.differences import DifferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.masking import Masker
    from ensue.output.colours import Palette
    from ensue.salt.compare.comparison import TreeComparison
    from ensue.salt.compare.differences import Cause, TreeDifference
    from ensue.salt.compare.sides import Side

HEADINGS: Final = {
    DifferenceKind.REFUSED_HERE: "Salt compiles this, and ensue refuses it",
    DifferenceKind.REFUSED_BY_SALT: "ensue compiles this, and Salt refuses it",
    DifferenceKind.MISSING_STATE_FUNCTION: "State functions that ensue lacks",
    DifferenceKind.MISSING_EXECUTION_FUNCTION: "Execution functions that ensue lacks and templates call",
    DifferenceKind.MISSING_RENDERER: "Renderers that ensue lacks",
    DifferenceKind.ONLY_IN_SALT: "States that only Salt has",
    DifferenceKind.ONLY_HERE: "States that only ensue has",
    DifferenceKind.ARGUMENT: "Arguments that differ",
    DifferenceKind.ORDER: "Order",
    DifferenceKind.PLAN_FAILED: "A plan that failed",
    DifferenceKind.RESULT: "Results of the plans that differ",
    DifferenceKind.CHANGES: "Changes in the plans that differ",
    DifferenceKind.CONSEQUENCE: "Results that follow from those of other states",
}
_EXAMPLES: Final = 3
_VALUE_CHARS: Final = 120
_COUNTED: Final = frozenset({DifferenceKind.MISSING_EXECUTION_FUNCTION, DifferenceKind.MISSING_RENDERER})
"""Kinds whose differences are only counted and have no place."""


def comparison_data(comparison: TreeComparison, masker: Masker) -> dict[str, Any]:
    """Return a comparison as one document, secrets masked."""
    salt, ours = comparison.salt, comparison.ours
    data = {
        "minion": comparison.minion_id,
        "salt": {"version": salt.version, "python": salt.python, **_side_data(salt), "log": list(salt.log)},
        "ensue": _side_data(ours),
        "planned": comparison.planned,
        "equal": not comparison.causes and not comparison.compiles_nowhere,
        "causes": [_cause_data(cause) for cause in comparison.causes],
    }
    shown: dict[str, Any] = presentable(data, masker)
    return shown


def _side_data(side: Side) -> dict[str, Any]:
    return {"states": len(side.states), "refusals": [refusal.message for refusal in side.refusals]}


def _cause_data(cause: Cause) -> dict[str, Any]:
    return {
        "kind": cause.kind.value,
        "what": cause.what,
        "count": cause.count,
        "meant": cause.meant or None,
        "differences": [
            _difference_data(difference) for difference in cause.differences if cause.kind not in _COUNTED
        ],
    }


def _difference_data(difference: TreeDifference) -> dict[str, Any]:
    data = msgspec.structs.asdict(difference)
    return {
        **{word: data[word] for word in ("where", "sls", "tag")},
        "salt": _masked(difference, difference.salt),
        "ensue": _masked(difference, difference.ensue),
    }


def _masked(difference: TreeDifference, value: Any) -> Any:
    """Return a value, or `(sensitive)` if the name of its argument marks it as a secret."""
    if difference.kind is not DifferenceKind.ARGUMENT:
        return mask_arguments(value)
    word = difference.what.partition(" ")[0]
    return mask_arguments({word: value})[word]


def comparison_lines(comparison: TreeComparison, masker: Masker, palette: Palette) -> Iterator[str]:
    """Yield a comparison as lines for a reader, secrets masked.

    Args:
        comparison: the comparison.
        masker: its secrets.
        palette: the colours.
    """
    shown = _ComparisonWriter(masker, palette)
    yield from shown.head(comparison)
    if comparison.compiles_nowhere:
        yield from shown.refusals(comparison)
        return
    previous: tuple[DifferenceKind, bool] | None = None
    for cause in comparison.causes:
        section = (cause.kind, bool(cause.meant))
        if section != previous:
            yield ""
            yield shown.heading(cause)
            previous = section
        yield from shown.cause(cause)
    yield ""
    yield shown.end(comparison)


class _ComparisonWriter:
    """Writes the lines of one comparison.

    Args:
        masker: its secrets.
        palette: the colours.
    """

    def __init__(self, masker: Masker, palette: Palette) -> None:
        self._masker = masker
        self._palette = palette

    def head(self, comparison: TreeComparison) -> Iterator[str]:
        salt, ours = comparison.salt, comparison.ours
        yield self._line(f"{comparison.minion_id}: Salt {salt.version} ({salt.python}) and ensue")
        for name, side in (("Salt", salt), ("ensue", ours)):
            what = (
                f"{_number(len(side.refusals), 'error')}"
                if side.refusals
                else _number(len(side.states), "state")
            )
            planned = ", planned" if side.plan is not None else ""
            yield f"  {name:6} {what}{planned}"

    def refusals(self, comparison: TreeComparison) -> Iterator[str]:
        for name, side in (("Salt", comparison.salt), ("ensue", comparison.ours)):
            yield ""
            yield self._palette.paint(self._palette.light_red, f"{name} does not compile it")
            for refusal in side.refusals:
                yield from self._lines(refusal.message)
            if side is comparison.salt and comparison.salt.log:
                yield "  Salt's log:"
                yield from (f"  {line}" for message in comparison.salt.log for line in self._lines(message))
        yield ""
        yield "Neither program compiles the tree: there is nothing to compare."

    def heading(self, cause: Cause) -> str:
        meant = ", on purpose" if cause.meant else ""
        return self._palette.paint(self._palette.cyan, f"{HEADINGS[cause.kind]}{meant}")

    def cause(self, cause: Cause) -> Iterator[str]:
        yield f"  {cause.count:5}  {self._line(cause.what)}"
        if cause.meant:
            yield f"         {self._palette.paint(self._palette.dim, cause.meant)}"
        if cause.kind in _COUNTED:
            return
        for difference in cause.differences[:_EXAMPLES]:
            if place := self._place(difference):
                yield f"         {place}"
            yield from (f"           {line}" for line in self._values(difference))
        if len(cause.differences) > _EXAMPLES:
            yield f"         and {len(cause.differences) - _EXAMPLES} more (all of them with --out json)"

    def end(self, comparison: TreeComparison) -> str:
        causes = comparison.causes
        if not causes:
            both = "compile and plan" if comparison.planned else "compile"
            return self._palette.paint(
                self._palette.green, f"Nothing differs: both {both} it in the same way."
            )
        meant = sum(bool(cause.meant) for cause in causes)
        purpose = f", {meant} of them on purpose" if meant else ""
        differences = sum(cause.count for cause in causes)
        return f"{_number(differences, 'difference')} of {_number(len(causes), 'cause')}{purpose}."

    def _place(self, difference: TreeDifference) -> str:
        if difference.kind is DifferenceKind.REFUSED_HERE:
            return self._line(str(difference.ensue))
        where = (
            f"{difference.where} in {difference.sls}"
            if difference.where and difference.sls
            else difference.where or difference.sls
        )
        return self._line(where)

    def _values(self, difference: TreeDifference) -> Iterator[str]:
        if difference.kind is DifferenceKind.REFUSED_HERE:
            return  # the message is its place
        if difference.kind is DifferenceKind.REFUSED_BY_SALT and difference.salt == difference.what:
            return
        for name, value in (("Salt", difference.salt), ("ensue", difference.ensue)):
            if value is not None or difference.kind is DifferenceKind.ARGUMENT:
                yield f"{name:6} {self._value(_masked(difference, value))}"

    def _value(self, value: Any) -> str:
        data = presentable(value, self._masker)
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        text = on_one_line(text)
        return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}…"

    def _lines(self, text: str) -> Iterator[str]:
        return (f"  {on_one_line(line)}" for line in without_escapes(self._masker.within(text)).splitlines())

    def _line(self, text: str) -> str:
        return on_one_line(self._masker.within(text))


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
