"""The names that plug-ins use: state functions, resource types, drivers, providers and renderers.

Everything is loaded when it is first used, so a plug-in that needs one name costs no more than that. The
contract suites for tests of plug-ins are in `ensue.testing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.public_names import places, public_name

if TYPE_CHECKING:
    from ensue.contracts.connection import Command, Completed, Connection, FileStat
    from ensue.contracts.content import Content, LongContent, whole
    from ensue.contracts.context import FileSources, FunctionContext, StateContext
    from ensue.contracts.driver import (
        Driver,
        DriverRequest,
        DriverServices,
        ForeignPart,
        Planned,
        Provisioned,
    )
    from ensue.contracts.functions import also_takes, renders, takes_words, touches_nothing
    from ensue.contracts.provider import Environment, EnvironmentProvider, EnvironmentRequest
    from ensue.contracts.renderer import Renderer, RenderInput
    from ensue.contracts.resource_type import ResourceContext
    from ensue.errors import (
        AuthenticationError,
        DriverError,
        EnsueError,
        HostKeyError,
        NotAvailableError,
        RemoteError,
        RemoteFileError,
        RemoteTimeoutError,
        ResourceError,
        StateFailedError,
        UnreachableError,
    )
    from ensue.gotemplate import compile_template
    from ensue.model.returns import StateReturn
    from ensue.model.srn import Srn
    from ensue.model.unknown import Unknown, unknowns_in

__all__ = [
    "AuthenticationError",
    "Command",
    "Completed",
    "Connection",
    "Content",
    "Driver",
    "DriverError",
    "DriverRequest",
    "DriverServices",
    "EnsueError",
    "Environment",
    "EnvironmentProvider",
    "EnvironmentRequest",
    "FileSources",
    "FileStat",
    "ForeignPart",
    "FunctionContext",
    "HostKeyError",
    "LongContent",
    "NotAvailableError",
    "Planned",
    "Provisioned",
    "RemoteError",
    "RemoteFileError",
    "RemoteTimeoutError",
    "RenderInput",
    "Renderer",
    "ResourceContext",
    "ResourceError",
    "Srn",
    "StateContext",
    "StateFailedError",
    "StateReturn",
    "Unknown",
    "UnreachableError",
    "also_takes",
    "compile_template",
    "renders",
    "takes_words",
    "touches_nothing",
    "unknowns_in",
    "whole",
]

_PLACES: Final = places(
    {
        "ensue.contracts.connection": ("Command", "Completed", "Connection", "FileStat"),
        "ensue.contracts.content": ("Content", "LongContent", "whole"),
        "ensue.contracts.context": ("FileSources", "FunctionContext", "StateContext"),
        "ensue.contracts.driver": (
            "Driver",
            "DriverRequest",
            "DriverServices",
            "ForeignPart",
            "Planned",
            "Provisioned",
        ),
        "ensue.contracts.functions": ("also_takes", "renders", "takes_words", "touches_nothing"),
        "ensue.contracts.provider": ("Environment", "EnvironmentProvider", "EnvironmentRequest"),
        "ensue.contracts.renderer": ("RenderInput", "Renderer"),
        "ensue.contracts.resource_type": ("ResourceContext",),
        "ensue.errors": (
            "AuthenticationError",
            "DriverError",
            "EnsueError",
            "HostKeyError",
            "NotAvailableError",
            "RemoteError",
            "RemoteFileError",
            "RemoteTimeoutError",
            "ResourceError",
            "StateFailedError",
            "UnreachableError",
        ),
        "ensue.gotemplate": ("compile_template",),
        "ensue.model.returns": ("StateReturn",),
        "ensue.model.srn": ("Srn",),
        "ensue.model.unknown": ("Unknown", "unknowns_in"),
    }
)


def __getattr__(name: str) -> Any:
    """Return a public name from the module that defines it."""
    return public_name(__name__, _PLACES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
