"""Turns a script into one line that a login shell of any kind hands to `/bin/sh` as it is.

An SSH server gives the line to the login shell of the user, which may be csh or fish. All that the line asks
of it is to start a program with quoted words, one for each line of the script. `/bin/sh` joins them.
"""

from __future__ import annotations

from typing import Final

_JOINER: Final = """exec /bin/sh -c 'IFS=${IFS#??}; eval "unset IFS; $*"' ensue"""
"""No word can have a newline in every shell, but it is the third character of the IFS of a new one, and `$*`
joins with the first."""

_LONGEST_LINE_CHARS: Final = 500
"""An old csh accepts words of at most 1,024 characters, and quoting makes some of them longer."""

_BYTES_PER_CHUNK: Final = 80

_QUOTED: Final = str.maketrans({"'": "'\"'\"'", "\\": "'\\\\'", "!": "'\\!'"})
"""Characters with a meaning within single quotes: the backslash in fish, `!` in csh."""


def login_line(script: str, *, hidden: str) -> str:
    """Return a script as one line of printable ASCII.

    Args:
        script: for a POSIX shell, which takes the place of the login shell; its `$@` are not its own.
        hidden: a word, not within double quotes, that the line does not contain in clear: only the script is
            to print it, and a login shell may print the lines that it reads (`set -x`, `set echo`).
    """
    lines = script.replace(hidden, f"{hidden[0]}''{hidden[1:]}").split("\n")
    if not all(map(_is_plain, lines)):
        lines = _decoding("\n".join(lines))
    return " ".join([_JOINER, *(f"'{line.translate(_QUOTED)}'" for line in lines)])


def _is_plain(line: str) -> bool:
    return len(line) <= _LONGEST_LINE_CHARS and line.isascii() and line.isprintable()


def _decoding(script: str) -> list[str]:
    """Return the lines of a script that decodes another one and runs it, which takes a process more."""
    pieces = [_PIECES[byte] for byte in script.encode("utf-8", "surrogateescape")]
    starts = range(0, len(pieces), _BYTES_PER_CHUNK)
    chunks = ["".join(pieces[start : start + _BYTES_PER_CHUNK]) for start in starts]
    return ['eval "$(printf %b \\', *(f"'{chunk}' \\" for chunk in chunks), ')"']


def _piece(byte: int) -> str:
    """Return the text that `printf %b` prints as a byte; a digit after it is not read as a part of it."""
    return chr(byte) if " " <= chr(byte) <= "~" and chr(byte) not in "'\\" else f"\\0{byte:03o}"


_PIECES: Final = tuple(map(_piece, range(256)))
