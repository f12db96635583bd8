"""State module `starting_state`: deploy, register, take back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.contracts.provider import Environment, EnvironmentRequest
from ensue.core.errors import NotAvailableError, StateFailedError, StoreError
from ensue.core.model.srn import Srn
from ensue.library.states import starting_state
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.returns import StateReturn

JUMP_HOST = Srn("ssh_host", "jumphost-env-01")
SOURCE = Srn("starting_state", "env-01")
CONNECTION: dict[str, Any] = {"host": "127.0.0.1", "port": 22, "user": "worker", "password": "hunter2-secret"}


@dataclass
class MemoryProvider:
    """Environments in memory, each with the status that `deploys_to` says."""

    deploys_to: str = "succeeded"
    statuses: dict[str, str] = field(default_factory=dict)
    requests: list[EnvironmentRequest] = field(default_factory=list)
    unreadable: bool = False
    obstacle: str = ""

    async def observe(self, request: EnvironmentRequest) -> Environment:
        if self.unreadable:
            raise StoreError("the key does not fit")
        self.requests.append(request)
        return self._environment(request)

    async def deploy(self, request: EnvironmentRequest) -> Environment:
        self.statuses[request.name] = self.deploys_to
        return self._environment(request)

    async def destroy(self, request: EnvironmentRequest) -> Environment:
        self.statuses.pop(request.name, None)
        return Environment(status="absent")

    def _environment(self, request: EnvironmentRequest) -> Environment:
        status = self.statuses.get(request.name, "absent")
        if status != "succeeded":
            return Environment(status=status, comment="it is being built", obstacle=self.obstacle)
        return Environment(status=status, details={"isolation": "namespace"})

    async def connection_info(self, request: EnvironmentRequest) -> dict[str, Any]:
        assert self.statuses[request.name] == "succeeded"
        return dict(CONNECTION)


@pytest.fixture
def provider() -> MemoryProvider:
    return MemoryProvider()


@pytest.fixture
def ctx(provider: MemoryProvider, tmp_path: Path) -> FakeStateContext:
    return FakeStateContext(FakeConnection(), providers={"sandbox": provider}, cache_dir=tmp_path)


def deployed(ctx: FakeStateContext, **arguments: Any) -> StateReturn:
    return asyncio.run(starting_state.deployed(ctx, "env-01", **arguments))


def absent(ctx: FakeStateContext, **arguments: Any) -> StateReturn:
    return asyncio.run(starting_state.absent(ctx, "env-01", **arguments))


def test_a_deployed_environment_is_registered_with_its_provenance(ctx: FakeStateContext) -> None:
    """The jump host can be connected to, derived from the environment."""
    returned = deployed(ctx, register_resources=True)

    assert returned.result is True
    assert returned.changes == {
        "environment": {"old": "absent", "new": "succeeded"},
        "registered": "ssh_host:jumphost-env-01",
    }
    assert ctx.registry.get(JUMP_HOST) == CONNECTION
    assert ctx.registry.provenance(JUMP_HOST) == (SOURCE,)


def test_new_state_holds_what_bindings_need_and_marks_secrets(ctx: FakeStateContext) -> None:
    """Address and credentials are there; the password is marked, and known to the masker."""
    returned = deployed(ctx, register_resources=True)

    assert returned.new_state == {
        "name": "env-01",
        "status": "succeeded",
        "provider": "sandbox",
        **CONNECTION,
        "isolation": "namespace",
        "resource": "ssh_host:jumphost-env-01",
    }
    assert returned.sensitive == ("password",)
    assert ctx.masker.text("hunter2-secret") == "(sensitive)"
    assert "hunter2" not in returned.comment


def test_a_second_run_changes_nothing(ctx: FakeStateContext) -> None:
    """Already there and registered the same: no changes, the same new_state."""
    first = deployed(ctx, register_resources=True)
    second = deployed(ctx, register_resources=True)

    assert (second.result, second.changes) == (True, {})
    assert second.new_state == first.new_state


def test_nothing_is_registered_unless_asked(ctx: FakeStateContext) -> None:
    """Without register_resources the registry stays as it is."""
    returned = deployed(ctx)

    assert returned.changes == {"environment": {"old": "absent", "new": "succeeded"}}
    assert ctx.registry.records() == []


def test_a_failed_environment_registers_nothing(ctx: FakeStateContext, provider: MemoryProvider) -> None:
    """Result False, with the provider's word and reason."""
    provider.deploys_to = "building"

    returned = deployed(ctx, register_resources=True)

    assert returned.result is False
    assert returned.comment == "environment env-01 is building, not succeeded: it is being built"
    assert ctx.registry.records() == []


