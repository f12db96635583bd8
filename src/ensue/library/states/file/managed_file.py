"""Manages one file: look, compare, write.

A correct file costs one `stat` and one checksum and is not read. Content, owner and mode are written in one
atomic step; if anything fails, the old file is untouched.
"""

from __future__ import annotations

import hashlib
import posixpath
import secrets
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.contracts.content import sha256_of, size_of
from ensue.core.errors import MissingOnTargetError, RemoteFileError, StateFailedError
from ensue.core.masking import MASK, mode_with_secret
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.attributes import RequestedAttributes, apply_attributes
from ensue.library.states.file.backups import keep_backup
from ensue.library.states.file.described import file_state, path_state, state_after, without_checksums
from ensue.library.states.file.difference import (
    HIDDEN,
    LONGEST_SHOWN_BYTES,
    content_difference,
    long_difference,
)
from ensue.library.states.file.managed_content import WantedContent
from ensue.library.states.file.modes import folder_bits, shown_mode
from ensue.library.states.file.needs import needs_of
from ensue.library.states.file.paths import is_folder, make_parents, missing_folder, without_folder
from ensue.library.states.file.preview import content_preview
from ensue.library.states.file.shown_difference import WHOLE_SECRET
from ensue.reach.connections.target_content import content_at

if TYPE_CHECKING:
    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.content import Content
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap
    from ensue.library.states.file.managed_content import Desired, ManagedArguments

_SET_TO_CHANGE: Final = (
    "The file {} is set to be changed\nNote: No changes made, actual changes may\n"
    "be different due to other states."
)
_VAULT_HEAD: Final = b"$ANSIBLE_VAULT;"
_NEW_FILE_MODE: Final = 0o644
_PRIVATE_MODE: Final = 0o600


