"""The registry: register, get, invalidate, forget, provenance, over both scopes."""

from __future__ import annotations

import sqlite3
import stat
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.errors import ResourceConflictError, ResourceError
from ensue.core.masking import Masker
from ensue.core.model.resource import DeclaredBy, Orphaned
from ensue.core.model.srn import Srn
from ensue.store.registry.entry import RegistrationRequest

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.registry import DerivedRegistry, RegistryScope
    from ensue.store.registry.registry import ResourceRegistry

    from .conftest import Clock, MakeRegistry

HOST = Srn("ssh_host", "jumphost-env-01")
ENV = Srn("starting_state", "env-01")
CONFIG: dict[str, Any] = {"host": "10.20.30.40", "port": 22, "user": "worker", "password": "hunter2-secret"}
WELL = {"status": "succeeded"}


def test_it_meets_the_contract(registry: ResourceRegistry) -> None:
    """What was registered can be read, listed and traced."""
    meant: DerivedRegistry = registry
    done = meant.register(HOST, CONFIG, source=ENV)
    assert (done.srn, done.changed, done.invalidated) == (HOST, True, ())
    assert meant.get(HOST) == CONFIG
    assert meant.list_for_type("ssh_host") == [HOST.id]
    assert meant.provenance(HOST) == (ENV,)
    record = meant.record(HOST)
    assert record is not None
    assert meant.records() == [record]
    assert (record.srn, record.managing_minions, record.status) == (HOST, ("minion-1",), "active")
    assert (record.source, record.origin, record.expires_at) == (ENV, "derived", "")
    assert record.registered_at == "2027-01-15T08:00:00.000+00:00"


def test_reading_before_anything_was_registered_makes_no_file(
    registry: ResourceRegistry, cachedir: Path
) -> None:
    """An empty project stays without a store, a key and a log."""
    assert registry.get(HOST) is None
    assert registry.record(HOST) is None
    assert registry.records() == []
    assert registry.list_for_type("ssh_host") == []
    assert registry.observe(ENV, WELL) == []
    assert registry.invalidate(ENV) == []
    assert registry.forget(HOST) is False
    assert registry.provenance(HOST) == ()
    assert registry.audit_entries() == []
    assert registry.audit_fault() is None
    assert not cachedir.exists()


def test_what_a_declaration_registers_no_longer_is_orphaned(
    registry: ResourceRegistry, make_registry: MakeRegistry
) -> None:
    """It is kept with its configuration, what was derived from it is invalidated, and each has a log line."""
    by = DeclaredBy(sls="t", scope="", tag="test_|-a_|-a_|-present")
    hosts = [Srn("ssh_host", name) for name in "abc"]
    requests = [RegistrationRequest(srn=srn, config=CONFIG, source=ENV, declared_by=by) for srn in hosts]
    registry.register_many(requests)
    registry.register(HOST, CONFIG, source=hosts[2])
    other = make_registry()
    assert other.declarations() == {by: hosts}
    done = other.orphan(by, [*hosts[1:], HOST], reason="gone")
    assert (done.srns, done.invalidated) == (tuple(hosts[1:]), (HOST,))
    assert other.orphan(by, [*hosts[1:], HOST], reason="gone") == Orphaned()
    record = registry.record(hosts[1])
    assert record is not None
    assert (record.status, record.invalidated_because) == ("orphaned", "gone")
    assert (registry.get(hosts[1]), registry.get(hosts[1], even_orphaned=True)) == (None, CONFIG)
    assert (registry.get(HOST, even_orphaned=True), registry.list_for_type("ssh_host")) == (None, ["a"])
    assert [
        (audit_entry["action"], audit_entry["srn"], audit_entry["why"])
        for audit_entry in registry.audit_entries()
        if audit_entry["why"] == "gone"
    ] == [("orphan", "ssh_host:b", "gone"), ("orphan", "ssh_host:c", "gone")]
    assert registry.register_many(requests[1:2])[0].changed
    assert registry.declarations() == {by: hosts[:2]}


