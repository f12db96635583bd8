"""Requests for drivers, and services that record their calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.driver import DriverRequest
from ensue.core.masking import Masker
from ensue.core.model.made_thing import thing_of_name
from ensue.core.model.returns import Return, ScopeReturn
from ensue.testing.vault import FakeVault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.vault import Vault
    from ensue.core.model.data import Data, DataMap


@dataclass(slots=True, kw_only=True)
class AskedState:
    """A state, or SLS, that a driver ran.

    Args:
        function: `module.function`; empty for SLS.
        names: the state's name, or the names of the SLS.
        arguments: of a state.
        target: where it was to run; empty: this machine.
    """

    function: str
    names: tuple[str, ...]
    arguments: Mapping[str, Data]
    target: str


@dataclass(slots=True)
class FakeDriverServices:
    """A `DriverServices` that records its calls.

    Args:
        masker: learns secrets.
        kept: the cookies that were kept, in order.
        asked: the states and SLS that were run.
        returns: what those return, by tag.
    """

    masker: Masker = field(default_factory=Masker)
    vault: Vault = field(default_factory=FakeVault)
    kept: list[DataMap] = field(default_factory=list["DataMap"])
    asked: list[AskedState] = field(default_factory=list[AskedState])
    returns: dict[str, Return] = field(default_factory=dict[str, Return])

    async def keep(self, cookie: DataMap) -> None:
        """Record a cookie."""
        self.kept.append(cookie)

    async def run_state(
        self, function: str, name: str, arguments: Mapping[str, Data], *, target: str = ""
    ) -> ScopeReturn:
        """Record a state; it returns the entry of `returns`."""
        self.asked.append(AskedState(function=function, names=(name,), arguments=arguments, target=target))
        return self._returned("state", name)

    async def run_sls(self, mods: Sequence[str], *, target: str = "") -> ScopeReturn:
        """Record SLS; they return the entries of `returns`."""
        self.asked.append(AskedState(function="", names=tuple(mods), arguments={}, target=target))
        return self._returned("apply", ",".join(mods))

    def things_of(self, returned: Return) -> Sequence[str]:
        """Return the thing that the name of a state names, whatever the state makes of it."""
        return (thing_of_name(returned.module, returned.name),)

    def _returned(self, kind: str, name: str) -> ScopeReturn:
        return ScopeReturn(
            kind=kind, name=name, scope=f"resource/{name}", status="done", returns=self.returns
        )


def driver_request(
    directory: Path, services: FakeDriverServices | None = None, **fields: Any
) -> DriverRequest:
    """Return a request for a driver.

    Args:
        directory: a folder for the test; the driver's own is `driver` below it, and it is the project's
            root.
        services: the run; None: a new `FakeDriverServices`.
        fields: further fields of `DriverRequest`, in place of those of a resource
            `thing.default#modules.web.externals.it`.
    """
    known: dict[str, Any] = {
        "type": "thing",
        "class_": "default",
        "id": "modules.web.externals.it",
        "guresid": "0123456789abcdef0123456789abcdef",
        "context": {"org.id": "", "app.id": "shop", "env.id": "dev", "env.type": "development"},
        "params": {},
        "values": {},
        "secrets": {},
        "account": None,
        "directory": directory / "driver",
        "root": directory,
        "services": services or FakeDriverServices(),
        "owner": "5ca1ab1e0ddba115",
    }
    return DriverRequest(**known | fields)
