"""Limit how much of a command's output the journal of a run keeps, and record what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.kept_output import KEEP_OUTPUT_BYTES, shortened
from ensue.core.model.sizes import size_text

if TYPE_CHECKING:
    from ensue.core.model.kept_output import DataPath

_BOUNDED: Final = ("changes", "comment", "new_state", "old_state")
_MOST_SHOWN: Final = 10


class OutputBound:
    """Truncates the long texts of returns.

    Args:
        most_bytes: how much of one text is kept.
    """

    def __init__(self, most_bytes: int = KEEP_OUTPUT_BYTES) -> None:
        self.most_bytes = most_bytes
        self._left_out: list[str] = []

    def shorten(self, returned: dict[str, Any]) -> None:
        """Truncate long texts in the fields of a return.

        Args:
            returned: the fields, with secrets masked: a truncated secret could no longer be found.
        """
        cut: dict[DataPath, int] = {}
        for name in _BOUNDED:
            returned[name], sizes = shortened(returned[name], self.most_bytes)
            for path, size_bytes in sizes.items():
                # An output is in both `changes` and `new_state`, but is reported once.
                cut.setdefault(path or (name,), size_bytes)
        if cut:
            parts = ", ".join(f"{':'.join(path)} {size_text(size)}" for path, size in cut.items())
            self._left_out.append(f"{returned['id']!r} ({parts})")

    def warning(self) -> Diagnostic | None:
        """Return a warning about what was left out; None when everything is kept."""
        if not self._left_out:
            return None
        states = self._left_out
        more = f" and {len(states) - _MOST_SHOWN} more" if len(states) > _MOST_SHOWN else ""
        return Diagnostic(
            code="E0721",
            severity=Severity.WARNING,
            summary=f"the output of {len(states)} state{'s' if len(states) > 1 else ''} was not kept in full",
            detail=f"left out: {', '.join(states[:_MOST_SHOWN])}{more}; this run had all of it,"
            " and a run that resumes it calls the state again",
            help=f"`keep_output_bytes` is {size_text(self.most_bytes)}; set it higher in ensue.yaml, or have"
            " the command write to a file",
        )
