"""The return of a skipped state that has no value, and the error of a template that reads from it.

Why there is no value is carried by the return. It is none of its keys, so that templates see nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.diagnostics import Diagnostic


class ValuelessReturn(dict[str, object]):
    """The return of a skipped state, as templates see it; its `new_state` is None.

    Args:
        data: the return.
        why: why it has no value, and what to do.
        causes: the IDs of the first states that failed, if it was not called because of them.
    """

    __slots__ = ("causes", "why")

    def __init__(self, data: Mapping[str, object], why: str, causes: tuple[str, ...]) -> None:
        super().__init__(data)
        self.why = why
        self.causes = causes


class AbsentValueError(CompileError):
    """A template reads a part of the `new_state` that a skipped state does not have.

    Args:
        diagnostic: says why there is none.
        causes: the IDs of the states whose failure is the reason; empty if there is another one.
    """

    def __init__(self, diagnostic: Diagnostic, causes: tuple[str, ...]) -> None:
        self.causes = causes
        super().__init__((diagnostic,))
