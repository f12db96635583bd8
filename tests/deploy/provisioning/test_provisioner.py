"""Provisioning one resource after the other: when drivers are called, what is kept of it, what is secret."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.deploy.provisioning.building import reading
from tests.deploy.provisioning.stand_ins import Killed, RememberingDriver, environment

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.contracts.managed_objects import ManagedObject
from ensue.core.errors import DriverError
from ensue.core.masking import MASK
from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.surroundings import DriverCall

if TYPE_CHECKING:
    from ensue.deploy.provisioning.surroundings import ProvisioningOutcome

SECRET = "hunter2-secret"


def made_by(driver: str, values: dict[str, Any] | None = None, **inputs: Any) -> dict[str, Any]:
    """Return the entity of a definition."""
    return {"driver_type": driver, "driver_inputs": {"values": values or {}, **inputs}}


def statuses(outcomes: dict[str, ProvisioningOutcome]) -> dict[str, str]:
    return {type_: outcome.status for type_, outcome in outcomes.items() if type_ != "workload"}


def test_a_resource_is_created_left_alone_and_updated() -> None:
    """The first deployment creates, the second calls nothing, and a changed input updates with the cookie."""
    driver = RememberingDriver()
    shop = environment(fake=driver)
    driver.made = Provisioned(values={"host": "db"}, cookie={"n": 1})
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 1})})) == {"db": "created"}
    outcomes = shop.deploy({"db": made_by("fake", {"size": 1})})
    assert statuses(outcomes) == {"db": "unchanged"}
    assert outcomes["db"].outputs is not None
    assert outcomes["db"].outputs.data == {"host": "db"}
    assert driver.calls == ["create db"]
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 2})})) == {"db": "updated"}
    assert driver.calls == ["create db", "update db"]
    assert driver.requests[-1].cookie == {"n": 1}
    assert not driver.requests[-1].was_interrupted


def test_an_update_that_changes_nothing_is_unchanged() -> None:
    """What a driver says of itself decides; None counts as a change."""
    driver = RememberingDriver()
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake", {"size": 1})})
    driver.made = Provisioned(changed=False)
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 2})})) == {"db": "unchanged"}
    driver.made = Provisioned(changed=None)
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 3})})) == {"db": "updated"}


def test_a_failure_keeps_the_last_good_record() -> None:
    """Outputs and cookie of a failed update stay, and the next deployment asks the driver in any case."""
    driver = RememberingDriver(made=Provisioned(values={"host": "db"}, cookie={"n": 1}))
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake", {"size": 1})})
    driver.obstacle = DriverError("the disk is full")
    outcomes = shop.deploy({"db": made_by("fake", {"size": 2})})
    assert (outcomes["db"].status, outcomes["db"].comment) == ("failed", "the disk is full")
    (kept,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
    assert (kept.outputs, kept.cookie, kept.phase) == ({"host": "db"}, {"n": 1}, "updating")
    driver.obstacle = None
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 1})})) == {"db": "updated"}
    assert driver.requests[-1].was_interrupted
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 1})})) == {"db": "unchanged"}


def test_what_needs_a_failed_resource_is_skipped() -> None:
    """The comment names the failure that it comes from; what needs nothing of it is provisioned."""
    failing = RememberingDriver("failing", obstacle=DriverError("no"))
    shop = environment(fake=RememberingDriver(), failing=failing)
    db = "db.default#modules.web.externals.the-db"
    needing = made_by("fake", {"of": "${resources.db#modules.web.externals.the-db.outputs.host}"})
    outcomes = shop.deploy({"db": made_by("failing"), "dns": made_by("fake"), "zone": needing})
    assert statuses(outcomes) == {"db": "failed", "dns": "created", "zone": "skipped"}
    assert outcomes["zone"].comment == f"{db} failed"
    assert outcomes["workload"].status == "skipped"
    zone = "zone.default#modules.web.externals.the-zone"
    assert outcomes["workload"].comment == f"{db} failed, {zone} skipped"


def test_a_killed_create_is_told_to_the_next_one() -> None:
    """A record is durable before the driver is called; the next deployment creates with `was_interrupted`."""
    driver = RememberingDriver(obstacle=Killed(), cookies=[{"ordered": "i-1"}])
    shop = environment(fake=driver)
    with pytest.raises(Killed):
        shop.deploy({"db": made_by("fake")})
    shop.store.pending.clear()
    assert shop.store.flushed_phases == ["db creating", "db creating"]
    driver.obstacle, driver.cookies = None, []
    driver.forget()
    assert statuses(shop.deploy({"db": made_by("fake")})) == {"db": "created"}
    assert driver.calls == ["create db"]
    assert driver.requests[0].was_interrupted
    assert driver.requests[0].cookie == {"ordered": "i-1"}
    (kept,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
    assert (kept.phase, kept.cookie) == ("active", {"ordered": "i-1"})


def test_a_cookie_of_the_result_wins_over_kept_ones() -> None:
    """`keep` holds until the call has ended well; a result without a cookie leaves the last one kept."""
    driver = RememberingDriver(cookies=[{"step": 1}, {"step": 2}], made=Provisioned(cookie={"step": "end"}))
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake")})
    driver.made = Provisioned()
    driver.cookies = [{"step": 3}]
    shop.deploy({"db": made_by("fake", {"size": 2})})
    assert driver.requests[-1].cookie == {"step": "end"}
    (kept,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
    assert kept.cookie == {"step": 3}


def test_another_driver_replaces_only_what_it_may() -> None:
    """Without permission nothing is called and the record stays; a plan says what would be replaced."""
    first = RememberingDriver("one", made=Provisioned(values={"host": "db"}, cookie={"made": "by one"}))
    second = RememberingDriver("two")
    shop = environment(one=first, two=second)
    shop.deploy({"db": made_by("one")})
    before = dict(shop.store.durable)
    planned = shop.deploy({"db": made_by("two")}, test=True)
    assert planned["db"].status == "planned"
    assert planned["db"].comment == "-/+ would be replaced: definition db → db, driver one → two"
    assert (second.calls, second.requests[0].cookie) == (["plan db"], None)
    refused = shop.deploy({"db": made_by("two")})
    assert refused["db"].status == "failed"
    assert "--allow-replace=db.default#modules.web.externals.the-db" in refused["db"].comment
    assert (first.calls, second.calls) == (["create db"], ["plan db"])
    assert shop.store.durable == before


def test_a_replacement_is_made_before_the_earlier_one_is_destroyed() -> None:
    """Each driver has its own cookie and folder; after the deletion nothing is left of the first."""
    first = RememberingDriver("one", made=Provisioned(cookie={"made": "by one"}))
    second = RememberingDriver("two", made=Provisioned(cookie={"made": "by two"}))
    calls: list[str] = []
    first.calls = second.calls = calls
    shop = environment(one=first, two=second)
    shop.deploy({"db": made_by("one")})
    outcomes = shop.deploy({"db": made_by("two")}, may_replace=True)
    assert (outcomes["db"].status, outcomes["db"].comment) == (
        "replaced",
        "definition db → db, driver one → two",
    )
    assert calls == ["create db", "create db", "delete db"]
    created, deleted = second.requests[-1], first.requests[-1]
    assert (created.cookie, created.was_interrupted) == (None, False)
    assert deleted.cookie == {"made": "by one"}
    assert created.guresid == deleted.guresid
    assert created.directory != deleted.directory == first.requests[0].directory
    (kept,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
    assert (kept.driver, kept.phase, kept.beside) == ("two", "active", ())
    assert statuses(shop.deploy({"db": made_by("two")})) == {"db": "unchanged"}


@pytest.mark.parametrize("end", [DriverError("no such template"), Killed()])
def test_a_replacement_that_fails_leaves_what_is_there(end: BaseException) -> None:
    """The record is that of the resource in use; going back destroys the attempt, going on repeats it."""
    for way in ("back", "on", "away"):
        first = RememberingDriver("one", made=Provisioned(values={"host": "db"}, cookie={"made": "by one"}))
        second = RememberingDriver("two", cookies=[{"begun": "by two"}], obstacle=end)
        shop = environment(one=first, two=second)
        shop.deploy({"db": made_by("one")})
        try:
            shop.deploy({"db": made_by("two")}, may_replace=True)
        except Killed:
            shop.store.pending.clear()
        (kept,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
        assert (kept.driver, kept.phase, kept.outputs) == ("one", "active", {"host": "db"})
        assert [(record.driver, record.phase, record.cookie) for record in kept.beside] == [
            ("two", "creating", {"begun": "by two"})
        ]
        second.obstacle = None
        second.forget()
        first.forget()
        if way == "back":
            assert statuses(shop.deploy({"db": made_by("one")})) == {"db": "unchanged"}
            assert (first.calls, second.calls) == ([], ["delete db"])
        elif way == "on":
            assert statuses(shop.deploy({"db": made_by("two")}, may_replace=True)) == {"db": "replaced"}
            assert (first.calls, second.calls) == (["delete db"], ["create db"])
            assert second.requests[-1].was_interrupted
        else:
            assert statuses(shop.deploy({}, prune=True)) == {"db": "destroyed"}
            assert (first.calls, second.calls) == (["delete db"], ["delete db"])
        assert not [record for record in shop.store.durable.values() if record.beside]


def test_what_makes_nothing_is_replaced_unasked() -> None:
    """A pure driver leaves nothing to destroy; in its place comes the other's resource, whatever it is."""
    shop = environment(fake=RememberingDriver("fake"))
    shop.deploy({"db": made_by("pure")})
    assert statuses(shop.deploy({"db": made_by("fake")})) == {"db": "replaced"}
    assert statuses(shop.deploy({"db": made_by("pure")})) == {"db": "failed"}
    assert statuses(shop.deploy({"db": made_by("pure")}, may_replace=True)) == {"db": "replaced"}
    assert [
        (record.driver, record.beside) for record in shop.store.durable.values() if record.key.type == "db"
    ] == [("pure", ())]


