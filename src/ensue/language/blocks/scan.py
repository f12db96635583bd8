"""The scan of raw text for delayed blocks, before any renderer sees it.

The text between a pair of tags is cut out unchanged; blank lines replace it, so that every line keeps
its number. Only the outermost blocks are cut. The text in a block is scanned when the block is rendered,
but its tags are checked here, so that all errors of a file are reported at once.

Source: SEP 16, "Implementation Notes" and "End Tags".
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.language.blocks.block import Block, Scan
from ensue.language.blocks.tags import TagOptions, read_end, read_opening
from ensue.language.blocks.waiting import MARKS, is_end, name_of, read_pipe, read_waiting
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.language.blocks.waiting import WaitingTag

_MARKS: Final = ("#!delayed", "#!end_delayed_block", *MARKS)
"""A text without any of these has no blocks and is not scanned."""

_TAG: Final = r"(?m)^[^\S\n]*#!(end_)?delayed_block(?=\s|\Z)([^\n]*)$|^#![^\n]*$"
_INDENTATION: Final = r"(?m)^([^\S\n]*)[^\s]"


class _Open(msgspec.Struct, kw_only=True):
    """A block whose end has not been reached.

    Args:
        name: its name.
        span: its opening tag.
        options: the options of the tag.
        line: the tag's line.
        start: the position in the text where the tag's line begins.
        inside: the position where its content begins.
        names: the names of the blocks directly in it, with their places.
        waiting: what it waits for; None if states call it by name.
        part: the renderers of a part that is not delayed; empty for any other block.
    """

    name: str
    span: Span
    options: TagOptions
    line: int
    start: int
    inside: int
    names: dict[str, Span] = msgspec.field(default_factory=dict[str, Span])
    waiting: WaitingTag | None = None
    part: str = ""

    @property
    def is_bare(self) -> bool:
        """Whether it ends with `#!END`, or with the text around it."""
        return self.waiting is not None or bool(self.part)

    def begin_with(self, tag: _TagLine) -> None:
        """Take the renderers from a tag below the opening one; the content begins after that tag."""
        self.waiting = msgspec.structs.replace(self.waiting, pipe=tag.pipe) if self.waiting else None
        self.line, self.inside = tag.line, tag.end + 1


class _TagLine(msgspec.Struct, frozen=True, kw_only=True):
    """One tag line with its position and content.

    Args:
        is_end: whether it ends a block.
        words: the words after the tag's own word.
        span: its place.
        line: its line.
        start: where the line begins in the text.
        end: where it ends.
        waiting: for a block that waits for a state, the content of its tag.
        is_bare: whether it is `#!END`.
        pipe: the renderers that it names, for the block whose tag is above it, or for a part.
        is_below: whether the line above is the tag of a block that waits for a state.
    """

    is_end: bool
    words: list[str]
    span: Span
    line: int
    start: int
    end: int
    waiting: WaitingTag | None = None
    is_bare: bool = False
    pipe: str = ""
    is_below: bool = False


def scan(
    text: str,
    path: str,
    *,
    first_line: int = 1,
    moved: bool = False,
    pipe: str = "",
    template: str = "",
    with_parts: bool = False,
) -> Scan:
    """Cut the delayed blocks out of a text.

    Args:
        text: raw text of a file, or of a block.
        path: the file, as messages show it.
        first_line: the file's line that the text begins on.
        moved: whether columns differ from the file.
        pipe: the renderers of the file.
        template: the file's name in the roots.
        with_parts: whether parts that name their own renderers are cut too; if not, their tags are comments.

    Raises:
        CompileError: tags are unmatched, misnamed, or malformed; with all errors of the text.
    """
    if not any(mark in text for mark in _MARKS):
        return Scan(text=text)
    cutter = _Cutter(text, moved=moved, pipe=pipe, template=template)
    for tag in _counting(list(_tags(text, path, first_line)), with_parts=with_parts):
        cutter.take(tag)
    return cutter.ended()


def _tags(text: str, path: str, first_line: int) -> Iterator[_TagLine]:
    line, counted = first_line, 0
    below = -1
    for match in re.finditer(_TAG, text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        column = text.index("#", match.start()) - match.start() + 1
        waiting = read_waiting(match[0]) if match[2] is None else None
        is_bare = match[2] is None and is_end(match[0])
        pipe = read_pipe(match[0]) if match[2] is None else ""
        is_below = match.start() == below
        below = match.end() + 1 if waiting else -1
        if match[2] is None and not waiting and not is_bare and not pipe:
            continue
        yield _TagLine(
            is_end=match[1] is not None or is_bare,
            words=(match[2] or "").split(),
            span=Span(path, line, column),
            line=line,
            start=match.start(),
            end=match.end(),
            waiting=waiting,
            is_bare=is_bare,
            pipe=pipe,
            is_below=is_below,
        )


def _counting(tags: list[_TagLine], *, with_parts: bool) -> Iterator[_TagLine]:
    """Leave out lines that name renderers but have no `#!END`: they are comments."""
    ended: set[int] = set()
    waiting: list[int] = []
    for number, tag in enumerate(tags):
        if tag.waiting or (with_parts and tag.pipe and tag.start and not tag.is_below):
            waiting.append(number)
        elif tag.is_bare and waiting:
            ended.add(waiting.pop())
    return (tag for number, tag in enumerate(tags) if not tag.pipe or tag.is_below or number in ended)


class _Cutter:
    """Takes the tags of one text in order, and cuts the text between outermost pairs."""

    def __init__(self, text: str, *, moved: bool, pipe: str, template: str) -> None:
        self._text = text
        self._moved = moved
        self._pipe = pipe
        self._template = template
        self._open: list[_Open] = []
        self._open_names: Counter[str] = Counter()
        self._names: dict[str, Span] = {}
        self._blocks: list[Block] = []
        self._parts: list[Block] = []
        self._kept: list[str] = []
        self._kept_to = 0
        self._faults: list[Diagnostic] = []

    def take(self, tag: _TagLine) -> None:
        """Take one tag."""
        if tag.pipe and tag.is_below:
            self._open[-1].begin_with(tag)
        elif tag.is_bare:
            # Anywhere else it is a comment.
            if self._open and self._open[-1].is_bare:
                self._close(self._pop(), tag)
        elif tag.is_end:
            self._end(tag)
        else:
            self._begin(tag)

    def ended(self) -> Scan:
        """Return the result at the end of the text.

        Raises:
            CompileError: with all errors.
        """
        end = len(self._text)
        while self._open:
            block = self._pop()
            if block.is_bare:
                self._close(
                    block, _TagLine(is_end=True, words=[], span=block.span, line=0, start=end, end=end)
                )
            else:
                self._refuse_open(block)
        if self._faults:
            raise CompileError(self._faults)
        kept = "".join([*self._kept, self._text[self._kept_to :]])
        return Scan(text=kept, blocks=tuple(self._blocks), parts=tuple(self._parts))

    def _begin(self, tag: _TagLine) -> None:
        names = self._open[-1].names if self._open else self._names
        name, options = "", TagOptions()
        if tag.waiting:
            name = name_of(tag.waiting.producers, names)
        elif not tag.pipe:
            name, options = read_opening(tag.words, tag.span, self._faults)
        if name and name in names:
            self._faults.append(twice(name, names[name], tag.span))
        elif name:
            names[name] = tag.span
        self._open.append(
            _Open(
                name=name,
                span=tag.span,
                options=options,
                line=tag.line,
                start=tag.start,
                inside=min(tag.end + 1, len(self._text)),
                waiting=tag.waiting,
                part=tag.pipe,
            )
        )
        self._open_names[name] += 1

    def _end(self, tag: _TagLine) -> None:
        name = read_end(tag.words, tag.span, self._faults)
        while self._open and self._open[-1].is_bare:
            self._close(self._pop(), tag)
        if not self._open:
            self._faults.append(
                Diagnostic(
                    code="E0901",
                    summary="the end of a delayed block that was never begun",
                    span=tag.span,
                    help="remove the line, or begin the block with #!delayed_block NAME",
                )
            )
            return
        if name and self._open[-1].name not in {name, ""}:
            self._end_by_name(name, tag)
            return
        self._close(self._pop(), tag)

    def _pop(self) -> _Open:
        block = self._open.pop()
        self._open_names[block.name] -= 1
        return block

    def _end_by_name(self, name: str, tag: _TagLine) -> None:
        """Handle an end that does not name the innermost block, but an outer block or none."""
        if not self._open_names[name]:
            innermost = self._open[-1]
            meant = near_names(name, [innermost.name])
            self._faults.append(
                Diagnostic(
                    code="E0901",
                    summary=f"the end of a delayed block {name!r}, where {innermost.name!r} is open",
                    span=tag.span,
                    detail=f"{innermost.name!r} begins at {innermost.span}",
                    help=meant or f"write #!end_delayed_block {innermost.name}",
                    related=((innermost.span, "begun here"),),
                )
            )
            self._close(self._pop(), tag)
            return
        while (block := self._pop()).name != name:
            self._refuse_open(block)
        self._close(block, tag)

    def _refuse_open(self, block: _Open) -> None:
        self._faults.append(
            Diagnostic(
                code="E0901",
                summary=f"the delayed block {block.name!r} has no end",
                span=block.span,
                help=f"write #!end_delayed_block {block.name}".rstrip() + " after its last line",
            )
        )

    def _close(self, block: _Open, tag: _TagLine) -> None:
        if self._open:
            return
        cut = self._text[block.start : tag.end]
        raw = self._text[block.inside : max(tag.start, block.inside)]
        text = _without_indentation(raw)
        self._kept += (self._text[self._kept_to : block.start], "\n" * cut.count("\n"))
        self._kept_to = tag.end
        (self._parts if block.part else self._blocks).append(
            Block(
                name=block.name,
                place=block.span,
                text=text,
                first_line=block.line + 1,
                moved=self._moved or text is not raw,
                scoped=block.options.scoped,
                limit=block.options.limit,
                pipe=block.part or (block.waiting.pipe if block.waiting else "") or self._pipe,
                template=self._template,
                producers=block.waiting.producers if block.waiting else (),
                cut=_inside,
            )
        )


def _inside(block: Block) -> Scan:
    """Cut out the blocks inside a block."""
    return scan(
        block.text,
        block.place.path,
        first_line=block.first_line,
        moved=block.moved,
        pipe=block.pipe,
        template=block.template,
        with_parts=True,
    )


def twice(name: str, first: Span, second: Span) -> Diagnostic:
    """Return the error for two blocks of one name that can be called from the same place."""
    return Diagnostic(
        code="E0903",
        summary=f"there are two delayed blocks {name!r}",
        span=second,
        detail=f"the first is at {first}",
        help="give one of them another name",
        related=((first, "first here"),),
    )


def _without_indentation(text: str) -> str:
    """Return a text without the indentation that all its lines have; blank lines do not count."""
    common: str | None = None
    for match in re.finditer(_INDENTATION, text):
        common = match[1] if common is None else _common_start(common, match[1])
        if not common:
            return text
    if not common:
        return text
    lines = text.split("\n")
    return "\n".join(line.removeprefix(common) for line in lines)


def _common_start(first: str, other: str) -> str:
    if other.startswith(first):
        return first
    length = 0
    for left, right in zip(first, other, strict=False):
        if left != right:
            break
        length += 1
    return first[:length]
