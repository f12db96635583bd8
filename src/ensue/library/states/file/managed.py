"""`file.managed`: a file with a given content, owner and mode.

This module has the function and reads its arguments; `managed_file` does the work.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ensue.core.contracts.functions import also_takes, renders, writes_text
from ensue.core.errors import StateFailedError
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.backups import wants_backup
from ensue.library.states.file.managed_content import ManagedArguments
from ensue.library.states.file.managed_file import ManagedFile
from ensue.library.states.file.modes import mode_bits
from ensue.library.states.file.paths import target_path
from ensue.library.states.file.remarks import KNOWN, OUTDATED, further_variables, remarks
from ensue.library.states.file.sources import ContentTemplate, read_sources

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import StateReturn

_CONTENT_WORDS = "'contents', 'contents_pillar', and 'contents_grains'"


@also_takes(*KNOWN, others_with="template", outdated={**OUTDATED, "clean": "", "file_mode": "mode"})
@renders(contents="template")
@writes_text("contents", whole=("contents", "contents_pillar", "contents_grains", "source"))
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
    mode: Mode | Literal["keep"] | None = None,
    makedirs: bool = False,
    dir_mode: Mode | None = None,
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
    """Create a file, or correct its content, owner and mode.

    Args:
        source: where its content comes from; the first of a list that exists.
        source_hash: checksum of a source outside the file roots.
        contents: the content itself: a text or a list of lines.
        contents_pillar: pillar key that has the content, or a list of keys.
        contents_grains: grain that has the content, or a list of grains.
        contents_newline: end the last line of `contents` with a newline.
        contents_delimiter: separates the keys of a path in `contents_pillar` and `contents_grains`.
        allow_empty: whether `contents` may be empty.
        template: render the content with this renderer (`jinja`). The variable `accumulator` has the texts
            that `file.accumulated` has gathered for this file.
        context: variables for the template.
        mode: permission bits, or `keep` for those of the source.
        dir_mode: mode of these folders; by default that of the file, with x where there is r or w; their
            owner always has w and x.
        replace: replace the content of an existing file.
        follow_symlinks: manage the file that a symlink points to; false replaces the symlink by a file.
        backup: `minion` keeps a copy of the replaced file below `file_backup/` in the cachedir.
        show_changes: show a diff, and in a plan the content of a new file; false hides the content.
        new_file_diff: show the content of a new file as a diff.
        check_cmd: command that checks the new content: it gets the path of a temporary file and must succeed.
        tmp_dir: folder of the file for `check_cmd`.
        tmp_ext: suffix of the name of that file.
        encoding: encoding of `contents`.
        encoding_errors: how characters outside the encoding are handled (`strict`, `replace`, …).
        **kwargs: with `template`, further variables for it. A warning names arguments of Salt's function that
            have no effect, and without `template` all of them.

    Example:
        /etc/motd:
          file.managed:
            - contents: welcome
            - mode: '0644'

    Returns:
        `changes` has `diff` (or `new` for an empty file), `user`, `group`, `mode`; in a plan `newfile`.
        `new_state` has `path sha256 size mode user group` whenever the result is True.

    Raises:
        StateFailedError: the arguments contradict each other, or the content cannot be found.

    Differences from Salt:
        `attrs` and `selinux` are not managed. Signatures (`signature`, `signed_by_any`, …) are refused, not
        ignored. Without `mode`, a new file with a known secret in its content gets the mode `0600`; with a
        secret in `contents_pillar`, an existing file does too. Salt leaves the mode alone.
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
        ContentTemplate(
            renderer=template,
            variables={**further, **(defaults or {}), **(context or {}), **_gathered(ctx, name)},
            further=further,
        )
        if template
        else None
    )
    wish = ManagedArguments(
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
        attributes=RequestedAttributes.read(
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
    """Return `accumulator`, the texts that `file.accumulated` has gathered; nothing if there are none."""
    texts = ctx.accumulators.of(name)
    return {"accumulator": texts} if texts else {}


def _check_content(*, source: Data, given: int, keep_mode: bool) -> None:
    if source and given:
        raise StateFailedError(f"'source' cannot be used in combination with {_CONTENT_WORDS}")
    if keep_mode and given:
        raise StateFailedError(f"Mode preservation cannot be used in combination with {_CONTENT_WORDS}")
    if given > 1:
        raise StateFailedError(f"Only one of {_CONTENT_WORDS} is permitted")
