"""Which resources exist: this machine, what pillar declares, what types discovered, what was derived.

Resources are looked up by name, id or type. A target over a million names creates objects only for those
that it matches. Methods may read the store: call them through `asyncio.to_thread` on an event
loop.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from ensue.core.errors import UnknownResourceError
from ensue.core.model.resource import ResourceRecord
from ensue.core.model.srn import Srn
from ensue.language.targeting import NameMatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.language.targeting import Vocabulary
    from ensue.language.targeting.expression import Target

_MOST_COMPARED: Final = 2000
"""The most ids of a type that are compared with an unknown one: each comparison takes microseconds."""
_SHORTEST_CONTAINED: Final = 3
"""A shorter text is within too many ids to be a hint."""


class FoundByName(msgspec.Struct, frozen=True, kw_only=True):
    """What a target matches, as far as names decide.

    Args:
        matched: what it matches, sorted.
        undecided: what only grains or pillar can decide, sorted.
    """

    matched: list[Srn]
    undecided: list[Srn]


class ResourceIndex:
    """The names of one project.

    Args:
        minion: this machine.
        registry: derived resources. One whose id belongs to another resource cannot be targeted.
        manager: returns the other minion of the run that manages a resource of this name; empty: none does.
    """

    def __init__(
        self, minion: Srn, registry: DerivedRegistry, manager: Callable[[str], str] | None = None
    ) -> None:
        self._manager = manager or _nobody
        self.minion = minion
        self._registry = registry
        self.set_static({}, ())

    def set_static(self, resources: Mapping[Srn, dict[str, Any]], discovered: Iterable[Srn]) -> None:
        """Set the resources that exist without registration, in place of the former ones."""
        self.static: Mapping[Srn, dict[str, Any]] = dict(resources)
        self._discovered = frozenset(discovered)
        # Many runs look up no bare id.
        self._static_of_id: dict[str, Srn] | None = None
        self._static_ids: dict[str, list[str]] = {}
        for srn in {self.minion: None, **self.static}:
            self._static_ids.setdefault(srn.type, []).append(srn.id)
        for ids in self._static_ids.values():
            ids.sort()

    def declared_as(self, resource_id: str) -> Srn | None:
        """Return what has this id: this machine, or a resource that pillar declares."""
        return self._claims.get(resource_id)

    def record(self, srn: Srn) -> ResourceRecord | None:
        """Return what is known of one resource, None when there is none of this name."""
        if self._is_static(srn):
            return self._declared(srn)
        record = self._registry.record(srn)
        return None if record is None else self._beside_declared(record)

    def is_known(self, srn: Srn) -> bool:
        """Return whether there is a resource of this name, or one was registered and is not forgotten."""
        return self._is_static(srn) or self._registry.record(srn) is not None

    def records(self) -> list[ResourceRecord]:
        """Return every resource, sorted by SRN."""
        own = [self._declared(srn) for srn in {self.minion, *self.static}]
        derived = map(self._beside_declared, self._registry.records())
        return sorted([*own, *filter(None, derived)], key=_srn_of)

    def find(self, ids: Iterable[str]) -> list[ResourceRecord]:
        """Return what is known of the resources that have one of these ids, sorted by SRN."""
        asked = list(dict.fromkeys(ids))
        own = [self._declared(srn) for id_ in asked if (srn := self.declared_as(id_)) is not None]
        derived = map(self._beside_declared, self._registry.find(asked))
        return sorted([*own, *filter(None, derived)], key=_srn_of)

    def types(self) -> list[str]:
        """Return the types that have a resource, sorted."""
        return sorted({*self._static_ids, *self._registry.types()})

    def ids_of(self, resource_type: str, *, active: bool = True) -> list[str]:
        """Return the ids of the active resources of a type, or of those that cannot be targeted; sorted."""
        own = self._static_ids.get(resource_type, [])
        derived = self._registry.list_for_type(resource_type, active=active)
        if not self._claims.keys().isdisjoint(derived):
            derived = [id_ for id_ in derived if id_ not in self._claims]
        if active:
            return sorted([*own, *derived]) if own else derived
        return sorted([*derived, *self._displaced(resource_type)])

    def matching(self, target: Target, vocabulary: Vocabulary, *, active: bool = True) -> FoundByName:
        """Return what a target matches by names alone.

        The names in it are looked up; all ids are read only of the types that it may match.

        Args:
            target: the target.
            vocabulary: has the nodegroups.
            active: False: match the invalidated resources instead of the active ones.
        """
        matcher = NameMatcher(target, minions=(self.minion.id,), vocabulary=vocabulary)
        named = matcher.bound()
        groups = (
            self._of_types(matcher, active=active) if named is None else self._by_type(named, active=active)
        )
        by_name = FoundByName(matched=[], undecided=[])
        for type_, ids in groups:
            decided = matcher.decide(type_, ids)
            by_name.matched.extend(Srn(type_, id_) for id_ in decided.matched)
            by_name.undecided.extend(Srn(type_, id_) for id_ in decided.undecided)
        return by_name

    def resolve(self, target: Srn | str) -> ResourceRecord:
        """Return what is known of a resource by SRN or bare id; an id may hold a colon itself.

        Raises:
            UnknownResourceError: there is none.
        """
        resources = self.find((target,)) if isinstance(target, str) else []
        srn = resources[0].srn if resources else _as_srn(target)
        record = resources[0] if resources else self.record(srn) if srn is not None else None
        if record is None:
            raise UnknownResourceError(self.unknown(str(target)), target=str(target))
        return record

    def unknown(self, target: str) -> str:
        """Return the error for an unknown name, with its minion, or with the names that are similar."""
        import difflib

        if minion := self._manager(target):
            advice = f"states run on it by `tgt: {target}`; or assign the state to {minion}"
            return f"E0723: {target} is managed by the minion {minion}, which alone can reach it ({advice})"
        id_ = target.partition(":")[2] or target
        known = (Srn(type_, near_id) for type_ in self.types() for near_id in self._ids_around(id_, type_))
        names = [name for srn in known for name in (str(srn), srn.id)]
        close = difflib.get_close_matches(target, names, n=3)
        meant = (
            f"did you mean {' or '.join(close)}?" if close else "`ensue resources list` shows what there is"
        )
        return f"there is no resource {target!r} ({meant})"

    def near_ids(self, text: str, types: Sequence[str]) -> list[str]:
        """Return at most two ids of some types that contain a text, or are similar to it.

        A derived resource often has the name of its source within its own: `jumphost-web-a`.
        """
        import difflib

        ids = [id_ for type_ in types for id_ in self._ids_around(text, type_)]
        close = difflib.get_close_matches(text, ids, n=2)
        if len(text) < _SHORTEST_CONTAINED:
            return close
        active = (id_ for type_ in types for id_ in self.ids_of(type_))
        containing = sorted(id_ for id_ in active if text in id_)
        return list(dict.fromkeys([*containing, *close]))[:2]

    def _ids_around(self, text: str, resource_type: str) -> list[str]:
        """Return the ids of a type; of very many, only those next to which a text would be sorted."""
        ids = sorted([*self.ids_of(resource_type), *self.ids_of(resource_type, active=False)])
        if len(ids) <= _MOST_COMPARED:
            return ids
        first = max(0, bisect.bisect(ids, text) - _MOST_COMPARED // 2)
        return ids[first : first + _MOST_COMPARED]

    def _of_types(self, matcher: NameMatcher, *, active: bool) -> Iterator[tuple[str, list[str]]]:
        for type_ in self.types():
            named = matcher.bound(type_)
            if named is None:
                yield type_, self.ids_of(type_, active=active)
            elif named:
                yield from (group for group in self._by_type(named, active=active) if group[0] == type_)

    def _by_type(self, ids: Iterable[str], *, active: bool) -> Iterable[tuple[str, list[str]]]:
        ids_by_type: dict[str, list[str]] = {}
        for record in self.find(ids):
            if (record.status == "active") is active:
                ids_by_type.setdefault(record.srn.type, []).append(record.srn.id)
        return ids_by_type.items()

    @property
    def _claims(self) -> Mapping[str, Srn]:
        """The resources that exist without registration, by id."""
        if self._static_of_id is None:
            self._static_of_id = {srn.id: srn for srn in (*self.static, self.minion)}
        return self._static_of_id

    def _displaced(self, resource_type: str) -> list[str]:
        """Return the ids of a type's derived resources that belong to another resource, too."""
        records = self._registry.find(id_ for id_, srn in self._claims.items() if srn.type != resource_type)
        return [record.srn.id for record in records if record.srn.type == resource_type]

    def _beside_declared(self, record: ResourceRecord) -> ResourceRecord | None:
        """Return a derived resource, given those that exist without registration, which win.

        None if one of them is this resource itself; if one of them has its id, it cannot be targeted.
        """
        claimed = self._claims.get(record.srn.id)
        if claimed is None or claimed == record.srn:
            return record if claimed is None else None
        because = f"{claimed}, which needs no registration, has its id (forget it, or rename {claimed})"
        return msgspec.structs.replace(record, status="invalidated", invalidated_because=because)

    def _is_static(self, srn: Srn) -> bool:
        return srn in self.static or srn == self.minion

    def _declared(self, srn: Srn) -> ResourceRecord:
        of_resource: Literal["discovered", "pillar"] = "discovered" if srn in self._discovered else "pillar"
        return ResourceRecord(
            srn=srn,
            managing_minions=(self.minion.id,),
            origin="itself" if srn == self.minion else of_resource,
        )


def _nobody(_: str) -> str:
    return ""


def _srn_of(record: ResourceRecord) -> Srn:
    return record.srn


def _as_srn(target: Srn | str) -> Srn | None:
    if isinstance(target, Srn):
        return target
    try:
        return Srn.parse(target)
    except ValueError:
        return None
