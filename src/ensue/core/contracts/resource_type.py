"""A resource type: how to discover, reach and describe resources of one kind.

A type is a Python package, found in a project's `_resources/<type>/` below a file root, under the entry
point group `ensue.resources`, or as `ensue/reach/resources/<type>/`. Its `__init__.py` has the hooks below;
its folders `modules/` and `states/` have overrides: `modules/pkg.py` is the execution module `pkg` for
resources of this type, in place of ensue's own, `states/service.py` the state module `service`.

Every hook is optional, and every hook declares the parameters that it needs, in any order; hooks may be
`async def` or plain functions, which run in a thread. `connect`, `check` and `remarks` are plain functions.

| hook | called | default |
| --- | --- | --- |
| `init(opts)` | once, before anything else of the type | nothing |
| `discover(opts)` | when pillar has been compiled; returns `{id: configuration}` | nothing |
| `check(config)` | for each configuration; returns its errors | no errors |
| `remarks(config)` | for each valid configuration; returns what in it has no effect | nothing |
| `connect(context)` | before a resource is used; returns its connection, does no I/O | no connection |
| `ping(connection, context)` | by `test.ping`; False or an exception: not reachable | asks the connection |
| `grains(connection, context)` | once per resource | `id`, `resource_id`, `resource_type` |
| `shutdown(opts)` | once, at the end, if `init` was called and did not raise | nothing |

`SECRET_KEYS` is a set of the configuration keys whose values are secrets; empty by default.
`IS_REMOTE` is True if work on a resource takes next to nothing from this machine, such as no process;
functions on such resources do not count towards the default limit of concurrent functions.

A connection may lack any method of `ensue.core.contracts.connection.Connection`: functions that need it then
fail by their own name (`cmd.run is not available for dummy`). It may have more methods, for the type's
overrides.

Source: Salt Resources, "salt/resource/".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.leftovers import LeftoverNotes
    from ensue.core.contracts.reach import Reach
    from ensue.core.masking import Masker
    from ensue.core.model.data import ReadOnlyDataMap
    from ensue.core.model.srn import Srn


class ResourceContext(msgspec.Struct, frozen=True, kw_only=True):
    """One resource, as its type receives it. Small: a hundred thousand of them may exist.

    Args:
        srn: the resource.
        config: its configuration in the clear, type-level defaults merged in.
        opts: options of the project.
        cache_dir: the project's cachedir on this machine.
        masker: receives every secret that the type itself learns.
        connect_to: opens the pooled connection of another resource (a jump host).
        leftovers: records temporary files on the resource; None: they are not recorded.
        reach: what is known of hosts that cannot be reached; None: nothing is remembered.
    """

    srn: Srn
    config: ReadOnlyDataMap
    opts: ReadOnlyDataMap
    cache_dir: Path
    masker: Masker
    connect_to: Callable[[Srn], Connection]
    leftovers: LeftoverNotes | None = None
    reach: Reach | None = None


HOOK_PARAMETERS: Final[Mapping[str, frozenset[str]]] = {
    "init": frozenset({"opts"}),
    "discover": frozenset({"opts"}),
    "check": frozenset({"config"}),
    "remarks": frozenset({"config"}),
    "connect": frozenset({"context"}),
    "ping": frozenset({"connection", "context"}),
    "grains": frozenset({"connection", "context"}),
    "shutdown": frozenset({"opts"}),
}
"""The hooks of a type with the parameters that each may take."""

PLAIN_HOOKS: Final = frozenset({"check", "remarks", "connect"})
"""Hooks that may not be `async def`: they do no I/O."""