def test_destroy_first() -> None:
    """Where names collide, the definition says that the earlier one goes first."""
    first, second = RememberingDriver("one"), RememberingDriver("two")
    calls: list[str] = []
    first.calls = second.calls = calls
    shop = environment(one=first, two=second)
    shop.deploy({"db-first": made_by("one")})
    assert statuses(shop.deploy({"db-first": made_by("two")}, may_replace=True)) == {"db-first": "replaced"}
    assert calls == ["create db-first", "delete db-first", "create db-first"]
    (kept,) = [record for record in shop.store.durable.values() if record.key.type == "db-first"]
    assert (kept.driver, kept.beside) == ("two", ())


def test_a_failed_update_keeps_definition_and_edges() -> None:
    """The record is that of the last success; the dependencies of the attempt count as well."""
    driver = RememberingDriver(made=Provisioned(values={"value": "db"}))
    shop = environment(fake=driver)
    db, on_db = made_by("fake"), {"driver_type": "fake", "driver_inputs": reading("db")}
    on_net = {"driver_type": "fake", "driver_inputs": {"values": {**reading("net")["values"], "n": 1}}}
    shop.deploy({"db": db, "net": db, "dns": on_db})
    for entity, depends_on, uses in ((on_net, ["db"], ["db", "net"]), (on_db, ["db"], ["db"])):
        driver.obstacle = DriverError("no") if entity is on_net else None
        driver.failing = "dns"
        shop.deploy({"db": db, "net": db, "dns": entity})
        (kept,) = [record for record in shop.store.durable.values() if record.key.type == "dns"]
        assert [key.type for key in kept.depends_on] == depends_on
        assert [key.type for key in kept.uses] == uses


