"""`file.replace`: replaces what a regular expression matches.

The expression works on bytes, as in Salt, so that the rest of a file that is not UTF-8 is unchanged.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import edits_part
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.described import file_state
from ensue.library.states.file.difference import is_text
from ensue.library.states.file.edited import EditedFile
from ensue.library.states.file.paths import target_path

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data

_NEWLINE: Final = b"\n"


@edits_part
async def replace(
    ctx: StateContext,
    name: str,
    pattern: str,
    repl: Data,
    *,
    count: int = 0,
    flags: int | str | list[Data] = int(re.MULTILINE),
    bufsize: int | str = 1,
    append_if_not_found: bool = False,
    prepend_if_not_found: bool = False,
    not_found_content: Data = None,
    backup: str | bool = ".bak",
    show_changes: bool = True,
    ignore_if_missing: bool = False,
    backslash_literal: bool = False,
    encoding: str | None = None,
) -> StateReturn:
    r"""Replace what a regular expression matches in a file.

    Args:
        name: absolute path of the file, which must exist.
        pattern: a regular expression of Python's `re`.
        repl: the replacement; `\1` is the first group.
        count: maximum number of replacements; 0 replaces all.
        flags: names or number of flags of `re`; `MULTILINE` by default.
        bufsize: accepted, as in Salt, without effect: files are always read whole.
        append_if_not_found: add `repl` at the end if nothing matches.
        prepend_if_not_found: add `repl` at the start if nothing matches.
        not_found_content: add this text instead of `repl`.
        ignore_if_missing: succeed if the file does not exist.
        backslash_literal: treat a backslash in `repl` as a backslash.
        encoding: encoding of the file; without it, the pattern is UTF-8 and matches bytes.

    Example:
        /etc/app.conf:
          file.replace:
            - pattern: "^port = .*$"
            - repl: port = 8080
            - append_if_not_found: true

    Returns:
        `changes` has `diff`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: the file does not exist or is binary, or the pattern is invalid.
    """
    del bufsize
    if append_if_not_found and prepend_if_not_found:
        raise StateFailedError("Only one of append_if_not_found and prepend_if_not_found is permitted")
    if ignore_if_missing and await ctx.connection.stat(await target_path(ctx, name), follow=True) is None:
        state = file_state(await target_path(ctx, name), None, None)
        return StateReturn.unchanged(name, "No changes needed to be made", state)
    file = await EditedFile.open(ctx, name)
    if encoding is None and not is_text(file.content):
        raise StateFailedError(f"Cannot perform string replacements on a binary file: {file.path}")
    content = _recoded(file.content, encoding, "utf-8")
    replacement = str(repl).encode()
    expression = _compiled(pattern, _flags(flags))
    try:
        new, hits = expression.subn(
            replacement.replace(b"\\", b"\\\\") if backslash_literal else replacement, content, int(count)
        )
    except (re.error, IndexError) as error:
        raise StateFailedError(f"repl: {repl!r} is not a replacement for this pattern: {error}") from None
    if not hits and (append_if_not_found or prepend_if_not_found):
        missing = replacement if not_found_content is None else str(not_found_content).encode()
        if not _stands_in(missing or replacement, content, expression.flags):
            new = _put(missing, new, at_start=prepend_if_not_found)
    return await file.become(_recoded(new, "utf-8", encoding), backup=backup, show_changes=show_changes)


def _compiled(pattern: str, flags: int) -> re.Pattern[bytes]:
    try:
        return re.compile(str(pattern).encode(), flags)
    except (re.error, ValueError) as error:
        raise StateFailedError(f"pattern: {pattern!r} is not a regular expression: {error}") from None


def _flags(flags: Data) -> int:
    """Read `flags`: a number, a name, or a list of names."""
    if isinstance(flags, int):
        return flags
    flags_ = re.NOFLAG
    for word in flags if isinstance(flags, list) else [flags]:
        flag = re.RegexFlag.__members__.get(str(word).upper())
        if flag is None:
            raise StateFailedError(f"flags: re has no flag {word!r} (IGNORECASE, MULTILINE, DOTALL, …)")
        flags_ |= flag
    # A pattern over bytes cannot use Unicode rules; Salt drops that flag as well.
    return int(flags_ & ~re.UNICODE)


def _stands_in(text: bytes, content: bytes, flags: int) -> bool:
    return re.search(b"^" + re.escape(text) + b"($|(?=\r\n))", content, flags) is not None


def _put(text: bytes, content: bytes, *, at_start: bool) -> bytes:
    if at_start:
        return text + _NEWLINE + content
    if content and not content.endswith(_NEWLINE):
        content += _NEWLINE
    return content + text + _NEWLINE


def _recoded(content: bytes, source: str | None, target: str | None) -> bytes:
    if source == target or source is None or target is None:
        return content
    try:
        return content.decode(source).encode(target)
    except (UnicodeError, LookupError) as error:
        raise StateFailedError(f"encoding: {error}") from None
