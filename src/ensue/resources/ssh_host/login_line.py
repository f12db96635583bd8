"""Turns a script into one line that a login shell of any kind hands to `/bin/sh` as it is.

An SSH server gives the line to the login shell of the user, which may be csh or fish. All that the line asks
of it is to start a program with words in single quotes. `/bin/sh` decodes the words.
"""

from __future__ import annotations

from typing import Final

_DECODER: Final = """exec /bin/sh -c 'eval "$(printf %b "$@")"' ensue"""

_BYTES_PER_WORD: Final = 200
"""An old csh accepts words of at most 1,024 characters, and a byte becomes up to five."""

_NEVER_PLAIN: Final = b"'\\!"
"""Characters that have a meaning within single quotes: the backslash in fish, `!` in csh."""


def login_line(script: str, *, hidden: str) -> str:
    """Return a script as one line of printable ASCII.

    Args:
        script: for a POSIX shell, which takes the place of the login shell; its `$@` are not its own.
        hidden: a word that the line does not contain in clear, so that only the script itself prints it: a
            login shell may print the lines that it reads (`set -x`, `set echo`).
    """
    pieces = [_PIECES[byte] for byte in script.encode("utf-8", "surrogateescape")]
    words = ["".join(pieces[at : at + _BYTES_PER_WORD]) for at in range(0, len(pieces), _BYTES_PER_WORD)]
    line = " ".join([_DECODER, *(f"'{word}'" for word in words)])
    return line.replace(hidden, _octal(ord(hidden[0])) + hidden[1:])


def _piece(byte: int) -> str:
    """Return the text that `printf %b` prints as a byte; a digit after it is not read as a part of it."""
    if byte == ord("\n"):
        return "\\n"
    return chr(byte) if " " <= chr(byte) <= "~" and byte not in _NEVER_PLAIN else _octal(byte)


def _octal(byte: int) -> str:
    return f"\\0{byte:03o}"


_PIECES: Final = tuple(map(_piece, range(256)))