def test_without_its_source_an_orphan_is_invalidated(registry: ResourceRegistry) -> None:
    """A resource that may still exist is distinguished from one whose source was removed."""
    by = DeclaredBy(sls="t", scope="", tag="test_|-a_|-a_|-present")
    registry.register_many([RegistrationRequest(srn=HOST, config=CONFIG, source=ENV, declared_by=by)])
    registry.orphan(by, [HOST], reason="gone")
    assert registry.invalidate(ENV, reason="removed") == [HOST]
    record = registry.record(HOST)
    assert record is not None
    assert (record.status, record.invalidated_because) == ("invalidated", "removed")


def test_what_is_orphaned_together_stays_orphaned(registry: ResourceRegistry) -> None:
    """Of two resources that a declaration registers no more, one derived from the other, both are orphans."""
    by = DeclaredBy(sls="t", scope="", tag="test_|-a_|-a_|-present")
    below = Srn("dummy", "below")
    sources = {HOST: ENV, below: HOST}
    registry.register_many(
        [RegistrationRequest(srn=srn, config=CONFIG, source=sources[srn], declared_by=by) for srn in sources]
    )
    assert registry.orphan(by, [HOST, below], reason="gone") == Orphaned(srns=(below, HOST))
    assert [record.status for record in registry.records()] == ["orphaned", "orphaned"]


def test_every_file_is_private(registry: ResourceRegistry, cachedir: Path) -> None:
    """The folder has mode 0700 and every file in it 0600, those that SQLite makes too."""
    registry.register(HOST, CONFIG)
    assert stat.S_IMODE(cachedir.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in cachedir.iterdir()}
    assert set(modes) == {
        "key",
        "store.db",
        "store.db-wal",
        "store.db-shm",
        "audit.jsonl",
        "audit.jsonl.head",
    }
    assert set(modes.values()) == {0o600}


def test_it_is_there_for_later_runs(make_registry: MakeRegistry) -> None:
    """Another registry of the same project finds what was registered."""
    first = make_registry()
    first.register(HOST, CONFIG, source=ENV)
    first.close()
    assert make_registry().get(HOST) == CONFIG


def test_registering_the_same_is_no_change(registry: ResourceRegistry, clock: Clock) -> None:
    """The same configuration, source and watch confirm: the time of registration stays, the ttl restarts."""
    registry.register(HOST, CONFIG, source=ENV, ttl_s=60)
    clock.now_s += 50
    done = registry.register(HOST, dict(reversed(CONFIG.items())), source=ENV, ttl_s=60)
    assert not done.changed
    record = registry.record(HOST)
    assert record is not None
    assert record.registered_at == "2027-01-15T08:00:00.000+00:00"
    assert record.expires_at == "2027-01-15T08:01:50.000+00:00"


def test_what_comes_back_is_registered_anew_for_later_runs_too(
    registry: ResourceRegistry, make_registry: MakeRegistry, clock: Clock
) -> None:
    """The store has the new time of registration, though the configuration is the same."""
    registry.register(HOST, CONFIG, source=ENV)
    registry.invalidate(ENV)
    clock.now_s += 50
    registry.register(HOST, CONFIG, source=ENV)
    record = make_registry().record(HOST)
    assert record is not None
    assert record.registered_at == "2027-01-15T08:00:50.000+00:00"


def test_the_minion_that_registered_last_manages(make_registry: MakeRegistry) -> None:
    """Another minion that registers the same takes the resource over, for later runs too."""
    make_registry().register(HOST, CONFIG, source=ENV)
    make_registry(minion_id="minion-2").register(HOST, CONFIG, source=ENV)
    record = make_registry().record(HOST)
    assert record is not None
    assert record.managing_minions == ("minion-2",)


@pytest.mark.parametrize(
    "change",
    [
        {"config": {**CONFIG, "port": 2222}},
        {"source": Srn("starting_state", "env-02")},
        {"source": None},
        {"watch": ("status", "address")},
        {"scope": "run"},
    ],
)
def test_any_other_term_is_a_change(registry: ResourceRegistry, change: dict[str, Any]) -> None:
    """Another configuration, source, watch or scope is a change, even at the same moment, and holds then."""
    terms: dict[str, Any] = {"config": CONFIG, "source": ENV, "watch": ("status",), "scope": "cache"}
    registry.register(HOST, **terms)
    assert registry.register(HOST, **{**terms, **change}).changed
    assert registry.get(HOST) == {**terms, **change}["config"]
    assert not registry.register(HOST, **{**terms, **change}).changed
    assert len(registry.records()) == 1


