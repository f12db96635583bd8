"""State module `file`: files, folders and symlinks of the target.

Each function has its own module or shares one with related functions. Code that they share (owner and mode,
diffs, sources, walking) is in modules named for it. All functions work through the target's connection.

Differences from Salt:
    `clean` does not remove a folder that contains something excluded; `file.symlink` with `force` replaces a
    folder too; `file.copy` with `force` leaves an identical copy alone; `file.line` with `location: end` adds
    no blank line; `file.line` replaces or removes all lines that match in one run, where Salt takes one line
    a run; `file.keyvalue` keeps the indentation of a key; `file.serialize` with `configparser` keeps the case
    of names, and merges `[DEFAULT]` like any section; an invalid mode is refused before anything is written;
    a file that is not UTF-8 can be appended to. `file.symlink` manages an owner only if one is given.
    `file.hardlink` refuses a target that is a symlink, and a plan whose target does not exist yet has the
    result None. `file.tidied` with an `age` and no `size` removes old files, where Salt treats every file as
    big enough, and it leaves a folder that is not empty. `file.patch` refuses a patch that is partly applied.
    `file.shortcut` is refused, because only Windows has shortcuts.

Args:
    name: absolute path of the file.
    **kwargs: further arguments; a warning says that they have no effect.
    makedirs: create missing parent folders.
    defaults: variables for templates; `context` overrides them.
    context: variables for the templates.
    show_changes: show a diff.
    backup: suffix of a copy of the old file; false makes no copy.
    source_hash_name: file name to look up if `source_hash` lists several checksums.
    skip_verify: accept a source from the network without a checksum.
    user: owner, by name or number.
    group: group, by name or number.
    owner: the same as `user`.
    create: create the file if it does not exist.

Source: Salt's state module `file`; results, changes and comments as in 3008.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.path_exists import path_exists
from ensue.library.states.file.absent import absent
from ensue.library.states.file.accumulated import accumulated
from ensue.library.states.file.append import append, prepend
from ensue.library.states.file.blockreplace import blockreplace
from ensue.library.states.file.cached import cached, not_cached
from ensue.library.states.file.cleaning import removed_paths
from ensue.library.states.file.comment import comment, uncomment
from ensue.library.states.file.copying import copy, rename
from ensue.library.states.file.decode import decode
from ensue.library.states.file.directory import directory
from ensue.library.states.file.existence import exists, missing
from ensue.library.states.file.hardlink import hardlink
from ensue.library.states.file.keyvalue import keyvalue
from ensue.library.states.file.line import line
from ensue.library.states.file.managed import managed
from ensue.library.states.file.mknod import mknod
from ensue.library.states.file.patch import patch
from ensue.library.states.file.pruned import pruned
from ensue.library.states.file.recurse import recurse
from ensue.library.states.file.replace import replace
from ensue.library.states.file.retention_schedule import retention_schedule
from ensue.library.states.file.serialize import serialize
from ensue.library.states.file.shortcut import shortcut
from ensue.library.states.file.symlink import symlink
from ensue.library.states.file.tidied import tidied
from ensue.library.states.file.touch import touch

FUNCTIONS: Final = by_name(
    absent, accumulated, append, blockreplace, cached, comment, copy, decode, directory, exists, hardlink,
    keyvalue, line, managed, missing, mknod, not_cached, patch, prepend, pruned, recurse, replace,
    retention_schedule, serialize, shortcut, symlink, tidied, touch, uncomment, make_only=("name",),
) | by_name(rename, make_only=("name", "source"))  # fmt: skip


REMOVES: Final = removed_paths
STILL_EXISTS: Final = path_exists

TRANSIENT: Final = frozenset({"accumulated"})
"""Functions whose effect is lost when the process ends."""
