"""The impact of changed definitions: which active resources change, and what depends on them."""

from __future__ import annotations

from typing import Any

from tests.deploy.provisioning.building import CONTEXT, definition

from ensue.deploy.provisioning.active import ActiveResource
from ensue.deploy.provisioning.identity import WORKLOAD, ResourceKey
from ensue.deploy.provisioning.impact import Impact, impacts
from ensue.deploy.provisioning.matching import Catalog
from ensue.language.collector import Collector


def _key(type_: str) -> ResourceKey:
    return ResourceKey(type_, "default", f"shared.{type_}")


def _record(type_: str, *uses: str, **fields: Any) -> ActiveResource:
    """Return the record of a resource that depends on others; its definition is no longer there."""
    known: dict[str, Any] = {
        "key": _key(type_),
        "env_type": CONTEXT.env_type,
        "definition": "old",
        "definition_digest": "",
        "driver": "echo",
        "phase": "active",
        "depends_on": tuple(map(_key, uses)),
    }
    return ActiveResource(**known | fields)


def _impacts(*records: ActiveResource, only: str | None = None, types: tuple[str, ...] = ()) -> list[Impact]:
    collector = Collector()
    catalog = Catalog([definition(type_, collector) for type_ in types], collector)
    return impacts([(CONTEXT, record) for record in records], catalog, lambda was, now: was == now, only)


def test_dependents_are_direct_and_workloads_are_reached_through_others() -> None:
    """A zone below a database of a workload: the database depends on it, and the workload in the end."""
    workload, database, zone = _record(WORKLOAD, "db"), _record("db", "zone"), _record("zone")
    (impact,) = [each for each in _impacts(workload, database, zone) if each.key.type == "zone"]
    assert (impact.reason, impact.becomes) == ("no definition", None)
    assert impact.dependents == (database.key,)
    assert impact.workloads == (workload.key,)


def test_only_resources_of_one_definition_are_listed() -> None:
    """Those that have the definition now, and those that would get it."""
    records = (_record("db"), _record("zone"), _record("bucket", definition="gone"))
    assert {each.key.type for each in _impacts(*records, types=("db",))} == {"db", "zone", "bucket"}
    assert [each.key.type for each in _impacts(*records, types=("db",), only="db")] == ["db"]
    assert [each.key.type for each in _impacts(*records, types=("db",), only="gone")] == ["bucket"]
