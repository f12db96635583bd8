"""State module `acl`: access control lists of files.

Differences from Salt:
    `acl.absent` reports its `changes`.

Args:
    name: the path.
    recurse: apply it to everything below the path too.

Source: Salt's state module `acl` (`linux_acl`), 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.path_exists import path_exists
from ensue.core.contracts.placed_things import placed
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.returns import StateReturn
from ensue.library.states.file.needs import with_accounts
from ensue.library.states.file.paths import is_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return

_BITS: Final = {"r": 4, "w": 2, "x": 1, "X": 1, "-": 0}
_KINDS: Final = {"u": "user", "g": "group", "m": "mask", "o": "other"}


class _Entries(msgspec.Struct, kw_only=True, frozen=True):
    """The entries of one type of a path and, with `recurse`, of everything below it.

    `numbers` has the octal permissions by path and name.
    """

    path: str
    kind: str
    is_default: bool
    numbers: dict[str, dict[str, int]]

    def number(self, name: str) -> int | None:
        """Return the permissions of a name on the path itself; None without an entry."""
        return self.numbers[self.path].get(name)

    def has(self, name: str, perms: str, folders: set[str]) -> bool:
        """Return whether a name has these permissions on all paths."""
        bits = _octal(perms)
        for path, numbers in self.numbers.items():
            if self.is_default and path not in folders:
                continue
            number = numbers.get(name)
            # `X` is x on folders, and on files that are executable for somebody.
            if number != bits and not ("X" in perms and path not in folders and number == bits - 1):
                return False
        return True


async def present(
    ctx: StateContext,
    name: str,
    acl_type: str,
    acl_name: str = "",
    perms: str = "",
    *,
    recurse: bool = False,
    force: bool = False,
) -> StateReturn:
    """Set an entry of a user or group.

    Args:
        acl_type: `user`, `group`, `mask` or `other`; the prefix `d:` or `default:` sets it for new files.
        acl_name: the user or group; empty for the owner or group of the file.
        perms: letters of `rwxX-`.
        force: remove all other entries if the entry must be set.

    Example:
        /srv/www:
          acl.present:
            - acl_type: user
            - acl_name: deploy
            - perms: rwx
            - recurse: true

    Returns:
        `changes` has `new` and `old`, each with `acl_name acl_type perms`; `new_state` has
        `path acl_type acl_names perms`.

    Raises:
        StateFailedError: the path or the user does not exist.
    """
    return await _have(ctx, name, acl_type, [str(acl_name)], str(perms), recurse=recurse, force=force)


async def list_present(
    ctx: StateContext,
    name: str,
    acl_type: str,
    acl_names: str | list[str] | None = None,
    perms: str = "",
    *,
    recurse: bool = False,
    force: bool = False,
) -> StateReturn:
    """Set entries of several users or groups.

    Args:
        acl_type: `user`, `group`, `mask` or `other`; the prefix `d:` or `default:` sets it for new files.
        acl_names: users or groups.
        perms: letters of `rwxX-`.
        force: remove all other entries if an entry must be set.

    Example:
        /srv/www:
          acl.list_present:
            - acl_type: user
            - acl_names: [deploy, backup]
            - perms: rx

    Returns:
        As for `acl.present`, with all names in one text.

    Raises:
        StateFailedError: the path or a user does not exist.
    """
    names = [acl_names] if isinstance(acl_names, str) else [str(each) for each in acl_names or []]
    return await _have(ctx, name, acl_type, names, str(perms), recurse=recurse, force=force)


async def absent(
    ctx: StateContext, name: str, acl_type: str, acl_name: str = "", perms: str = "", *, recurse: bool = False
) -> StateReturn:
    """Remove the entry of a user or group.

    Args:
        acl_type: `user`, `group`, `mask` or `other`; with the prefix `d:` or `default:`, that for new files.
        acl_name: the user or group.
        perms: accepted, as in Salt, without effect.

    Example:
        /srv/www:
          acl.absent:
            - acl_type: user
            - acl_name: deploy

    Returns:
        `changes` has `old` with `acl_name acl_type perms`; `new_state` has `path acl_type acl_names exists`.

    Raises:
        StateFailedError: the path does not exist.
    """
    return await _have_not(ctx, name, acl_type, [str(acl_name)], recurse=recurse)


async def list_absent(
    ctx: StateContext,
    name: str,
    acl_type: str,
    acl_names: str | list[str] | None = None,
    *,
    recurse: bool = False,
) -> StateReturn:
    """Remove the entries of several users or groups.

    Args:
        acl_type: `user`, `group`, `mask` or `other`; with the prefix `d:` or `default:`, that for new files.
        acl_names: users or groups.

    Example:
        /srv/www:
          acl.list_absent:
            - acl_type: user
            - acl_names: [deploy, backup]

    Returns:
        As for `acl.absent`, with all names in one text.

    Raises:
        StateFailedError: the path does not exist.
    """
    names = [acl_names] if isinstance(acl_names, str) else [str(each) for each in acl_names or []]
    return await _have_not(ctx, name, acl_type, names, recurse=recurse)


async def _have(
    ctx: StateContext, name: str, acl_type: str, names: list[str], perms: str, *, recurse: bool, force: bool
) -> StateReturn:
    _octal(perms)
    gone = await _missing(ctx, name, names)
    if gone is not None:
        return gone
    entries, folders, owner = await _entries(ctx, name, acl_type, names, recurse=recurse)
    shown = ", ".join(names)
    waiting = [each for each in names if not entries.has(each or owner, perms, folders)]
    new_state: DataMap = {"path": name, "acl_type": acl_type, "acl_names": [*names], "perms": perms}
    if not waiting:
        return StateReturn.unchanged(name, "Permissions are in the desired state", new_state)
    changes: DataMap = {"new": {"acl_name": shown, "acl_type": acl_type, "perms": perms}}
    olds = [number for each in waiting if (number := entries.number(each or owner)) is not None]
    if olds:
        changes["old"] = {"acl_name": shown, "acl_type": acl_type, "perms": _letters(olds[0])}
    if ctx.test:
        before = f"{_letters(olds[0])} -> " if olds else ""
        verb = "Updated" if olds else "New"
        comment = f"{verb} permissions will be applied for {shown}: {before}{perms}"
        planned = StateReturn.planned(name, comment, changes, old_state={"acl_names": [*names]})
        kind = acl_type.rpartition(":")[2]
        for each in waiting:
            account = {kind: each} if kind in {"user", "group"} else {}
            planned = await with_accounts(ctx.connection, planned, **account)
        return planned
    if force:
        await ctx.call("acl.wipefacls", name, recursive=recurse)
    for each in names if force else waiting:
        await ctx.call("acl.modfacl", acl_type, each, perms, name, recursive=recurse)
    verb = "Updated" if olds else "Applied new"
    return StateReturn.changed(name, f"{verb} permissions for {shown}", changes, new_state)


async def _have_not(
    ctx: StateContext, name: str, acl_type: str, names: list[str], *, recurse: bool
) -> StateReturn:
    gone = await _missing(ctx, name, names)
    if gone is not None:
        return gone
    entries, _, owner = await _entries(ctx, name, acl_type, names, recurse=recurse)
    new_state: DataMap = {"path": name, "acl_type": acl_type, "acl_names": [*names], "exists": False}
    there = [
        each for each in names if any((each or owner) in numbers for numbers in entries.numbers.values())
    ]
    if not there:
        return StateReturn.unchanged(name, "Permissions are in the desired state", new_state)
    if ctx.test:
        return StateReturn.planned(name, "Removing permissions", old_state={"acl_names": [*names]})
    for each in there:
        await ctx.call("acl.delfacl", acl_type, each, name, recursive=recurse)
    number = entries.number(there[0] or owner) or 0
    old: DataMap = {"acl_name": ", ".join(there), "acl_type": acl_type, "perms": _letters(number)}
    return StateReturn.changed(name, "Removing permissions", {"old": old}, new_state)


async def _missing(ctx: StateContext, path: str, names: list[str]) -> StateReturn | None:
    """Make the return for a missing path; in a plan, an earlier state may be about to create it."""
    if await ctx.connection.stat(path, follow=True) is not None:
        return None
    result = None if ctx.test else False
    described: DataMap = {"acl_names": [*names]}
    return StateReturn(name=path, result=result, comment=f"{path} does not exist", old_state=described)


async def _entries(
    ctx: StateContext, path: str, acl_type: str, names: Sequence[str], *, recurse: bool
) -> tuple[_Entries, set[str], str]:
    """Return the entries of a type, the paths that are folders, and owner and group of the path."""
    is_default = acl_type.startswith(("d:", "default:"))
    word = acl_type.partition(":")[2] if is_default else acl_type
    kind = _KINDS.get(word, word)
    if kind not in _KINDS.values():
        raise StateFailedError(
            f"acl_type is user, group, mask or other (`d:user` for defaults), not {acl_type}"
        )
    place = path.rstrip("/") or "/"
    numeric = any(each.isdecimal() for each in names)
    entries_by_path: dict[str, Any] = await ctx.call("acl.getfacl", place, recursive=recurse, numeric=numeric)
    numbers = {
        where: _numbers(entries.get("defaults", {}) if is_default else entries, kind)
        for where, entries in entries_by_path.items()
    }
    folders = {where for where in entries_by_path if "X" in str(where) or is_default or recurse}
    if folders:
        folders = {where for where in entries_by_path if await is_folder(ctx.connection, where)}
    owner = str(entries_by_path[place]["comment"].get("owner" if kind == "user" else kind, ""))
    return _Entries(path=place, kind=kind, is_default=is_default, numbers=numbers), folders, owner


def _numbers(entries: Mapping[str, Any], kind: str) -> dict[str, int]:
    return {who: about["octal"] for each in entries.get(kind, []) for who, about in each.items()}


def _octal(perms: str) -> int:
    if perms.isdecimal() and len(perms) == 1:
        return int(perms)
    wrong = [letter for letter in perms if letter not in _BITS]
    if wrong:
        raise StateFailedError(f"perms are letters of rwxX-, not `{wrong[0]}`")
    return sum(_BITS[letter] for letter in set(perms))


def _letters(number: int) -> str:
    return "".join(letter if number & bit else "-" for letter, bit in (("r", 4), ("w", 2), ("x", 1)))


def _users(returned: Return) -> list[str]:
    """Return what a state is about: an entry per user or group, also if the state has a list of them."""
    described = returned.new_state if is_mapping(returned.new_state) else returned.old_state
    names = described.get("acl_names") if is_mapping(described) else None
    return [f"{returned.name} (acl_name: {name})" for name in names] if is_list(names) else []


FUNCTIONS: Final = placed(by_name(absent, list_absent, list_present, present, make_only=()), "acl_type")
ABSENT: Final = {"list_present": "list_absent", "present": "absent"}
THINGS: Final = _users
STILL_EXISTS: Final = path_exists
