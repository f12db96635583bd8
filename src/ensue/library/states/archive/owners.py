"""Sets owner and group of everything that an archive has unpacked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensue.library.states.file.attributes import RequestedAttributes, apply_attributes
from ensue.library.states.file.tree import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.connection import FileStat
    from ensue.core.contracts.context import StateContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """The result of `set_owners`.

    Args:
        changed: whether an owner was changed, or in a plan would be.
        faults: errors, one sentence each.
    """

    changed: bool
    faults: tuple[str, ...]


async def set_owners(
    ctx: StateContext, paths: Sequence[str], *, user: str | int | None, group: str | int | None
) -> Owned:
    """Set the owner of paths and of everything below them; in a plan, only compare.

    Args:
        paths: absolute paths.
        user: the owner; None leaves it.
        group: the group; None leaves it.
    """
    attributes = RequestedAttributes.read(user=user, group=group)
    changed = False
    faults: list[str] = []
    for path in paths:
        file_stat = await ctx.connection.stat(path)
        if file_stat is None:
            faults.append(f"{path} does not exist")
            continue
        below = [entry async for entry in walk(ctx.connection, path)] if file_stat.kind == "directory" else []
        everything: list[tuple[str, FileStat]] = [
            (path, file_stat),
            *((place.path, place.status) for place in below),
        ]
        for place, state in everything:
            if not await attributes.differences(ctx.connection, state):
                continue
            if ctx.test:
                changed = True
                continue
            done = await apply_attributes(ctx.connection, place, attributes, state)
            changed = changed or bool(done.changes)
            faults += done.faults
    return Owned(changed=changed, faults=tuple(faults))
