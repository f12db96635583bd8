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
    """Return whether two words differ by one slip of the fingers.

    That is a letter more, less, or another one, or two letters that are swapped. A number or a whole part of
    a name tells the members of a series apart (`pr-17` and `pr-18`, `prod-a` and `prod-b`), and is no slip.
    So does another letter beside a number (`eu-west-1a` and `eu-west-1b`).
    """
    shorter = min(len(word), len(other))
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    start = 0
    while start < shorter and word[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and word[-1 - end] == other[-1 - end]:
        end += 1
    left, right = word[start : len(word) - end], other[start : len(other) - end]
    is_swapped = len(left) == len("ab") and left == right[::-1]
    if max(len(left), len(right)) > 1 and not is_swapped:
        return False
    before, after = word[:start], word[len(word) - end :]
    letters = str.isalpha if left and right else str.isalnum
    is_whole_part = not letters(before[-1:]) and not letters(after[:1])
    return not (left + right).isdecimal() and not is_whole_part
