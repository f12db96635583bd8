"""Derived resources, as functions and plug-ins see them.

Source: derived-resources document: `register`, `get`, `list_for_type`, `invalidate`, provenance.
All methods may do I/O and block for milliseconds: call them through `asyncio.to_thread` on an event loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack, overload

from ensue.core.errors import ResourceError
from ensue.core.model.data import is_mapping
from ensue.core.model.resource import RegistrationRequest, RegistryScope
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.resource import DeclaredBy, Orphaned, Registration, ResourceRecord

__all__ = ["DerivedRegistry", "MoreOfRequest", "RegistryScope", "requested"]


class MoreOfRequest(TypedDict, total=False):
    """The fields of a `RegistrationRequest` that `register` takes by name."""

    source: Srn | str | None
    watch: Sequence[str]
    source_grains: Mapping[str, Data] | None
    ttl_s: float | None
    scope: RegistryScope


class DerivedRegistry(Protocol):
    """The in-run registry in front of the cross-run store."""

    @overload
    def register(
        self, resource: Srn | str, config: Mapping[str, Data], **more: Unpack[MoreOfRequest]
    ) -> Registration: ...

    @overload
    def register(
        self,
        resource_type: str,
        resource_id: str,
        config: Mapping[str, Data],
        **more: Unpack[MoreOfRequest],
    ) -> Registration: ...

    def register(self, *named: Any, **more: Any) -> Registration:
        """Register a resource, or confirm it; visible at once to every state that starts later.

        The resource is named by type and id (`register("ssh_host", "db-01", config)`) or by both in one
        (`register("ssh_host:db-01", config)`).

        Args:
            named: the resource, and how to connect to it; the configuration is encrypted at rest.
            more: the other fields of a `RegistrationRequest`, and `config`; `source` may be text.

        Raises:
            ResourceConflictError: the id is registered under another type; names both.
            ResourceError: a name is malformed, its type refuses the configuration, or it cannot be stored.
            StoreError: the store cannot be read or written.
        """
        return self.register_many((requested(*named, **more),))[0]

    def register_many(self, requests: Sequence[RegistrationRequest]) -> list[Registration]:
        """Register resources, all of them or none.

        Returns:
            The outcome of each, in the same order.

        Raises:
            ResourceConflictError: an id is registered under another type; names both.
            ResourceError: a type refuses a configuration, or one cannot be stored.
            StoreError: the store cannot be read or written.
        """
        ...

    def get(self, srn: Srn, *, even_orphaned: bool = False) -> DataMap | None:
        """Return the configuration of an active resource (audited), None when there is none.

        Args:
            srn: the resource.
            even_orphaned: return that of an orphaned resource too.
        """
        ...

    def record(self, srn: Srn) -> ResourceRecord | None:
        """Return the record of a resource, even an invalidated one, without decrypting anything."""
        ...

    def records(self) -> list[ResourceRecord]:
        """Return the records of all resources, sorted by SRN, without decrypting anything."""
        ...

    def find(self, ids: Iterable[str]) -> list[ResourceRecord]:
        """Return the records of the resources with one of these ids, sorted by SRN; uses an index."""
        ...

    def types(self) -> list[str]:
        """Return the types that have a resource, invalidated ones included; sorted."""
        ...

    def list_for_type(self, resource_type: str, *, active: bool = True) -> list[str]:
        """Return the ids of a type's active resources, sorted; with `active` false of invalidated ones."""
        ...

    def observe(self, source: Srn, grains: Mapping[str, Data]) -> list[Srn]:
        """Compare a source's grains with the fingerprints; invalidate what no longer holds, transitively.

        Returns:
            The resources that this call invalidated, sorted.
        """
        ...

    def invalidate(self, source: Srn, *, reason: str = "") -> list[Srn]:
        """Invalidate everything derived from a source, transitively; return these resources, sorted."""
        ...

    def would_invalidate(self, source: Srn) -> list[Srn]:
        """Return what `invalidate` would invalidate, sorted; a plan calls this instead."""
        there = [record.srn for record in self.records() if record.status in {"active", "orphaned"}]
        return sorted(srn for srn, sources in self.provenances(there).items() if source in sources)

    def declarations(self, *, orphaned: bool = False) -> dict[DeclaredBy, list[Srn]]:
        """Return the active or orphaned resources that this minion registered through declarations."""
        ...

    def orphan(self, declared_by: DeclaredBy, srns: Sequence[Srn], *, reason: str) -> Orphaned:
        """Orphan resources that a declaration no longer registers, and invalidate those derived from them.

        Orphaned resources are kept with their configurations and are not targetable. Registering one again
        brings it back.

        Args:
            declared_by: the declaration.
            srns: the resources; one that is not active, or that another declaration or a call has registered
                since, is ignored.
            reason: why nothing registers them.

        Raises:
            StoreError: the store cannot be read or written.
        """
        ...

    def forget(self, srn: Srn) -> bool:
        """Remove a resource's entry altogether; False when there was none."""
        ...

    def would_forget(self, srn: Srn) -> list[Srn]:
        """Return what is derived from a resource that `forget` would remove; a plan calls this instead."""
        return self.would_invalidate(srn)

    def provenance(self, srn: Srn) -> tuple[Srn, ...]:
        """Return the chain of sources, nearest first; empty for a resource without source."""
        ...

    def provenances(self, srns: Iterable[Srn]) -> Mapping[Srn, tuple[Srn, ...]]:
        """Return the chains of sources of many resources; those without source are left out."""
        ...

    def sources_among(self, srns: Iterable[Srn]) -> set[Srn]:
        """Return those of the sources that any resource, even an invalidated one, is derived from."""
        ...


def requested(
    *named: Any, config: Any = None, source: Srn | str | None = None, **more: Any
) -> RegistrationRequest:
    """Return the arguments of `register` as a request.

    Raises:
        ResourceError: there is no resource and configuration in `named`, or a name is malformed.
    """
    *names, config = (*named, config) if config is not None or not named else named
    if len(names) not in {1, 2} or not is_mapping(config):
        raise ResourceError(
            'write register("ssh_host", "db-01", {"host": …}), with type, id and configuration, or '
            'register("ssh_host:db-01", {"host": …})'
        )
    srn = parsed_srn(names[0] if len(names) == 1 else ":".join(map(str, names)))
    return RegistrationRequest(
        srn=srn, config=config, source=None if source is None else parsed_srn(source), **more
    )


def parsed_srn(name: Srn | str) -> Srn:
    """Return the name of a resource; `TYPE:ID` if it is a text.

    Raises:
        ResourceError: it is malformed.
    """
    if isinstance(name, Srn):
        return name
    try:
        return Srn.parse(name)
    except ValueError as error:
        raise ResourceError(str(error)) from error
