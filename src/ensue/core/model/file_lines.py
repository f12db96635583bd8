"""Splits the content of a file into lines, as the programs that read the file do.

`str.splitlines` also splits at form feeds, at NEL and at the separators of ASCII and Unicode, so that joining
the lines again would replace these characters.
"""

from __future__ import annotations

import io


def file_lines(content: str, *, keepends: bool = False) -> list[str]:
    r"""Return the lines of a text; only `\n`, `\r\n` and `\r` end one.

    Args:
        content: the text of a file.
        keepends: keep the line ends.
    """
    # With an empty `newline`, line ends are recognised and not changed.
    lines = io.StringIO(content, newline="").readlines()
    return lines if keepends else [line.rstrip("\r\n") for line in lines]
