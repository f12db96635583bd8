"""Lookups of many entries at once: by id, by type, and the chains of their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.core.model.srn import Srn
from ensue.store.registry.lazy_registry import LazyRegistry
from ensue.testing.registry import FakeRegistry

if TYPE_CHECKING:
    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.store.registry.registry import ResourceRegistry

    from .conftest import Clock

ENV = Srn("starting_state", "env-1")
HOST = Srn("ssh_host", "web-1")
INNER = Srn("container", "app-1")
LONE = Srn("ssh_host", "web-2")


@pytest.fixture(params=["real", "fake"])
def known(request: pytest.FixtureRequest, registry: ResourceRegistry) -> DerivedRegistry:
    """A registry with a chain of two resources and one by itself."""
    meant: DerivedRegistry = registry if request.param == "real" else FakeRegistry("minion-1")
    meant.register(HOST, {"host": "a"}, source=ENV)
    meant.register(INNER, {}, source=HOST, scope="run")
    meant.register(LONE, {"host": "b"})
    return meant


def test_records_are_found_by_id(known: DerivedRegistry) -> None:
    """Ids of both scopes give the same records as single lookups; unknown ids give nothing."""
    records = known.find(["web-1", "nothing", "app-1", "web-1"])
    assert records == [known.record(INNER), known.record(HOST)]
    assert known.find([]) == []


def test_types_and_ids_tell_what_there_is(known: DerivedRegistry) -> None:
    """An invalidated resource counts among its type's, apart from those that are active."""
    assert known.types() == ["container", "ssh_host"]
    known.invalidate(ENV)
    assert known.types() == ["container", "ssh_host"]
    assert known.list_for_type("ssh_host") == ["web-2"]
    assert known.list_for_type("ssh_host", active=False) == ["web-1"]
    assert known.list_for_type("container", active=False) == ["app-1"]


def test_chains_of_many_are_the_chains_of_each(known: DerivedRegistry) -> None:
    """Chains go over both scopes; what has no source, or another type, has none."""
    chains = known.provenances([HOST, INNER, LONE, Srn("dummy", "web-1")])
    assert chains == {HOST: (ENV,), INNER: (HOST, ENV)}
    assert all(known.provenance(srn) == chain for srn, chain in chains.items())


def test_a_circle_ends(registry: ResourceRegistry) -> None:
    """Two resources that are each other's source each have a chain of one."""
    registry.register(HOST, {}, source=LONE)
    registry.register(LONE, {}, source=HOST)
    assert registry.provenances([HOST, LONE]) == {HOST: (LONE,), LONE: (HOST,)}


def test_what_has_expired_is_found_invalidated(registry: ResourceRegistry, clock: Clock) -> None:
    """Lookups by id and by type compare its time with the present moment."""
    registry.register(HOST, {}, ttl_s=10.0)
    clock.now_s += 11
    assert [record.status for record in registry.find(["web-1"])] == ["invalidated"]
    registry.register(LONE, {}, ttl_s=10.0)
    clock.now_s += 11
    assert registry.list_for_type("ssh_host") == []
    assert registry.list_for_type("ssh_host", active=False) == ["web-1", "web-2"]


def test_a_chain_into_a_circle_ends(registry: ResourceRegistry) -> None:
    """A resource whose source is in a circle that it is not in has the whole circle as its chain, once."""
    registry.register(HOST, {}, source=LONE)
    registry.register(LONE, {}, source=HOST)
    registry.register(INNER, {}, source=HOST)
    assert registry.provenances([INNER]) == {INNER: (HOST, LONE)}


def test_a_registry_that_is_opened_late_forwards_every_question(known: DerivedRegistry) -> None:
    """It answers as the registry does, and opens it with the first call."""
    late = LazyRegistry(lambda: known, lambda: True)
    assert late.records() == known.records()
    assert late.find(["web-1"]) == known.find(["web-1"])
    assert late.sources_among([ENV, HOST, LONE]) == known.sources_among([ENV, HOST, LONE])
    assert late.observe(ENV, {"status": "failed"}) == [INNER, HOST]
    assert late.list_for_type("ssh_host", active=False) == ["web-1"]
