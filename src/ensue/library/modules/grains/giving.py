"""Sets grains of the target: they are written to its grains file and take effect immediately.

A grain in that file overrides one that is found on the target; a grain in `ensue.yaml` overrides both.

Args:
    val: the value.
    delimiter: the separator of the keys.

Source: Salt's execution module `grains`, 3008: return values and their texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.own_grains import own_grains_path, read_own_grains, written_own_grains
from ensue.core.model.paths import traverse
from ensue.library.modules.nested import DELIMITER, NOTHING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def setvals(
    ctx: FunctionContext, grains: Mapping[str, Any], destructive: bool = False, refresh_pillar: bool = True
) -> DataMap:
    """Set grains of the target.

    Args:
        grains: values by name; None empties a grain.
        destructive: None removes the grain instead.
        refresh_pillar: accepted as by Salt, without effect.

    Returns:
        The grains that were set.

    Example:
        ensue call '*' grains.setvals '{role: web, rack: 7}'

    Raises:
        StateFailedError: the file is not valid YAML, or a value cannot be written as YAML.
        RemoteFileError: the file cannot be written.
    """
    if not is_mapping(grains):
        raise StateFailedError("setvals grains must be a dictionary.")
    path = own_grains_path(ctx.opts)
    own = await _own(ctx, path)
    _take(own, grains, destructive=destructive)
    try:
        text = written_own_grains(own)
    except ValueError as error:
        raise StateFailedError(f"these grains cannot be written to {path}: {error}") from None
    await ctx.connection.make_directory(path.rpartition("/")[0] or "/", parents=True)
    await ctx.connection.write(path, text.encode())
    # Everything that runs on this target shares the gathered grains.
    _take(await ctx.grains(), grains, destructive=destructive)
    await ctx.grains_changed()
    given: DataMap = copied(dict(grains))
    return given


async def setval(
    ctx: FunctionContext, key: str, val: Any, destructive: bool = False, refresh_pillar: bool = True
) -> DataMap:
    """Set one grain of the target; see `setvals`.

    Args:
        key: its name.
        destructive: a value of None removes the grain.
        refresh_pillar: accepted as by Salt, without effect.

    Example:
        ensue call '*' grains.setval roles web
    """
    return await setvals(ctx, {key: val}, destructive, refresh_pillar)


async def append(
    ctx: FunctionContext, key: str, val: Any, convert: bool = False, delimiter: str = DELIMITER
) -> DataMap | str:
    """Append a value, or a list of values, to a grain that is a list.

    Args:
        key: the grain's path; a missing grain becomes a list.
        convert: turn a grain that is not a list into one.

    Example:
        ensue call '*' grains.append roles web

    Returns:
        The grain that was written, by its name, or a text that says why none was.
    """
    values = traverse(await ctx.grains(), key, [], delimiter)
    if convert and not is_list(values):
        values = [] if values is None else [values]
    if not is_list(values):
        return f"The key {key} is not a valid list"
    if val in values:
        return f"The val {val} was already in the list {key}"
    return await _write_below(ctx, key, [*values, *(val if is_list(val) else [val])], delimiter)


async def remove(ctx: FunctionContext, key: str, val: Any, delimiter: str = DELIMITER) -> DataMap | str:
    """Remove a value from a grain that is a list.

    Args:
        key: the grain's path.

    Example:
        ensue call '*' grains.remove roles web

    Returns:
        The grain that was written, by its name, or a text that says why none was.
    """
    values = traverse(await ctx.grains(), key, [], delimiter)
    if not is_list(values):
        return f"The key {key} is not a valid list"
    if val not in values:
        return f"The val {val} was not in the list {key}"
    place = values.index(val)
    return await _write_below(ctx, key, values[:place] + values[place + 1 :], delimiter)


async def set_(
    ctx: FunctionContext,
    key: str,
    val: Any = "",
    force: bool = False,
    destructive: bool = False,
    delimiter: str = DELIMITER,
) -> DataMap:
    """Set a grain or a value within a grain.

    Args:
        key: the grain's path.
        force: also replace a list or a mapping by a single value, and the other way round.
        destructive: a value of None removes the grain.

    Example:
        ensue call '*' grains.set roles

    Returns:
        `result`, `comment`, and `changes`: the grain that was written, by its name.
    """
    grains = await ctx.grains()
    before = traverse(grains, key, NOTHING, delimiter)
    if before is not NOTHING and before == val and (val is not None or not destructive):
        return {"comment": "Grain is already set", "changes": {}, "result": True}
    refusal = "" if force else _refusal(key, before, val)
    top, value = key, val
    while not refusal and delimiter in top:
        top, _, last = top.rpartition(delimiter)
        outer = traverse(grains, top, {}, delimiter)
        if _holds(outer, last) or force:
            value = _with(copied(outer), last, value, destructive=destructive)
        else:
            refusal = (
                f"The key '{top}' value is '{outer}', which is different from the provided key '{last}'. "
                "Use 'force=True' to overwrite."
            )
    if refusal:
        return {"comment": refusal, "changes": {}, "result": False}
    changes = await setval(ctx, top, value, destructive=destructive)
    return {"comment": "", "changes": changes, "result": True}


async def delval(ctx: FunctionContext, key: str, destructive: bool = False, force: bool = False) -> DataMap:
    """Empty a grain, or remove it with `destructive`; see `set_`.

    Args:
        destructive: remove the grain instead of emptying it.
        force: also remove a grain that is a list or a mapping.

    Example:
        ensue call '*' grains.delval roles
    """
    return await set_(ctx, key, None, force=force, destructive=destructive)


async def delkey(ctx: FunctionContext, key: str, force: bool = False) -> DataMap:
    """Remove a grain; see `set_`.

    Args:
        force: also remove a grain that is a list or a mapping.

    Example:
        ensue call '*' grains.delkey roles
    """
    return await delval(ctx, key, destructive=True, force=force)


async def _own(ctx: FunctionContext, path: str) -> DataMap:
    if await ctx.connection.stat(path, follow=True) is None:
        return {}
    text = (await ctx.connection.read(path)).decode("utf-8", "replace")
    try:
        return read_own_grains(text)
    except ValueError as error:
        raise StateFailedError(f"{path} is not valid YAML and was not changed: {error}") from None


def _take(kept: DataMap, given: Mapping[str, Any], *, destructive: bool) -> None:
    for name, value in given.items():
        if value is None and destructive:
            kept.pop(name, None)
        else:
            kept[name] = copied(value)


async def _write_below(ctx: FunctionContext, key: str, value: Any, delimiter: str) -> DataMap:
    """Write a value within a grain; the file contains whole grains."""
    grains = await ctx.grains()
    while delimiter in key:
        key, _, last = key.rpartition(delimiter)
        outer = copied(traverse(grains, key, {}, delimiter))
        value = {**outer, last: value} if is_mapping(outer) else outer
    return await setval(ctx, key, value)


def _refusal(key: str, before: Any, value: Any) -> str:
    if is_list(before) or is_mapping(before):
        return f"The key '{key}' exists but is a dict or a list. Use 'force=True' to overwrite."
    if before not in (NOTHING, None) and (is_list(value) or is_mapping(value)):
        return (
            f"The key '{key}' exists and the given value is a dict or a list. Use 'force=True' to overwrite."
        )
    return ""


def _holds(outer: Any, key: str) -> bool:
    """Return whether a value can contain a key, or equals the key and may become a mapping with it."""
    return is_mapping(outer) or is_list(outer) or outer == key


def _with(outer: Any, key: str, value: Any, *, destructive: bool) -> Any:
    """Return a mapping or list with a value under a key; any other value becomes a mapping."""
    if is_mapping(outer):
        rest = {name: item for name, item in outer.items() if name != key}
        return rest if value is None and destructive else {**outer, key: value}
    if not is_list(outer):
        return {key: value}
    items = [_with_key(item, key, value) for item in outer]
    return items if any(is_mapping(item) and key in item for item in items) else [*items, {key: value}]


def _with_key(item: Any, key: str, value: Any) -> Any:
    """Return an item of a list with the value set, if the item is the key or a mapping with the key."""
    if is_mapping(item) and key in item:
        return {**item, key: value}
    return {key: value} if item == key else item