def test_another_name_of_the_driver_is_no_other_driver() -> None:
    """`humanitec/postgres` in place of `postgres` deletes nothing and calls nothing."""
    driver = RememberingDriver("fake")
    shop = environment(fake=driver)
    shop.drivers["humanitec/fake"] = driver
    shop.deploy({"db": made_by("fake")})
    assert statuses(shop.deploy({"db": made_by("humanitec/fake")})) == {"db": "unchanged"}
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 2})})) == {"db": "updated"}
    assert driver.calls == ["create db", "update db"]


def test_a_delete_that_fails_is_tried_again() -> None:
    """What the earlier driver cannot delete stays on record beside the new one, until it can."""
    first, second = RememberingDriver("one"), RememberingDriver("two")
    shop = environment(one=first, two=second)
    shop.deploy({"db": made_by("one")})
    first.obstacle = DriverError("in use")
    assert statuses(shop.deploy({"db": made_by("two")}, may_replace=True)) == {"db": "failed"}
    (kept,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
    assert (kept.driver, kept.phase) == ("two", "active")
    assert [(record.driver, record.phase) for record in kept.beside] == [("one", "deleting")]
    first.obstacle = None
    assert statuses(shop.deploy({"db": made_by("two")})) == {"db": "unchanged"}
    assert first.calls == ["create db", "delete db", "delete db"]
    assert first.requests[-1].was_interrupted
    assert second.calls == ["create db"]


def test_orphans_stay_until_they_are_pruned() -> None:
    """A resource that left the graph is orphaned, then destroyed with its cookie, and forgotten."""
    driver = RememberingDriver(made=Provisioned(cookie={"n": 1}))
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake"), "dns": made_by("fake")})
    assert statuses(shop.deploy({"dns": made_by("fake")})) == {"db": "orphaned", "dns": "unchanged"}
    planned = shop.deploy({"dns": made_by("fake")}, test=True, prune=True)
    assert statuses(planned) == {"db": "planned", "dns": "unchanged"}
    assert "would be destroyed" in planned["db"].comment
    driver.forget()
    outcomes = shop.deploy({"dns": made_by("fake")}, prune=True)
    assert statuses(outcomes) == {"db": "destroyed", "dns": "unchanged"}
    assert driver.calls == ["delete db"]
    assert driver.requests[0].cookie == {"n": 1}
    assert (driver.requests[0].values, driver.requests[0].secrets, driver.requests[0].account) == (
        {},
        {},
        None,
    )
    assert statuses(shop.deploy({"dns": made_by("fake")})) == {"dns": "unchanged"}


def test_a_plan_changes_nothing() -> None:
    """No driver makes anything, and nothing is written: neither of a new resource nor of a changed one."""
    driver = RememberingDriver(planned=Planned(comment="would make it"))
    shop = environment(fake=driver)
    outcomes = shop.deploy({"db": made_by("fake")}, test=True)
    assert (outcomes["db"].status, outcomes["db"].comment) == ("planned", "would make it")
    assert shop.store.durable == {}
    shop.deploy({"db": made_by("fake")})
    before = dict(shop.store.durable)
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 2})}, test=True)) == {"db": "planned"}
    assert shop.store.durable == before
    assert driver.calls == ["plan db", "create db", "plan db"]


