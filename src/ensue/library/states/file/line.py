"""`file.line`: inserts, replaces, removes or ensures one line.

Source: Salt's state module `file`, 3008. Unlike Salt's, a second run changes nothing: `replace` and `delete`
change all lines that match, not only the first and those equal to it; `insert` adds no line that is there
already; a line that was added is not taken for that of `before` or `after`; lines end with newlines.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from ensue.core.contracts.functions import edits_part, writes_text
from ensue.core.errors import StateFailedError
from ensue.core.masking import mode_with_secret
from ensue.core.model.file_lines import file_lines
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.attributes import RequestedAttributes, apply_attributes
from ensue.library.states.file.described import absent_state, file_state
from ensue.library.states.file.edited import EditedFile
from ensue.library.states.file.needs import in_folder
from ensue.library.states.file.paths import target_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.context import StateContext

_MODES: Final = ("insert", "ensure", "delete", "replace")


@edits_part
@writes_text("content")
async def line(
    ctx: StateContext,
    name: str,
    *,
    content: str | None = None,
    match: str | None = None,
    mode: Literal["ensure", "insert", "replace", "delete"] | None = None,
    location: Literal["start", "end"] | None = None,
    before: str | None = None,
    after: str | None = None,
    show_changes: bool = True,
    backup: str | bool = False,
    quiet: bool = False,
    indent: bool = True,
    create: bool = False,
    user: str | int | None = None,
    group: str | int | None = None,
    file_mode: Mode | None = None,
) -> StateReturn:
    """Add a line to a file, or replace or remove all lines that match.

    Args:
        content: the line.
        match: pattern of the lines to replace or remove; `content` by default.
        mode: `ensure`, `insert`, `replace` or `delete`.
        location: where `insert` adds the line: `start` or `end`.
        before: pattern of the line that follows the new one.
        after: pattern of the line that precedes the new one.
        backup: suffix of a copy of the old file; true is `.bak`.
        quiet: succeed if the file does not exist.
        indent: indent the line like the adjacent one.
        user: owner of the file.
        group: group of the file.
        file_mode: permission bits of the file.

    Example:
        /etc/hosts.allow:
          file.line:
            - mode: ensure
            - content: "sshd: 10.0.0.0/8"
            - after: "^ALL"

    Returns:
        `changes` has `diff`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: the mode is unknown, or there is no place for the line, or more than one.
    """
    how = str(mode).lower() if mode is not None else ""
    if how not in _MODES:
        what = (
            f'Unknown mode: "{mode}"'
            if mode is not None
            else "Mode was not defined. How to process the file?"
        )
        raise StateFailedError(f"{what} (mode is one of {', '.join(_MODES)})")
    if how != "delete" and content is None:
        raise StateFailedError("Content can only be empty if mode is delete")
    requested = RequestedAttributes.read(mode=file_mode, user=user, group=group)
    path = await target_path(ctx, name)
    is_new = await ctx.connection.stat(path, follow=True) is None
    if is_new:
        if quiet and not create:
            state = file_state(path, None, None)
            return StateReturn.unchanged(name, "No changes needed to be made", state)
        if create and ctx.test:
            planned = StateReturn.planned(
                name, "Changes would be made", {"newfile": path}, old_state=absent_state(path)
            )
            return await in_folder(ctx.connection, path, planned, makedirs=False)
        if create:
            if requested.mode is None:
                private = mode_with_secret(ctx.masker, str(content).encode())
                requested = replace(requested, mode=private)
            await ctx.connection.write(
                path, b"", mode=requested.mode, user=requested.user_text, group=requested.group_text
            )
    file = await EditedFile.open(ctx, name)
    if not ctx.test and (await apply_attributes(ctx.connection, path, requested, file.status)).changes:
        file = replace(file, status=await ctx.connection.stat(path, follow=True) or file.status)
    text = file.content.decode("utf-8", "surrogateescape")
    lines = file_lines(text)
    added = str(content if content is not None else "").removesuffix("\n")
    new = _edited(lines, how, added, match=match, location=location,
                  before=before, after=after, indent=indent)  # fmt: skip
    ends = "\r\n" if "\r\n" in text else "\n"
    has_end = not text or text.endswith(("\n", "\r")) or len(new) > len(lines)
    joined = ends.join(new) + (ends if new and has_end else "")
    changed = joined if new != lines else text
    returned = await file.become(
        changed.encode("utf-8", "surrogateescape"),
        backup=".bak" if backup is True else backup,
        show_changes=show_changes,
        planned="Changes would be made",
    )
    if is_new and returned.old_state is not None:
        return msgspec.structs.replace(returned, old_state=file_state(path, None, None))
    return returned


def _edited(
    lines: list[str],
    how: str,
    content: str,
    *,
    match: str | None,
    location: str | None,
    before: str | None,
    after: str | None,
    indent: bool,
) -> list[str]:
    if how in {"delete", "replace"}:
        return _matching(lines, how, content, match or content, indent=indent)
    if how == "insert" and location:
        return _at_end(lines, content, location, indent=indent)
    return _between(lines, how, content, before, after, indent=indent)


def _matching(lines: list[str], how: str, content: str, match: str, *, indent: bool) -> list[str]:
    # As in Salt, an empty pattern matches nothing here.
    hits = {*_hits(lines, match)} if match else set[int]()
    if how == "delete":
        return [each for index, each in enumerate(lines) if index not in hits]
    replaced: list[str] = []
    index = 0
    while index < len(lines):
        new = _indented(lines[index], content, indent=indent)
        if lines[index : index + len(new)] == new:
            # It is there already. Its further lines may match as well, but are not replaced.
            replaced += new
            index += len(new)
        else:
            replaced += new if index in hits else [lines[index]]
            index += 1
    return replaced


def _at_end(lines: list[str], content: str, location: str, *, indent: bool) -> list[str]:
    if location == "end":
        new = _indented(lines[-1] if lines else "", content, indent=indent and bool(lines))
        return lines if lines[-len(new) :] == new else [*lines, *new]
    if location == "start":
        new = content.split("\n")
        return lines if lines[: len(new)] == new else [*new, *lines]
    raise StateFailedError(f"location is start or end, not {location!r}")


def _between(
    lines: list[str], how: str, content: str, before: str | None, after: str | None, *, indent: bool
) -> list[str]:
    if before is None and after is None:
        raise StateFailedError(f'On {how} either "location" or "before/after" conditions are required.')
    end = _only(lines, before, "before", content) if before is not None else None
    start = _only(lines, after, "after", content) if after is not None else None
    if start is not None and end is not None:
        return _in_gap(lines, how, content, start, end, indent=indent)
    place = start + 1 if start is not None else end if end is not None else 0
    new = _indented(lines[place - 1 if start is not None else place], content, indent=indent)
    there = lines[place : place + len(new)] if start is not None else lines[max(place - len(new), 0) : place]
    return lines if _is_same(there, new) else [*lines[:place], *new, *lines[place:]]


def _in_gap(lines: list[str], how: str, content: str, start: int, end: int, *, indent: bool) -> list[str]:
    new = _indented(lines[start], content, indent=indent)
    if any(_is_same(lines[index : index + len(new)], new) for index in range(start + 1, end)):
        return lines
    if how == "insert":
        return [*lines[:end], *new, *lines[end:]]
    if end - start > 2:  # noqa: PLR2004 (at most one line is between them)
        raise StateFailedError('Found more than one line between boundaries "before" and "after".')
    return [*lines[: start + 1], *new, *lines[end:]]


def _only(lines: Sequence[str], pattern: str, word: str, content: str) -> int:
    hits = _hits(lines, pattern)
    if len(hits) > 1:
        # The line that this state has added may match too.
        hits = [index for index in hits if lines[index].strip() != content.strip()] or hits
    if len(hits) != 1:
        how_many = "more than" if hits else "less than"
        raise StateFailedError(f'Found {how_many} expected occurrences in "{word}" expression')
    return hits[0]


def _is_same(there: Sequence[str], new: Sequence[str]) -> bool:
    return [each.strip() for each in there] == [each.strip() for each in new]


def _hits(lines: Sequence[str], pattern: str) -> list[int]:
    """Return the indices of lines that a pattern matches, or that contain it as plain text."""
    try:
        compiled = re.compile(pattern, re.DOTALL)
    except re.error as error:
        raise StateFailedError(f"{pattern!r} is not a regular expression: {error}") from None
    return [index for index, each in enumerate(lines) if compiled.search(each) or pattern in each]


def _indented(neighbour: str, content: str, *, indent: bool) -> list[str]:
    """Return the lines of the content, the first indented like an adjacent line."""
    if not indent:
        return content.split("\n")
    blanks = neighbour[: len(neighbour) - len(neighbour.lstrip(" \t"))]
    return (blanks + content.lstrip()).split("\n")
