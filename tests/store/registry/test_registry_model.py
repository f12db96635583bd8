"""Random sequences of operations, compared with a model in a dictionary."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.core.errors import ResourceConflictError
from ensue.core.model.srn import Srn
from ensue.store.registry.entry import RegistrationRequest
from ensue.store.registry.registry import ResourceRegistry
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Step = Callable[["Model", ResourceRegistry], tuple[object, object]]

pytestmark = pytest.mark.long

IDS = ("a", "b", "c")
ENVIRONMENT = Srn("env", "1")
RESOURCES = tuple(Srn("t", id_) for id_ in IDS)
IMPOSTOR = Srn("u", "a")
SOURCES = (ENVIRONMENT, *RESOURCES)
SUCCEEDED = "succeeded"


@dataclass(frozen=True)
class Known:
    srn: Srn
    config: int
    source: Srn | None
    scope: str
    expires_s: float
    active: bool = True
    noted: str | None = None


class Model:
    """The meaning of the registry, without a store, a key or a log."""

    def __init__(self) -> None:
        self.known: dict[str, Known] = {}
        self.now_s = 0.0

    def expire(self) -> None:
        ended = [
            resource.srn
            for resource in self.known.values()
            if resource.active and resource.expires_s <= self.now_s
        ]
        self._mark(ended)
        self._descend(ended)

    def register(self, wish: Wish) -> bool:
        self.expire()
        srn, source = wish.srn, wish.source
        if srn.id in self.known and self.known[srn.id].srn != srn:
            raise ResourceConflictError
        if source is not None and wish.status is not None:
            self.observe(source, wish.status, spare={srn})
        before = self.known.get(srn.id)
        if before is not None and before.config != wish.config:
            self._descend([srn], spare={srn})
        terms = (wish.config, source, wish.scope)
        kept = before if before and (before.config, before.source, before.scope) == terms else None
        noted = wish.status if source is not None else None
        if wish.status is None and kept is not None and kept.active:
            noted = kept.noted
        expires_s = self.now_s + (wish.ttl_s or 1e9)
        self.known[srn.id] = Known(srn, wish.config, source, wish.scope, expires_s, noted=noted)
        return kept is None or not kept.active

    def observe(self, source: Srn, status: str, spare: Iterable[Srn] = ()) -> set[Srn]:
        self.expire()
        before = self._active()
        there = [
            resource for resource in self._below([source]) if resource.active and resource.srn not in spare
        ]
        other = [resource.srn for resource in there if (resource.noted or SUCCEEDED) != status]
        for resource in there:
            self.known[resource.srn.id] = replace(resource, noted=status)
        self._mark(other)
        self._descend(other, spare)
        return before - self._active()

    def invalidate(self, source: Srn) -> set[Srn]:
        self.expire()
        before = self._active()
        self._descend([source])
        return before - self._active()

    def forget(self, srn: Srn) -> bool:
        return srn in (resource.srn for resource in self.known.values()) and bool(self.known.pop(srn.id))

    def _active(self) -> set[Srn]:
        return {resource.srn for resource in self.known.values() if resource.active}

    def _below(self, sources: Iterable[Srn]) -> list[Known]:
        origins = set(sources)
        return [resource for resource in self.known.values() if resource.source in origins]

    def _mark(self, srns: Iterable[Srn]) -> None:
        for srn in srns:
            self.known[srn.id] = replace(self.known[srn.id], active=False)

    def _descend(self, sources: Iterable[Srn], spare: Iterable[Srn] = ()) -> None:
        visited = set(spare)
        while below := [resource.srn for resource in self._below(sources) if resource.srn not in visited]:
            visited.update(below)
            self._mark(below)
            sources = below


@dataclass(frozen=True)
class Wish:
    """What one registration requests."""

    srn: Srn
    config: int
    source: Srn | None
    scope: str = "cache"
    ttl_s: float | None = None
    status: str | None = None

    def request(self) -> RegistrationRequest:
        # An unwatched grain may have any value.
        grains = None if self.status is None else {"status": self.status, "noise": object()}
        return RegistrationRequest(
            srn=self.srn,
            config={"n": self.config},
            source=self.source,
            scope=self.scope,  # type: ignore[arg-type]  # one of two words
            ttl_s=self.ttl_s,
            source_grains=grains,  # type: ignore[arg-type]  # the noise is no data
        )


def _register(wishes: list[Wish]) -> Step:
    def both(model: Model, registry: ResourceRegistry) -> tuple[object, object]:
        requests = [wish.request() for wish in wishes]
        before = dict(model.known)
        try:
            expected = [model.register(wish) for wish in wishes]
        except ResourceConflictError:
            model.known = before
            with pytest.raises(ResourceConflictError):
                registry.register_many(requests)
            return None, None
        return expected, [done.changed for done in registry.register_many(requests)]

    return both


def _invalidate(source: Srn) -> Step:
    return lambda model, registry: (model.invalidate(source), set(registry.invalidate(source)))


def _observe(source: Srn, status: str) -> Step:
    return lambda model, registry: (
        model.observe(source, status),
        set(registry.observe(source, {"status": status})),
    )


def _forget(srn: Srn) -> Step:
    return lambda model, registry: (model.forget(srn), registry.forget(srn))


def _let_pass(seconds: float) -> Step:
    return lambda model, _: (setattr(model, "now_s", model.now_s + seconds), None)


STATUSES = st.sampled_from((SUCCEEDED, "stopped"))
WISHES = st.builds(
    Wish,
    srn=st.sampled_from((*RESOURCES, *RESOURCES, IMPOSTOR)),
    config=st.sampled_from((0, 0, 0, 1)),
    source=st.sampled_from((None, *SOURCES, ENVIRONMENT)),
    scope=st.sampled_from(("cache", "cache", "run")),
    ttl_s=st.sampled_from((None, None, None, 10.0)),
    status=st.none() | STATUSES,
).filter(lambda wish: wish.source != wish.srn)
# The requests of a batch are assumed to have seen one state of their sources: here none has a status.
BATCHES = st.lists(WISHES.map(lambda wish: replace(wish, status=None)), min_size=2, max_size=3)
STEPS = st.one_of(
    WISHES.map(lambda wish: [wish]).map(_register),
    WISHES.map(lambda wish: [wish]).map(_register),
    BATCHES.map(_register),
    st.sampled_from(SOURCES).map(_invalidate),
    st.builds(_observe, st.sampled_from(SOURCES), STATUSES),
    st.sampled_from((*RESOURCES, IMPOSTOR)).map(_forget),
    st.sampled_from((1.0, 10.0)).map(_let_pass),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_the_registry_does_what_the_model_says(steps: list[Step]) -> None:
    """After every operation the registry answers, reads and lists exactly as a dictionary does."""
    with tempfile.TemporaryDirectory() as folder:
        model = Model()
        vault = ProjectVault.of_project(Path(folder), environment={})
        registry = ResourceRegistry(Path(folder), minion_id="m", vault=vault, clock=lambda: model.now_s)
        try:
            for step in steps:
                expected, answered = step(model, registry)
                assert answered == expected
                _compare(model, registry)
            assert registry.audit_fault() is None
        finally:
            registry.close()


def _compare(model: Model, registry: ResourceRegistry) -> None:
    model.expire()
    known = {resource.srn: resource for resource in model.known.values()}
    assert {record.srn: (record.status == "active", record.source) for record in registry.records()} == {
        srn: (resource.active, resource.source) for srn, resource in known.items()
    }
    for srn in (*RESOURCES, IMPOSTOR):
        resource = known.get(srn)
        assert registry.get(srn) == (
            {"n": resource.config} if resource is not None and resource.active else None
        )
    for type_ in ("t", "u"):
        active = sorted(
            resource.srn.id for resource in known.values() if resource.active and resource.srn.type == type_
        )
        assert registry.list_for_type(type_) == active