def test_a_plan_hands_on_what_it_knows() -> None:
    """Outputs that a plan has go into the inputs that refer to them; the others are unknown there."""
    knows = RememberingDriver("knows", planned=Planned(outputs=Provisioned(values={"host": "db.local"})))
    asks = RememberingDriver("asks")
    shop = environment(knows=knows, asks=asks, blind=RememberingDriver("blind"))
    url = {"url": "pg://${resources.db#modules.web.externals.the-db.outputs.host}"}
    shop.deploy({"db": made_by("knows"), "dns": made_by("asks", url)}, test=True)
    assert asks.requests[-1].values == {"url": "pg://db.local"}
    shop.deploy({"db": made_by("blind"), "dns": made_by("asks", url)}, test=True)
    values = asks.requests[-1].values
    assert isinstance(values, dict)
    assert isinstance(values["url"], Unknown)


def test_a_plan_after_a_killed_update_says_what_the_driver_does() -> None:
    """It is unchanged if the driver would change nothing, with the outputs that the driver foresees."""
    driver = RememberingDriver(made=Provisioned(values={"host": "db"}))
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake", {"size": 1})})
    driver.obstacle = Killed()
    with pytest.raises(Killed):
        shop.deploy({"db": made_by("fake", {"size": 2})})
    shop.store.pending.clear()
    driver.obstacle = None
    for foreseen, host in ((None, "db"), (Provisioned(values={"host": "db2"}), "db2")):
        driver.planned = Planned(would_change=False, outputs=foreseen)
        outcome = shop.deploy({"db": made_by("fake", {"size": 2})}, test=True)["db"]
        assert (outcome.status, outcome.outputs and outcome.outputs.data) == ("unchanged", {"host": host})
    driver.planned = Planned()
    assert shop.deploy({"db": made_by("fake", {"size": 2})}, test=True)["db"].status == "planned"
    driver.made = Provisioned(values={"host": "db2"}, changed=False)
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 2})})) == {"db": "unchanged"}


