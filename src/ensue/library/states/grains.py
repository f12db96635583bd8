"""State module `grains`: grains in the target's grains file.

Args:
    delimiter: separates the keys of a path.

Source: Salt's state module `grains`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.data import copied, is_list
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_NOTHING: Final = object()


async def exists(ctx: StateContext, name: str, delimiter: str = ":") -> StateReturn:
    """Fail if a grain does not exist.

    Args:
        name: the grain's path.

    Example:
        role:
          grains.exists

    Returns:
        `new_state` has `name` and `value`.
    """
    name, value = await _found(ctx, name, delimiter)
    if value is _NOTHING:
        return StateReturn.failed(name, "Grain does not exist")
    return StateReturn.unchanged(name, "Grain exists", _state(name, value))


async def present(
    ctx: StateContext, name: str, value: Any, delimiter: str = ":", force: bool = False
) -> StateReturn:
    """Set a grain.

    Args:
        name: the grain's path; missing keys on the way are created.
        value: the value.
        force: also replace a list or a mapping, or replace a value by one of these.

    Example:
        role:
          grains.present:
            - value: web

    Returns:
        `changes` has the outermost grain; `new_state` has `name` and `value`.
    """
    name, before = await _found(ctx, name, delimiter)
    if before is not _NOTHING and before == value:
        return StateReturn.unchanged(name, "Grain is already set", _state(name, value))
    if ctx.test:
        added: DataMap = {"new": name} if before is _NOTHING else {"changed": {name: value}}
        what = "added" if before is _NOTHING else "changed"
        return StateReturn.planned(
            name, f"Grain {name} is set to be {what}", added, old_state=_before(name, before)
        )
    done = await ctx.call("grains.set", name, value, force=force)
    if not done["result"]:
        return StateReturn.failed(name, done["comment"])
    return StateReturn.changed(
        name,
        f"Set grain {name} to {value}",
        done["changes"],
        _state(name, value),
        old_state=_before(name, before),
    )


async def absent(
    ctx: StateContext, name: str, destructive: bool = False, delimiter: str = ":", force: bool = False
) -> StateReturn:
    """Set a grain to None, or remove it.

    Args:
        name: the grain's path.
        destructive: remove the grain; by default its value becomes None.
        force: also change a grain that is a list or a mapping.

    Example:
        role:
          grains.absent:
            - destructive: true

    Returns:
        `changes` has `deleted`, or `grain` and `value`; `new_state` has `name value`, or for a missing grain
        `name exists`.
    """
    name, before = await _found(ctx, name, delimiter)
    new_state = _before(name, _NOTHING) if destructive else _state(name, None)
    if before is _NOTHING:
        return StateReturn.unchanged(name, f"Grain {name} does not exist", _before(name, before))
    if before is None and not destructive:
        return StateReturn.unchanged(name, "Grain is already set", new_state)
    changes: DataMap = {"deleted": name} if destructive else {"grain": name, "value": None}
    if ctx.test:
        comment = (
            f"Grain {name} is set to be deleted"
            if destructive
            else f"Value for grain {name} is set to be deleted (None)"
        )
        return StateReturn.planned(name, comment, changes)
    done = await ctx.call("grains.set", name, None, destructive=destructive, force=force)
    if not done["result"]:
        return StateReturn.failed(name, done["comment"])
    return StateReturn.changed(
        name,
        f"Grain {name} was deleted" if destructive else f"Value for grain {name} was set to None",
        changes,
        new_state,
        old_state=_before(name, before),
    )


async def append(
    ctx: StateContext, name: str, value: Any, convert: bool = False, delimiter: str = ":"
) -> StateReturn:
    """Add a value to an existing grain that is a list.

    Args:
        name: the grain's path.
        value: the value, or a list of them.
        convert: convert a grain that is not a list into one.

    Example:
        roles:
          grains.append:
            - value: web
            - convert: true

    Returns:
        `changes` has `added`; `new_state` has `name` and `value`, the whole list.
    """
    name, before = await _found(ctx, name, delimiter)
    if before is _NOTHING:
        return StateReturn.failed(name, f"Grain {name} does not exist")
    if not is_list(before) and not convert:
        return StateReturn.failed(name, f"Grain {name} is not a valid list")
    missing = _missing(before if is_list(before) else [], value)
    if is_list(before) and not missing:
        comment = f"Value {value} is already in the list for grain {name}"
        return StateReturn.unchanged(name, comment, _state(name, before))
    if ctx.test:
        comment = (
            f"Value {value} in grain {name} is set to be added"
            if is_list(before)
            else f"Grain {name} is set to be converted to list and value {value} will be added"
        )
        return StateReturn.planned(name, comment, {"added": value})
    await ctx.call("grains.append", name, missing, convert=convert)
    return StateReturn.changed(
        name,
        f"Value {value} was added to grain {name}",
        {"added": value},
        await _now(ctx, name),
        old_state=_before(name, before),
    )


async def list_present(ctx: StateContext, name: str, value: Any, delimiter: str = ":") -> StateReturn:
    """Add a value to a grain that is a list, and create a missing grain.

    Args:
        name: the grain's path.
        value: the value, or a list of them.

    Example:
        roles:
          grains.list_present:
            - value: [web, cache]

    Returns:
        `changes` has `new`, the outermost grain; `new_state` has `name` and `value`, the whole list.
    """
    name, before = await _found(ctx, name, delimiter)
    listed: Any = [] if before is _NOTHING else before
    if not is_list(listed):
        return StateReturn.failed(name, f"Grain {name} is not a valid list")
    missing = _missing(listed, value)
    if not missing:
        comment = f"Value {value} is already in grain {name} (or pending)"
        return StateReturn.unchanged(name, comment, _state(name, listed))
    shown = missing if is_list(value) else value
    if ctx.test:
        comment = (
            f"Value {shown} is set to be appended to grain {name}"
            if listed
            else f"Grain {name} is set to be added"
        )
        planned: DataMap = {"new": "" if before is _NOTHING else listed}
        return StateReturn.planned(name, comment, planned, old_state=_before(name, before))
    changes = await ctx.call("grains.append", name, missing)
    kept = [entry for entry in value if entry in listed] if is_list(value) else []
    remark = (
        f'Removed value {kept} from update due to value found in "{name}" (or pending).\n' if kept else ""
    )
    return StateReturn.changed(
        name,
        f"{remark}Append value {shown} to grain {name}",
        {"new": changes},
        await _now(ctx, name),
        old_state=_before(name, before),
    )


async def list_absent(ctx: StateContext, name: str, value: Any, delimiter: str = ":") -> StateReturn:
    """Remove a value from a grain that is a list.

    Args:
        name: the grain's path.
        value: the value, or a list of them.

    Example:
        roles:
          grains.list_absent:
            - value: cache

    Returns:
        `changes` has `deleted`, a list; `new_state` has `name` and `value`, the whole list.
    """
    name, before = await _found(ctx, name, delimiter)
    if before is _NOTHING:
        return StateReturn.unchanged(name, f"Grain {name} does not exist", _before(name, before))
    if not is_list(before):
        return StateReturn.failed(name, f"Grain {name} is not a valid list")
    given = value if is_list(value) else [value]
    there = [entry for entry in given if entry in before]
    text = (
        f"Value {{}} in grain {name} is set to be deleted"
        if ctx.test
        else f"Value {{}} was deleted from grain {name}"
    )
    comment = "\n".join(
        text.format(entry) if entry in there else f"Value {entry} is absent from grain {name}"
        for entry in given
    )
    if not there:
        return StateReturn.unchanged(name, comment, _state(name, before))
    if ctx.test:
        return StateReturn.planned(name, comment, {"deleted": [*there]})
    for entry in there:
        await ctx.call("grains.remove", name, entry)
    return StateReturn.changed(
        name, comment, {"deleted": [*there]}, await _now(ctx, name), old_state=_before(name, before)
    )


async def _found(ctx: StateContext, name: str, delimiter: str) -> tuple[str, Any]:
    """Return a grain's path with colons, and a copy of its value that can be changed."""
    path = name.replace(delimiter, ":") if delimiter else name
    return path, copied(await ctx.call("grains.get", path, _NOTHING))


async def _now(ctx: StateContext, name: str) -> DataMap:
    return _state(name, (await _found(ctx, name, ":"))[1])


def _missing(listed: list[Data], value: Any) -> list[Data]:
    """Return the values that a list lacks, each once."""
    missing: list[Data] = []
    for entry in value if is_list(value) else [value]:
        if entry not in listed and entry not in missing:
            missing.append(entry)
    return missing


def _state(name: str, value: Any) -> DataMap:
    return {"name": name, "value": value}


def _before(name: str, value: Any) -> DataMap:
    """Describe a grain that may not exist."""
    return {"name": name, "exists": False} if value is _NOTHING else _state(name, value)


FUNCTIONS: Final = by_name(absent, append, exists, list_absent, list_present, present, make_only=("paths",))
ABSENT: Final = ("absent", "list_absent")
