"""`file.managed`: a file with a given content, owner and mode.

Here are the function and the reading of its arguments; `managed_file` does the work.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.contracts.functions import also_takes, renders
from ensue.errors import StateFailedError
from ensue.states.file.attributes import Attributes
from ensue.states.file.backups import wants_backup
from ensue.states.file.managed_content import Wish
from ensue.states.file.managed_file import ManagedFile
from ensue.states.file.modes import mode_bits
from ensue.states.file.paths import target_path
from ensue.states.file.remarks import KNOWN, OUTDATED, further_variables, remarks
from ensue.states.file.sources import Template, read_sources

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext
    from ensue.model.data import Data, DataMap
    from ensue.model.returns import StateReturn

_CONTENT_WORDS = "'contents', 'contents_pillar', and 'contents_grains'"


@also_takes(*KNOWN, others_with="template", outdated={**OUTDATED, "clean": "", "file_mode": "mode"})
@renders(contents="template")
async def managed(
    ctx: StateContext,
    name: str,
    *,
    source: str | list[Data] | None = None,
    source_hash: str | None = None,
    source_hash_name: str | None = None,
    skip_verify: bool = False,
    contents: Data = None,
    contents_pillar: Data = None,
    contents_grains: Data = None,
    contents_newline: bool = True,
    contents_delimiter: str = ":",
    allow_empty: bool = True,
    template: str | None = None,
    context: DataMap | None = None,
    defaults: DataMap | None = None,
    user: str | int | None = None,
    group: str | int | None = None,
    mode: str | int | None = None,
    makedirs: bool = False,
    dir_mode: str | int | None = None,
    replace: bool = True,
    create: bool = True,
    follow_symlinks: bool = True,
    backup: str | bool | None = None,
    show_changes: bool = True,
    new_file_diff: bool = False,
    check_cmd: str | None = None,
    tmp_dir: str = "",
    tmp_ext: str = "",
    encoding: str | None = None,
    encoding_errors: str = "strict",
    owner: str | int | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Make a file what it is to be.

    Args:
        ctx: the state's context.
        name: the file, an absolute path.
        source: where its content comes from; of a list the first that is there.
        source_hash: the checksum of a source that is not in the file roots.
        source_hash_name: the name to look for when `source_hash` lists several checksums.
        skip_verify: take a source from elsewhere without a checksum.
        contents: the content itself: a text or a list of lines.
        contents_pillar: a key of the pillar that holds it, or several.
        contents_grains: the same for grains.
        contents_newline: end the last line of `contents`.
        contents_delimiter: what stands between the keys of `contents_pillar` and `contents_grains`.
        allow_empty: whether `contents` may be empty.
        template: render the content with this renderer (`jinja`), which finds under `accumulator` what
            `file.accumulated` has gathered for this file.
        context: variables for the template.
        defaults: variables that `context` outranks.
        user: owner, by name or number.
        group: the same for the group.
        mode: permission bits, or `keep` for those of the source.
        makedirs: make the folders above it.
        dir_mode: the mode of these folders; without it the file's, and who may read may enter.
        replace: replace the content of a file that is there.
        create: make the file when it is not there.
        follow_symlinks: manage what a symlink points to; else the symlink gives way to a file.
        backup: `minion` keeps a copy of what is replaced (see `backups`).
        show_changes: show a diff; false hides content that is nobody's business.
        new_file_diff: show the content of a new file as a diff.
        check_cmd: a command that is given the new content in a file and has to succeed.
        tmp_dir: where the file for `check_cmd` is.
        tmp_ext: what its name ends in.
        encoding: the encoding of `contents`.
        encoding_errors: what becomes of characters that it lacks.
        owner: the same as `user`.
        **kwargs: with `template` further variables for it; else, and where Salt knows the word, said to have
            no effect.

    Returns:
        `changes` has `diff` (or `new` for an empty file), `user`, `group`, `mode`; in a plan `newfile`.
        `new_state` has `path sha256 size mode user group` whenever the result is True.

    Raises:
        StateFailedError: the arguments contradict each other, or there is no content to be had.
    """
    given = [value for value in (contents, contents_pillar, contents_grains) if value is not None]
    keep_mode = isinstance(mode, str) and mode.lower() == "keep"
    _check_content(source=source, given=len(given), keep_mode=keep_mode)
    mappings: dict[str, object] = {"Context": context, "Defaults": defaults}
    for word, value in mappings.items():
        if value and not isinstance(value, dict):
            raise StateFailedError(f"{word} must be formed as a dict")
    further = further_variables(kwargs, template)
    rendered = (
        Template(
            renderer=template,
            variables={**further, **(defaults or {}), **(context or {}), **_gathered(ctx, name)},
        )
        if template
        else None
    )
    wish = Wish(
        sources=read_sources(source, source_hash),
        hash_name=source_hash_name,
        skip_verify=skip_verify,
        contents=contents,
        contents_pillar=contents_pillar,
        contents_grains=contents_grains,
        contents_newline=contents_newline,
        contents_delimiter=contents_delimiter,
        allow_empty=allow_empty,
        template=rendered,
        attributes=Attributes.read(
            mode=None if keep_mode else mode, user=owner if user is None else user, group=group
        ),
        keep_mode=keep_mode,
        makedirs=makedirs,
        dir_mode=mode_bits(dir_mode, word="dir_mode"),
        replace=replace and bool(given or source),
        create=create,
        follow_symlinks=follow_symlinks,
        backup=wants_backup(backup),
        show_changes=show_changes,
        new_file_diff=new_file_diff,
        check_cmd=check_cmd,
        tmp_dir=tmp_dir,
        tmp_ext=tmp_ext,
        encoding=encoding,
        encoding_errors=encoding_errors,
    )
    warnings = remarks("file.managed", [word for word in kwargs if word not in further])
    return await ManagedFile(ctx, name, await target_path(ctx, name), wish, warnings).state()


def _gathered(ctx: StateContext, name: str) -> DataMap:
    """Return what `file.accumulated` has put by for the template, and no variable when that is nothing."""
    texts = ctx.accumulators.of(name)
    return {"accumulator": texts} if texts else {}


def _check_content(*, source: Data, given: int, keep_mode: bool) -> None:
    if source and given:
        raise StateFailedError(f"'source' cannot be used in combination with {_CONTENT_WORDS}")
    if keep_mode and given:
        raise StateFailedError(f"Mode preservation cannot be used in combination with {_CONTENT_WORDS}")
    if given > 1:
        raise StateFailedError(f"Only one of {_CONTENT_WORDS} is permitted")
