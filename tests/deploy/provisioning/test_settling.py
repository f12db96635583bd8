"""Resources that are left as they are: found before anything runs, and never others than without that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.deploy.provisioning.stand_ins import RememberingDriver, environment

from ensue.core.errors import DriverError
from ensue.deploy.provisioning.graph_values import GraphValues
from ensue.deploy.provisioning.settling import settled

if TYPE_CHECKING:
    from tests.deploy.provisioning.stand_ins import Environment

    from ensue.deploy.provisioning.surroundings import ProvisioningOutcome

pytestmark = pytest.mark.long

TYPES = ("a", "b", "c", "d", "e")
KINDS = ("pure", "plain", "printed", "eager", "failing")


def entity(driver: str, size: int, uses: tuple[str, ...] = (), secret: str = "") -> dict[str, Any]:
    """Return the entity of a definition whose inputs are a size and outputs of other resources."""
    of = {type_: f"${{resources.{type_}#modules.web.externals.the-{type_}.outputs.size}}" for type_ in uses}
    secrets = {"secret": secret} if secret else {}
    return {"driver_type": driver, "driver_inputs": {"values": {"size": size, **of}, "secrets": secrets}}


def drivers() -> dict[str, RememberingDriver]:
    """Return a driver of each kind."""
    failing = RememberingDriver("failing", obstacle=DriverError("no"), failing="c")
    return {
        "plain": RememberingDriver("plain"),
        "printed": RememberingDriver("printed", print_of="v1"),
        "eager": RememberingDriver("eager", always_called=True),
        "failing": failing,
    }


def left(shop: Environment, resources: dict[str, dict[str, Any]]) -> dict[str, ProvisioningOutcome]:
    """Return what is found beforehand, by type."""
    built = shop.built(resources)
    provisioner = shop.provisioner(GraphValues(built, {}))
    outcomes = asyncio.run(settled(built.nodes, provisioner))
    return {key.type: outcome for key, outcome in outcomes.items()}


def test_what_is_unchanged_down_to_the_first_change_is_left() -> None:
    """A changed resource is not settled, and neither is anything that depends on it, directly or not."""
    shop = environment(**drivers())
    chain = {"a": entity("plain", 1), "b": entity("plain", 1, ("a",)), "c": entity("plain", 1, ("b",))}
    assert left(shop, chain) == {}
    shop.deploy(chain)
    assert left(shop, chain).keys() == {"a", "b", "c", "workload"}
    assert left(shop, {**chain, "b": entity("plain", 2, ("a",))}).keys() == {"a"}
    shop.drivers["plain"].forget()
    shop.deploy({**chain, "b": entity("plain", 2, ("a",))})
    assert shop.drivers["plain"].calls == ["update b", "update c"]


def test_a_driver_that_is_always_called_is_never_left() -> None:
    """Neither is one whose fingerprint has changed; one with the same fingerprint is."""
    shop = environment(**drivers())
    resources = {"a": entity("eager", 1), "b": entity("printed", 1)}
    shop.deploy(resources)
    assert left(shop, resources).keys() == {"b"}
    shop.drivers["printed"].print_of = "v2"
    assert left(shop, resources) == {}


def test_an_error_is_left_to_the_state_of_the_resource() -> None:
    """A resource whose inputs cannot be evaluated is provisioned, which reports the error."""
    shop = environment(**drivers())
    resources = {"a": entity("plain", 1), "b": entity("plain", 1, ("a",))}
    shop.deploy(resources)
    broken = {**resources, "b": entity("plain", 1)}
    broken["b"]["driver_inputs"]["values"]["x"] = "${resources.a#modules.web.externals.the-a.outputs.none}"
    assert left(shop, broken).keys() == {"a"}
    assert shop.deploy(broken)["b"].status == "failed"


@st.composite
def deployments(draw: st.DrawFn) -> list[dict[str, dict[str, Any]]]:
    """Return a few deployments of one environment, each differing from the one before in some resources."""
    steps: list[dict[str, dict[str, Any]]] = []
    current: dict[str, dict[str, Any]] = {}
    for _ in range(draw(st.integers(2, 4))):
        changed = draw(st.sets(st.sampled_from(TYPES), max_size=3)) if steps else set(TYPES)
        for type_ in sorted(changed):
            earlier = TYPES[: TYPES.index(type_)]
            current[type_] = entity(
                draw(st.sampled_from(KINDS)),
                draw(st.integers(0, 2)),
                tuple(sorted(draw(st.sets(st.sampled_from(earlier), max_size=2)))) if earlier else (),
                draw(st.sampled_from(("", "hunter2-secret"))),
            )
        steps.append(dict(current))
    return steps


@given(steps=deployments(), tests=st.lists(st.booleans(), min_size=4, max_size=4))
@settings(max_examples=100, deadline=None)
def test_it_changes_nothing(steps: list[dict[str, dict[str, Any]]], tests: list[bool]) -> None:
    """Outcomes, calls of drivers and records are those of a deployment that looks at nothing beforehand."""
    first, second = environment(**drivers()), environment(**drivers())
    second.settles = False
    for resources, test in zip(steps, tests, strict=False):
        outcomes = [shop.deploy(resources, test=test, may_replace=True) for shop in (first, second)]
        assert outcomes[0] == outcomes[1]
        assert first.store.durable == second.store.durable
        for name, driver in first.drivers.items():
            assert driver.calls == second.drivers[name].calls
        assert first.masker.data(["hunter2-secret"]) == second.masker.data(["hunter2-secret"])
