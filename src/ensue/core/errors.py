"""Every exception that ensue raises, as one tree.

```
EnsueError
├── DiagnosticError            input that does not compile; carries Diagnostics
│   ├── CompileError           an SLS tree, top file or pillar
│   │   └── ReplacementError   a deployment would destroy resources, which nobody has allowed
│   ├── ConfigurationError     ensue.yaml, a command-line argument
│   ├── SecretStoreError       secrets of a deployment cannot be read (LookupError)
│   └── StillRunningError      commands of the run to resume still run (BlockingIOError)
├── GoTemplateError            a Go template does not parse, or fails while it is rendered (ValueError)
├── StateFailedError           a state function fails: result False with this comment
│   └── MissingOnTargetError   it needs a path or user that does not exist on its target (LookupError)
├── DecryptionError            a message cannot be decrypted (ValueError)
├── DriverError                a driver cannot provision a resource; its record is kept
│   ├── DriverInputError       one of its inputs turns out to be wrong
│   ├── DriverTemplateError    a template among its inputs fails
│   ├── ForeignOwnerError      what it is about belongs to another store
│   └── DestructionRefusedError  an update would destroy something, which nobody has allowed
├── ExpansionError             the value of a `for_each` names no resources (ValueError)
├── RemoteError                anything between here and a target
│   ├── UnreachableError       no connection (ConnectionError)
│   ├── HostKeyError           the host's key is not the expected one (PermissionError)
│   ├── AuthenticationError    the host rejected the credentials (PermissionError)
│   ├── RemoteTimeoutError     no answer in time (TimeoutError)
│   ├── RemoteFileError        a file operation failed; original untouched (OSError)
│   └── CommandInputError      a command's input could not be read; the command was ended (OSError)
├── NotAvailableError          this target does not offer a function (LookupError)
│   └── NotOfferedError        its connection lacks a method that the function requires
├── ResourceError
│   ├── UnknownResourceError   no such resource (LookupError)
│   └── ResourceConflictError  one id claimed twice (ValueError)
├── StoreError
│   ├── DiskError              the disk takes no more: full, over quota, read-only or broken
│   ├── WrongKeyError          the key does not open the store
│   ├── TamperedError          the stored data was altered
│   └── KeyFileError           the key file is missing, malformed or readable by others (PermissionError)
├── UnknownRunError            no run, or several, match an id (LookupError)
├── LockHeldError              the project or environment is in use (BlockingIOError)
├── ThreadRefusedError         this machine starts no more threads (RuntimeError)
├── PluginError                a plug-in does not load or breaks its contract (ImportError)
│   └── ResourceTypeError      a resource type; knows the file
└── InternalError              a bug in ensue (RuntimeError)
```

Leaves also inherit the builtin that a caller would expect. Callers decide by an error's class and
fields, never by its text.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.core.diagnostics import Diagnostic, Span


class EnsueError(Exception):
    """The root of every exception that ensue raises deliberately; its text is written for users."""


class DiagnosticError(EnsueError):
    """Input that was refused before anything ran.

    Args:
        diagnostics: everything that is wrong with it, at least one.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(diagnostic.message for diagnostic in self.diagnostics))


class CompileError(DiagnosticError, ValueError):
    """An SLS tree, top file or pillar does not compile."""