@pytest.mark.parametrize("scope", ["run", "cache"])
def test_one_id_belongs_to_one_type(registry: ResourceRegistry, scope: RegistryScope) -> None:
    """Registering an id under a second type is refused, and the message names both; nothing is changed."""
    registry.register(HOST, CONFIG, scope=scope)
    other = Srn("dummy", HOST.id)
    with pytest.raises(ResourceConflictError, match=f"{other} .* {HOST}"):
        registry.register(other, {})
    assert registry.get(HOST) == CONFIG
    assert registry.get(other) is None
    assert registry.record(other) is None
    assert registry.forget(other) is False


def test_an_invalidated_id_is_still_taken(registry: ResourceRegistry) -> None:
    """Only `forget` frees an id."""
    registry.register(HOST, CONFIG, source=ENV)
    registry.invalidate(ENV)
    with pytest.raises(ResourceConflictError, match="forget"):
        registry.register(Srn("dummy", HOST.id), {})
    registry.forget(HOST)
    assert registry.register(Srn("dummy", HOST.id), {}).changed


def test_an_id_declared_in_pillar_is_taken(make_registry: MakeRegistry, cachedir: Path) -> None:
    """What pillar declares cannot be registered, and no store is made for the attempt."""
    declared = {HOST.id: Srn("dummy", HOST.id)}
    registry = make_registry(claimed_elsewhere=declared.get)
    with pytest.raises(ResourceConflictError, match=f"{HOST} .* dummy:{HOST.id} is declared in pillar"):
        registry.register(HOST, CONFIG)
    assert not cachedir.exists()


def test_a_batch_is_registered_whole_or_not_at_all(registry: ResourceRegistry) -> None:
    """One request that cannot be registered keeps the others of its batch out."""
    registry.register(HOST, CONFIG)
    batch = [RegistrationRequest(srn=Srn("ssh_host", f"h-{n}"), config=CONFIG) for n in range(5)]
    with pytest.raises(ResourceConflictError):
        registry.register_many([*batch, RegistrationRequest(srn=Srn("dummy", HOST.id), config={})])
    assert registry.list_for_type("ssh_host") == [HOST.id]
    assert [done.changed for done in registry.register_many(batch)] == [True] * 5
    assert len(registry.list_for_type("ssh_host")) == 6


def test_requests_that_make_no_sense_are_refused(registry: ResourceRegistry, cachedir: Path) -> None:
    """Derived from itself, with a lifetime of nothing, or with a configuration that is no data: refused."""
    for options in ({"source": HOST}, {"ttl_s": 0}, {"ttl_s": -1.0}, {"ttl_s": float("nan")}):
        with pytest.raises(ResourceError, match=str(HOST)):
            registry.register(HOST, CONFIG, **options)  # type: ignore[arg-type]  # options of several kinds
    with pytest.raises(ResourceError, match=str(HOST)):
        registry.register(HOST, {"host": object()})  # type: ignore[dict-item]  # the fault under test
    assert not cachedir.exists()


def test_invalidation_reaches_everything_below(registry: ResourceRegistry) -> None:
    """What was derived from the source, and from that, over both scopes, is marked; the rest is not."""
    below, deeper, beside = Srn("dummy", "below"), Srn("dummy", "deeper"), Srn("dummy", "beside")
    registry.register(HOST, CONFIG, source=ENV)
    registry.register(below, {}, source=HOST, scope="run")
    registry.register(deeper, {}, source=below)
    registry.register(beside, {}, source=Srn("starting_state", "env-02"))
    assert registry.invalidate(ENV, reason="the environment is gone") == [below, deeper, HOST]
    assert registry.list_for_type("dummy") == [beside.id]
    assert registry.get(HOST) is registry.get(below) is registry.get(deeper) is None
    reasons = {record.srn: record.invalidated_because for record in registry.records()}
    assert reasons == {
        HOST: "the environment is gone",
        below: f"{HOST} was invalidated",
        deeper: f"{below} was invalidated",
        beside: "",
    }
    assert registry.invalidate(ENV) == []


