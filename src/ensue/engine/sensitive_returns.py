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


def with_checked_paths(said: StateReturn) -> StateReturn:
    """Return a return with `sensitive` paths if they are in order; otherwise one with result False.

    Args:
        said: the return of a state function, its `sensitive` as the function gave it.
    """
    given: Any = said.sensitive
    paths: Any = (given,) if isinstance(given, str) else given
    if not isinstance(paths, list | tuple):
        return _masked(said, f"`sensitive` lists property paths, but it is of type {type(given).__name__}")
    problems = [*_problems(said, paths)]  # pyright: ignore[reportUnknownArgumentType] # of anything
    if problems:
        return _masked(said, "\n".join(problems))
    return said if paths is given else msgspec.structs.replace(said, sensitive=tuple(paths))  # pyright: ignore[reportUnknownArgumentType] # texts


def _problems(said: StateReturn, paths: Any) -> Iterator[str]:
    for path in paths:
        if problem := path_problem(path):
            yield f"`sensitive` has a malformed path {path!r}: {problem}"
        elif said.new_state is not None and (problem := nowhere(said.new_state, path)):
            yield f"`sensitive` names {path!r}, which is not in new_state: {problem}"


def _masked(said: StateReturn, problem: str) -> StateReturn:
    """Return a failed return from which every value is gone, and their texts in the comment."""
    # Which of the values are secrets is not known, so none of them is added to the masker of the process.
    masker = Masker()
    for data in (said.new_state, said.old_state, said.changes):
        masker.add(*scalar_texts(data))
    comment = f"{problem}; all values of this return are hidden"
    told = [comment, masker.text(said.comment)] if said.comment else [comment]
    return msgspec.structs.replace(
        said,
        result=False,
        changes=dict.fromkeys(map(str, said.changes), MASK),
        comment="\n".join(told),
        new_state=None,
        old_state=None,
        sensitive=(),
        warnings=tuple(map(masker.text, said.warnings)),
    )
