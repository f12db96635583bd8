"""`__salt__` of a project's own Python files: `salt` of templates, with the exceptions that code expects.

A function that is not there is a `KeyError`, as in Salt. A failure of one of ensue's functions is Salt's
`CommandExecutionError`, which such code catches.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

from ensue.core.errors import NotAvailableError, RemoteError, StateFailedError
from ensue.language.functions.salt_functions import SaltFunctions
from ensue.language.salt_names.importing import home_of_salt

if TYPE_CHECKING:
    from collections.abc import Callable


class NoFunctionError(NotAvailableError, KeyError):
    """There is no execution function with this name."""

    def __str__(self) -> str:
        # KeyError shows its text in quotes.
        return str(self.args[0])


class FunctionsForCode(SaltFunctions):
    """The execution functions of one target, as `__salt__` offers them."""

    def __getitem__(self, name: str) -> Any:
        function: Callable[..., Any] = super().__getitem__(name)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except (StateFailedError, RemoteError) as error:
                raise _as_salts(error) from error

        return call

    def _missing(self, name: str, module: str, function: str) -> Any:
        raise NoFunctionError(self.missing_text(name, module, function))


def _as_salts(error: Exception) -> Exception:
    known: Any = importlib.import_module(f"{home_of_salt()}.exceptions")
    if isinstance(error, known.SaltException):
        own: Exception = error
        return own
    made: Exception = known.CommandExecutionError(str(error))
    return made