def test_sources_are_told_from_what_nothing_is_derived_from(registry: ResourceRegistry) -> None:
    """They are looked up together, over both scopes; invalidated resources count."""
    box, none = Srn("dummy", "box"), Srn("starting_state", "env-02")
    assert registry.sources_among([ENV, none]) == set()
    registry.register(HOST, CONFIG, source=ENV)
    registry.register(box, {}, source=HOST, scope="run")
    registry.invalidate(ENV)
    assert registry.sources_among([ENV, HOST, box, none]) == {ENV, HOST}


def test_invalidation_ends_in_a_circle(registry: ResourceRegistry) -> None:
    """Resources derived from each other are marked once, and their provenance ends."""
    first, second = Srn("dummy", "one"), Srn("dummy", "two")
    registry.register(first, {}, source=second)
    registry.register(second, {}, source=first)
    assert registry.provenance(first) == (second,)
    assert registry.invalidate(first) == [first, second]


def test_invalidation_goes_through_what_is_invalid_already(registry: ResourceRegistry) -> None:
    """An active resource below an invalid one is reached all the same."""
    below = Srn("dummy", "below")
    registry.register(HOST, CONFIG, source=ENV)
    registry.register(below, {}, source=HOST)
    registry.invalidate(ENV)
    registry.register(below, {}, source=HOST)
    assert registry.invalidate(ENV) == [below]


def test_a_batch_is_seen_as_it_stands(registry: ResourceRegistry) -> None:
    """What an earlier request of a batch gave another source is not invalidated with its former one."""
    below = Srn("dummy", "below")
    registry.register(HOST, CONFIG)
    registry.register(below, {}, source=HOST)
    moved = RegistrationRequest(srn=below, config={}, source=ENV)
    changed = RegistrationRequest(srn=HOST, config={**CONFIG, "port": 1})
    assert [done.invalidated for done in registry.register_many((moved, changed))] == [(), ()]
    assert registry.list_for_type("dummy") == [below.id]
    back = RegistrationRequest(srn=below, config={}, source=HOST)
    changed = RegistrationRequest(srn=HOST, config=CONFIG)
    assert [done.invalidated for done in registry.register_many((back, changed))] == [(), (below,)]


def test_a_resource_that_changes_in_a_circle_does_not_invalidate_itself(registry: ResourceRegistry) -> None:
    """Another configuration invalidates what was derived from it, and never what is being registered."""
    below = Srn("dummy", "below")
    registry.register(HOST, CONFIG, source=below)
    registry.register(below, {}, source=HOST)
    assert registry.register(HOST, {**CONFIG, "port": 1}, source=below).invalidated == (below,)


def test_registering_again_brings_back(registry: ResourceRegistry) -> None:
    """An invalidated resource that is registered again is active, and that is a change."""
    registry.register(HOST, CONFIG, source=ENV)
    registry.invalidate(ENV)
    assert registry.register(HOST, CONFIG, source=ENV).changed
    assert registry.get(HOST) == CONFIG
    record = registry.record(HOST)
    assert record is not None
    assert record.invalidated_because == ""


def test_another_configuration_invalidates_what_was_derived(registry: ResourceRegistry) -> None:
    """What was derived from the former configuration no longer holds; confirming invalidates nothing."""
    below = Srn("dummy", "below")
    registry.register(HOST, CONFIG)
    registry.register(below, {}, source=HOST)
    assert registry.register(HOST, CONFIG).invalidated == ()
    assert registry.register(HOST, {**CONFIG, "port": 2222}).invalidated == (below,)
    assert registry.get(HOST) is not None


@pytest.mark.parametrize("scope", ["run", "cache"])
def test_a_status_that_leaves_succeeded_invalidates(registry: ResourceRegistry, scope: RegistryScope) -> None:
    """By default the status is watched; another one invalidates, and the reason names it."""
    registry.register(HOST, CONFIG, source=ENV, source_grains=WELL, scope=scope)
    assert registry.observe(ENV, {**WELL, "uptime": 5}) == []
    assert registry.observe(ENV, {"status": "stopped"}) == [HOST]
    record = registry.record(HOST)
    assert record is not None
    assert record.invalidated_because == f"{ENV} changed its status"


