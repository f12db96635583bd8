"""What requests to drivers say: which resources get a new secret."""

from __future__ import annotations

from pathlib import Path

from tests.deploy.provisioning.building import CONTEXT

from ensue.core.contracts.deployment import DeploymentOrder
from ensue.deploy.provisioning.identity import ResourceKey
from ensue.deploy.provisioning.requests import Requests


def test_only_named_resources_get_a_new_secret() -> None:
    """Without an order, or without names in it, none does."""
    db, cache = (ResourceKey(type_, "default", f"shared.{type_}") for type_ in ("db", "cache"))
    requests = Requests(CONTEXT, Path("/project"), Path("/drivers"), "owner")
    assert not requests.rotates(db)
    assert not requests._replace(order=DeploymentOrder(app="shop", env="dev")).rotates(db)
    named = requests._replace(order=DeploymentOrder(app="shop", env="dev", rotate=(str(db),)))
    assert (named.rotates(db), named.rotates(cache)) == (True, False)
