"""Execution module `acl`: access control lists of files.

Programs run in the parent folder of a path, so that they respect the target's `minion_root`.

Args:
    *args: paths.
    recursive: include everything below the paths.
    raise_err: has no effect; a failure always raises an error.
    acl_type: `user`, `group`, `mask`, `other`, or the first letter; prefixed with `default:` or `d:`, the
        entry applies to new files in a folder.
    acl_name: the user or group; empty for the file's owner or group.

Source: Salt's execution module `acl` (`linux_acl`), 3008: names and return values; getfacl(1), setfacl(1).
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.connection import Command
from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

    Entries = dict[str, Any]

_NOT_FOUND: Final = 127
_OCTAL: Final = re.compile(r"\\([0-7]{3})")
_LETTERS: Final = {
    "u": "u",
    "user": "u",
    "g": "g",
    "group": "g",
    "m": "m",
    "mask": "m",
    "o": "o",
    "other": "o",
}


async def version(ctx: FunctionContext) -> str:
    """Return the version of getfacl."""
    return (await _run(ctx, "/", "getfacl", "--version")).split()[1]


async def getfacl(
    ctx: FunctionContext, *args: str, recursive: bool = False, numeric: bool = False
) -> dict[str, Entries]:
    """Return the access control lists of paths.

    Args:
        numeric: return ids instead of names.

    Returns:
        Per path `comment` (`file owner group`), `user`, `group`, `other`, `mask`, each a list of
        `{name: {permissions, octal}}`, and `defaults` with the same keys. The owner's entry has
        the owner's name.

    Raises:
        StateFailedError: a path does not exist, or the target has no getfacl.
    """
    _some(args)
    words = [*(["-R"] if recursive else []), *(["-n"] if numeric else [])]
    entries_by_path: dict[str, Entries] = {}
    for path in args:
        folder, name = _place(path)
        output = await _run(ctx, folder, "getfacl", "--absolute-names", *words, "--", name)
        entries: Entries = {}
        for line in output.splitlines():
            if line.startswith("# file: "):
                where = _OCTAL.sub(lambda match: chr(int(match[1], 8)), line.removeprefix("# file: "))
                place = posixpath.normpath(posixpath.join(folder, where))
                entries = entries_by_path.setdefault(
                    place, {"comment": {"file": place}, "user": [], "group": []}
                )
            elif line.startswith("# "):
                _remember(entries, line)
            elif line:
                _add(entries, line)
    return entries_by_path


async def wipefacls(
    ctx: FunctionContext, *args: str, recursive: bool = False, raise_err: bool = False
) -> bool:
    """Remove all entries except those of owner, group and others.

    Raises:
        StateFailedError: a path does not exist, or the target has no setfacl.
    """
    del raise_err
    return await _set(ctx, args, "-b", recursive=recursive)


async def modfacl(
    ctx: FunctionContext,
    acl_type: str,
    acl_name: str = "",
    perms: str = "",
    *args: str,
    recursive: bool = False,
    raise_err: bool = False,
) -> bool:
    """Add or change an entry.

    Args:
        perms: letters of `rwxX-`, or an octal digit.

    Example:
        ensue call '*' acl.modfacl user

    Raises:
        StateFailedError: there is no such user, or setfacl refuses it.
    """
    del raise_err
    return await _set(ctx, args, "-m", f"{entry_prefix(acl_type)}:{acl_name}:{perms}", recursive=recursive)


async def delfacl(
    ctx: FunctionContext, acl_type: str, acl_name: str = "", *args: str, recursive: bool = False
) -> bool:
    """Remove an entry.

    Example:
        ensue call '*' acl.delfacl user

    Raises:
        StateFailedError: there is no such user, or setfacl refuses it.
    """
    return await _set(ctx, args, "-x", f"{entry_prefix(acl_type)}:{acl_name}", recursive=recursive)


def entry_prefix(acl_type: str) -> str:
    """Return the type of an entry as setfacl writes it (`d:u`).

    Raises:
        StateFailedError: there is no such type.
    """
    is_default = acl_type.startswith(("d:", "default:"))
    kind = acl_type.partition(":")[2] if is_default else acl_type
    if kind not in _LETTERS:
        raise StateFailedError(
            f"acl_type must be user, group, mask or other (`d:user` for defaults), not {acl_type}"
        )
    return f"{'d:' if is_default else ''}{_LETTERS[kind]}"


def _remember(entries: Entries, line: str) -> None:
    key, _, value = line.removeprefix("# ").partition(": ")
    entries["comment"][key] = value
    if key == "flags":
        names = zip(("suid", "sgid", "sticky"), value, strict=False)
        entries |= {name: True for name, flag in names if flag != "-"}


def _add(entries: Entries, line: str) -> None:
    words = line.partition("\t")[0].strip().split(":")
    place = entries
    if words[0] == "default":
        place = entries.setdefault("defaults", {})
        words = words[1:]
    kind, name, letters = words
    if not name and kind in {"user", "group"}:
        name = entries["comment"]["owner" if kind == "user" else "group"]
    may = {word: sign in letters for word, sign in (("read", "r"), ("write", "w"), ("execute", "x"))}
    octal = 4 * may["read"] + 2 * may["write"] + may["execute"]
    place.setdefault(kind, []).append({name: {"permissions": may, "octal": octal}})


async def _set(ctx: FunctionContext, paths: tuple[str, ...], *words: str, recursive: bool) -> bool:
    _some(paths)
    for path in paths:
        folder, name = _place(path)
        await _run(ctx, folder, "setfacl", *(["-R"] if recursive else []), *words, "--", name)
    return True


async def _run(ctx: FunctionContext, folder: str, *argv: str) -> str:
    done = await ctx.connection.run(Command(argv=argv, cwd=folder, env={"LC_ALL": "C.UTF-8"}))
    if done.returncode == _NOT_FOUND:
        raise StateFailedError(f"{ctx.srn} has no program `{argv[0]}`; install acl there")
    if done.returncode:
        raise StateFailedError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "replace")


def _place(path: str) -> tuple[str, str]:
    folder, name = posixpath.split(path.rstrip("/"))
    return folder or "/", name or "."


def _some(paths: tuple[str, ...]) -> None:
    if not paths:
        raise StateFailedError("You need to specify at least one file or directory to work with!")


FUNCTIONS: Final = by_name(delfacl, getfacl, modfacl, version, wipefacls)
