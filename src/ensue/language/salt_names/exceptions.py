"""`salt.exceptions`: the errors that custom modules raise and catch."""

from __future__ import annotations

from typing import Any

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


class SaltDeserializationError(SaltException):
    """A text is not in the expected format."""


class SaltConfigurationError(SaltException):
    """An option is invalid."""


class SaltMasterError(SaltException):
    """A master failed."""


class SaltReqTimeoutError(SaltException):
    """A request timed out."""


class SaltRunnerError(SaltException):
    """A runner failed."""


class SaltCloudException(SaltException):
    """A cloud operation failed."""


class SaltCloudSystemExit(SaltCloudException):
    """A cloud command must exit."""


class SaltCloudNotFound(SaltCloudException):
    """Something was not found in a cloud."""


class SaltCloudConfigError(SaltCloudException):
    """The configuration of a cloud is invalid."""


class SaltSystemExit(SystemExit):
    """The process must exit."""


class AuthenticationError(SaltException):
    """Authentication failed."""


class AuthorizationError(SaltException):
    """Authorization failed."""


class CheckError(CommandExecutionError):
    """A state's check failed."""


class FileserverConfigError(SaltException):
    """The configuration of a file server is invalid."""


class FileLockError(SaltException):
    """A file lock could not be acquired."""


class LoaderError(SaltException):
    """A module could not be loaded."""


class MinionError(SaltException):
    """A minion failed."""


class PkgParseError(SaltException):
    """The output of a package manager could not be parsed."""


class PillarError(SaltException):
    """Pillar could not be compiled."""


class TemplateError(SaltException):
    """A template could not be rendered."""


class TimedProcTimeoutError(SaltException):
    """A command timed out."""


class TimeoutError(SaltException):  # noqa: A001 -- the name is Salt's
    """An operation timed out."""


class InvalidEntityError(CommandExecutionError):
    """A value is not allowed."""


class VMwareSaltError(CommandExecutionError):
    """A VMware operation failed."""


class ArgumentValueError(CommandExecutionError):
    """An argument has an invalid value."""


__getattr__ = not_there(__name__)
