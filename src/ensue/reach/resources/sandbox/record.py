"""`state.json`: the record of a sandbox's server process between runs. It holds no secret.

The server's starter writes it before the server may continue, so that there is never a server without a
record. The provider reads it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from ensue.core.files.private_files import replace_whole
from ensue.reach.resources.sandbox.processes import ProcessIdentity

if TYPE_CHECKING:
    from pathlib import Path

Isolation = Literal["namespace", "none"]
"""`namespace`: commands and files see a root of their own. `none`: only files do."""

RECORD_NAME: Final = "state.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRecord:
    """A server process and how to reach it.

    Args:
        process: the process that keeps the server and all that it starts.
        port: the TCP port on 127.0.0.1.
        user: who may log in.
        host_key: the public host key, `ssh-ed25519 AAAA…`.
        fingerprint: the same as `SHA256:…`.
        isolation: how commands are isolated from the machine.
        isolation_reason: why not better; empty if isolation is `namespace`.
    """

    process: ProcessIdentity
    port: int
    user: str
    host_key: str
    fingerprint: str
    isolation: Isolation
    isolation_reason: str = ""


def write_record(directory: Path, record: ServerRecord) -> None:
    """Write the record atomically."""
    replace_whole(directory / RECORD_NAME, json.dumps(asdict(record), indent=1).encode())


def read_record(directory: Path) -> ServerRecord | None:
    """Return the record, None if there is none or it is invalid."""
    try:
        data: dict[str, Any] = json.loads((directory / RECORD_NAME).read_bytes())
        process = ProcessIdentity(**data.pop("process"))
        return ServerRecord(process=process, **data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
