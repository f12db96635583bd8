"""`salt.exceptions`: the errors that custom modules raise and catch."""

from __future__ import annotations

from typing import Any

from ensue.errors import StateFailedError
from ensue.salt_names import client_error
from ensue.salt_names.absent import not_there
from ensue.salt_names.client_error import SaltException

SaltClientError = client_error.SaltClientError


class CommandExecutionError(SaltException, StateFailedError):
    """A command or function could not do its work.

    Args:
        message: what went wrong.
        info: more of it.
    """

    def __init__(self, message: Any = "", info: Any = None) -> None:
        self.error = message
        self.info = info
        super().__init__(f"{message}\n\n{info}" if info else message)


class CommandNotFoundError(SaltException):
    """A program that is needed is not installed."""


class SaltInvocationError(SaltException, TypeError):
    """A function was called with arguments that make no sense."""


class SaltRenderError(SaltException):
    """A text could not be rendered.

    Args:
        message: what went wrong.
        line_num: in which line.
        buf: the text.
    """

    def __init__(
        self, message: Any = "", line_num: int | None = None, buf: str = "", **_options: Any
    ) -> None:
        self.line_num = line_num
        self.buffer = buf
        super().__init__(message)


class SaltDeserializationError(SaltException):
    """A text is not in the form that was expected."""


class SaltConfigurationError(SaltException):
    """An option makes no sense."""


class SaltMasterError(SaltException):
    """A master could not do its work."""


class SaltReqTimeoutError(SaltException):
    """Nobody answered in time."""


class SaltRunnerError(SaltException):
    """A runner could not do its work."""


class SaltCloudException(SaltException):
    """A cloud could not do its work."""


class SaltCloudSystemExit(SaltCloudException):
    """A cloud command is to end."""


class SaltCloudNotFound(SaltCloudException):
    """A thing is not in a cloud."""


class SaltCloudConfigError(SaltCloudException):
    """The options of a cloud make no sense."""


class SaltSystemExit(SystemExit):
    """The process is to end."""


class AuthenticationError(SaltException):
    """Somebody was not let in."""


class AuthorizationError(SaltException):
    """Somebody may not do that."""


class CheckError(CommandExecutionError):
    """A state's check was not met."""


class FileserverConfigError(SaltException):
    """The options of a file server make no sense."""


class FileLockError(SaltException):
    """A file is locked by somebody else."""


class LoaderError(SaltException):
    """A module could not be loaded."""


class MinionError(SaltException):
    """A minion could not do its work."""


class PkgParseError(SaltException):
    """What a package manager printed could not be read."""


class PillarError(SaltException):
    """Pillar could not be compiled."""


class TemplateError(SaltException):
    """A template could not be rendered."""


class TimedProcTimeoutError(SaltException):
    """A command took too long."""


class TimeoutError(SaltException):  # noqa: A001 -- the name is Salt's
    """Something took too long."""


class InvalidEntityError(CommandExecutionError):
    """A value is not one of those that are allowed."""


class VMwareSaltError(CommandExecutionError):
    """VMware could not do its work."""


class ArgumentValueError(CommandExecutionError):
    """An argument has a value that makes no sense."""


__getattr__ = not_there(__name__)
