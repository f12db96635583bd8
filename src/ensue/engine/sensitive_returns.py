"""Refuses returns whose `sensitive` paths do not say where the secrets are.

A path that is none, or that leads nowhere in a `new_state`, is a mistake after which the secret is somewhere
else in the return. Such a state fails, and nothing that its function returned is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.masking import MASK, Masker
from ensue.core.model.sensitive_paths import nowhere, path_problem, scalar_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.returns import StateReturn


def with_checked_paths(function_return: StateReturn) -> StateReturn:
    """Return a return with `sensitive` paths if they are in order; otherwise one with result False.

    Args:
        function_return: the return of a state function, its `sensitive` as the function gave it.
    """
    given: Any = function_return.sensitive
    paths: Any = (given,) if isinstance(given, str) else given
    if not isinstance(paths, list | tuple):
        return _masked(
            function_return, f"`sensitive` lists property paths, but it is of type {type(given).__name__}"
        )
    problems = [*_problems(function_return, paths)]  # pyright: ignore[reportUnknownArgumentType] # of anything
    if problems:
        return _masked(function_return, "\n".join(problems))
    if paths is given:
        return function_return
    return msgspec.structs.replace(function_return, sensitive=tuple(paths))  # pyright: ignore[reportUnknownArgumentType] # texts


def _problems(function_return: StateReturn, paths: Any) -> Iterator[str]:
    for path in paths:
        if problem := path_problem(path):
            yield f"`sensitive` has a malformed path {path!r}: {problem}"
        elif function_return.new_state is not None and (problem := nowhere(function_return.new_state, path)):
            yield f"`sensitive` names {path!r}, which is not in new_state: {problem}"


def _masked(function_return: StateReturn, problem: str) -> StateReturn:
    """Return a failed return from which every value is gone, and their texts in the comment."""
    # Which of the values are secrets is not known, so none of them is added to the masker of the process.
    masker = Masker()
    for data in (function_return.new_state, function_return.old_state, function_return.changes):
        masker.add(*scalar_texts(data))
    comment = f"{problem}; all values of this return are hidden"
    comments = [comment, masker.text(function_return.comment)] if function_return.comment else [comment]
    return msgspec.structs.replace(
        function_return,
        result=False,
        changes=dict.fromkeys(map(str, function_return.changes), MASK),
        comment="\n".join(comments),
        new_state=None,
        old_state=None,
        sensitive=(),
        warnings=tuple(map(masker.text, function_return.warnings)),
    )