def test_a_plan_that_would_change_nothing_has_the_old_outputs() -> None:
    """A driver that is always called may say in a plan that all is as it is."""
    driver = RememberingDriver(always_called=True, made=Provisioned(values={"host": "db"}, changed=False))
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake")})
    driver.planned = Planned(would_change=False)
    outcomes = shop.deploy({"db": made_by("fake")}, test=True)
    assert outcomes["db"].status == "unchanged"
    assert outcomes["db"].outputs is not None
    assert outcomes["db"].outputs.data == {"host": "db"}


def test_a_pure_driver_makes_its_outputs_in_a_plan() -> None:
    """Its create is called where all inputs are known; its plan where they are not; its delete never."""
    shop = environment(fake=RememberingDriver())
    outcomes = shop.deploy({"config": made_by("pure", {"a": 1})}, test=True)
    assert outcomes["config"].outputs is not None
    assert outcomes["config"].outputs.data == {"a": 1}
    assert shop.store.durable == {}
    unknown = {"a": "${resources.db#modules.web.externals.the-db.outputs.host}"}
    pure = shop.drivers["pure"]
    pure.forget()
    shop.deploy({"config": made_by("pure", unknown), "db": made_by("fake")}, test=True)
    assert "plan config" in pure.calls
    assert "create config" not in pure.calls
    shop.deploy({"config": made_by("pure", {"a": 1})})
    shop.deploy({}, prune=True)
    assert "delete config" not in pure.calls
    assert shop.all[-1].outcome.status == "destroyed"


def test_a_failed_pure_driver_leaves_no_record() -> None:
    """There is nothing outside that somebody would have to look after."""
    shop = environment()
    shop.drivers["pure"].obstacle = DriverError("cannot be read")
    assert statuses(shop.deploy({"config": made_by("pure")})) == {"config": "failed"}
    assert shop.store.durable == {}


def test_a_driver_that_is_always_called() -> None:
    """It is updated although no input has changed, and says itself whether anything was."""
    driver = RememberingDriver(always_called=True)
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake")})
    assert statuses(shop.deploy({"db": made_by("fake")})) == {"db": "updated"}
    driver.made = Provisioned(changed=False)
    assert statuses(shop.deploy({"db": made_by("fake")})) == {"db": "unchanged"}
    assert driver.calls == ["create db", "update db", "update db"]


def test_a_fingerprint_counts_as_an_input() -> None:
    """What a driver depends on besides its inputs makes an update when it is another one."""
    driver = RememberingDriver(print_of="one")
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake")})
    assert statuses(shop.deploy({"db": made_by("fake")})) == {"db": "unchanged"}
    driver.print_of = "two"
    assert statuses(shop.deploy({"db": made_by("fake")})) == {"db": "updated"}


