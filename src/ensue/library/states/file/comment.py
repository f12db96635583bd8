"""`file.comment` and `file.uncomment`: comment the lines that a pattern matches, or uncomment them.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.functions import edits_part
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.states.file.difference import is_text
from ensue.library.states.file.edited import EditedFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn

_ANCHORS: Final = re.compile(r"^(\(\?[iLmsux]\))?\^?(.*?)\$?$", re.DOTALL)


@edits_part
async def comment(
    ctx: StateContext,
    name: str,
    regex: str,
    *,
    char: str = "#",
    backup: str | bool = ".bak",
    ignore_missing: bool = False,
) -> StateReturn:
    """Comment the lines that a pattern matches.

    Args:
        regex: the pattern, which matches at the start of a line.
        char: the comment character.
        ignore_missing: succeed if the pattern matches nothing.

    Example:
        /etc/app.conf:
          file.comment:
            - regex: ^debug

    Returns:
        `changes` has `diff`; in a plan the path, `updated`.

    Raises:
        StateFailedError: the pattern matches nothing, or is invalid.
    """
    file, text = await _open(ctx, name)
    bare = _ANCHORS.sub(r"\2", regex)
    mark = re.escape(char)
    if not _matches(rf"^(?!\s*{mark})\s*{bare}", text):
        if _matches(mark + bare, text):
            return file.returned(True, "Pattern already commented", {}, file.state_before())
        if ignore_missing:
            comment_ = "Pattern not found and ignore_missing set to True"
            return file.returned(True, comment_, {}, file.state_before())
        raise StateFailedError(f"{bare}: Pattern not found")
    start, end = "^" if regex.startswith("^") else "", "$" if regex.endswith("$") else ""
    inner = regex.lstrip("^").removesuffix("$")
    pattern = _compiled(f"{start}({inner}){end}")
    not_yet = _compiled(rf"\s*{mark}")
    return await _changed(
        file,
        text,
        lambda line: char + line if pattern.match(line) and not not_yet.match(line) else line,
        "Commented lines successfully",
        backup,
    )


@edits_part
async def uncomment(
    ctx: StateContext, name: str, regex: str, *, char: str = "#", backup: str | bool = ".bak"
) -> StateReturn:
    """Uncomment the lines that a pattern matches.

    Args:
        regex: the pattern, without the comment character; it matches at the start of the text after it.
        char: the comment character.

    Example:
        /etc/app.conf:
          file.uncomment:
            - regex: ^port

    Returns:
        `changes` has `diff`; in a plan the path, `updated`.

    Raises:
        StateFailedError: the pattern matches nothing, or is invalid.
    """
    file, text = await _open(ctx, name)
    bare = regex.lstrip("^")
    mark = re.escape(char)
    if not _matches(rf"{mark}[ \t]*{bare}", text):
        if _matches(rf"^[ \t]*{bare}", text):
            return file.returned(True, "Pattern already uncommented", {}, file.state_before())
        raise StateFailedError(f"{regex}: Pattern not found")
    end = "$" if regex.endswith("$") else ""
    pattern = _compiled(rf"^{mark}\s*({bare.removesuffix('$')}){end}")
    return await _changed(
        file,
        text,
        lambda line: line.lstrip(char) if pattern.match(line) else line,
        "Uncommented lines successfully",
        backup,
    )


async def _open(ctx: StateContext, name: str) -> tuple[EditedFile, str]:
    file = await EditedFile.open(ctx, name)
    if not is_text(file.content):
        raise StateFailedError(f"Cannot perform string replacements on a binary file: {file.path}")
    return file, file.content.decode("utf-8", "surrogateescape")


async def _changed(
    file: EditedFile, text: str, change: Callable[[str], str], made: str, backup: str | bool
) -> StateReturn:
    lines = [change(line) for line in file_lines(text, keepends=True)]
    new = "".join(lines).encode("utf-8", "surrogateescape")
    returned = await file.become(
        new, backup=backup, show_changes=True, made=made, planned=f"File {file.path} is set to be updated"
    )
    if returned.result is None:
        return msgspec.structs.replace(returned, changes={file.path: "updated"})
    return returned


def _matches(pattern: str, text: str) -> bool:
    return _compiled(pattern, re.MULTILINE).search(text) is not None


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise StateFailedError(f"{pattern!r} is not a regular expression: {error}") from None
