"""`file.blockreplace`: manages the lines between two markers.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import edits_part, writes_text
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.states.file.difference import is_text
from ensue.library.states.file.edited import EditedFile
from ensue.library.states.file.text_lines import given_sources, rendered_sources

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import StateReturn

_START: Final = "#-- start managed zone --"
_END: Final = "#-- end managed zone --"


@edits_part
@writes_text("content")
async def blockreplace(
    ctx: StateContext,
    name: str,
    *,
    marker_start: str = _START,
    marker_end: str = _END,
    content: str = "",
    source: str | None = None,
    source_hash: str | None = None,
    sources: list[Data] | None = None,
    source_hashes: list[Data] | None = None,
    template: str = "jinja",
    context: DataMap | None = None,
    defaults: DataMap | None = None,
    append_if_not_found: bool = False,
    prepend_if_not_found: bool = False,
    insert_before_match: str | None = None,
    insert_after_match: str | None = None,
    append_newline: bool | None = None,
    backup: str | bool = ".bak",
    show_changes: bool = True,
) -> StateReturn:
    """Replace the lines between two markers.

    Args:
        name: absolute path of the file, which must exist.
        marker_start: a text in the line before the block.
        marker_end: a text in the line after the block.
        content: the block; the texts that `file.accumulated` has gathered follow it, one per line.
        source: take further lines of the block from a source.
        source_hash: checksum of the source.
        sources: several sources.
        source_hashes: checksums of `sources`, in the same order.
        template: render sources with this renderer.
        append_if_not_found: add markers and block at the end if the file has no markers.
        prepend_if_not_found: add them at the start.
        insert_before_match: add them before the first line that this pattern matches.
        insert_after_match: add them after the first line that this pattern matches.
        append_newline: end the block with a newline; by default only if it has none.

    Example:
        /etc/app.conf:
          file.blockreplace:
            - marker_start: "# begin of the managed part"
            - marker_end: "# end of the managed part"
            - content: port = 80
            - append_if_not_found: true

    Returns:
        `changes` has `diff`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: the file does not exist, is binary, or has no markers and no place for them.
    """
    places = [append_if_not_found, prepend_if_not_found, bool(insert_before_match), bool(insert_after_match)]
    if sum(places) > 1:
        raise StateFailedError(
            "Only one of append_if_not_found, prepend_if_not_found, insert_before_match, "
            "and insert_after_match is permitted"
        )
    file = await EditedFile.open(ctx, name)
    if not is_text(file.content):
        raise StateFailedError(f"Cannot perform string replacements on a binary file: {file.path}")
    content_sources = given_sources(
        source=source, sources=sources, source_hash=source_hash, source_hashes=source_hashes
    )
    variables = {**(defaults or {}), **(context or {})}
    texts = await rendered_sources(
        ctx, content_sources, name=file.path, template=template, variables=variables
    )
    gathered = ctx.accumulators.lines_for(name, ctx.declaration.id)
    block = "\n".join([*filter(None, [str(content)]), *map(str, gathered)]) + "".join(texts)
    lines = file_lines(file.content.decode("utf-8", "surrogateescape"), keepends=True)
    linesep = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    body = _body(block, linesep, append_newline=append_newline)
    new = _inside(lines, body, marker_start, marker_end, linesep)
    if new is None:
        whole = [marker_start + linesep, *body, marker_end + linesep]
        if prepend_if_not_found:
            new = [*whole, *lines]
        elif append_if_not_found:
            new = [*_ended(lines, linesep), *whole]
        else:
            new = _beside(lines, whole, insert_before_match, insert_after_match)
    joined = "".join(new).encode("utf-8", "surrogateescape")
    return await file.become(
        joined, backup=backup, show_changes=show_changes, planned="Changes would be made"
    )


def _body(block: str, linesep: str, *, append_newline: bool | None) -> list[str]:
    """Return the block's lines; the last one ends with a newline, unless the marker is to follow on it."""
    parts = block.replace("\r\n", "\n").split("\n")
    ends = append_newline if append_newline is not None else not block.endswith("\n")
    last = parts.pop()
    lines = [part + linesep for part in parts]
    if ends:
        lines.append(last + linesep)
    elif last:
        lines.append(last)
    return lines


def _inside(lines: list[str], body: list[str], start: str, end: str, linesep: str) -> list[str] | None:
    """Return the lines with the block between the markers replaced, None if there are no markers."""
    new: list[str] = []
    is_inside = is_complete = False
    for line in lines:
        if not is_inside:
            new.append(line)
            is_inside = start in line
            continue
        position = line.find(end)
        if position >= 0:
            new += [*body, line[position:].rstrip("\r\n") + linesep]
            is_inside, is_complete = False, True
    if is_inside:
        raise StateFailedError("Unterminated marked block. End of file reached before marker_end.")
    return new if is_complete else None


def _beside(lines: list[str], whole: list[str], before: str | None, after: str | None) -> list[str]:
    pattern = before or after
    if pattern is None:
        raise StateFailedError(
            "Cannot edit marked block. Markers were not found in file. (append_if_not_found makes them)"
        )
    try:
        index_ = next((index for index, line in enumerate(lines) if re.search(pattern, line)), None)
    except re.error as error:
        raise StateFailedError(f"{pattern!r} is not a regular expression: {error}") from None
    if index_ is None:
        raise StateFailedError(
            f"Cannot edit marked block. No line matches {pattern!r}, and there are no markers."
        )
    place = index_ if before else index_ + 1
    return [*lines[:place], *whole, *lines[place:]]


def _ended(lines: list[str], linesep: str) -> list[str]:
    if lines and not lines[-1].endswith(("\n", "\r")):
        return [*lines[:-1], lines[-1] + linesep]
    return lines
