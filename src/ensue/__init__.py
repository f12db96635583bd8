"""ensue: a desired-state engine in which one apply owns the whole outcome.

This module is the public API of a program that runs ensue: `apply`, `plan` and `call` do one thing each and
return; `Project` is for programs with an event loop of their own. `ensue.plugin` has what plug-ins need, and
`ensue.derived` registers resources. Everything is loaded when it is first used. docs/python-api.md says which
names are stable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.public_names import places, public_name
from ensue.version import __version__ as __version__

if TYPE_CHECKING:
    from ensue.api.project import Project
    from ensue.api.results import CallResult, ExcludedState, RunResult, StateResult
    from ensue.api.running import apply, call, plan
    from ensue.core.diagnostics import Diagnostic, Severity, Span
    from ensue.core.errors import CompileError, ConfigurationError, DiagnosticError, EnsueError, LockHeldError
    from ensue.core.model.run_part import RunPart

__all__ = [
    "CallResult", "CompileError", "ConfigurationError", "Diagnostic", "DiagnosticError", "EnsueError",
    "ExcludedState", "LockHeldError", "Project", "RunPart", "RunResult", "Severity", "Span", "StateResult",
    "apply", "call", "plan",
]  # fmt: skip

_PLACES: Final = places(
    {
        "ensue.api.project": ("Project",),
        "ensue.api.results": ("CallResult", "ExcludedState", "RunResult", "StateResult"),
        "ensue.api.running": ("apply", "call", "plan"),
        "ensue.core.diagnostics": ("Diagnostic", "Severity", "Span"),
        "ensue.core.errors": (
            "CompileError",
            "ConfigurationError",
            "DiagnosticError",
            "EnsueError",
            "LockHeldError",
        ),
        "ensue.core.model.run_part": ("RunPart",),
    }
)


def __getattr__(name: str) -> Any:
    """Return a public name from the module that defines it."""
    return public_name(__name__, _PLACES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
