"""The name of a resource: `<type>:<id>`.

Source: Salt Resources, "Salt Resource Name (SRN)".
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class Srn(msgspec.Struct, frozen=True, order=True, cache_hash=True):
    """A resource name. Ids are unique over all types.

    Args:
        type: the resource type (`ssh_host`).
        id: the resource's own id (`web-01`); any printable characters, no white space at its ends.
    """

    type: str
    id: str

    def __str__(self) -> str:
        """Write the name as `type:id`."""
        return f"{self.type}:{self.id}"

    @classmethod
    def parse(cls, text: str) -> Srn:
        """Read `type:id`; an alias of a type (`ssh:web-01`) is read as the type.

        Raises:
            ValueError: there is no colon, the type is not a word, or the id is empty or not on one line.
        """
        type_, colon, id_ = text.partition(":")
        if not colon or not _TYPE.match(type_) or not is_resource_id(id_):
            msg = f"not a resource name: {text!r} (write <type>:<id>, for example ssh_host:web-01)"
            raise ValueError(msg)
        return cls(TYPE_ALIASES.get(type_, type_), id_)


def is_resource_id(text: str) -> bool:
    """Return whether a text can be an id: on one line, not empty, without white space at its ends."""
    return bool(text) and text == text.strip() and text.isprintable()


TYPE_ALIASES: Final[Mapping[str, str]] = MappingProxyType({"ssh": "ssh_host"})
"""Type names that Salt's configuration and targets use, and ours."""

MINION_TYPE = "minion"
"""The type of the machine that ensue runs on: `minion:<minion id>`."""