def test_only_watched_grains_count(registry: ResourceRegistry) -> None:
    """Of two resources of one source only the one that watches the changed grain is invalidated."""
    watching = Srn("ssh_host", "watching")
    grains = {**WELL, "address": "10.0.0.1"}
    registry.register(HOST, CONFIG, source=ENV, source_grains=grains)
    registry.register(watching, CONFIG, source=ENV, source_grains=grains, watch=("status", "address"))
    assert registry.observe(ENV, {**WELL, "address": "10.0.0.2"}) == [watching]
    assert registry.list_for_type("ssh_host") == [HOST.id]


def test_a_grain_nobody_noted_is_noted_when_it_is_first_seen(make_registry: MakeRegistry) -> None:
    """Registered without grains, the first refresh is taken as it is; the next one is compared with it."""
    make_registry().register(HOST, CONFIG, source=ENV, watch=("address",))
    assert make_registry().observe(ENV, {"address": "10.0.0.1"}) == []
    assert make_registry().observe(ENV, {"address": "10.0.0.2"}) == [HOST]


def test_a_later_registration_may_show_the_change(registry: ResourceRegistry) -> None:
    """Registering something else with other grains of the same source invalidates what was derived before."""
    second = Srn("ssh_host", "second")
    registry.register(HOST, CONFIG, source=ENV, source_grains={"status": "succeeded"})
    done = registry.register(second, CONFIG, source=ENV, source_grains={"status": "degraded"})
    assert done.invalidated == (HOST,)
    assert registry.list_for_type("ssh_host") == [second.id]


def test_a_confirmed_resource_holds_with_its_new_grains(registry: ResourceRegistry) -> None:
    """Registered again with other grains of its source it holds, and so does what was derived from it."""
    below = Srn("dummy", "below")
    registry.register(HOST, CONFIG, source=ENV, source_grains={"status": "succeeded"})
    registry.register(below, {}, source=HOST)
    done = registry.register(HOST, CONFIG, source=ENV, source_grains={"status": "degraded"})
    assert (done.changed, done.invalidated) == (False, ())
    assert registry.list_for_type("dummy") == [below.id]
    assert registry.observe(ENV, {"status": "degraded"}) == []


def test_what_comes_back_is_compared_anew(registry: ResourceRegistry) -> None:
    """Brought back without grains, a resource forgets those of before: the next refresh is noted."""
    registry.register(HOST, CONFIG, source=ENV, watch=("address",), source_grains={"address": "10.0.0.1"})
    registry.invalidate(ENV)
    registry.register(HOST, CONFIG, source=ENV, watch=("address",))
    assert registry.observe(ENV, {"address": "10.0.0.2"}) == []
    assert registry.observe(ENV, {"address": "10.0.0.1"}) == [HOST]


def test_a_lifetime_ends(registry: ResourceRegistry, clock: Clock) -> None:
    """After its ttl a resource and what was derived from it are invalid without any operation."""
    below = Srn("dummy", "below")
    registry.register(HOST, CONFIG, ttl_s=60)
    registry.register(below, {}, source=HOST)
    clock.now_s += 59.9
    assert registry.get(HOST) == CONFIG
    clock.now_s += 0.1
    assert registry.list_for_type("dummy") == []
    assert registry.get(below) is None
    record = registry.record(HOST)
    assert record is not None
    assert record.status == "invalidated"
    assert record.invalidated_because == "not confirmed within 60 s, by 2027-01-15T08:01:00.000+00:00"


@pytest.mark.parametrize("read", ["get", "record", "records", "list"])
@pytest.mark.parametrize("scope", ["run", "cache"])
def test_every_way_to_read_notices_the_end(
    registry: ResourceRegistry, clock: Clock, read: str, scope: RegistryScope
) -> None:
    """In every kind of lookup, what was derived from an expired resource is not active."""
    below = Srn("dummy", "below")
    registry.register(HOST, CONFIG, ttl_s=60, scope=scope)
    registry.register(below, {}, source=HOST)
    clock.now_s += 60
    match read:
        case "get":
            assert registry.get(below) is None
        case "record":
            record = registry.record(below)
            assert record is not None
            assert record.status == "invalidated"
        case "records":
            assert {record.status for record in registry.records()} == {"invalidated"}
        case _:
            assert registry.list_for_type("dummy") == []