def test_an_environment_that_leaves_succeeded_takes_its_resources_back(
    ctx: FakeStateContext, provider: MemoryProvider
) -> None:
    """What was derived from it can no longer be targeted."""
    deployed(ctx, register_resources=True)
    provider.deploys_to = "failed"

    returned = deployed(ctx, register_resources=True)

    assert returned.changes["invalidated"] == ["ssh_host:jumphost-env-01"]
    assert ctx.registry.list_for_type("ssh_host") == []


def test_a_plan_deploys_and_registers_nothing(ctx: FakeStateContext, provider: MemoryProvider) -> None:
    """It says what would come, without new_state."""
    ctx.test = True

    returned = deployed(ctx, register_resources=True)

    assert returned.result is None
    assert returned.changes == {
        "environment": {"old": "absent", "new": "succeeded"},
        "registered": "ssh_host:jumphost-env-01",
    }
    assert returned.new_state is None
    assert (provider.statuses, ctx.registry.records()) == ({}, [])


def test_a_plan_says_what_the_provider_says_of_the_environment(ctx: FakeStateContext) -> None:
    """The terraform provider lists there what would change."""
    ctx.test = True

    assert deployed(ctx).comment == "environment env-01 is absent; it would be deployed\nit is being built"


def test_a_plan_of_what_cannot_be_deployed_fails(ctx: FakeStateContext, provider: MemoryProvider) -> None:
    """It names what is missing and promises no change. Removal does not need it."""
    provider.obstacle = "there is no folder /box"
    ctx.test = True

    planned = deployed(ctx, register_resources=True)

    assert (planned.result, planned.changes) == (False, {})
    assert planned.comment == "environment env-01 is absent and cannot be deployed: there is no folder /box"
    assert absent(ctx).result is True


@pytest.mark.parametrize("value", ["yes please", "false", 1, None, ["true"]])
def test_register_resources_is_a_boolean(ctx: FakeStateContext, value: Any) -> None:
    """Text is refused before anything is deployed, in a plan as well."""
    with pytest.raises(StateFailedError, match=r"register_resources: .* is neither true nor false"):
        deployed(ctx, register_resources=value)


def test_a_plan_that_only_registers_says_so(ctx: FakeStateContext) -> None:
    """The environment is there already, so nothing would be deployed."""
    deployed(ctx)
    ctx.test = True

    expected = "environment env-01 is succeeded; ssh_host:jumphost-env-01 would be registered"
    assert deployed(ctx, register_resources=True).comment == expected


def test_a_plan_of_what_is_there_is_converged(ctx: FakeStateContext) -> None:
    """The same return as in an apply."""
    deployed(ctx, register_resources=True)
    applied = deployed(ctx, register_resources=True)
    ctx.test = True

    assert deployed(ctx, register_resources=True) == applied