class ReplacementError(CompileError):
    """A deployment would destroy resources in order to replace them, which nobody has allowed.

    Args:
        diagnostics: the errors.
        resources: the resources, `TYPE.CLASS#ID` each.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], resources: tuple[str, ...]) -> None:
        self.resources = resources
        super().__init__(diagnostics)


class ConfigurationError(DiagnosticError, ValueError):
    """`ensue.yaml` or a command-line argument does not make sense."""


class SecretStoreError(DiagnosticError, LookupError):
    """Secrets of a deployment cannot be read from their stores; the text names all of them."""


class StillRunningError(DiagnosticError, BlockingIOError):
    """Commands of a killed run still run; resuming it would run them twice at once."""


class GoTemplateError(EnsueError, ValueError):
    """A Go template does not parse, or fails while it is rendered.

    Args:
        what: what happened, one sentence without a full stop.
        span: where: the name that the template was given, line and column.
        help: how to fix it; may be empty.
    """

    def __init__(self, what: str, *, span: Span, help: str = "") -> None:  # noqa: A002 -- the field's name
        self.what = what
        self.span = span
        self.help = help
        super().__init__(f"{span}: {what} ({help})" if help else f"{span}: {what}")


class StateFailedError(EnsueError):
    """A state function fails; the text becomes the comment of a return whose result is False.

    `causes` are the IDs of the states that failed first, if that is why it cannot be called.
    """

    causes: tuple[str, ...] = ()


class MissingOnTargetError(StateFailedError, LookupError):
    """A state function needs something that its target does not have.

    In a plan an earlier state may be about to make it: then only an apply can know the result.

    Args:
        message: the comment of the failed state.
        missing: the absolute path, or the name of the user.
    """

    def __init__(self, message: str, *, missing: str) -> None:
        self.missing = missing
        super().__init__(message)


class DecryptionError(EnsueError, ValueError):
    """A message cannot be decrypted; the text says why and reveals nothing of the message."""


class DriverError(EnsueError):
    """A driver cannot provision a resource; the text says why and how to fix it."""


class DriverTemplateError(DriverError):
    """A template among the inputs of a driver fails; the text has its name and line, not the definition."""


class DriverInputError(DriverError):
    """An input of a driver turns out to be wrong while the driver works.

    Args:
        message: what is wrong.
        keys: where the input is below `values`.
    """

    def __init__(self, message: str, *, keys: tuple[str, ...]) -> None:
        super().__init__(message)
        self.keys = keys


class ForeignOwnerError(DriverError):
    """What a driver would change belongs to another store; the text says which, and what to do."""


class ExpansionError(EnsueError, ValueError):
    """The value of a `for_each` is no list or mapping whose items can be parts of ids."""


class DestructionRefusedError(DriverError):
    """An update would destroy a part of a resource, which nobody has allowed; nothing was changed.

    Args:
        message: what would be destroyed, and how to allow it.
        things: what would be destroyed, as messages name it.
        is_protected: whether the resource is protected, so that it is not enough to allow a replacement.
    """

    def __init__(self, message: str, *, things: Iterable[str], is_protected: bool = False) -> None:
        self.things = tuple(things)
        self.is_protected = is_protected
        super().__init__(message)


class RemoteError(EnsueError):
    """A connection to a target, or an operation over it, failed.

    Args:
        message: what happened and how to fix it.
        target: the SRN of the target as text.
    """

    def __init__(self, message: str, *, target: str = "") -> None:
        self.target = target
        super().__init__(message)


class UnreachableError(RemoteError, ConnectionError):
    """No connection to the target could be made."""


class HostKeyError(RemoteError, PermissionError):
    """The host presented an unexpected key, or no key is known for it; it is never accepted silently."""


class AuthenticationError(RemoteError, PermissionError):
    """The host rejected the credentials."""


NO_CONNECTION: Final = (UnreachableError, HostKeyError, AuthenticationError)
"""The errors of a target to which there is no connection, rather than of an operation on it."""


class RemoteTimeoutError(RemoteError, TimeoutError):
    """The target did not answer in time.

    Args:
        message: what did not answer and how to fix it.
        target: the SRN of the target as text.
        timeout_s: how long ensue waited, in seconds.
    """

    def __init__(self, message: str, *, target: str = "", timeout_s: float = 0.0) -> None:
        self.timeout_s = timeout_s
        super().__init__(message, target=target)


class RemoteFileError(RemoteError, OSError):
    """A file operation on a target failed; an existing file is unchanged.

    Args:
        message: what happened.
        path: the path on the target.
        target: the SRN of the target as text.
    """

    def __init__(self, message: str, *, path: str, target: str = "") -> None:
        self.path = path
        super().__init__(message, target=target)


class CommandInputError(RemoteError, OSError):
    """A command's input could not be read while it was sent; the command was ended.

    Args:
        fault: the cause; it provides `errno` and the words in `why`.
    """

    def __init__(self, fault: OSError) -> None:
        self.why = fault.strerror or str(fault)
        super().__init__(f"the input of a command cannot be read: {self.why}")
        self.errno = fault.errno


class NotAvailableError(EnsueError, LookupError):
    """This kind of target does not offer a function (`cmd.run is not available for dummy`)."""


class NotOfferedError(NotAvailableError):
    """The connection of a target's type lacks a method that a function requires.

    Args:
        method: the method, `run` for instance.
        target_type: the type that does not offer it.
        function: the function that requires it, `module.function`; empty while not known.
    """

    def __init__(self, method: str, *, target_type: str, function: str = "") -> None:
        self.method = method
        self.target_type = target_type
        self.function = function or ("cmd.run" if method == "run" else f"connection.{method}")
        super().__init__(f"{self.function} is not available for {target_type}")

    def needed_by(self, function: str) -> NotOfferedError:
        """Return this error with the name of the function that was called."""
        return NotOfferedError(self.method, target_type=self.target_type, function=function)


class ResourceError(EnsueError):
    """A resource's identity or configuration is invalid."""


