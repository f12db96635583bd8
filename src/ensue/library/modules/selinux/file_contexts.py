"""File contexts: the labels that the SELinux policy assigns to paths, and applying them to files.

Args:
    filetype: a letter of semanage, `a` for all files.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_KINDS: Final = {
    "a": "all files", "f": "regular file", "d": "directory", "c": "character device", "b": "block device",
    "s": "socket", "l": "symbolic link", "p": "named pipe",
}  # fmt: skip
_ENTRY: Final = re.compile(rf"^(\S.*?) +({'|'.join(_KINDS.values())}) +([^:\s]+:[^:\s]+:[^:\s]+:\S+)\s*$")
_PARTS: Final = ("sel_user", "sel_role", "sel_type", "sel_level")
_RELABELS: Final = (
    re.compile(r"^Would relabel (.*) from (\S+) to (\S+)$", re.MULTILINE),
    re.compile(r"^restorecon reset (.*) context (\S+)->(\S+)$", re.MULTILINE),
)


def filetype_id_to_string(ctx: FunctionContext, filetype: str = "a") -> str:
    """Return the file type for a letter of semanage (`d`: `directory`).

    Raises:
        StateFailedError: there is no such letter.
    """
    if filetype not in _KINDS:
        raise StateFailedError(f"filetype must be one of {', '.join(_KINDS)}, not {filetype}")
    return _KINDS[filetype]


async def fcontext_get_policy(
    ctx: FunctionContext,
    name: str,
    filetype: str | None = None,
    sel_type: str | None = None,
    sel_user: str | None = None,
    sel_level: str | None = None,
) -> dict[str, str] | None:
    """Return the policy's entry for a file specification.

    Args:
        name: the specification, a path that may be a regular expression.
        sel_type: only an entry with this type.
        sel_user: only an entry with this user.
        sel_level: only an entry with this level.

    Example:
        ensue call '*' selinux.fcontext_get_policy '/srv/www(/.*)?'

    Returns:
        `filespec`, `filetype`, `sel_user`, `sel_role`, `sel_type` and `sel_level`; None if there is no entry.

    Raises:
        StateFailedError: the target has no semanage.
    """
    kind = filetype_id_to_string(ctx, filetype) if filetype else None
    conditions = {"sel_type": sel_type, "sel_user": sel_user, "sel_level": sel_level}
    given = {key: value for key, value in conditions.items() if value}
    policy = None
    for entry in await _entries(ctx):
        is_it = entry["filespec"] == name and kind in {None, entry["filetype"]}
        if is_it and all(entry[key] == value for key, value in given.items()):
            policy = entry
    return policy


async def fcontext_add_policy(
    ctx: FunctionContext,
    name: str,
    filetype: str | None = None,
    sel_type: str | None = None,
    sel_user: str | None = None,
    sel_level: str | None = None,
) -> DataMap:
    """Add or change an entry; returns `retcode`, `stdout` and `stderr`.

    Args:
        name: the specification, a path that may be a regular expression.
        sel_type: the type of the entry.
        sel_user: the user of the entry.
        sel_level: the level of the entry.

    Example:
        ensue call '*' selinux.fcontext_add_policy '/srv/www(/.*)?'
    """
    is_there = await fcontext_get_policy(ctx, name, filetype) is not None
    action = "--modify" if is_there else "--add"
    return await _manage(ctx, action, name, filetype, _options(sel_type, sel_user, sel_level))


async def fcontext_delete_policy(
    ctx: FunctionContext,
    name: str,
    filetype: str | None = None,
    sel_type: str | None = None,
    sel_user: str | None = None,
    sel_level: str | None = None,
) -> DataMap:
    """Remove an entry; returns `retcode`, `stdout` and `stderr`.

    Args:
        name: the specification, a path that may be a regular expression.
        sel_type: the type of the entry.
        sel_user: the user of the entry.
        sel_level: the level of the entry.

    Example:
        ensue call '*' selinux.fcontext_delete_policy '/srv/www(/.*)?'
    """
    return await _manage(ctx, "--delete", name, filetype, _options(sel_type, sel_user, sel_level))


async def fcontext_policy_is_applied(ctx: FunctionContext, name: str, recursive: bool = False) -> str:
    """Return what restorecon would relabel, in its own words; empty if all labels are correct.

    Args:
        name: the path.
        recursive: include everything below the path.

    Example:
        ensue call '*' selinux.fcontext_policy_is_applied /srv/www

    Raises:
        StateFailedError: the target has no restorecon, or the path does not exist.
    """
    words = ["-n", "-v", *(["-R"] if recursive else [])]
    return (await must(ctx, "restorecon", *words, "--", name, what="compare labels")).stdout.strip()


async def fcontext_apply_policy(ctx: FunctionContext, name: str, recursive: bool = False) -> DataMap:
    """Apply the policy's labels to files.

    Args:
        name: the path.
        recursive: include everything below the path.

    Example:
        ensue call '*' selinux.fcontext_apply_policy /srv/www

    Returns:
        `retcode`, `stdout`, `stderr`, and `changes`: by path `old` and `new`, the changed parts of the label.
    """
    planned = await fcontext_policy_is_applied(ctx, name, recursive)
    words = ["-v", "-F", *(["-R"] if recursive else [])]
    answer = await ask(ctx, "restorecon", *words, "--", name)
    done: DataMap = {"retcode": answer.returncode, "stdout": answer.stdout, "stderr": answer.stderr}
    if not answer.is_success:
        return done
    changes: DataMap = {}
    for path, before, after in (match.groups() for form in _RELABELS for match in form.finditer(planned)):
        old, new = _label(before), _label(after)
        changes[path] = {
            "old": {key: value for key, value in old.items() if new.get(key) != value},
            "new": {key: value for key, value in new.items() if old.get(key) != value},
        }
    return {**done, "changes": changes}


async def _entries(ctx: FunctionContext) -> list[dict[str, str]]:
    answer = await must(ctx, "semanage", "fcontext", "--list", what="list the SELinux file contexts")
    matches = (_ENTRY.match(line) for line in answer.stdout.splitlines())
    return [
        {"filespec": match[1].strip(), "filetype": match[2], **_label(match[3])} for match in matches if match
    ]


def _label(text: str) -> dict[str, str]:
    return dict(zip(_PARTS, text.split(":", len(_PARTS) - 1), strict=False))


def _options(sel_type: str | None, sel_user: str | None, sel_level: str | None) -> list[str]:
    given = (("--type", sel_type), ("--seuser", sel_user), ("--range", sel_level))
    return [word for flag, value in given if value for word in (flag, value)]


async def _manage(
    ctx: FunctionContext, action: str, name: str, filetype: str | None, options: Sequence[str]
) -> DataMap:
    kind: list[str] = []
    if filetype and filetype != "a":
        filetype_id_to_string(ctx, filetype)
        kind = ["--ftype", filetype]
    answer = await ask(ctx, "semanage", "fcontext", action, *kind, *options, name)
    return {"retcode": answer.returncode, "stdout": answer.stdout, "stderr": answer.stderr}


OFFERED: Final = by_name(
    fcontext_add_policy, fcontext_apply_policy, fcontext_delete_policy, fcontext_get_policy,
    fcontext_policy_is_applied, filetype_id_to_string,
)  # fmt: skip