def test_another_definition_with_the_same_inputs_is_noted() -> None:
    """Nothing is called, and the record names the current definition and dependencies."""
    driver = RememberingDriver()
    shop = environment(fake=driver)
    needing = made_by("fake", {"id": "${resources.dns#modules.web.externals.the-dns.guresid}"})
    outcomes = shop.deploy({"db": needing, "dns": made_by("fake")})
    id_ = next(node.guresid for node in shop.all if node.key.type == "dns")
    assert statuses(outcomes) == {"db": "created", "dns": "created"}
    plain = made_by("fake", {"id": id_})
    assert statuses(shop.deploy({"db": plain, "dns": made_by("fake")})) == {
        "db": "unchanged",
        "dns": "unchanged",
    }
    (kept,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
    assert kept.depends_on == ()


def test_a_store_that_cannot_be_written_fails_before_the_driver() -> None:
    """Nothing is made that nobody would know of."""
    driver = RememberingDriver()
    shop = environment(fake=driver)
    shop.store.is_full = True
    outcomes = shop.deploy({"db": made_by("fake")})
    assert (outcomes["db"].status, outcomes["db"].comment) == ("failed", "the store is full")
    assert driver.calls == []


def _secret_parts(outcome: ProvisioningOutcome) -> set[tuple[str | int, ...]]:
    assert outcome.outputs is not None
    return set(outcome.outputs.secret_paths)


@pytest.mark.parametrize("secret", [SECRET, "ab", "7"])
@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("${resources.db#modules.web.externals.the-db.outputs.password}", ("it",)),
        ("pg://u:${resources.db#modules.web.externals.the-db.outputs.password}@h", ("it",)),
        ({"k:k": ["y", "${resources.db#modules.web.externals.the-db.outputs.password}"]}, ("it", "k:k", 1)),
        ("all: ${resources.db#modules.web.externals.the-db.outputs.nested}", ("it",)),
        ("${resources.workload#modules.web>db.outputs.password}", ("it", 0)),
        ("${resources.db#modules.web.externals.the-db.outputs.list.1}", ("it",)),
        ("${resources.db#modules.web.externals.the-db.outputs.nested.deep}", ("it", "er")),
        ("${resources.db#modules.web.externals.the-db.values.word}", None),
    ],
    ids=["whole", "embedded", "nested", "branch in a text", "selector", "list", "branch", "plain"],
)
def test_what_is_made_of_secrets_is_secret(value: Any, path: Any, secret: str) -> None:
    """Outputs that repeat inputs with secrets are marked, however short these are."""
    made = Provisioned(
        values={"host": "h"},
        secrets={"password": secret, "list": ["x", secret], "nested": {"deep": {"er": secret}}},
    )
    shop = environment(db=RememberingDriver("db", made=made))
    asks = RememberingDriver("asks", made=None)
    shop.drivers["asks"] = asks
    resources = {
        "db": made_by("db", {"word": "plain"}),
        "dns": {**made_by("asks", {"it": value, "clear": "-"})},
    }
    outcomes = shop.deploy(resources)
    assert outcomes["dns"].status == "created", outcomes["dns"].comment
    marked = _secret_parts(outcomes["dns"])
    assert marked == (set() if path is None else {path}), marked
    again = shop.deploy(resources)
    assert _secret_parts(again["dns"]) == marked


def test_a_driver_names_its_secrets_by_their_places() -> None:
    """Those in its outputs and manifests are kept, for deployments that do not call it again."""
    manifest = {"location": "namespace", "data": {"kind": "Secret", "token": "t0"}}
    made = Provisioned(
        values={"list": [{"key": "k0", "open": "o"}], "gone": {"x": 1}},
        secrets={"gone": "s"},
        manifests={"m": manifest},
        sensitive=(
            ("values", "list", 0, "key"),
            ("values", "gone", "x"),
            ("manifests", "m", "data", "token"),
        ),
    )
    shop = environment(fake=RememberingDriver(made=made))
    for status in ("created", "unchanged"):
        outcome = shop.deploy({"db": made_by("fake")})["db"]
        assert outcome.status == status
        assert _secret_parts(outcome) == {("list", 0, "key"), ("gone",)}
        assert outcome.secret_manifests == (("m", "data", "token"),)


def test_an_output_at_the_place_of_a_secret_input_is_secret_only_if_it_is_the_same() -> None:
    """A driver that repeats its inputs does not uncover one, and another value under its name is none."""
    of = {"it": "${resources.db#modules.web.externals.the-db.outputs.word}"}
    user = RememberingDriver("user")
    shop = environment(db=RememberingDriver("db", made=Provisioned(secrets={"word": SECRET})), user=user)
    resources = {"db": made_by("db"), "dns": made_by("user", of)}
    assert _secret_parts(shop.deploy(resources)["dns"]) == {("it",)}
    user.made = Provisioned(values={"it": "open"})
    resources["dns"] = made_by("user", {**of, "n": 1})
    assert _secret_parts(shop.deploy(resources)["dns"]) == set()


def test_a_secret_of_a_store_takes_the_place_of_its_reference() -> None:
    """Its driver gets the value, which is secret in every output."""
    driver = RememberingDriver()
    shop = environment(fake=driver)
    shop.stored = SECRET
    reference = {"token": {"store": "vault", "ref": "some/path"}}
    outcome = shop.deploy({"db": made_by("fake", secret_refs=reference)})["db"]
    assert driver.requests[-1].secrets == {"token": SECRET}
    assert _secret_parts(outcome) == {("token",)}
    assert shop.masker.text(SECRET) == MASK


