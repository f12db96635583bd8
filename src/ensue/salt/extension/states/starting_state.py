"""State module `starting_state`: environments that a run creates, and the resources derived from them.

The functions are those of ensue, in a run of their own.
"""

from __future__ import annotations

from typing import Any

from ensue.salt.extension.state_calls import state_applied as _state_applied


def deployed(name: str, **arguments: Any) -> dict[str, Any]:
    """Create an environment, or start an existing one, and register its jump host.

    Args:
        name: name of the environment.
        **arguments: `register_resources`, `provider`, and what the provider takes.

    Example:
        .. code-block:: yaml

            env-01:
              starting_state.deployed:
                - register_resources: true
    """
    return _state_applied(globals(), "starting_state.deployed", name, arguments)


def absent(name: str, **arguments: Any) -> dict[str, Any]:
    """Remove an environment, and unregister everything derived from it.

    Args:
        name: name of the environment.
        **arguments: `provider`, and what the provider takes.

    Example:
        .. code-block:: yaml

            env-01:
              starting_state.absent: []
    """
    return _state_applied(globals(), "starting_state.absent", name, arguments)
