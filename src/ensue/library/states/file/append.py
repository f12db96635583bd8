"""`file.append` and `file.prepend`: add lines at the end or start of a file that does not have them yet.

Args:
    text: a text or a list of texts; each is searched for as a whole.
    source: take the text from a source.
    source_hash: checksum of the source.
    template: render sources with this renderer.
    sources: several sources.
    source_hashes: checksums of `sources`, in the same order.

Source: Salt's state module `file`, 3008, including the different shapes of the two diffs.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import edits_part, writes_text
from ensue.core.errors import StateFailedError
from ensue.core.masking import mode_with_secret
from ensue.core.model.file_lines import file_lines
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.described import (
    absent_state,
    content_state,
    file_state,
    state_after,
    without_checksums,
)
from ensue.library.states.file.difference import HIDDEN, is_text
from ensue.library.states.file.needs import in_folder
from ensue.library.states.file.paths import (
    is_folder,
    make_parents,
    target_path,
    without_folder,
)
from ensue.library.states.file.planned_contents import note_content, planned_content
from ensue.library.states.file.shown_difference import ShownDifference
from ensue.library.states.file.text_lines import as_texts, given_sources, rendered_sources, stands_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap
    from ensue.library.states.file.sources import ContentSource


@edits_part
@writes_text("text")
async def append(
    ctx: StateContext,
    name: str,
    *,
    text: Data = None,
    makedirs: bool = False,
    source: str | None = None,
    source_hash: str | None = None,
    template: str = "jinja",
    sources: list[Data] | None = None,
    source_hashes: list[Data] | None = None,
    defaults: DataMap | None = None,
    context: DataMap | None = None,
    ignore_whitespace: bool = True,
    show_changes: bool = True,
) -> StateReturn:
    """Add text at the end of a file that does not contain it; create a missing file.

    Args:
        ignore_whitespace: white space between words may differ; if false, texts are regular expressions.

    Example:
        /etc/hosts.allow:
          file.append:
            - text: "sshd: 10.0.0.0/8"

    Returns:
        `changes` has `diff`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: there is no text, or no folder to make the file in.
    """
    content_sources = given_sources(
        source=source, sources=sources, source_hash=source_hash, source_hashes=source_hashes
    )
    file = await _TextFile.open(ctx, name, makedirs=makedirs, show_changes=show_changes)
    texts = await file.texts(text, content_sources, template, {**(defaults or {}), **(context or {})})
    lines = [
        line
        for each in texts
        if not stands_in(each, file.content, ignore_whitespace=ignore_whitespace)
        for line in file_lines(each)
    ]
    ended = file.content if not file.content or file.content.endswith("\n") else file.content + "\n"
    new = ended + "".join(f"{line}\n" for line in lines) if lines else file.content
    return await file.become(new, f"Appended {len(lines)} lines")


@edits_part
@writes_text("text")
async def prepend(
    ctx: StateContext,
    name: str,
    *,
    text: Data = None,
    makedirs: bool = False,
    source: str | None = None,
    source_hash: str | None = None,
    template: str = "jinja",
    sources: list[Data] | None = None,
    source_hashes: list[Data] | None = None,
    defaults: DataMap | None = None,
    context: DataMap | None = None,
    header: bool | None = None,
    show_changes: bool = True,
) -> StateReturn:
    """Add text at the start of a file that does not contain it; create a missing file.

    Args:
        header: the file must begin with exactly these lines.

    Example:
        /etc/profile:
          file.prepend:
            - text: umask 027

    Returns:
        `changes` has `diff`; `new_state` has `path sha256 size mode user group`.

    Raises:
        StateFailedError: there is no text, or no folder to make the file in.
    """
    content_sources = given_sources(
        source=source, sources=sources, source_hash=source_hash, source_hashes=source_hashes
    )
    file = await _TextFile.open(ctx, name, makedirs=makedirs, show_changes=show_changes)
    texts = await file.texts(text, content_sources, template, {**(defaults or {}), **(context or {})})
    lines = [
        line
        for each in texts
        if header or not stands_in(each, file.content, ignore_whitespace=True)
        for line in file_lines(each)
    ]
    if header and file_lines(file.content)[: len(lines)] == lines:
        lines = []
    new = "".join(f"{line}\n" for line in lines) + file.content
    return await file.become(new, f"Prepended {len(lines)} lines", joined_by="")


@dataclass(frozen=True, slots=True, kw_only=True)
class _TextFile:
    """A file and its text; bytes that are not UTF-8 are kept unchanged."""

    ctx: StateContext
    name: str
    path: str
    content: str
    raw: bytes
    status: FileStat | None
    is_missing: bool
    makedirs: bool
    show_changes: bool

    @classmethod
    async def open(cls, ctx: StateContext, name: str, *, makedirs: bool, show_changes: bool) -> _TextFile:
        """Read the file, in a plan as earlier edits would leave it."""
        path = await target_path(ctx, name)
        status = await ctx.connection.stat(path, follow=True)
        if status is not None and status.kind != "file":
            raise StateFailedError(f"Specified target {path} is a {status.kind}, not a file")
        planned = planned_content(ctx, path)
        is_missing = status is None and planned is None
        if is_missing and not ctx.test and not await is_folder(ctx.connection, posixpath.dirname(path)):
            if not makedirs:
                raise StateFailedError(without_folder(f"{path}: file not found, and its folder neither"))
            await make_parents(ctx.connection, path, RequestedAttributes())
        raw = b"" if is_missing else await ctx.connection.read(path) if planned is None else planned
        text = raw.decode("utf-8", "surrogateescape")
        return cls(
            ctx=ctx, name=name, path=path, content=text, raw=raw, status=status, is_missing=is_missing,
            makedirs=makedirs, show_changes=show_changes,
        )  # fmt: skip

    async def texts(
        self, text: Data, sources: Sequence[ContentSource], template: str, variables: DataMap
    ) -> list[str]:
        """Return the texts to add: those of sources, if there are any."""
        if not sources:
            return as_texts(text)
        return await rendered_sources(
            self.ctx, sources, name=self.path, template=template, variables=variables
        )

    async def become(self, new: str, comment: str, *, joined_by: str = "\n") -> StateReturn:
        """Write the file if its content differs, and return the result of the state.

        Args:
            new: the new content.
            comment: the comment if it is written.
            joined_by: the text between the lines of the diff; if it is empty, they keep their ends.
        """
        content = new.encode("utf-8", "surrogateescape")
        returned = await self._become(content, comment, joined_by)
        return without_checksums(returned, self.ctx.masker, self.raw, content)

    async def _become(self, content: bytes, comment: str, joined_by: str) -> StateReturn:
        if content == self.raw and not self.is_missing:
            return self._said(True, f"File {self.path} is in correct state", {}, self._before())
        changes: DataMap = {"diff": diff} if (diff := self._difference(content, joined_by)) else {}
        if self.ctx.test:
            planned = self._planned(changes)
            planned = await in_folder(
                self.ctx.connection, self.path, planned, makedirs=self.makedirs or not self.is_missing
            )
            if not planned.needs:
                note_content(self.ctx, self.path, content)
            return planned
        mode = mode_with_secret(self.ctx.masker, content) if self.is_missing else None
        await self.ctx.connection.write(self.path, content, mode=mode)
        new_state = await state_after(self.ctx.connection, self.path, content)
        return self._said(True, comment, changes, new_state)

    def _planned(self, changes: DataMap) -> StateReturn:
        if not self.is_missing:
            return self._said(None, f"File {self.path} is set to be updated", changes, None)
        comment, old_state = f"File {self.path} is set to be created", absent_state(self.path)
        return StateReturn.planned(self.name, comment, {"new": self.path}, old_state=old_state)

    def _before(self) -> DataMap:
        if self.status is None:
            return file_state(self.path, None, None)
        return content_state(self.path, self.raw, self.status)

    def _difference(self, content: bytes, joined_by: str) -> str:
        texts = (each.decode("utf-8", "backslashreplace") for each in (self.raw, content))
        old, new = (file_lines(text, keepends=not joined_by) for text in texts)
        if old == new:
            return ""
        if not is_text(content):
            return "Replace binary file"
        if not self.show_changes:
            return HIDDEN
        return ShownDifference(old, new, self.ctx.masker, is_edit=True).unified(joined_by=joined_by)

    def _said(self, result: bool | None, comment: str, changes: DataMap, new_state: Any) -> StateReturn:
        return StateReturn(
            name=self.name,
            result=result,
            changes=changes,
            comment=comment,
            new_state=new_state,
            old_state=self._before() if result is not False and changes else None,
        )
