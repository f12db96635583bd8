"""What an API server of Kubernetes answers: data that may be anything, and errors in one line."""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import DriverError
from ensue.core.model.bounded_json import load_json
from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Generator

UNREADABLE: Final = "the answer of the API server cannot be read"
_CONFLICT: Final = 409


class RefusedError(DriverError):
    """The API server refuses a request.

    Args:
        message: the server's message.
        status: the HTTP status.
    """

    def __init__(self, message: str, *, status: int) -> None:
        self.status = status
        super().__init__(message)


class SilentError(DriverError):
    """The API server began an answer and does not go on."""


def client_module(name: str) -> Any:
    """Return a module of the Kubernetes client, which is loaded when it is first used.

    Raises:
        DriverError: the client is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        msg = "the driver kubernetes requires the Kubernetes client: pip install 'ensue[kubernetes]'"
        raise DriverError(msg) from None


def answer_in(what: str, response: Any) -> dict[str, Any]:
    """Return the answer of the API server, which may be anything.

    Raises:
        DriverError: it is not a mapping in JSON.
    """
    data = response.data
    with readable(what):
        answer = load_json(data)
    if not is_mapping(answer):
        raise DriverError(f"{what}: {UNREADABLE}: it is not a mapping")
    return answer


@contextmanager
def readable(what: str) -> Generator[None]:
    """Convert what a parser raises to a DriverError; the client's parser of a watch checks nothing."""
    try:
        yield
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DriverError(f"{what}: {UNREADABLE}") from None


@contextmanager
def as_driver_error(what: str) -> Generator[None]:
    """Convert errors of the client and the server to one-line DriverErrors."""
    rest = client_module("kubernetes.client.exceptions")
    transport = client_module("urllib3.exceptions")
    config = client_module("kubernetes.config.config_exception")
    try:
        yield
    except rest.ApiException as error:
        status = int(error.status or 0)
        raise RefusedError(f"{what}: {_message(error)}", status=status) from None
    except config.ConfigException as error:
        raise DriverError(f"{what} is invalid: {error}") from None
    except transport.ReadTimeoutError as error:
        raise SilentError(f"{what}: the cluster cannot be reached: {error}") from None
    except (transport.HTTPError, OSError) as error:
        raise DriverError(f"{what}: the cluster cannot be reached: {error}") from None


def _message(error: Any) -> str:
    """Return the API server's message, with conflicting fields."""
    try:
        status = load_json(error.body)
    except (TypeError, ValueError):
        status = None
    if not is_mapping(status) or not status.get("message"):
        return f"{error.status} {error.reason}"
    details = status.get("details")
    causes: Any = details.get("causes") if is_mapping(details) else None
    if status.get("code") == _CONFLICT and is_list(causes):
        fields = ", ".join(str(cause.get("field")) for cause in causes if is_mapping(cause))
        return f"{status['message']} (fields: {fields}; `force_conflicts: true` takes them over)"
    return str(status["message"])