class ManagedFile:
    """One file and what `file.managed` requests for it.

    Args:
        name: the state's name.
        path: the file's path on the target.
        wish: the requested content, owner and mode.
        warnings: warnings for the return.
    """

    def __init__(
        self, ctx: StateContext, name: str, path: str, wish: ManagedArguments, warnings: tuple[str, ...]
    ) -> None:
        self._ctx = ctx
        self._name = name
        self._path = path
        self._wish = wish
        self._warnings = warnings
        self._connection = ctx.connection
        self._content = WantedContent(ctx, path, wish)
        self._found: FileStat | None = None
        self._old_sha256: str | None = None

    async def state(self) -> StateReturn:
        """Create or correct the file and return the result of the state.

        Raises:
            StateFailedError: there is no content, the path is not a file, or `check_cmd` fails.
        """
        returned = await self._state()
        if returned.result is not None:
            return returned
        has_folder = self._found is not None or self._wish.makedirs
        needs = await needs_of(
            self._connection,
            self._path,
            self._wish.attributes,
            has_folder=has_folder,
            change=None if returned.changes.keys() <= {"user", "group", "mode"} else "write",
        )
        return msgspec.structs.replace(returned, needs=needs) if needs else returned

    async def _state(self) -> StateReturn:
        wish, path = self._wish, self._path
        status = await self._connection.stat(path, follow=wish.follow_symlinks)
        if status is not None and status.kind == "directory":
            raise StateFailedError(f"Specified target {path} is a directory")
        if status is not None and status.kind not in {"file", "symlink"}:
            raise StateFailedError(f"Specified target {path} is a {status.kind}, not a file")
        if not wish.create and (status is None or status.kind != "file"):
            comment = f"File {path} is not present and is not set for creation"
            return self._returned(True, comment, new_state=file_state(path, None, None))
        self._found = status
        if status is not None and (not wish.replace or await self._content.is_there()):
            return await self._attributes_only(status, wish.attributes)
        try:
            desired = await self._content.desired()
        except MissingOnTargetError as error:
            raise MissingOnTargetError(f"Unable to manage file: {error}", missing=error.missing) from error
        except StateFailedError as error:
            raise StateFailedError(f"Unable to manage file: {error}") from error
        self._warnings += desired.warnings
        if isinstance(desired.content, bytes) and desired.content.startswith(_VAULT_HEAD):
            remark = (
                "file.managed: the content is encrypted by Ansible Vault, and is installed as it is "
                "(decrypt the source with `ansible-vault decrypt`)"
            )
            self._warnings += (remark,)
        if status is None:
            returned = await self._new_file(self._private(desired))
        else:
            returned = await self._existing_file(status, desired)
        return without_checksums(returned, self._ctx.masker, desired.content, is_secret=desired.is_secret)

    async def _attributes_only(self, status: FileStat, requested: RequestedAttributes) -> StateReturn:
        """Manage owner and mode and leave the content alone."""
        path = self._path
        differences = await requested.differences(self._connection, status)
        if self._ctx.test and differences:
            comment = f"File {path} not updated"
            if "mode" in differences:
                comment = (
                    f"File {path} will be updated with permissions {differences['mode']!s} "
                    f"from its current state of {shown_mode(status.mode)}"
                )
            return self._returned(None, comment, differences)
        comment = f"File {path} exists with proper permissions. No changes made."
        sha256 = await self._connection.checksum(path)
        if not differences:
            return self._returned(True, comment, new_state=file_state(path, sha256, status))
        return await self._apply(status, requested, sha256)

    async def _apply(
        self, status: FileStat, requested: RequestedAttributes, sha256: str | None
    ) -> StateReturn:
        """Set owner and mode of a file whose content is correct."""
        applied = await apply_attributes(self._connection, self._path, requested, status)
        if applied.faults:
            return self._returned(False, "; ".join(applied.faults), applied.changes)
        now = await self._connection.stat(self._path, follow=True)
        self._old_sha256 = sha256
        new_state = file_state(self._path, sha256, now)
        return self._returned(True, f"File {self._path} updated", applied.changes, new_state)

    async def _existing_file(self, status: FileStat, desired: Desired) -> StateReturn:
        content = desired.content or b""
        sha256 = sha256_of(content)
        is_link = status.kind == "symlink"
        same_size = status.size_bytes == size_of(content) and not is_link
        if same_size:
            self._old_sha256 = await self._connection.checksum(self._path)
            if self._old_sha256 == sha256:
                return await self._same_content(status, desired, sha256)
        changes = await self._content_changes(status, content, is_secret=desired.is_secret)
        changes |= await desired.attributes.differences(self._connection, status)
        if self._ctx.test:
            if self._old_sha256 is None and not is_link:
                # Where no diff is made, the checksum tells whether somebody has changed the file.
                self._old_sha256 = await self._connection.checksum(self._path)
            return self._returned(None, _SET_TO_CHANGE.format(self._path), changes)
        await self._check(content, desired.attributes)
        if self._wish.backup and not is_link:
            old = await content_at(self._connection, self._path)
            self._old_sha256 = sha256_of(old)
            await keep_backup(self._ctx, self._path, old)
        return await self._written(content, desired.attributes, changes, replace_link=is_link)

    async def _same_content(self, status: FileStat, desired: Desired, sha256: str) -> StateReturn:
        differences = await desired.attributes.differences(self._connection, status)
        if self._ctx.test:
            if differences:
                return self._returned(None, _SET_TO_CHANGE.format(self._path), differences)
            comment = f"The file {self._path} is in the correct state"
            return self._returned(True, comment, new_state=file_state(self._path, sha256, status))
        if differences:
            return await self._apply(status, desired.attributes, sha256)
        comment = f"File {self._path} is in the correct state"
        return self._returned(True, comment, new_state=file_state(self._path, sha256, status))

    async def _content_changes(self, status: FileStat, content: Content, *, is_secret: bool) -> DataMap:
        if status.kind == "symlink":
            return {"diff": "Replace symbolic link with regular file"}
        if not self._wish.show_changes:
            return {"diff": HIDDEN}
        if is_secret:
            # The old content is a secret too, and the masker does not know it.
            return {"diff": WHOLE_SECRET if status.size_bytes and size_of(content) else MASK}
        if not isinstance(content, bytes) or status.size_bytes > LONGEST_SHOWN_BYTES:
            return {"diff": long_difference(status.size_bytes, size_of(content))}
        return {"diff": await content_difference(await self._old_content(), content, self._ctx.masker)}

    async def _old_content(self) -> bytes:
        content = await self._connection.read(self._path)
        self._old_sha256 = hashlib.sha256(content).hexdigest()
        return content

    async def _new_file(self, desired: Desired) -> StateReturn:
        content = desired.content or b""
        if self._ctx.test:
            comment = _SET_TO_CHANGE.format(self._path)
            comment += await missing_folder(self._connection, self._path, makedirs=self._wish.makedirs)
            if self._wish.new_file_diff:
                return self._returned(None, comment, {"diff": await self._new_diff(desired)})
            planned = self._returned(None, comment, {"newfile": self._path})
            return msgspec.structs.replace(planned, preview=self._preview(desired))
        folder = posixpath.dirname(self._path)
        if not await is_folder(self._connection, folder):
            if not self._wish.makedirs:
                raise StateFailedError(without_folder(f"Parent directory not present: {folder}"))
            await make_parents(self._connection, self._path, self._folder_attributes(desired.attributes))
        await self._check(content, desired.attributes)
        if desired.content is None:
            changes = await self._new_changes({"new": f"file {self._path} created"}, desired)
            return await self._written(content, desired.attributes, changes, comment="Empty file")
        diff = "New file"
        if self._wish.new_file_diff:
            diff = await self._new_diff(desired)
        changes = await self._new_changes({"diff": diff}, desired)
        return await self._written(content, desired.attributes, changes)

    def _private(self, desired: Desired) -> Desired:
        """Return what is requested of a new file, with the mode of a secret if none is declared."""
        mode = mode_with_secret(self._ctx.masker, desired.content)
        if mode is None or desired.attributes.mode is not None:
            return desired
        return replace(desired, attributes=replace(desired.attributes, mode=mode))

    def _preview(self, desired: Desired) -> str:
        if not self._wish.show_changes:
            return HIDDEN
        return MASK if desired.is_secret else content_preview(desired.content or b"", self._ctx.masker)

    async def _new_diff(self, desired: Desired) -> str:
        if desired.is_secret:
            return MASK
        content = desired.content or b""
        if not isinstance(content, bytes):
            return long_difference(0, size_of(content))
        return await content_difference(b"", content, self._ctx.masker)

    async def _new_changes(self, made: DataMap, desired: Desired) -> DataMap:
        """Return Salt's changes for a new file: owner and mode, if they differ from those at creation."""
        requested = desired.attributes
        changes = dict(made)
        if requested.user is not None or requested.group is not None:
            grains = await self._ctx.grains()
            if str(requested.user or "root") not in {
                str(grains.get("username", "root")),
                str(grains.get("uid", 0)),
            }:
                changes["user"] = requested.user
            if str(requested.group or "root") not in {
                str(grains.get("groupname", "root")),
                str(grains.get("gid", 0)),
            }:
                changes["group"] = requested.group
        # Salt creates files with mode 0600 when a mode is given or a source was fetched.
        begins_private = requested.mode is not None or desired.from_source
        mode = _NEW_FILE_MODE if requested.mode is None else requested.mode
        if begins_private and mode != _PRIVATE_MODE:
            changes["mode"] = shown_mode(mode)
        return changes

    def _folder_attributes(self, requested: RequestedAttributes) -> RequestedAttributes:
        mode = self._wish.dir_mode
        if mode is None and requested.mode is not None:
            mode = folder_bits(requested.mode)
        return RequestedAttributes(mode=mode, user=requested.user, group=requested.group)

    async def _check(self, content: Content, requested: RequestedAttributes) -> None:
        """Run `check_cmd` on a temporary file with the new content, before anything is replaced."""
        if not self._wish.check_cmd:
            return
        folder = self._wish.tmp_dir or "/tmp"  # noqa: S108 (the name cannot be guessed)
        temporary = f"{folder}/.ensue-check-{secrets.token_hex(8)}{self._wish.tmp_ext}"
        mode = _PRIVATE_MODE if requested.mode is None else requested.mode
        owner, group = requested.user_text, requested.group_text
        try:
            await self._connection.write(temporary, content, mode=mode, user=owner, group=group)
        except RemoteFileError as error:
            raise StateFailedError(
                f"the file that check_cmd is to check cannot be made: {error} (give `tmp_dir: FOLDER` "
                "with one that is there)"
            ) from error
        try:
            line = f"{self._wish.check_cmd} {shlex.quote(temporary)}"
            done = await self._connection.run(Command(shell_line=line))
        finally:
            await self._connection.remove(temporary)
        if done.returncode:
            output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            raise StateFailedError(
                "check_cmd execution failed"
                + (f": {output.replace(temporary, self._path)}" if output else "")
            )

    async def _written(
        self,
        content: Content,
        requested: RequestedAttributes,
        changes: DataMap,
        *,
        comment: str = "",
        replace_link: bool = False,
    ) -> StateReturn:
        path = self._path
        if replace_link:
            path = f"{posixpath.dirname(path)}/.ensue-{secrets.token_hex(8)}"
        try:
            await self._connection.write(
                path, content, mode=requested.mode, user=requested.user_text, group=requested.group_text
            )
            if replace_link:
                await self._connection.rename(path, self._path)
        except RemoteFileError as error:
            if replace_link:
                await self._connection.remove(path)
            raise StateFailedError(f"Failed to commit change: {error}") from error
        new_state = await state_after(self._connection, self._path, content)
        return self._returned(True, comment or f"File {self._path} updated", changes, new_state)

    def _returned(
        self, result: bool | None, comment: str, changes: DataMap | None = None, new_state: Data = None
    ) -> StateReturn:
        return StateReturn(
            name=self._name,
            result=result,
            changes=changes or {},
            comment=comment,
            new_state=new_state,
            old_state=self._old_state() if result is not False and changes else None,
            warnings=self._warnings,
        )

    def _old_state(self) -> DataMap:
        """Describe the old file, with its checksum if that is known already."""
        status = self._found
        if status is None or (status.kind == "file" and self._old_sha256):
            return file_state(self._path, self._old_sha256, status)
        return path_state(self._path, status)
