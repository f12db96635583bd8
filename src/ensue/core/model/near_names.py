"""Messages about names that do not exist: of plug-ins, and of the values of options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_CUTOFF: Final = 0.5
"""Lower than difflib's default, so that `sssh` finds `ssh_host`."""


def not_there(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the message for an unknown plug-in: with similar names, else with all names."""
    import difflib

    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=2, cutoff=_CUTOFF)
    meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(names)}"
    return f"there is no {kind} {name!r} ({meant})"


def near(name: str, known: Iterable[str]) -> str:
    """Return the names similar to an unknown one, as the end of a sentence; empty if there are none."""
    meant = near_question(name, known)
    return f" ({meant})" if meant else ""


def near_question(name: str, known: Iterable[str]) -> str:
    """Return `did you mean …?` with the known names that are similar to a name; empty if there are none."""
    close = near_names_of(name, known)
    return f"did you mean {' or '.join(close)}?" if close else ""


def near_names_of(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that are similar to a name, the nearest first."""
    import difflib

    return difflib.get_close_matches(name, list(known), n=2)


def is_one_slip(word: str, other: str) -> bool:
    """Return whether two words differ by one extra, missing, wrong or swapped letter; a plural does not."""
    if word in (f"{other}s", f"{other}_") or abs(len(word) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    left, right = word[start:], other[start:]
    if len(left) == len(right):
        is_swapped = left[:2] == right[:2][::-1] and left[2:] == right[2:]
        return left[1:] == right[1:] or is_swapped
    return left[1:] == right or left == right[1:]
