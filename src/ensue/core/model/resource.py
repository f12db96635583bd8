"""Records of resources without their configuration, and requests to register them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from ensue.core.model.state_tag import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.model.data import Data
    from ensue.core.model.srn import Srn

RegistryScope = Literal["run", "cache"]
"""Where a resource is kept: `run` is memory and ends with the run, `cache` is the cross-run store."""

ResourceStatus = Literal["active", "invalidated", "orphaned"]
"""An invalidated resource no longer holds; an orphaned one is no longer registered by the state that
registered it. Both are kept and shown, and are not targetable."""


_LABEL_CHARS: Final = 60


class DeclaredBy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state declaration that registered a resource, so that a later run can check whether it still does.

    Args:
        sls: the SLS of the top scope that the declaration is in or grew from.
        scope: the path of its scope.
        tag: its tag.
        fanned_from: the tag of the declaration that was fanned out; empty for one without `tgt`.
        by_function: whether its function registered the resource, rather than `registers`.
        highstate: whether the run was a highstate.
        project: the project's root where several projects share one store, else empty.
        on: the resource whose own SLS it is, in a run with a target; empty: that of the minion.
        environment: what selected the environments of SLS and pillar, as in `EnforcedBy`.
    """

    sls: str
    scope: str
    tag: str
    fanned_from: str = ""
    by_function: bool = False
    highstate: bool = False
    project: str = ""
    on: str = ""
    environment: str = ""

    @property
    def named(self) -> tuple[str, str, str]:
        """The ID, the name and the `module.function` of the state."""
        words = words_of(self.tag)
        return words.id, words.name, f"{words.module}.{words.function}"

    @property
    def label(self) -> str:
        """The declaration in messages: `ID (module.function in SLS)`."""
        id_, _, function = self.named
        return f"{id_} ({function} in {self.sls})"

    def is_of_other_project(self, other: DeclaredBy) -> bool:
        """Return whether another declaration is in another project, and not this one in another checkout."""
        if self.project == other.project:
            return False
        return (self.on, self.sls, self.scope, self.tag) != (other.on, other.sls, other.scope, other.tag)


def source_label(source: Srn, declared_by: DeclaredBy | None) -> str:
    """Return the source of a resource on one line: a state whose name is a command by its ID.

    Args:
        source: the source.
        declared_by: the declaration that registered the resource; None: no state did.
    """
    if not any(map(str.isspace, source.id)):
        return str(source)
    if declared_by is not None and declared_by.named[1] == source.id:
        return declared_by.label
    line = " ".join(str(source).split())
    return line if len(line) <= _LABEL_CHARS else f"{line[:_LABEL_CHARS]}…"


class ResourceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One resource in the registry.

    Args:
        srn: its name.
        managing_minions: ids of the minions that execute jobs for it.
        status: whether it may be targeted.
        source: the resource it was derived from; None for pillar-declared and discovered ones.
        origin: `pillar`, `discovered` or `derived`; `itself` for the machine that ensue runs on.
        registered_at: ISO 8601 with offset; empty for static ones.
        expires_at: ISO 8601; empty if it does not expire.
        invalidated_because: why it was invalidated or orphaned; empty while active.
        fault: what is wrong with its configuration, so that nothing can run on it; empty if it is in order.
        source_label: the source as messages name it; empty if it has none.
    """

    srn: Srn
    managing_minions: tuple[str, ...]
    status: ResourceStatus = "active"
    source: Srn | None = None
    origin: Literal["pillar", "discovered", "derived", "itself"] = "derived"
    registered_at: str = ""
    expires_at: str = ""
    invalidated_because: str = ""
    fault: str = ""
    source_label: str = ""

    @property
    def shown_status(self) -> str:
        """Its status; `misconfigured` if its configuration has a fault."""
        return "misconfigured" if self.fault and self.status == "active" else self.status


class RegistrationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One resource to register; the arguments of `DerivedRegistry.register` as a value.

    Args:
        srn: the resource.
        config: how to connect to it.
        source: the resource it is derived from.
        watch: grain keys of the source whose change invalidates this resource.
        source_grains: the source's grains now.
        ttl_s: seconds after which it is invalid; None: never.
        scope: where it is kept.
        declared_by: the declaration that registers it; None outside of runs.
        minion: the minion of a fleet that registers it, with the registry of its coordinator; another minion
            keeps what it manages. Empty: that of the registry.
    """

    srn: Srn
    config: Mapping[str, Data]
    source: Srn | None = None
    watch: Sequence[str] = ("status",)
    source_grains: Mapping[str, Data] | None = None
    ttl_s: float | None = None
    scope: RegistryScope = "cache"
    declared_by: DeclaredBy | None = None
    minion: str = ""


class Orphaned(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `orphan`.

    Args:
        srns: the orphaned resources, sorted.
        invalidated: the resources derived from them, which are invalidated too, sorted.
    """

    srns: tuple[Srn, ...] = ()
    invalidated: tuple[Srn, ...] = ()


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `register`.

    Args:
        srn: the registered resource.
        changed: False if an active resource with the same configuration, source and watch existed already.
        invalidated: the resources that were invalidated with the former configuration.
    """

    srn: Srn
    changed: bool
    invalidated: tuple[Srn, ...] = ()
