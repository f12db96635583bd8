"""The names that plug-ins use: state functions, resource types, drivers, providers and renderers.

Everything is loaded when it is first used, so a plug-in that needs one name costs no more than that. The
contract suites for tests of plug-ins are in `ensue.testing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.public_names import places, public_name

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Command, Completed, Connection, FileStat
    from ensue.core.contracts.content import Content, LongContent, whole
    from ensue.core.contracts.context import FileSources, FunctionContext, StateContext
    from ensue.core.contracts.driver import (
        Driver,
        DriverRequest,
        DriverServices,
        ForeignPart,
        InputRemark,
        Planned,
        Provisioned,
    )
    from ensue.core.contracts.functions import (
        also_takes,
        edits_part,
        makes_only,
        reads_paths,
        renders,
        takes_words,
        touches_nothing,
        writes_text,
    )
    from ensue.core.contracts.managed_objects import ManagedObject
    from ensue.core.contracts.provider import Environment, EnvironmentProvider, EnvironmentRequest
    from ensue.core.contracts.renderer import Renderer, RenderInput
    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.errors import (
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
    from ensue.core.model.returns import StateReturn
    from ensue.core.model.srn import Srn
    from ensue.core.model.unknown import Unknown, unknowns_in
    from ensue.deploy.gotemplate import compile_template

__all__ = [
    "AuthenticationError", "Command", "Completed", "Connection", "Content", "Driver", "DriverError",
    "DriverRequest", "DriverServices", "EnsueError", "Environment", "EnvironmentProvider",
    "EnvironmentRequest", "FileSources", "FileStat", "ForeignPart", "FunctionContext", "HostKeyError",
    "InputRemark", "LongContent", "ManagedObject", "NotAvailableError", "Planned", "Provisioned",
    "RemoteError", "RemoteFileError", "RemoteTimeoutError", "RenderInput", "Renderer", "ResourceContext",
    "ResourceError", "Srn", "StateContext", "StateFailedError", "StateReturn", "Unknown",
    "UnreachableError", "also_takes", "compile_template", "edits_part", "makes_only", "reads_paths",
    "renders", "takes_words",
    "touches_nothing", "unknowns_in", "whole", "writes_text",
]  # fmt: skip

_PLACES: Final = places(
    {
        "ensue.core.contracts.connection": ("Command", "Completed", "Connection", "FileStat"),
        "ensue.core.contracts.content": ("Content", "LongContent", "whole"),
        "ensue.core.contracts.context": ("FileSources", "FunctionContext", "StateContext"),
        "ensue.core.contracts.driver": (
            "Driver",
            "DriverRequest",
            "DriverServices",
            "ForeignPart",
            "InputRemark",
            "Planned",
            "Provisioned",
        ),
        "ensue.core.contracts.functions": (
            "also_takes",
            "edits_part",
            "makes_only",
            "reads_paths",
            "renders",
            "takes_words",
            "touches_nothing",
            "writes_text",
        ),
        "ensue.core.contracts.managed_objects": ("ManagedObject",),
        "ensue.core.contracts.provider": ("Environment", "EnvironmentProvider", "EnvironmentRequest"),
        "ensue.core.contracts.renderer": ("RenderInput", "Renderer"),
        "ensue.core.contracts.resource_type": ("ResourceContext",),
        "ensue.core.errors": (
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
        "ensue.deploy.gotemplate": ("compile_template",),
        "ensue.core.model.returns": ("StateReturn",),
        "ensue.core.model.srn": ("Srn",),
        "ensue.core.model.unknown": ("Unknown", "unknowns_in"),
    }
)


def __getattr__(name: str) -> Any:
    """Return a public name from the module that defines it."""
    return public_name(__name__, _PLACES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
