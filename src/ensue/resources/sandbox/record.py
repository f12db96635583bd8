"""`state.json`: what is known of a sandbox's server process between runs. It holds no secret.

Written by the server's own starter before the server is allowed to live, so that there is never
a server without a record; read by the provider.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from ensue.resources.sandbox.processes import ProcessIdentity, identify

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
        isolation: how far commands are kept from the machine.
        isolation_reason: why not further; empty when isolation is `namespace`.
    """

    process: ProcessIdentity
    port: int
    user: str
    host_key: str
    fingerprint: str
    isolation: Isolation
    isolation_reason: str = ""


def write_record(directory: Path, record: ServerRecord) -> None:
    """Write the record: the old one stays or the new one is there whole."""
    replace_file(directory / RECORD_NAME, json.dumps(asdict(record), indent=1).encode())


def read_record(directory: Path) -> ServerRecord | None:
    """Return the record, None when there is none or it is not one."""
    try:
        data: dict[str, Any] = json.loads((directory / RECORD_NAME).read_bytes())
        process = ProcessIdentity(**data.pop("process"))
        return ServerRecord(process=process, **data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, mode 0600, atomically and durably; what killed writers left of it is removed."""
    for left in path.parent.glob(f".{path.name}.*"):
        pid = left.name.rpartition(".")[2]
        if pid.isdecimal() and identify(int(pid)) is None:
            left.unlink(missing_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
