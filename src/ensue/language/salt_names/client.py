"""`salt.client`: `Caller` calls functions on this machine; the clients of a master are refused."""

from __future__ import annotations

from typing import Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.client_error import SaltClientError
from ensue.language.salt_names.running import execution_function


class Caller:
    """Calls execution functions in the context of the current call."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Accept Salt's arguments, without effect."""

    def cmd(self, fun: str, *args: Any, **kwargs: Any) -> Any:
        """Call an execution function."""
        return execution_function(fun)(*args, **kwargs)

    function = cmd


class LocalClient:
    """The client that calls functions on a master's minions; ensue has no master."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Refuse, since there is no master.

        Raises:
            SaltClientError: always.
        """
        message = (
            "salt.client.LocalClient requires a Salt master, and ensue has none; use ensue call, or a target"
        )
        raise SaltClientError(message)


__getattr__ = not_there(__name__)
