"""`file.patch`: applies a patch to a file, or to the files of a folder.

The program `patch` of the target reads the patch from standard input, so that no file is left there.

Source: Salt's state module `file`, 3008; patch(1).
"""

from __future__ import annotations

import os
import posixpath
import shlex
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import also_takes, edits_part, reads_paths
from ensue.core.errors import MissingOnTargetError, StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.described import path_state
from ensue.library.states.file.paths import is_folder, target_path
from ensue.library.states.file.remarks import KNOWN, OUTDATED, remarks
from ensue.library.states.file.sources import ContentTemplate, read_first, read_sources

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_REFUSED: Final = ("-N", "--forward", "-r", "--reject-file", "-o", "--output")
_NOT_FOUND: Final = 127
_IN_TROUBLE: Final = 2
_DROPPED: Final = frozenset({"hash", "dry_run_first"})


@edits_part
@reads_paths("name")
@also_takes(*KNOWN, *_DROPPED, outdated=OUTDATED)
async def patch(
    ctx: StateContext,
    name: str,
    source: str | list[Any] | None = None,
    *,
    source_hash: str | None = None,
    source_hash_name: str | None = None,
    skip_verify: bool = False,
    template: str | None = None,
    context: dict[str, Any] | None = None,
    defaults: dict[str, Any] | None = None,
    options: str = "",
    reject_file: str | None = None,
    strip: int | None = None,
    saltenv: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Apply a patch, unless it is applied already.

    Args:
        name: the file, or the folder that the names in the patch are relative to.
        source: the patch; the first of a list that exists.
        source_hash: checksum of the patch.
        template: render the patch first, with this renderer.
        context: variables for the template.
        options: further options of `patch`, except those that choose the output file.
        reject_file: file for the parts that could not be applied.
        strip: number of leading folders to strip from the names in the patch; only for a folder.
        saltenv: accepted, as in Salt, without effect.

    Example:
        /usr/share/app/app.py:
          file.patch:
            - source: salt://patches/app.patch

    Returns:
        `changes` has `retcode stdout stderr` of `patch`; `new_state` has `path kind mode user group`.

    Raises:
        StateFailedError: the file or the source does not exist, or the target has no program `patch`.
    """
    path = await target_path(ctx, name, what="")
    status = await ctx.connection.stat(path, follow=True)
    if status is None:
        raise MissingOnTargetError(f"{path} does not exist", missing=path)
    warnings = remarks("file.patch", [word for word in kwargs if word not in _DROPPED])
    if reject_file is not None:
        await _check_folder(ctx, reject_file)
    sources = read_sources(source, source_hash)
    if not sources:
        raise StateFailedError("file.patch needs a `source`")
    taken, content = await read_first(
        ctx, sources, name=path, hash_name=source_hash_name, skip_verify=skip_verify
    )
    if template:
        variables = {**(defaults or {}), **(context or {})}
        rendering = ContentTemplate(renderer=template, variables=variables)
        content = await rendering.render(ctx, content, taken.location)
    tool = _PatchRun(ctx=ctx, path=path, is_folder=status.kind == "directory", content=content,
                  options=_options(options, strip, is_folder=status.kind == "directory"))  # fmt: skip
    new_state = path_state(path, status)
    tried = await tool.run("--forward", "--reject-file=-", "--dry-run")
    if tried.returncode:
        if tried.returncode < _IN_TROUBLE and not (await tool.run("-R", "-f", "--dry-run")).returncode:
            return StateReturn.unchanged(name, "Patch was already applied", new_state, warnings=warnings)
        if reject_file is not None and not ctx.test:
            await tool.write_rejects(reject_file)
        return StateReturn.failed(name, _refusal(tried, reject_file), warnings=warnings)
    if ctx.test:
        return StateReturn.planned(name, "The patch would be applied", _said(ctx, tried), warnings=warnings)
    done = await tool.run("--forward", "--reject-file=-")
    if done.returncode:
        return StateReturn.failed(name, "Failed to apply patch", _said(ctx, done))
    return StateReturn.changed(
        name, "Patch successfully applied", _said(ctx, done), new_state, warnings=warnings
    )


class _PatchRun(msgspec.Struct, kw_only=True, frozen=True):
    """A patch and the file or folder that it applies to."""

    ctx: StateContext
    path: str
    is_folder: bool
    content: bytes
    options: tuple[str, ...]

    async def run(self, *words: str) -> Completed:
        """Run `patch` in the folder, or in that of the file, so that a target's root folder is respected."""
        folder, file = (self.path, "") if self.is_folder else posixpath.split(self.path)
        argv = ["patch", *self.options, *words, *(["--", file] if file else [])]
        command = Command(argv=argv, stdin=self.content, cwd=folder, env={"LC_ALL": "C"})
        done = await self.ctx.connection.run(command)
        if done.returncode == _NOT_FOUND:
            raise StateFailedError(f"{self.ctx.srn} has no program `patch`; install it there")
        return done

    async def write_rejects(self, place: str) -> None:
        """Write the parts of the patch that cannot be applied to `place`, and change nothing else."""
        output = posixpath.join(posixpath.dirname(place), f".ensue-patched-{os.urandom(8).hex()}")
        folder = self.path if self.is_folder else posixpath.dirname(self.path)
        rejects, scrap = (posixpath.relpath(each, folder) for each in (place, output))
        try:
            await self.run("--forward", f"--reject-file={rejects}", f"--output={scrap}")
        finally:
            await self.ctx.connection.remove(output)


def _options(given: str, strip: int | None, *, is_folder: bool) -> tuple[str, ...]:
    words: list[str] = []
    waiting = iter(shlex.split(given))
    for word in waiting:
        if word.startswith(_REFUSED):
            raise StateFailedError(f"The following CLI options are not allowed: {word}")
        if word.startswith("--strip"):
            strip = _number(word.partition("=")[2] or next(waiting, ""))
        elif word.startswith("-p"):
            strip = _number(word[2:] or next(waiting, ""))
        else:
            words.append(word)
    return (*words, f"-p{strip or 0}") if is_folder else tuple(words)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise StateFailedError(
            f"the option -p of patch takes a number, not `{text}`; `strip` is the argument"
        )
    return int(text)


async def _check_folder(ctx: StateContext, place: str) -> None:
    if not place.startswith("/"):
        raise StateFailedError(f"'{place}' is not an absolute path")
    if not await is_folder(ctx.connection, posixpath.dirname(place)):
        raise StateFailedError(
            f"Parent directory for reject_file '{place}' either does not exist, or is not a directory"
        )


def _said(ctx: StateContext, done: Completed) -> DataMap:
    stdout, stderr = (part.decode("utf-8", "replace").strip() for part in (done.stdout, done.stderr))
    return {
        "pid": done.pid, "retcode": done.returncode, "stdout": ctx.masker.text(stdout),
        "stderr": ctx.masker.text(stderr),
    }  # fmt: skip


def _refusal(tried: Completed, reject_file: str | None) -> str:
    text = "Patch would not apply cleanly, no changes made."
    if reject_file is None:
        text += " Run state again using the reject_file option to save rejects to a persistent file."
    output = (tried.stdout + tried.stderr).decode("utf-8", "replace").strip()
    return f"{text}\n\n{output}"
