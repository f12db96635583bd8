"""`stateful`: reads from the output of a command whether it changed something.

The output is a JSON mapping, or its last line is `changed=yes comment='…' key=value …`.

Source: Salt's state module `cmd`, "Using the stateful argument".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import msgspec

from ensue.core.model.returns import UnknownReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import StateReturn

_TRUE: Final = frozenset({"true", "yes", "1"})
_FALSE: Final = frozenset({"false", "no", "0"})


_EXPECTED: Final = (
    'with `stateful`, stdout as a whole is JSON such as {"changed": false, "comment": "…"}, or its last '
    "line is changed=no comment='…'"
)
_KINDS: Final = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "a boolean",
    type(None): "null",
}


def test_command(stateful: Data) -> str | None:
    """Return the command that a plan runs instead (`stateful: [test_name: …]`), None if there is none."""
    for part in stateful if isinstance(stateful, list) else ():
        if isinstance(part, dict) and part.get("test_name"):
            return str(part["test_name"])
    return None


def reports_itself(name: str) -> UnknownReturn:
    """Return in a plan that only the command tells whether it changes something: no other one is named."""
    comment = "runs, and reports whether it changes something (known after apply)"
    return UnknownReturn(name=name, result=None, comment=comment)


def reinterpreted(returned: StateReturn, ctx: StateContext) -> StateReturn:
    """Return the result that the command reports, instead of the usual one of a command.

    Args:
        returned: the return of the command; in a plan, that of the command that runs instead.
        ctx: the context of the call. In a plan, a success with changes is None, and one without has the value
            of the last apply: the output of the other command says nothing of it.
    """
    test = ctx.test
    if test and (known := ctx.enforced) is not None:
        sensitive = tuple(dict.fromkeys((*returned.sensitive, *known.sensitive)))
        returned = msgspec.structs.replace(returned, new_state=known.whole, sensitive=sensitive)
    done = returned.changes
    stdout = str(done.get("stdout") or "")
    failed = returned.result is False
    if not stdout:
        silent = msgspec.structs.replace(returned, changes={}, comment=str(done.get("stderr") or ""))
        return returned if failed else silent
    try:
        report, rest = _report(stdout)
        changed = _is_true(str(report.get("changed", "no")))
    except _NotUnderstoodError as error:
        not_understood = msgspec.structs.replace(
            returned, result=False, comment=str(error), changes=error.changes(done)
        )
        return returned if failed else not_understood
    comment = str(report.pop("comment", ""))
    if "changed" not in report:
        warning = f"the output has no `changed`, and counts as unchanged: {_EXPECTED}"
        returned = msgspec.structs.replace(returned, warnings=(*returned.warnings, warning))
    if failed and not changed:
        # The exit code and the output describe a failure, as they do without `stateful`.
        return msgspec.structs.replace(returned, comment=comment or returned.comment)
    changes = {**report, **{key: done[key] for key in done if key not in report}, "stdout": rest}
    if not changed:
        return msgspec.structs.replace(returned, changes={}, comment=comment)
    result = None if test and returned.result else returned.result
    new_state = None if test else returned.new_state
    return msgspec.structs.replace(
        returned, result=result, changes=changes, comment=comment, new_state=new_state
    )


class _NotUnderstoodError(Exception):
    """The output has neither of the two forms."""

    def __init__(self, message: str, *, keep: bool) -> None:
        self._keep = keep
        super().__init__(message)

    def changes(self, done: DataMap) -> DataMap:
        return done if self._keep else {}


def _report(stdout: str) -> tuple[DataMap, str]:
    """Return the report in the output, and the output without it."""
    from ensue.core.model.bounded_json import load_json

    try:
        data = load_json(stdout)
    except ValueError:
        return _last_line(stdout)
    if not isinstance(data, dict):
        raise _NotUnderstoodError(
            f"script JSON output must be a JSON object, and it is {_KINDS[type(data)]}: {_EXPECTED}",
            keep=False,
        )
    return cast("DataMap", data), ""


def _last_line(stdout: str) -> tuple[DataMap, str]:
    import shlex

    rest, _, last = stdout.rstrip().rpartition("\n")
    try:
        pairs = [word.split("=") for word in shlex.split(last)]
    except ValueError:
        pairs = [[""]]
    if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004 (a name and a value)
        raise _NotUnderstoodError(
            "Failed parsing script output! It is no JSON, and its last line has words without `=`: "
            + _EXPECTED,
            keep=True,
        )
    return {key: value for key, value in pairs}, rest  # noqa: C416 (unpacking shows what a pair is)


def _is_true(word: str) -> bool:
    if word.lower() in _TRUE:
        return True
    if word.lower() in _FALSE:
        return False
    raise _NotUnderstoodError(f"`changed` is yes or no, not {word!r}", keep=True)
