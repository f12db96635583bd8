"""The documentation of what has a name and is no function: drivers, resource types, providers, and topics.

`ensue doc` shows these values.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

PartKind: TypeAlias = Literal["drivers", "resource types", "environment providers", "topics"]
"""`drivers` provision resources of deployments, `resource types` connect to targets, `environment providers`
create machines, `topics` are pages of the documentation."""


class PartDoc(msgspec.Struct, frozen=True, kw_only=True):
    """The documentation of a driver, a resource type, an environment provider, or a topic.

    Args:
        kind: which of these it is.
        name: its name.
        summary: what it is, in a sentence.
        text: further paragraphs.
        inputs: the meaning of each input of a driver, key of a configuration, or option.
        example: an example; empty if there is none.
    """

    kind: PartKind
    name: str
    summary: str
    text: str = ""
    inputs: Mapping[str, str] = MappingProxyType({})
    example: str = ""
