"""A resource type: how to connect to a kind of thing, and what can be known of it.

A type is a Python package or module with the functions of `ResourceType`, found under
`ensue.resources.<type>`, the entry point group `ensue.resources`, or a project's `_resources/<type>/`.

Source: Salt Resources, "salt/resource/".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.contracts.connection import Connection
    from ensue.contracts.leftovers import LeftoverNotes
    from ensue.masking import Masker
    from ensue.model.data import DataMap, ReadOnlyDataMap
    from ensue.model.srn import Srn


class ResourceContext(msgspec.Struct, frozen=True, kw_only=True):
    """One resource, as its type is given it. Small: a hundred thousand of them may exist.

    Args:
        srn: the resource.
        config: its configuration in the clear, type-level defaults merged in.
        opts: options of the project.
        cache_dir: the project's cachedir on this machine.
        masker: told of every secret that the type itself comes to know.
        connect_to: opens the pooled connection of another resource (a jump host).
        leftovers: where temporary files on the resource are noted; None: nowhere.
    """

    srn: Srn
    config: ReadOnlyDataMap
    opts: ReadOnlyDataMap
    cache_dir: Path
    masker: Masker
    connect_to: Callable[[Srn], Connection]
    leftovers: LeftoverNotes | None = None


class ResourceType(Protocol):
    """What a type's module offers. `SECRET_KEYS` names configuration keys whose values are secrets."""

    SECRET_KEYS: frozenset[str]

    def check(self, config: ReadOnlyDataMap) -> list[str]:
        """Return what is wrong with a configuration, one sentence each; empty when nothing is."""
        ...

    def connect(self, context: ResourceContext) -> Connection:
        """Return a connection handle; does no I/O."""
        ...

    async def ping(self, connection: Connection) -> bool:
        """Say whether the resource answers; raises what the connection raises when it does not."""
        ...

    async def grains(self, connection: Connection, context: ResourceContext) -> DataMap:
        """Gather the resource's grains."""
        ...