class UnknownResourceError(ResourceError, LookupError):
    """Nothing is registered or declared under this SRN.

    Args:
        message: what is not there.
        target: its id or SRN as text.
    """

    def __init__(self, message: str, *, target: str = "") -> None:
        self.target = target
        super().__init__(message)


class ResourceConflictError(ResourceError, ValueError):
    """Two types or declarations claim the same id."""


class StoreError(EnsueError):
    """An operation on the cross-run store failed; its content is unchanged."""


class DiskError(StoreError):
    """The disk takes no more: it is full, over its quota, read-only or broken; a run stops at it.

    It is no `OSError`, because it is raised within calls whose own `OSError` means something else.

    Args:
        message: what cannot be written, and why.
        number: the number in `errno`.
    """

    def __init__(self, message: str, number: int) -> None:
        self.errno = number
        super().__init__(message)


_OF_THE_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EFBIG})


def not_written(message: str, error: OSError) -> StoreError:
    """Return the error of a file that cannot be written: a `DiskError` if its disk is the cause.

    Args:
        message: what cannot be written; the words of the error are appended.
        error: the error.
    """
    message = f"{message}: {error.strerror}"
    number = error.errno
    return DiskError(message, number) if number in _OF_THE_DISK else StoreError(message)


class WrongKeyError(StoreError):
    """The key does not decrypt the stored data."""


class TamperedError(StoreError):
    """The stored data is not what was written."""


class KeyFileError(StoreError, PermissionError):
    """The key file is missing, malformed, or readable by others."""


class UnknownRunError(EnsueError, LookupError):
    """No run has this id, or a prefix matches several ids."""


class LockHeldError(EnsueError, BlockingIOError):
    """Another apply of the same project, or another deployment of the same environment, is running.

    Args:
        message: who holds the lock and since when.
        holder_pid: the process that holds it, 0 when unknown.
    """

    def __init__(self, message: str, *, holder_pid: int = 0) -> None:
        self.holder_pid = holder_pid
        super().__init__(message)


class ThreadRefusedError(EnsueError, RuntimeError):
    """This machine starts no more threads: a limit of processes, or of memory, is reached."""

    def __init__(self) -> None:
        super().__init__("this machine starts no more threads")


class PluginError(EnsueError, ImportError):
    """A plug-in does not load or breaks its contract; the text names it and its distribution."""


class ResourceTypeError(PluginError):
    """A resource type does not load, breaks its contract, or raises in one of its hooks.

    Args:
        message: what is wrong; names the type and where it comes from.
        span: the file and line, None for a type whose file is not known.
        help: how to fix it.
    """

    def __init__(self, message: str, *, span: Span | None = None, help: str = "") -> None:  # noqa: A002 -- the field's name
        self.span = span
        self.help = help
        super().__init__(message)


class InternalError(EnsueError, RuntimeError):
    """A bug in ensue: a state of affairs that should be impossible."""
