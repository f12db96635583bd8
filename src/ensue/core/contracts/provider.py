"""Environment providers, which `starting_state.deployed` calls.

A provider is a module with the functions of `EnvironmentProvider`, found under the entry point
group `ensue.providers` or shipped here. `starting_state.deployed` calls `observe`, then `deploy`, then
`connection_info`; it registers the jump host when all three have returned.

Source: derived-resources document, "The pattern": `connection_info()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data, DataMap


class EnvironmentRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request for an environment.

    Args:
        name: the environment's name (`env-01`); unique in the project.
        directory: the folder of the environment below the cachedir, mode 0700; made when first needed.
        options: the state's further arguments (`command`, `module`, …).
        vault: encrypts the data that the provider keeps.
        masker: receives every secret that the provider learns, before the provider uses the secret.
        root: the project's folder, for paths in `options`.
    """

    name: str
    directory: Path
    options: Mapping[str, Data]
    vault: Vault
    masker: Masker
    root: Path


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an environment.

    Args:
        status: `absent`, `succeeded`, `stopped` (there, but not running), `failed`, or the provider's
            own word.
        details: further facts (`isolation: namespace`); no secrets.
        comment: the reason if it is not `succeeded`.
        obstacle: why it cannot be deployed now (a missing folder or program); a plan then fails. Empty: it
            can be.
    """

    status: str
    details: DataMap = msgspec.field(default_factory=dict[str, "Data"])
    comment: str = ""
    obstacle: str = ""


class EnvironmentProvider(Protocol):
    """Provisions environments. All methods are idempotent."""

    async def observe(self, request: EnvironmentRequest) -> Environment:
        """Return the state of the environment; changes nothing."""
        ...

    async def deploy(self, request: EnvironmentRequest) -> Environment:
        """Bring the environment to `succeeded`; return its new state."""
        ...

    async def connection_info(self, request: EnvironmentRequest) -> DataMap:
        """Return how to connect to an environment that is `succeeded`; changes nothing.

        Returns:
            The configuration of its jump host, a resource of type `ssh_host`: `host port user
            password|private_key host_key …`. Values of `password`, `private_key` and `passphrase`, and of
            keys that end in one of these, are secrets.
        """
        ...

    async def destroy(self, request: EnvironmentRequest) -> Environment:
        """Remove the environment and all data that the provider stored for it."""
        ...
