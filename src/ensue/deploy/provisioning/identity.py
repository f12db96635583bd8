"""The names of resources in a graph: type, class and id, their notation, and their defaults.

Source: resource graph document, "Placeholders"; the implicit resources are those of "Basic graphs".
"""

from __future__ import annotations

import hashlib
import re
from typing import Final, NamedTuple

import msgspec

DEFAULT_CLASS: Final = "default"
WORKLOAD: Final = "workload"
IMPLICIT: Final = ("base-env", "k8s-cluster", "k8s-namespace")
"""Types with exactly one resource per environment; its id is the type."""

_DESCRIPTOR: Final = re.compile(
    r"(?P<type>[^\s.#<>'\"\[\]{}]+)(?:\.(?P<class>[^\s.#<>'\"\[\]{}]+))?(?:#(?P<id>[^\s<>'\"\[\]{}]+))?"
)
_GURESID_CHARS: Final = 32


class ResourceKey(NamedTuple):
    """The identity of a resource in a graph; keys sort by type, class and id.

    Args:
        type: the resource type (`postgres`).
        class_: the resource class (`default`).
        id: the resource id (`modules.web.externals.db`).
    """

    type: str
    class_: str
    id: str

    def __str__(self) -> str:
        """Write the key as `TYPE.CLASS#ID`."""
        return f"{self.type}.{self.class_}#{self.id}"


class Descriptor(NamedTuple):
    """A key as written; class and id are optional.

    Args:
        type: the resource type.
        class_: the class; None: that of the resource that names this one.
        id: the id; None: that of the resource that names this one.
    """

    type: str
    class_: str | None = None
    id: str | None = None

    def resolved(self, owner: ResourceKey) -> ResourceKey:
        """Return the key that a descriptor refers to.

        An implicit type without an id means the implicit resource, whose class is `default`.

        Args:
            owner: the resource whose definition contains it.
        """
        if self.id is None and self.type in IMPLICIT:
            return ResourceKey(self.type, self.class_ or DEFAULT_CLASS, self.type)
        class_ = owner.class_ if self.class_ is None else self.class_
        return ResourceKey(self.type, class_, owner.id if self.id is None else self.id)


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The environment of a deployment.

    Args:
        app: the id of the application.
        env: the id of the environment.
        env_type: the type of the environment (`development`).
        org: the id of the organization; empty if none is given.
    """

    app: str
    env: str
    env_type: str
    org: str = ""

    @property
    def environment(self) -> str:
        """The full name of the environment: `[ORG/]APP/ENV`."""
        return "/".join(filter(None, (self.org, self.app, self.env)))


def parse_descriptor(text: str) -> Descriptor | None:
    """Parse `TYPE[.CLASS][#ID]`; None if the text is malformed."""
    match = _DESCRIPTOR.fullmatch(text)
    return None if match is None else Descriptor(match["type"], match["class"], match["id"])


def guresid(context: Context, key: ResourceKey) -> str:
    """Return the globally unique id of a resource: 32 hexadecimal digits, the same for every deployment.

    Args:
        context: application and environment are part of it.
        key: the resource.
    """
    named = "\0".join((context.app, context.env, *key))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:_GURESID_CHARS]


def context_values(context: Context, key: ResourceKey) -> dict[str, str]:
    """Return the fields of the context of one resource by name, except its guresid."""
    return {**context_of(context), "res.id": key.id, "res.type": key.type, "res.class": key.class_}


def context_of(context: Context) -> dict[str, str]:
    """Return the fields of the context that all resources of a deployment share."""
    return {"org.id": context.org, "app.id": context.app, "env.id": context.env, "env.type": context.env_type}
