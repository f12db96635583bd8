"""Edits part of a file: shared by `replace`, `line`, `blockreplace`, `keyvalue` and `comment`.

These functions compute the new content; this module reads, compares, backs up and writes the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensue.core.errors import MissingOnTargetError, StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.described import content_state, state_after, without_checksums
from ensue.library.states.file.difference import content_difference
from ensue.library.states.file.needs import with_rights
from ensue.library.states.file.paths import target_path
from ensue.library.states.file.planned_contents import note_content, planned_content

if TYPE_CHECKING:
    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedFile:
    """An existing file with its content.

    Args:
        name: the state's name.
        path: the file's path.
        content: the content that was read.
        status: the file's attributes.
    """

    ctx: StateContext
    name: str
    path: str
    content: bytes
    status: FileStat

    @classmethod
    async def open(cls, ctx: StateContext, name: str) -> EditedFile:
        """Read a file.

        Raises:
            StateFailedError: the file does not exist, or is not a regular file.
        """
        path = await target_path(ctx, name)
        status = await ctx.connection.stat(path, follow=True)
        if status is None:
            raise MissingOnTargetError(f"{path}: file not found", missing=path)
        if status.kind != "file":
            raise StateFailedError(f"{path} is a {status.kind}, not a file")
        planned = planned_content(ctx, path)
        content = await ctx.connection.read(path) if planned is None else planned
        return cls(ctx=ctx, name=name, path=path, content=content, status=status)

    async def write(self, new: bytes, *, backup: Data) -> None:
        """Replace the content.

        Args:
            new: the new content.
            backup: suffix (`.bak`) of a copy of the old file; empty or false makes no copy.
        """
        if backup:
            await self.ctx.connection.write(
                f"{self.path}{backup!s}",
                self.content,
                mode=self.status.mode,
                user=str(self.status.uid),
                group=str(self.status.gid),
            )
        await self.ctx.connection.write(self.path, new)

    async def become(
        self,
        new: bytes,
        *,
        backup: Data,
        show_changes: bool,
        made: str = "Changes were made",
        planned: str = "Changes would have been made",
        unchanged: str = "No changes needed to be made",
    ) -> StateReturn:
        """Write the file if its content differs, and return the result of the state.

        Args:
            new: the new content.
            backup: suffix (`.bak`) of a copy of the old file; empty or false makes no copy.
            show_changes: show a diff; if false, `diff` is true.
            made: comment if the file was changed.
            planned: comment of a plan.
            unchanged: comment if there is nothing to do.
        """
        returned = await self._become(new, backup, show_changes, (made, planned, unchanged))
        return without_checksums(returned, self.ctx.masker, self.content, new)

    async def _become(
        self, new: bytes, backup: Data, show_changes: bool, comments: tuple[str, str, str]
    ) -> StateReturn:
        made, planned, unchanged = comments
        if new == self.content:
            return self.returned(True, unchanged, {}, self.state_before())
        shown: Data = True
        if show_changes:
            shown = await content_difference(self.content, new, self.ctx.masker, is_edit=True)
        if self.ctx.test:
            plan = self.returned(None, planned, {"diff": shown}, None)
            first = f"{self.path}{backup!s}" if backup else self.path
            plan = await with_rights(self.ctx.connection, first, plan)
            if not plan.needs:
                note_content(self.ctx, self.path, new)
            return plan
        await self.write(new, backup=backup)
        new_state = await state_after(self.ctx.connection, self.path, new)
        return self.returned(True, made, {"diff": shown}, new_state)

    def state_before(self) -> DataMap:
        """Describe the file as it was read, without asking the target again."""
        return content_state(self.path, self.content, self.status)

    def returned(self, result: bool | None, comment: str, changes: DataMap, new_state: Data) -> StateReturn:
        """Make the return; a change adds `old_state`."""
        return StateReturn(
            name=self.name,
            result=result,
            changes=changes,
            comment=comment,
            new_state=new_state,
            old_state=self.state_before() if result is not False and changes else None,
        )