def test_params_that_become_known_are_judged_before_the_driver_is_called() -> None:
    """They come from an output, so that the plan could not judge them."""
    schema = {"properties": {"port": {"type": "integer"}}}
    port = {"port": "${resources.db#modules.web.externals.the-db.outputs.port}"}
    db, dns = RememberingDriver("db", made=Provisioned(values={"port": "x"})), RememberingDriver("dns")
    shop = environment(db=db, dns=dns)
    resources = {
        "db": {**made_by("db"), "provision": {"dns": {"params": port}}},
        "dns": {**made_by("dns"), "params_schema": schema},
    }
    shop.deploy(resources)
    (failed,) = (node.outcome for node in shop.all if node.outcome.status == "failed")
    assert "'params.port' of dns.default" in failed.comment
    assert dns.calls == ["create dns"], "the one without params"


def test_an_input_that_becomes_secret_is_another_input() -> None:
    """What was computed from it before is not known to be secret."""
    of = {"it": "${resources.db#modules.web.externals.the-db.outputs.word}"}
    db = RememberingDriver("db", made=Provisioned(values={"word": "same"}))
    user = RememberingDriver("user")
    shop = environment(db=db, user=user)
    shop.deploy({"db": made_by("db"), "dns": made_by("user", of)})
    db.made = Provisioned(secrets={"word": "same"})
    outcomes = shop.deploy({"db": made_by("db", {"n": 1}), "dns": made_by("user", of)})
    assert statuses(outcomes) == {"db": "updated", "dns": "updated"}
    assert user.requests[-1].sensitive == (("values", "it"),)


def test_a_known_secret_in_an_output_is_marked() -> None:
    """A driver that puts a secret input into a plain output does not uncover it."""
    made = Provisioned(values={"url": f"pg://u:{SECRET}@h", "host": "h"})
    shop = environment(fake=RememberingDriver(made=made))
    outcomes = shop.deploy({"db": made_by("fake", secrets={"password": SECRET})})
    assert _secret_parts(outcomes["db"]) == {("url",)}
    assert SECRET not in shop.masker.text(f"a log with {SECRET}")


def test_a_secret_of_an_earlier_deployment_is_masked() -> None:
    """A resource that is left alone tells the masker of its secrets: nothing else does in a new process."""
    made = Provisioned(secrets={"password": SECRET})
    first = environment(fake=RememberingDriver(made=made))
    first.deploy({"db": made_by("fake")})
    second = environment(fake=RememberingDriver())
    second.store = first.store
    assert statuses(second.deploy({"db": made_by("fake")})) == {"db": "unchanged"}
    assert SECRET not in second.masker.text(SECRET)


def test_a_reason_with_a_secret_is_masked() -> None:
    """What a driver raises may quote its inputs."""
    driver = RememberingDriver(obstacle=DriverError(f"login with {SECRET} refused"))
    outcomes = environment(fake=driver).deploy({"db": made_by("fake", secrets={"p": SECRET})})
    assert outcomes["db"].comment == "login with (sensitive) refused"


@pytest.mark.parametrize("size", [None, 2], ids=["delete", "update"])
def test_a_driver_may_quote_secrets_of_an_earlier_deployment(size: int | None) -> None:
    """The masker knows them before the driver is called: they may be in its cookie."""
    first = environment(fake=RememberingDriver(made=Provisioned(secrets={"password": SECRET})))
    first.deploy({"db": made_by("fake", {"size": 1})})
    second = environment(fake=RememberingDriver(obstacle=DriverError(f"login with {SECRET} refused")))
    second.store = first.store
    resources = {} if size is None else {"db": made_by("fake", {"size": size})}
    outcomes = second.deploy(resources, prune=True)
    assert outcomes["db"].comment == "login with (sensitive) refused"


SCRIPT = 'a = "${resources.base-env.outputs.host}"'


def test_an_output_is_no_code_of_a_driver() -> None:
    """It is refused before the driver is called, also in a plan; a harmless one is what it always was."""
    source = RememberingDriver(made=Provisioned(values={"host": '"\nevil = var.password'}))
    driver = RememberingDriver(code={"script": "hcl"})
    shop = environment(source=source, fake=driver)
    entities = {"base-env": made_by("source"), "db": made_by("fake", {"script": SCRIPT})}
    failed = shop.deploy(entities)["db"]
    assert failed.status == "failed"
    assert "${resources.base-env.outputs.host} is what base-env.default#base-env says" in failed.comment
    assert "evil" not in failed.comment
    assert driver.calls == []
    source.made = Provisioned(values={"host": "db.example"})
    entities["base-env"] = made_by("source", {"n": 1})
    assert shop.deploy(entities)["db"].status == "created"
    assert driver.requests[-1].values == {"script": 'a = "db.example"'}


