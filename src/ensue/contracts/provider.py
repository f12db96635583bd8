"""Environment providers: what stands behind `starting_state.deployed`.

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

    from ensue.contracts.vault import Vault
    from ensue.masking import Masker
    from ensue.model.data import Data, DataMap


class EnvironmentRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider is asked for.

    Args:
        name: the environment's name (`env-01`); unique in the project.
        directory: a folder of its own below the cachedir, mode 0700; made when first needed.
        options: the state's further arguments (`command`, `module`, …).
        vault: encrypts what has to be kept.
        masker: learns every secret before it goes anywhere.
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
        details: what else is worth knowing (`isolation: namespace`); no secrets.
        comment: why, where it is not `succeeded`.
        obstacle: what keeps it from being deployed as things are (a missing folder or program); a plan then
            fails. Empty when nothing does.
    """

    status: str
    details: DataMap = msgspec.field(default_factory=dict[str, "Data"])
    comment: str = ""
    obstacle: str = ""


class EnvironmentProvider(Protocol):
    """Provisions environments. All methods are idempotent."""

    async def observe(self, request: EnvironmentRequest) -> Environment:
        """Say how the environment stands; changes nothing."""
        ...

    async def deploy(self, request: EnvironmentRequest) -> Environment:
        """Bring it to `succeeded`; return how it stands then."""
        ...

    async def connection_info(self, request: EnvironmentRequest) -> DataMap:
        """Say how to connect to an environment that is `succeeded`; changes nothing.

        Returns:
            The configuration of its jump host, a resource of type `ssh_host`: `host port user
            password|private_key host_key …`. Values of `password`, `private_key` and `passphrase`, and of
            keys that end in one of these, are secrets.
        """
        ...

    async def destroy(self, request: EnvironmentRequest) -> Environment:
        """Remove it and everything it kept."""
        ...
