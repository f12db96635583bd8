"""Describes how a program ended, with the end of its error output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ensue.core.masking import Masker

_STDERR_TAIL_CHARS: Final = 2000


def described_end(code: int) -> str:
    """Return how a program ended, as words that follow its name.

    Args:
        code: its exit code; negative: the signal that ended it.
    """
    return f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"


def stderr_tail(stderr: bytes, masker: Masker) -> str:
    """Return the end of an error output for a message, masked; empty if there is none.

    Args:
        stderr: what was written; bytes that are not UTF-8 are escaped.
        masker: knows the secrets that may occur in it.
    """
    # Masked before it is cut: a part of a secret would not be found.
    text = masker.text(stderr.decode("utf-8", "backslashreplace").strip())
    if not text:
        return ""
    cut = "…" if len(text) > _STDERR_TAIL_CHARS else ""
    return f"\nstderr: {cut}{text[-_STDERR_TAIL_CHARS:]}"
