"""`salt.client`: what asks a master, of which there is none; `Caller` asks this machine."""

from __future__ import annotations

from typing import Any

from ensue.salt_names.absent import not_there
from ensue.salt_names.client_error import SaltClientError
from ensue.salt_names.running import execution_function


class Caller:
    """Calls execution functions of the call that is running."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Take what Salt's takes, which has no meaning here."""

    def cmd(self, fun: str, *args: Any, **kwargs: Any) -> Any:
        """Call an execution function."""
        return execution_function(fun)(*args, **kwargs)

    function = cmd


class LocalClient:
    """Asks the minions of a master."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Refuse.

        Raises:
            SaltClientError: always.
        """
        message = (
            "salt.client.LocalClient asks a Salt master, and ensue has none; use ensue call, or a target"
        )
        raise SaltClientError(message)


__getattr__ = not_there(__name__)
