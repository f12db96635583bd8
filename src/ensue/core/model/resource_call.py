"""The call of a state on a resource that another minion of a fleet manages, and its return, as data.

The minion that manages a resource carries out the whole call, with the conditions of the state, because it
alone has the configuration of the resource and the connection to it.
"""

from __future__ import annotations

from typing import Any

import msgspec


class ResourceCall(msgspec.Struct, frozen=True, kw_only=True):
    """The call of one state on one resource.

    Args:
        srn: the resource, as text.
        id: the ID of the state.
        name: its `name`; a list of words for some functions.
        module: its module.
        function: the function; `mod_watch` for the one of the module.
        arguments: the other arguments, without references.
        sls: the SLS of the state.
        saltenv: the environment of that SLS.
        test: whether nothing may be changed.
        options: the state options that the managing minion carries out, by name.
        requires: the states that it requires, and those that make something below its name, as
            (`module.function`, `name`).
        changed_watches: for `mod_watch`, the watched states that have changed, as `module: ID`.
        pending: the IDs of the states that it requires and that, in a plan, would change something.
        enforced: the `new_state` that the last apply enforced, without what was cut; None: there is none.
        secrets: the secrets that occur in the call.
    """

    srn: str
    id: str
    name: Any
    module: str
    function: str
    arguments: dict[str, Any]
    sls: str = ""
    saltenv: str = "base"
    test: bool = False
    options: dict[str, Any] = {}
    requires: tuple[tuple[str, str], ...] = ()
    changed_watches: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    enforced: Any = None
    secrets: tuple[str, ...] = ()


class ResourceReturn(msgspec.Struct, frozen=True, kw_only=True):
    """What a called state has returned; see `StateReturn` for the fields that are not described.

    Args:
        skipped: whether a condition of the state was not met, so that its function was not called.
        secrets: the secrets that occur in it.
    """

    result: bool | None
    changes: dict[str, Any] = {}
    comment: str = ""
    new_state: Any = None
    old_state: Any = None
    sensitive: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    preview: str = ""
    skipped: bool = False
    secrets: tuple[str, ...] = ()
