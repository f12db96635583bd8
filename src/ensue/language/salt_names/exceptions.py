"""`salt.exceptions`: the errors that custom modules raise and catch."""

from __future__ import annotations

from typing import Any, Final

from ensue.core.errors import StateFailedError
from ensue.language.salt_names import client_error
from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.client_error import SaltException

SaltClientError = client_error.SaltClientError


class CommandExecutionError(SaltException, StateFailedError):
    """A command or function failed.

    Args:
        message: what went wrong.
        info: details.
    """

    def __init__(self, message: Any = "", info: Any = None) -> None:
        self.error = message
        self.info = info
        super().__init__(f"{message}\n\n{info}" if info else message)


class CommandNotFoundError(SaltException):
    """A required program is not installed."""


class SaltInvocationError(SaltException, TypeError):
    """A function was called with invalid arguments."""


class SaltRenderError(SaltException):
    """A text could not be rendered.

    Args:
        message: what went wrong.
        line_num: the line number.
        buf: the text.
    """

    def __init__(
        self, message: Any = "", line_num: int | None = None, buf: str = "", **_options: Any
    ) -> None:
        self.line_num = line_num
        self.buffer = buf
        super().__init__(message)


class SaltCloudException(SaltException):
    """A cloud operation failed."""


class SaltSystemExit(SystemExit):
    """The process must exit."""


class TimedProcTimeoutError(SaltException):
    """A command timed out."""


_FURTHER: Final = {
    SaltException: (
        "SaltDeserializationError SaltConfigurationError SaltMasterError SaltReqTimeoutError SaltRunnerError "
        "AuthenticationError AuthorizationError FileserverConfigError FileLockError LoaderError MinionError "
        "PkgParseError PillarError TemplateError TimeoutError"
    ),
    SaltCloudException: "SaltCloudSystemExit SaltCloudNotFound SaltCloudConfigError",
    CommandExecutionError: "CheckError InvalidEntityError VMwareSaltError ArgumentValueError",
}
"""Errors that differ from others in their name only, by their base class."""

for _base, _names in _FURTHER.items():
    globals().update({name: type(name, (_base,), {"__module__": __name__}) for name in _names.split()})

__getattr__ = not_there(__name__)
