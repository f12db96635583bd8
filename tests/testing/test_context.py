"""The fake contexts are what a state function expects, and show what it did."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import (
    NotAvailableError,
    ResourceConflictError,
    StateFailedError,
    TamperedError,
    UnknownResourceError,
)
from ensue.core.model.srn import Srn
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeStateContext
from ensue.testing.registry import FakeRegistry
from ensue.testing.vault import FakeVault

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.context import StateContext
    from ensue.core.contracts.registry import DerivedRegistry

A, B, C = Srn("ssh_host", "a"), Srn("ssh_host", "b"), Srn("cloud", "c")


def test_templates_see_the_usual_names() -> None:
    """Jinja has salt, grains, pillar and opts; the final line break stays; faults have name and line."""
    context = FakeStateContext(
        FakeConnection(),
        pillar={"a": 1},
        grains_data={"os": "Debian"},
        functions={"test.echo": lambda _, text: text},
    )
    as_contract: StateContext = context
    text = "{{ pillar.a }} {{ grains.os }} {{ salt['test.echo']('x') }} {{ mine }}\n"
    assert asyncio.run(as_contract.render_template(text, context={"mine": 2})) == "1 Debian x 2\n"
    with pytest.raises(StateFailedError, match=r"t\.j2:2"):
        asyncio.run(as_contract.render_template("ok\n{{ broken", name="t.j2"))
    with pytest.raises(StateFailedError, match="nothing"):
        asyncio.run(as_contract.render_template("{{ nothing }}", name="t.j2"))


def test_functions_and_other_resources() -> None:
    """What the test gave is there; what it did not give is refused as a real context would."""

    async def double(_: object, number: int) -> int:
        return number * 2

    other = FakeStateContext(FakeConnection(A))
    context = FakeStateContext(FakeConnection(), functions={"m.double": double}, others={"a": other})
    assert asyncio.run(context.call("m.double", 4)) == 8
    assert asyncio.run(context.on(A)) is other
    assert asyncio.run(context.on("a")) is other
    assert asyncio.run(context.apply(A, ["openvpn.init"])).status == "done"
    assert [(applied.target, applied.mods) for applied in context.applied] == [
        ("ssh_host:a", ("openvpn.init",))
    ]
    for ask in (context.call("m.none"), context.on("none")):
        with pytest.raises((NotAvailableError, UnknownResourceError)):
            asyncio.run(ask)
    with pytest.raises(NotAvailableError):
        context.provider("none")


def test_sources(tmp_path: Path) -> None:
    """Sources come out of a dict, then out of a folder."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x/real").write_bytes(b"real")
    context = FakeStateContext(FakeConnection(), sources={"salt://x/made": b"made"}, file_root=tmp_path)
    assert asyncio.run(context.files.read("salt://x/made")) == b"made"
    assert asyncio.run(context.files.read("salt://x/real")) == b"real"
    assert context.files.list_tree("salt://x") == ["made", "real"]
    with pytest.raises(StateFailedError, match="salt://none"):
        asyncio.run(context.files.read("salt://none"))


def test_the_registry_invalidates_transitively() -> None:
    """Registering anew is no change; a changed grain, and an invalidation, go through the whole chain."""
    registry: DerivedRegistry = FakeRegistry()
    assert registry.register(A, {"host": "1"}, source=C, source_grains={"status": "ok"}).changed
    assert not registry.register(A, {"host": "1"}, source=C, source_grains={"status": "ok"}).changed
    assert registry.register(B, {"host": "2"}, source=A).changed
    assert registry.provenance(B) == (A, C)
    assert registry.sources_among([A, B, C]) == {A, C}
    assert registry.observe(C, {"status": "ok"}) == []
    assert registry.observe(C, {"status": "gone"}) == [A, B]
    assert registry.get(A) is None
    assert registry.list_for_type("ssh_host") == []
    assert registry.register(A, {"host": "1"}, source=C).changed
    assert registry.get(A) == {"host": "1"}
    with pytest.raises(ResourceConflictError, match="ssh_host:a"):
        registry.register(Srn("other", "a"), {})
    assert registry.forget(A)
    assert not registry.forget(A)


def test_the_vault_opens_only_what_it_sealed_for_that() -> None:
    """Nothing is in the clear, and the context counts."""
    sealed = FakeVault().seal(b"secret", context="one")
    assert b"secret" not in sealed
    assert FakeVault().open(sealed, context="one") == b"secret"
    with pytest.raises(TamperedError):
        FakeVault().open(sealed, context="two")
