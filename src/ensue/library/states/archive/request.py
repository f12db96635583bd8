"""Reads the arguments of `archive.extracted`."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError
from ensue.library.states.archive.entries import TAR_ENDINGS

if TYPE_CHECKING:
    from ensue.core.model.data import Data

_STRIP: Final = re.compile(r"--strip(?:-components)?[\s=]+[\"']?(\d+)[\"']?")
_DONE_HERE: Final = frozenset("xvfzjJ-")
_ZIP_DONE_HERE: Final = frozenset("oq-")
_USUAL_TRIM: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TarOptions:
    """The argument `options` for a tar.

    Args:
        strip: number of leading folders to strip.
        words: options for the target's `tar`.
    """

    strip: int
    words: tuple[str, ...]


def archive_is_zip(archive_format: str | None, location: str) -> bool:
    """Return whether an archive is a zip, from `archive_format` or its name.

    Raises:
        StateFailedError: the format is neither zip nor tar, or unknown.
    """
    path = location.lower().partition("?")[0]
    guessed = "tar" if path.endswith(TAR_ENDINGS) else path.rpartition(".")[2]
    kind = archive_format.lower() if archive_format else guessed
    if kind in {"tar", "zip"}:
        return kind == "zip"
    if archive_format is None and kind != "rar":
        raise StateFailedError(
            "Could not guess archive_format from the value of the 'source' argument. "
            "Please set this archive_format to one of the following: tar, zip"
        )
    raise StateFailedError(f"Invalid archive_format '{kind}': ensue unpacks tar and zip")


def read_options(options: Data, *, is_zip: bool) -> TarOptions:
    """Read `options`, without those for decompression and verbosity, which are not needed.

    Raises:
        StateFailedError: a zip has options, which only the program `unzip` would understand.
    """
    text = "" if options is None else str(options)
    if is_zip:
        if set(text.replace(" ", "")) - _ZIP_DONE_HERE:
            raise StateFailedError(
                f"options {text!r}: zip archives are unpacked without `unzip`; leave it out"
            )
        return TarOptions(strip=0, words=())
    match = _STRIP.search(text)
    try:
        words = shlex.split(_STRIP.sub("", text))
    except ValueError as error:
        raise StateFailedError(f"options {text!r} cannot be read: {error}") from None
    left = tuple(word for word in map(_without_done, enumerate(words)) if word)
    return TarOptions(strip=int(match[1]) if match else 0, words=left)


def lines_shown(trim_output: Data) -> int | None:
    """Return the maximum number of names in the changes, None for all.

    Raises:
        StateFailedError: the argument is not a number.
    """
    if trim_output is None or trim_output is False:
        return None
    if trim_output is True:
        return _USUAL_TRIM
    if not str(trim_output).isdecimal():
        raise StateFailedError("Invalid value for trim_output, must be True/False or an integer")
    return int(str(trim_output)) or None


def _without_done(numbered: tuple[int, str]) -> str:
    """Return an option for the target's tar; the first word may be letters without a dash."""
    place, word = numbered
    is_letters = re.fullmatch(r"-?[A-Za-z]+", word) is not None and (place == 0 or word.startswith("-"))
    if word in {"--verbose", "--extract", "--gzip", "--bzip2", "--xz"}:
        return ""
    if not is_letters:
        return word
    left = "".join(letter for letter in word if letter not in _DONE_HERE)
    return f"-{left}" if left else ""
