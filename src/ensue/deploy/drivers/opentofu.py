"""Driver `opentofu`: the driver `terraform` with the binary `tofu`, or `terraform` where there is none.

Its inputs are those of `terraform`: `ensue doc terraform`, or docs/driver-terraform.md.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ensue.deploy.drivers._terraform_cookie import destroys, managed
from ensue.deploy.drivers.terraform import CODE, KEEPS_FIRST, check, delete, fingerprint, planned, provision

if TYPE_CHECKING:
    from ensue.core.contracts.driver import DriverRequest, Planned, Provisioned

__all__ = [
    "CODE",
    "KEEPS_FIRST",
    "check",
    "create",
    "delete",
    "destroys",
    "fingerprint",
    "managed",
    "plan",
    "update",
]


async def create(request: DriverRequest) -> Provisioned:
    """Apply the configuration; the state has what an earlier, interrupted call created.

    Raises:
        DriverError: it cannot be applied; what was created before the error is in the state.
        StoreError: the state cannot be decrypted.
    """
    return await provision(request, _binary())


async def update(request: DriverRequest) -> Provisioned:
    """Apply the configuration as it is now, unless its plan destroys something and that is not allowed.

    Raises:
        DestructionRefusedError: it would destroy something; nothing was changed.
        DriverError: it cannot be applied; what was created before the error is in the state.
        StoreError: the state cannot be decrypted.
    """
    return await provision(request, _binary(), asks=True)


async def plan(request: DriverRequest) -> Planned:
    """Let OpenTofu plan; if inputs are not known yet, name them instead.

    Raises:
        DriverError: it cannot be planned.
        StoreError: the state cannot be decrypted.
    """
    return await planned(request, _binary())


def _binary() -> str:
    return "tofu" if shutil.which("tofu") else ""
