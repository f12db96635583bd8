"""Calling a provider's function in a process of its own: `deploying DIRECTORY ISOLATION FUNCTION`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from ensue.core.contracts.provider import EnvironmentRequest
from ensue.core.masking import Masker
from ensue.reach.resources import sandbox


class _Vault:
    def seal(self, plain: bytes, *, context: str) -> bytes:
        del context
        return bytes(byte ^ 255 for byte in plain)

    def open(self, sealed: bytes, *, context: str) -> bytes:
        del context
        return bytes(byte ^ 255 for byte in sealed)


def main() -> int:
    """Print the status of the environment, the port of its server and the comment."""
    request = EnvironmentRequest(
        name="env-01",
        directory=Path(sys.argv[1]),
        options={"isolation": sys.argv[2]},
        vault=_Vault(),
        masker=Masker(),
        root=Path("/"),
    )
    environment = asyncio.run(getattr(sandbox, sys.argv[3])(request))
    succeeded = environment.status == "succeeded"
    port = asyncio.run(sandbox.connection_info(request))["port"] if succeeded else None
    sys.stdout.write(f"{environment.status} {port} {environment.comment}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
