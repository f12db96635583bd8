"""Public fakes and contract suites for authors of plug-ins; nothing in production imports this package.

A test class derives from a suite (`ConnectionContract`, `ResourceTypeContract`, `DriverContract`) and gives
it a subject. The fakes are a connection in memory, the context of a state function with its clock, the
services of a driver and derived resources in a dict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.public_names import places, public_name

if TYPE_CHECKING:
    from ensue.testing.connection import FakeConnection, RecordedCall
    from ensue.testing.connection_contract import ConnectionContract
    from ensue.testing.context import FakeClock, FakeFunctionContext, FakeStateContext
    from ensue.testing.contract_play import Subject
    from ensue.testing.driver import FakeDriverServices, driver_request
    from ensue.testing.driver_contract import DriverContract, DriverSubject
    from ensue.testing.registry import FakeRegistry
    from ensue.testing.type_contract import ResourceTypeContract, TypeSubject

__all__ = [
    "ConnectionContract",
    "DriverContract",
    "DriverSubject",
    "FakeClock",
    "FakeConnection",
    "FakeDriverServices",
    "FakeFunctionContext",
    "FakeRegistry",
    "FakeStateContext",
    "RecordedCall",
    "ResourceTypeContract",
    "Subject",
    "TypeSubject",
    "driver_request",
]

_PLACES: Final = places(
    {
        "ensue.testing.connection": ("FakeConnection", "RecordedCall"),
        "ensue.testing.connection_contract": ("ConnectionContract",),
        "ensue.testing.context": ("FakeClock", "FakeFunctionContext", "FakeStateContext"),
        "ensue.testing.contract_play": ("Subject",),
        "ensue.testing.driver": ("FakeDriverServices", "driver_request"),
        "ensue.testing.driver_contract": ("DriverContract", "DriverSubject"),
        "ensue.testing.registry": ("FakeRegistry",),
        "ensue.testing.type_contract": ("ResourceTypeContract", "TypeSubject"),
    }
)


def __getattr__(name: str) -> Any:
    """Return a public name from the module that defines it."""
    return public_name(__name__, _PLACES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
