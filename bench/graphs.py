"""Deployments whose resource graph is built: workloads with references, co-provisioning and selectors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

NODES_PER_WORKLOAD: Final = 6
"""The workload, its account, and a database with its policy, a cache and a store."""

OUTPUTS: Final = {"host": "db.internal", "name": "n", "arn": "arn:1", "user": "u", "region": "eu"}
"""What every resource has as outputs, for those that refer to it."""

CONTEXT: Final = ("--app", "bench", "--env", "dev", "--env-type", "development")


def deployment_set(workloads: int) -> str:
    """Return a deployment set of workloads that are alike, as JSON."""
    modules = {
        f"w{number}": {
            "spec": {"containers": {"main": {"image": "x", "variables": {"DB": "${externals.db.host}"}}}},
            "externals": {
                "db": {"type": "postgres", "params": {"size": number}},
                "cache": {"type": "redis"},
                "store": {"type": "s3", "params": {"owner": "${externals.db.user}"}},
            },
        }
        for number in range(workloads)
    }
    return json.dumps({"modules": modules})


def write_definitions(folder: Path) -> None:
    """Write the definitions of all resources of such a set to a folder."""
    definitions = [
        _definition("base-env"),
        _definition("workload", "${resources.account.outputs.name}"),
        _definition("account", "${resources.workload>policy.outputs.arn}"),
        _definition("postgres", "${resources.base-env.outputs.host}", {"policy": {"match_dependents": True}}),
        _definition("policy", "${resources.postgres.outputs.name}"),
        _definition("redis", "${context.res.id}"),
        _definition("s3", "${resources.base-env.outputs.region}"),
    ]
    folder.mkdir()
    for definition in definitions:
        (folder / f"{definition['metadata']['id']}.json").write_text(json.dumps(definition))


def _definition(type_: str, value: str = "", provision: dict[str, Any] | None = None) -> dict[str, Any]:
    entity: dict[str, Any] = {
        "type": type_,
        "driver_type": "humanitec/echo",
        "driver_inputs": {"values": {"value": value, **OUTPUTS}},
        "provision": provision or {},
        "criteria": [{}],
    }
    return {"kind": "Definition", "metadata": {"id": type_}, "entity": entity}