def test_an_operation_that_fails_takes_no_end_back(registry: ResourceRegistry, clock: Clock) -> None:
    """When the operation that would have noticed an end is refused, the next one notices it."""
    registry.register(HOST, CONFIG, ttl_s=60, scope="run")
    clock.now_s += 60
    with pytest.raises(ResourceConflictError):
        registry.register(Srn("dummy", HOST.id), {}, scope="run")
    assert registry.get(HOST) is None


def test_forgetting_removes(registry: ResourceRegistry) -> None:
    """A forgotten resource is not shown any more; forgetting it again is no success."""
    registry.register(HOST, CONFIG)
    assert registry.forget(HOST) is True
    assert registry.record(HOST) is None
    assert registry.forget(HOST) is False


@pytest.mark.parametrize("scope", ["run", "cache"])
def test_what_is_registered_anew_after_it_was_forgotten(
    registry: ResourceRegistry, scope: RegistryScope
) -> None:
    """Neither its former type nor its former source means it any more."""
    registry.register(HOST, CONFIG, source=ENV, scope=scope)
    registry.forget(HOST)
    assert registry.types() == []
    now = Srn("dummy", HOST.id)
    registry.register(now, {}, source=Srn("test", "other"), scope=scope)
    assert registry.types() == ["dummy"]
    assert registry.list_for_type(HOST.type) == []
    assert registry.invalidate(ENV) == []


def test_provenance_is_nearest_first(registry: ResourceRegistry) -> None:
    """The chain of sources goes up to what was not registered itself."""
    below = Srn("dummy", "below")
    registry.register(HOST, CONFIG, source=ENV)
    registry.register(below, {}, source=HOST, scope="run")
    assert registry.provenance(below) == (HOST, ENV)
    assert registry.provenance(ENV) == ()


def test_the_run_scope_ends_with_the_run(make_registry: MakeRegistry, cachedir: Path) -> None:
    """What is registered for the run is in no file and not seen by others; its registration is in the log."""
    registry = make_registry(run_id="run-1")
    registry.register(HOST, CONFIG, scope="run")
    assert registry.get(HOST) == CONFIG
    assert make_registry().get(HOST) is None
    assert not (cachedir / "store.db").exists()
    assert [entry["action"] for entry in registry.audit_entries()] == ["register"]
    registry.begin_run("run-2")
    assert registry.records() == []


def test_a_resource_lives_in_the_scope_it_was_last_registered_in(make_registry: MakeRegistry) -> None:
    """Registered for the run it leaves the store; registered for later it comes back."""
    registry = make_registry()
    registry.register(HOST, CONFIG)
    registry.register(HOST, CONFIG, scope="run")
    assert make_registry().records() == []
    assert len(registry.records()) == 1
    registry.register(HOST, CONFIG)
    assert make_registry().get(HOST) == CONFIG


def test_what_a_run_registered_for_itself_outranks_the_store(make_registry: MakeRegistry) -> None:
    """What another run keeps of the same id, from another source, is not what holds in this run."""
    registry, env = make_registry(), Srn("starting_state", "env-02")
    registry.register(HOST, CONFIG, source=ENV, scope="run")
    make_registry().register(HOST, CONFIG, source=env)
    assert registry.invalidate(env) == []
    assert registry.get(HOST) == CONFIG
    assert registry.invalidate(ENV) == [HOST]