def test_the_provider_gets_its_own_options_and_folder(
    ctx: FakeStateContext, provider: MemoryProvider
) -> None:
    """What the state does not know itself is passed on; every name has a folder of its own."""
    deployed(ctx, isolation="none")
    asyncio.run(starting_state.deployed(ctx, "../etc"))
    asyncio.run(starting_state.deployed(ctx, ".."))

    assert provider.requests[0].options == {"isolation": "none"}
    folders = [request.directory for request in provider.requests]
    assert {folder.parent for folder in folders} == {ctx.cache_dir / "sandboxes"}
    assert [folder.name for folder in folders] == ["env-01", "%2E.%2Fetc", "%2E."]


def test_an_unknown_provider_is_an_error_with_the_choices(ctx: FakeStateContext) -> None:
    """The composition root names what there is."""
    with pytest.raises(NotAvailableError, match="sandbox"):
        deployed(ctx, provider="sandbix")


def test_an_environment_needs_a_name(ctx: FakeStateContext) -> None:
    """An empty name would be the folder of all environments."""
    with pytest.raises(StateFailedError, match="requires a name"):
        asyncio.run(starting_state.absent(ctx, " "))


def test_absent_removes_and_invalidates(ctx: FakeStateContext, provider: MemoryProvider) -> None:
    """Both are reported; a second run changes nothing."""
    deployed(ctx, register_resources=True)

    returned = absent(ctx)

    assert returned.changes == {
        "environment": {"old": "succeeded", "new": "absent"},
        "invalidated": ["ssh_host:jumphost-env-01"],
    }
    assert provider.statuses == {}
    assert ctx.registry.get(JUMP_HOST) is None
    assert (absent(ctx).result, absent(ctx).changes) == (True, {})


def test_absent_invalidates_even_when_the_environment_is_gone_already(ctx: FakeStateContext) -> None:
    """Somebody removed the environment by hand: what was derived from it goes all the same."""
    ctx.registry.register(JUMP_HOST, CONNECTION, source=SOURCE, source_grains={"status": "succeeded"})

    assert absent(ctx).changes == {"invalidated": ["ssh_host:jumphost-env-01"]}


def test_absent_removes_what_can_no_longer_be_decrypted(
    ctx: FakeStateContext, provider: MemoryProvider
) -> None:
    """A lost key does not make an environment immortal."""
    provider.statuses["env-01"] = "succeeded"
    provider.unreadable = True

    assert absent(ctx).changes == {"environment": {"old": "unreadable", "new": "absent"}}
    assert provider.statuses == {}


def test_a_planned_removal_changes_nothing(ctx: FakeStateContext, provider: MemoryProvider) -> None:
    """It names the environment and what is derived from it."""
    deployed(ctx, register_resources=True)
    ctx.test = True

    returned = absent(ctx)

    assert returned.result is None
    assert returned.changes["invalidated"] == ["ssh_host:jumphost-env-01"]
    assert provider.statuses == {"env-01": "succeeded"}
    assert ctx.registry.get(JUMP_HOST) is not None


def test_an_environment_that_never_was_names_similar_ones(ctx: FakeStateContext) -> None:
    """Its removal succeeds with a warning, in a plan as well; after a removal nothing is named."""
    deployed(ctx, register_resources=True)

    for test in (True, False):
        ctx.test = test
        returned = asyncio.run(starting_state.absent(ctx, "evn-01"))
        assert returned.result is True
        assert returned.warnings == ("there never was an environment evn-01: did you mean env-01?",)
        assert asyncio.run(starting_state.absent(ctx, "something else")).warnings == ()

    assert absent(ctx).warnings == ()
    assert absent(ctx).warnings == ()
    assert asyncio.run(starting_state.absent(ctx, "evn-01")).warnings == ()


def test_a_folder_of_another_environment_is_named(ctx: FakeStateContext, tmp_path: Path) -> None:
    """An environment needs no registration to be named."""
    (tmp_path / "sandboxes" / "lab%2Fone").mkdir(parents=True)

    returned = asyncio.run(starting_state.absent(ctx, "lab/on"))
    assert returned.warnings == ("there never was an environment lab/on: did you mean lab/one?",)