def test_values_of_a_resource_that_hold_outputs_are_foreign() -> None:
    """`.values` of another resource is an author's own, unless an output is in it."""
    source = RememberingDriver(made=Provisioned(values={"host": "a' b"}))
    driver = RememberingDriver(code={"command": "shell-words"})
    shop = environment(source=source, fake=driver)
    values = {"own": "a b", "other": "x-${resources.base-env.outputs.host}"}
    for name, status in (("own", "created"), ("other", "failed")):
        entities = {
            "base-env": made_by("source"),
            "config": made_by("source", values),
            "db": made_by("fake", {"command": f"run ${{resources.config.values.{name}}}"}),
        }
        assert shop.deploy(entities)["db"].status == status


def test_what_a_driver_leaves_is_not_reported_as_destroyed() -> None:
    """Where its `delete` removes nothing, the resource is forgotten, in a plan and afterwards."""
    shop = environment(fake=RememberingDriver(is_left=True))
    shop.deploy({"db": made_by("fake", {"size": 1})})
    planned = shop.deploy({}, prune=True, test=True)["db"]
    assert (planned.action, "has no `delete`" in planned.comment) == ("forget", True)
    removed = shop.deploy({}, prune=True)["db"]
    assert (removed.status, "was left as it is" in removed.comment) == ("retained", True)


def test_the_plan_of_a_removal_names_what_is_destroyed() -> None:
    """Each object once, and ten of many; a pure driver, and what is retained, destroy nothing."""
    objects = [ManagedObject(place=("x", str(number)), name=f"thing {number}") for number in range(12)]
    driver = RememberingDriver("one", objects=(*objects, *objects))
    shop = environment(one=driver)
    shop.deploy({"db": made_by("one")})
    planned = shop.deploy({}, test=True, prune=True)["db"].comment
    listed = ", ".join(f"thing {number}" for number in range(10))
    assert planned.endswith(f"would be destroyed: {listed} and 2 more")
    driver.objects = ()
    assert shop.deploy({}, test=True, prune=True)["db"].comment.endswith("would be destroyed")


def test_a_failed_update_is_tried_again_with_the_inputs_of_the_last_success() -> None:
    """What an update that failed has changed is unknown, so the driver is called although nothing differs."""
    driver = RememberingDriver(name="fake", plan_is_pure=True)
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake", {"size": 1})})
    driver.obstacle = DriverError("the disk is full")
    shop.deploy({"db": made_by("fake", {"size": 2})})
    (record,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
    assert record.inputs_mark == ""


def test_a_pure_driver_that_fails_is_called_again() -> None:
    """It has a record only from its success, which then says that the next deployment calls it."""
    driver = RememberingDriver(is_pure=True)
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake", {"size": 1})})
    driver.obstacle = DriverError("no such template")
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 2})})) == {"db": "failed"}
    driver.obstacle = None
    driver.forget()
    assert statuses(shop.deploy({"db": made_by("fake", {"size": 1})})) == {"db": "updated"}
    assert driver.calls == ["update db"]


@pytest.mark.parametrize(("is_left", "status"), [(False, "destroyed"), (True, "retained")])
def test_what_was_replaced_is_destroyed_unless_its_driver_leaves_it(*, is_left: bool, status: str) -> None:
    """It is no longer beside the resource afterwards."""
    driver = RememberingDriver(is_left=is_left)
    shop = environment(fake=driver)
    shop.deploy({"db": made_by("fake", {"size": 1})})
    (record,) = [record for record in shop.store.durable.values() if record.key.type == "db"]
    beside = (msgspec.structs.replace(record, generation=record.generation + 1),)
    shop.store.durable[record.key] = msgspec.structs.replace(record, beside=beside)
    provisioner = shop.provisioner(None)
    call = DriverCall(shop._services, test=False, clock=shop.clock)
    outcome = asyncio.run(provisioner.clear(record.key, call))
    assert (outcome.status, driver.calls[1:]) == (status, ["delete db"])
    assert shop.store.durable[record.key].beside == ()