def test_what_cannot_be_written_changes_nothing_in_memory(registry: ResourceRegistry, cachedir: Path) -> None:
    """When an operation fails at its end, the run's entries are as before too."""
    registry.register(HOST, CONFIG, scope="run", source=ENV)
    registry.register(Srn("dummy", "kept"), {}, source=ENV)
    with sqlite3.connect(cachedir / "store.db") as database:
        database.execute(
            "CREATE TRIGGER no BEFORE UPDATE ON ensue_resource BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
    database.close()
    with pytest.raises(Exception, match="no"):
        registry.invalidate(ENV)
    assert registry.get(HOST) == CONFIG


def test_secrets_are_told_to_the_masker(make_registry: MakeRegistry) -> None:
    """Registering and reading both pass secrets to the masker; nothing shows the password afterwards."""
    masker = Masker()
    make_registry(masker=masker).register(HOST, CONFIG)
    assert masker.text("it is hunter2-secret!") == "it is (sensitive)!"
    masker = Masker()
    make_registry(masker=masker).get(HOST)
    assert masker.text("it is hunter2-secret!") == "it is (sensitive)!"


def test_every_access_is_in_the_log(make_registry: MakeRegistry) -> None:
    """Registering, reading, invalidating, forgetting and rotating each leave a line with run and reason."""
    registry = make_registry(run_id="run-7")
    registry.register(HOST, CONFIG, source=ENV)
    registry.get(HOST, why="connect")
    registry.records()
    registry.invalidate(ENV, reason="gone")
    registry.register(HOST, CONFIG, source=ENV)
    registry.forget(HOST)
    registry.rotate()
    entries = registry.audit_entries()
    assert {entry["run"] for entry in entries} == {"run-7"}
    assert [(entry["action"], entry["srn"], entry["why"]) for entry in entries[:-1]] == [
        ("register", str(HOST), f"new, derived from {ENV}"),
        ("decrypt", str(HOST), "connect"),
        ("invalidate", str(HOST), "gone"),
        ("register", str(HOST), f"active again, derived from {ENV}"),
        ("forget", str(HOST), ""),
    ]
    assert entries[-1]["action"] == "rotate"
    assert registry.audit_fault() is None


def test_no_file_holds_a_secret(registry: ResourceRegistry, cachedir: Path) -> None:
    """After everything that can be done to it a password stands in none of the project's files."""
    key = "-----BEGIN KEY-----\n" + "\n".join(f"line-{n:04d}-of-the-private-key" for n in range(40))
    config = {**CONFIG, "private_key": key}
    registry.register(
        HOST, config, source=ENV, source_grains={**WELL, "pin": "hunter2-secret"}, watch=("pin",)
    )
    registry.register(HOST, {**config, "port": 1}, source=ENV, watch=("pin",))
    registry.get(HOST)
    registry.rotate()
    registry.observe(ENV, {"pin": "hunter3-secret"})
    registry.register(Srn("dummy", "run"), config, scope="run")
    files = [path for path in cachedir.rglob("*") if path.is_file()]
    assert len(files) >= 5
    for path in files:
        content = path.read_bytes()
        for secret in (b"hunter2", b"hunter3", b"line-0003", b"10.20.30.40"):
            assert secret not in content, path


@pytest.mark.parametrize("by_whom", ["minion", "project"])
def test_another_registrar_of_the_same_configuration_confirms_it(
    registry: ResourceRegistry, make_registry: MakeRegistry, by_whom: str
) -> None:
    """The entry stays that of the first one, and nothing that was derived from it is invalidated."""
    first, second = (
        DeclaredBy(sls=project, scope="", tag="test_|-a_|-a_|-present", project=project) for project in "ab"
    )
    requests = [
        RegistrationRequest(srn=HOST, config=CONFIG, declared_by=by, minion=minion)
        for by, minion in (
            ((first, "m1"), (first, "m2")) if by_whom == "minion" else ((first, ""), (second, ""))
        )
    ]
    registry.register_many(requests[:1])
    before = registry.record(HOST)
    (done,) = make_registry().register_many(requests[1:])
    assert (done.srn, done.changed, done.invalidated) == (HOST, False, ())
    assert registry.record(HOST) == before


def test_a_registration_without_grains_keeps_what_is_watched(registry: ResourceRegistry) -> None:
    """The grains of the source at the first registration still count for the next observation."""
    grains = {**WELL, "address": "10.0.0.1"}
    registry.register(HOST, CONFIG, source=ENV, source_grains=grains, watch=("address",))
    registry.register(HOST, CONFIG, source=ENV, watch=("address",))
    assert registry.observe(ENV, {**WELL, "address": "10.0.0.2"}) == [HOST]


def test_entries_of_a_run_expire_each_at_its_time(registry: ResourceRegistry, clock: Clock) -> None:
    """One that expires later is found after an earlier one has been marked."""
    early, late = Srn("ssh_host", "early"), Srn("ssh_host", "late")
    registry.register(early, {}, scope="run", ttl_s=10.0)
    registry.register(late, {}, scope="run", ttl_s=20.0)
    for passed_s, statuses in ((11, ["invalidated", "active"]), (10, ["invalidated", "invalidated"])):
        clock.now_s += passed_s
        records = registry.find([early.id, late.id])
        assert [record.status for record in records] == statuses
