"""`file.serialize`: writes data to a file as YAML, JSON or INI.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import also_takes, writes_text
from ensue.core.errors import StateFailedError
from ensue.core.model.merged import merged
from ensue.core.model.returns import StateReturn
from ensue.core.model.secret_values import secret_values
from ensue.library.states.file.attributes import RequestedAttributes
from ensue.library.states.file.backups import wants_backup
from ensue.library.states.file.described import content_state, without_checksums
from ensue.library.states.file.difference import HIDDEN
from ensue.library.states.file.managed_content import ManagedArguments
from ensue.library.states.file.managed_file import ManagedFile
from ensue.library.states.file.modes import mode_bits
from ensue.library.states.file.paths import missing_folder, target_path
from ensue.library.states.file.remarks import KNOWN, OUTDATED, remarks
from ensue.library.states.file.serializers import comparable, deserialized, serialized

if TYPE_CHECKING:
    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_ABSENT: Final = "<_null_>"
"""Represents a missing value in a difference, as in Salt."""


@also_takes(*KNOWN, "deserializer_opts", outdated=OUTDATED)
@writes_text(whole=("dataset", "dataset_pillar"))
async def serialize(
    ctx: StateContext,
    name: str,
    *,
    dataset: Data = None,
    dataset_pillar: str | None = None,
    serializer: str | None = None,
    formatter: str | None = None,
    serializer_opts: DataMap | list[Data] | None = None,
    merge_if_exists: bool = False,
    user: str | int | None = None,
    group: str | int | None = None,
    mode: Mode | None = None,
    makedirs: bool = False,
    dir_mode: Mode | None = None,
    backup: str | bool | None = None,
    show_changes: bool = True,
    create: bool = True,
    encoding: str | None = None,
    encoding_errors: str = "strict",
    check_cmd: str | None = None,
    tmp_dir: str = "",
    tmp_ext: str = "",
    **kwargs: Any,
) -> StateReturn:
    """Write data to a file as YAML, JSON or INI.

    Args:
        dataset: the data.
        dataset_pillar: pillar key that has the data.
        serializer: `yaml`, `json` or `configparser`.
        formatter: the same as `serializer`.
        serializer_opts: options of the serializer (`indent`, `sort_keys`, …).
        merge_if_exists: merge the data into what the file contains.
        mode: permission bits.
        dir_mode: mode of these folders.
        backup: `minion` keeps a copy of the replaced file.
        encoding: encoding of the file.
        encoding_errors: how characters outside the encoding are handled (`strict`, `replace`, …).
        check_cmd: command that checks the new content: it gets the path of a temporary file and must succeed.
        tmp_dir: folder of the file for `check_cmd`.
        tmp_ext: suffix of the name of that file.

    Example:
        /etc/app.json:
          file.serialize:
            - dataset: {port: 80, debug: false}
            - serializer: json

    Returns:
        As for `file.managed`; after a merge, `diff` is the difference of the data.

    Raises:
        StateFailedError: there is no data, or it cannot be written or merged.
    """
    if serializer and formatter:
        raise StateFailedError("Only one of serializer and formatter are allowed")
    if dataset and dataset_pillar:
        raise StateFailedError("Only one of 'dataset' and 'dataset_pillar' is permitted")
    data = await ctx.call("pillar.get", dataset_pillar, None) if dataset_pillar else dataset
    if data is None:
        raise StateFailedError("Neither 'dataset' nor 'dataset_pillar' was defined")
    form = str(serializer or formatter or "yaml").lower()
    path = await target_path(ctx, name)
    read = await _read(ctx, path) if merge_if_exists else None
    existing = _existing(read[1], form) if read else None
    together = data if existing is None else merged(existing, comparable(data, form))
    warnings = remarks("file.serialize", [word for word in kwargs if word != "deserializer_opts"])
    if read and existing is not None and together == existing:
        status, content = read
        comment = f"The file {path} is in the correct state"
        state = content_state(path, content, status)
        returned = StateReturn.unchanged(name, comment, state, warnings=warnings)
        return without_checksums(returned, ctx.masker, content)
    text = serialized(together, form, _options(serializer_opts), unicode=bool(encoding))
    try:
        raw = text.encode(encoding or "utf-8", encoding_errors)
    except (UnicodeEncodeError, LookupError) as error:
        raise StateFailedError(f"encoding: {error}") from None
    wish = ManagedArguments(
        sources=(), hash_name=None, skip_verify=False, contents=None, contents_pillar=None,
        contents_grains=None, contents_newline=True, contents_delimiter=":", allow_empty=True, template=None,
        attributes=RequestedAttributes.read(mode=mode, user=user, group=group), keep_mode=False,
        makedirs=makedirs, dir_mode=mode_bits(dir_mode, word="dir_mode"), replace=True, create=create,
        follow_symlinks=True, backup=wants_backup(backup), show_changes=show_changes, new_file_diff=False,
        check_cmd=check_cmd, tmp_dir=tmp_dir, tmp_ext=tmp_ext, encoding=None, encoding_errors="strict",
        raw=raw,
    )  # fmt: skip
    returned = await ManagedFile(ctx, name, path, wish, warnings).state()
    if returned.result is None:
        comment = f"Dataset will be serialized and stored into {path}"
        comment += await missing_folder(ctx.connection, path, makedirs=makedirs)
        returned = msgspec.structs.replace(returned, comment=comment)
    if isinstance(existing, dict) and isinstance(together, dict) and "diff" in returned.changes:
        # The old values come from a file, where only their names tell which of them are secrets.
        ctx.masker.add_guessed(*secret_values(existing))  # pyright: ignore[reportUnknownArgumentType] # a file's data
        shown: Data = _difference(existing, together) if show_changes else HIDDEN
        returned = msgspec.structs.replace(returned, changes={**returned.changes, "diff": shown})
    return returned


async def _read(ctx: StateContext, path: str) -> tuple[FileStat, bytes] | None:
    status = await ctx.connection.stat(path, follow=True)
    if status is None or status.kind != "file":
        return None
    return status, await ctx.connection.read(path)


def _existing(content: bytes, form: str) -> Any:
    try:
        return deserialized(content.decode(), form)
    except UnicodeDecodeError as error:
        raise StateFailedError(f"Failed to deserialize existing data: {error}") from None


def _difference(old: Any, new: Any) -> DataMap:
    """Return the differences by key, in the shape of Salt's `recursive_diff`."""
    difference: DataMap = {}
    for key in [*old, *(key for key in new if key not in old)]:
        before, after = old.get(key, _ABSENT), new.get(key, _ABSENT)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            difference[str(key)] = _difference(before, after)  # pyright: ignore[reportUnknownArgumentType] # a file's data
        else:
            difference[str(key)] = {"old": before, "new": after}
    return difference


def _options(given: Any) -> dict[str, Any]:
    if not given:
        return {}
    parts: list[Any] = [*given] if isinstance(given, list) else [given]
    if not all(isinstance(part, dict) for part in parts):
        raise StateFailedError(f"serializer_opts: {given!r} is not a mapping of options")
    return {str(key): value for part in parts for key, value in part.items()}
