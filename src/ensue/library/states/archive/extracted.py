"""`archive.extracted`: unpacks an archive in a folder of the target.

The managing minion reads the archive and streams it to the target's `tar`, uncompressed, so that the target
needs neither the archive nor a program for its compression.

Source: Salt's state module `archive`, 3008: the conditions for unpacking, `changes` and comments.
"""

from __future__ import annotations

import asyncio
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.connection import Command
from ensue.core.contracts.content import digest_of
from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.archive.destination import Destination
from ensue.library.states.archive.entries import Archive, Contents, PlainTar, read_contents
from ensue.library.states.archive.limits import DEFAULT_MAX_RATIO, DEFAULT_MAX_SIZE, read_limits
from ensue.library.states.archive.owners import set_owners
from ensue.library.states.archive.request import archive_is_zip, lines_shown, read_options
from ensue.library.states.file.remarks import remarks
from ensue.library.states.file.sources import open_first, read_sources

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_NEEDLESS: Final = frozenset({"keep", "use_cmd_unzip", "list_options", "skip_files_list_verify"})
_SALTS: Final = (
    "clean_parent", "gnupghome", "keep_source", "keyring", "saltenv", "sig_backend", "signature",
    "signed_by_all", "signed_by_any", "source_hash_sig", "source_hash_update", "tar_options", "use_etag",
    "verify_ssl", "zip_options",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExtractedArguments:
    """How to unpack: the parsed arguments."""

    folder: str
    shown: str
    digest: str
    is_another: bool
    overwrite: bool
    clean: bool
    force: bool
    user: str | int | None
    group: str | int | None
    owner_of: str | None
    names_shown: int | None
    tar_words: tuple[str, ...]
    allow_outside_links: bool
    tar: PlainTar


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deviations:
    """The archive's paths that are missing on the target, and those that have another kind there."""

    missing: bool
    wrong: tuple[str, ...]


@also_takes(*_NEEDLESS, *_SALTS, outdated={"official": "", "recurse": "", "uri": ""})
async def extracted(
    ctx: StateContext,
    name: str,
    source: str | list[Data],
    *,
    source_hash: str | None = None,
    source_hash_name: str | None = None,
    skip_verify: bool = False,
    archive_format: str | None = None,
    options: str | None = None,
    password: str | None = None,
    extract_perms: bool = True,
    enforce_toplevel: bool = True,
    enforce_ownership_on: str | None = None,
    if_missing: str | None = None,
    overwrite: bool = False,
    clean: bool = False,
    force: bool = False,
    user: str | int | None = None,
    group: str | int | None = None,
    trim_output: bool | int = False,
    max_size: int | str = DEFAULT_MAX_SIZE,
    max_ratio: float = DEFAULT_MAX_RATIO,
    allow_outside_links: bool = False,
    **kwargs: Data,
) -> StateReturn:
    """Unpack an archive in a folder if something of its content is missing there, or if it is another one.

    It is another one if its checksum is not that of the archive which the last apply found or unpacked there.

    Args:
        name: the folder, which is created if it does not exist.
        source: the archive: `salt://…`, http(s), or a path of the managing minion; the first of a list that
            exists.
        source_hash: checksum of the archive, or a source that lists checksums.
        source_hash_name: file name to look up if `source_hash` lists several checksums.
        skip_verify: accept a source from the network without a checksum.
        archive_format: `tar` or `zip`; by default, the name of the archive decides.
        options: options of `tar`, such as `--strip-components`; those for decompression are not needed.
        password: password of a zip.
        extract_perms: keep the modes in a zip.
        enforce_toplevel: refuse an archive with more than one top-level folder, or with a top-level file.
        enforce_ownership_on: path below `name` that `user` and `group` apply to; by default the whole
            archive.
        if_missing: a path; if it exists, nothing is done.
        overwrite: unpack on each run.
        clean: before unpacking, remove the paths that the archive has at its top level.
        force: remove paths that have another kind than in the archive.
        user: owner of everything that was unpacked.
        group: group, by name or number.
        trim_output: maximum number of names in `changes`; true is 100.
        max_size: bytes, or a number with a unit; an archive that unpacks to more is refused.
        max_ratio: an archive that unpacks to more than this many times its size is refused, unless it unpacks
            to less than 16 MiB.
        allow_outside_links: make symlinks that lead out of the folder, too; nothing is unpacked through them.
        **kwargs: further arguments of Salt's function; a warning names those that have no effect.

    Example:
        /opt/tool:
          archive.extracted:
            - source: https://example.com/tool-1.2.tar.gz
            - source_hash: https://example.com/tool-1.2.tar.gz.sha256
            - user: root
            - options: --strip-components=1
            - enforce_toplevel: false

    Returns:
        `changes` has `extracted_files`, `directories_created`, `removed`, `updated ownership`;
        `new_state` has `path`, and `top_level` and `source_hash` (`sha256=…`) if the archive was read.

    Raises:
        StateFailedError: the arguments are invalid, or the archive is missing, damaged, exceeds a limit, or
            would be unpacked outside the folder.
    """
    warnings = remarks("archive.extracted", [word for word in kwargs if word not in _NEEDLESS])
    folder = _folder(name, if_missing, enforce_ownership_on)
    if if_missing and await ctx.connection.stat(if_missing, follow=True):
        comment = f"Path {if_missing} exists"
        new_state: DataMap = {"path": folder}
        return StateReturn.unchanged(name, comment, new_state, warnings=warnings)
    if password:
        ctx.masker.add(password)
    folder_stat = await ctx.connection.stat(folder, follow=True)
    if folder_stat and folder_stat.kind != "directory":
        raise StateFailedError(f"{folder} exists and is not a directory")
    sources = read_sources(source, source_hash)
    if not sources:
        raise StateFailedError(f'Invalid source "{source}"')
    names_shown = lines_shown(trim_output)
    limits = read_limits(max_size, max_ratio)
    chosen, content = await open_first(
        ctx, sources, name=name, hash_name=source_hash_name, skip_verify=skip_verify
    )
    is_zip = archive_is_zip(archive_format, chosen.location)
    tar_options = read_options(options, is_zip=is_zip)
    archive = Archive(
        shown=chosen.location,
        content=content,
        is_zip=is_zip,
        limits=limits,
        strip=tar_options.strip,
        password=password,
        with_modes=extract_perms,
    )
    contents = await asyncio.to_thread(read_contents, archive)
    if enforce_toplevel:
        _check_top(contents, folder, "zip" if is_zip else "tar")
    digest = f"sha256={await digest_of(content, 'sha256')}"
    wish = _ExtractedArguments(
        folder=folder,
        shown=chosen.location,
        digest=digest,
        is_another=_last_digest(ctx) not in {"", digest},
        overwrite=overwrite,
        clean=clean,
        force=force,
        user=user,
        group=group,
        owner_of=enforce_ownership_on,
        names_shown=names_shown,
        tar_words=tar_options.words,
        allow_outside_links=allow_outside_links,
        tar=PlainTar(archive),
    )
    there = Destination(ctx.connection, folder, is_there=folder_stat is not None)
    returned = await _extract(ctx, name, wish, contents, await _look(there, wish, contents))
    return msgspec.structs.replace(returned, warnings=warnings)


async def _extract(
    ctx: StateContext, name: str, wish: _ExtractedArguments, contents: Contents, deviations: _Deviations
) -> StateReturn:
    if deviations.wrong and not (wish.clean or wish.force):
        raise StateFailedError(
            f"The below paths (relative to {wish.folder}/) exist, but are the incorrect type (file instead "
            "of directory, symlink instead of file, etc.). To proceed with extraction, set 'force' to True. "
            "Note that this will remove these paths before extracting.\n\n" + _listed(deviations.wrong)
        )
    if not (wish.overwrite or wish.is_another or deviations.missing or deviations.wrong):
        return await _owned(
            ctx, name, wish, contents, changes={}, comment="All files in archive are already present"
        )
    why = ", due to absence of one or more files/dirs" if deviations.missing else ""
    if wish.is_another and not deviations.missing:
        why = ", since another archive was extracted before"
    if ctx.test:
        cleaned = ", after cleaning destination path(s)" if wish.clean else ""
        comment = f"Archive {wish.shown} would be extracted to {wish.folder}/{cleaned}{why}"
        return StateReturn.planned(name, comment)
    changes: DataMap = {}
    removed = await _clear(ctx, wish, contents, deviations)
    if removed:
        changes["removed"] = removed
    failure = await _unpack(ctx, wish, changes)
    if failure:
        return StateReturn.failed(name, failure, changes)
    changes["extracted_files"] = list(contents.names[: wish.names_shown])
    comment = f"{wish.shown} extracted to {wish.folder}/{why}"
    if wish.names_shown:
        comment += f". Output was trimmed to {wish.names_shown} number of lines"
    return await _owned(ctx, name, wish, contents, changes=changes, comment=comment)


async def _look(there: Destination, wish: _ExtractedArguments, contents: Contents) -> _Deviations:
    """Compare the target with the archive; refuse an archive that would be unpacked outside the folder."""
    await there.look_at([*contents.kinds, *contents.folders()])
    await there.refuse_ways_out(
        wish.shown,
        contents,
        _tops(contents) if wish.clean else (),
        allow_outside_links=wish.allow_outside_links,
    )
    kinds = {path: there.kind(path) for path in contents.kinds}
    wrong = [path for path, kind in kinds.items() if kind not in {None, contents.kinds[path]}]
    return _Deviations(missing=None in kinds.values(), wrong=tuple(wrong))


def _tops(contents: Contents) -> list[str]:
    return [*contents.top_folders(), *contents.top_others()]


async def _clear(
    ctx: StateContext, wish: _ExtractedArguments, contents: Contents, deviations: _Deviations
) -> list[Data]:
    """Remove what must be removed before the archive is unpacked; return the paths."""
    going = _tops(contents) if wish.clean else list(deviations.wrong)
    removed: list[Data] = []
    for path in (posixpath.join(wish.folder, path) for path in going):
        if await ctx.connection.stat(path):
            await ctx.connection.remove(path, recursive=True)
            removed.append(path)
    return removed


async def _unpack(ctx: StateContext, wish: _ExtractedArguments, changes: DataMap) -> str:
    """Unpack the archive and return the error; after an error, remove a folder that was created for it."""
    is_new = await ctx.connection.stat(wish.folder, follow=True) is None
    if is_new:
        await ctx.connection.make_directory(wish.folder, parents=True)
        if wish.user is not None:
            await ctx.connection.set_owner(wish.folder, user=str(wish.user))
    argv = ["tar", "-x", "-p", "-o", "-f", "-", "-C", wish.folder, *wish.tar_words]
    env = {"LC_ALL": "C.UTF-8"}
    if wish.allow_outside_links:
        # Without it, the tar of BusyBox leaves such links out.
        env["EXTRACT_UNSAFE_SYMLINKS"] = "1"
    done = await ctx.connection.run(Command(argv=argv, stdin=wish.tar, env=env))
    if done.returncode == 0:
        if is_new:
            changes["directories_created"] = [f"{wish.folder}/"]
        return ""
    if is_new:
        await ctx.connection.remove(wish.folder, recursive=True)
    else:
        changes["retcode"] = done.returncode
    message = done.stderr.decode("utf-8", "replace").strip()
    return f"tar could not unpack {wish.shown} in {wish.folder}: {message or f'exit code {done.returncode}'}"


async def _owned(
    ctx: StateContext,
    name: str,
    wish: _ExtractedArguments,
    contents: Contents,
    *,
    changes: DataMap,
    comment: str,
) -> StateReturn:
    """Set owner and group, and return the result of the state."""
    new_state: DataMap = {"path": wish.folder, "top_level": [*_tops(contents)], "source_hash": wish.digest}
    if wish.user is None and wish.group is None:
        return StateReturn.changed(name, comment, changes, new_state)
    top = [posixpath.join(wish.folder, path) for path in _tops(contents)]
    set_ = await set_owners(ctx, [wish.owner_of] if wish.owner_of else top, user=wish.user, group=wish.group)
    if set_.changed:
        changes = {**changes, "updated ownership": True}
    if set_.faults:
        comment += (
            "\n\nWhile trying to enforce user/group ownership, ensue was unable to change ownership on the "
            "following paths:\n\n" + _listed(set_.faults)
        )
        return StateReturn.failed(name, comment, changes)
    if ctx.test and set_.changed:
        comment += ". Ownership would be updated on one or more files/directories."
        return StateReturn.planned(name, comment, changes)
    return StateReturn.changed(name, comment, changes, new_state)


def _last_digest(ctx: StateContext) -> str:
    """Return the checksum of the archive of the last apply; empty if it is not known."""
    kept = None if ctx.enforced is None else ctx.enforced.whole
    return str(kept.get("source_hash", "")) if isinstance(kept, dict) else ""


def _folder(name: str, if_missing: str | None, owner_of: str | None) -> str:
    if not name.startswith("/"):
        raise StateFailedError(f"{name} is not an absolute path")
    folder = posixpath.normpath(name)
    for word, path in (("if_missing", if_missing), ("enforce_ownership_on", owner_of)):
        if path is not None and not path.startswith("/"):
            raise StateFailedError(f"Value for '{word}' is not an absolute path")
    if owner_of is not None and not f"{posixpath.normpath(owner_of)}/".startswith(f"{folder}/"):
        raise StateFailedError(f"Value for 'enforce_ownership_on' must be within {folder}/")
    return folder


def _check_top(contents: Contents, folder: str, kind: str) -> None:
    if len(contents.top_folders()) <= 1 and not contents.top_files():
        return
    raise StateFailedError(
        "Archive does not have a single top-level directory. To allow this archive to be extracted, set "
        f"'enforce_toplevel' to False. To avoid a '{kind}-bomb' it may also be advisable to set a top-level "
        f"directory by adding it to the 'name' value (for example, setting 'name' to {folder}/some_dir "
        f"instead of {folder}/)."
    )


def _listed(paths: tuple[str, ...]) -> str:
    return "\n".join(f"- {path}" for path in paths)
