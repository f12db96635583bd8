"""The life of a sandbox: observe, deploy, connection_info, destroy.

A sandbox consists of its identity (stored sealed), its root (a folder) and its server (a process). Deploying
creates the missing ones and leaves the others alone, so an interrupted deploy is completed by the next one,
and a server that died comes back as the same host with the same files.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.provider import Environment
from ensue.core.errors import StateFailedError
from ensue.reach.resources.provider_options import check_options
from ensue.reach.resources.sandbox.identity import (
    SandboxIdentity,
    create_identity,
    hash_password,
    load_identity,
    new_salt,
)
from ensue.reach.resources.sandbox.lock import sandbox_lock
from ensue.reach.resources.sandbox.processes import end, is_alive
from ensue.reach.resources.sandbox.record import ServerRecord, read_record
from ensue.reach.resources.sandbox.removal import remove_tree

if TYPE_CHECKING:
    from ensue.core.contracts.provider import EnvironmentRequest
    from ensue.core.model.data import DataMap

_ISOLATIONS: Final = ("auto", "namespace", "none")
_BANNER_LIMIT_S: Final = 10.0
_LONGEST_HOSTNAME: Final = 63
_ADDRESS: Final = "127.0.0.1"


async def observe(request: EnvironmentRequest) -> Environment:
    """Return the status of the sandbox; changes nothing.

    Raises:
        StateFailedError: an option is invalid.
        StoreError: the stored identity cannot be decrypted with the project's key.
    """
    isolation = _wanted_isolation(request)
    if not request.directory.exists():
        return Environment(status="absent", comment=f"there is no sandbox {request.name}")
    record = read_record(request.directory)
    identity = load_identity(request)
    if identity is None or record is None:
        return Environment(status="stopped", comment=f"sandbox {request.name} is incomplete")
    if record.host_key != identity.host_key:
        return Environment(status="stopped", comment=f"sandbox {request.name} runs with another host key")
    if not is_alive(record.process) or not await _greets(record.port):
        return Environment(status="stopped", comment=f"sandbox {request.name} exists but is not running")
    if isolation not in {"auto", record.isolation}:
        comment = f"sandbox {request.name} runs with isolation {record.isolation}, not {isolation}"
        return Environment(status="stopped", comment=comment)
    return _running(record)


async def deploy(request: EnvironmentRequest) -> Environment:
    """Start the sandbox, as the same host as before if it existed.

    Raises:
        StateFailedError: an option is invalid.
        StoreError: the stored identity cannot be decrypted with the project's key.
    """
    async with sandbox_lock(request.directory) as lock:
        standing = await observe(request)
        if standing.status == "succeeded":
            return standing
        request.directory.mkdir(mode=0o700, exist_ok=True)
        former = read_record(request.directory)
        if former:
            await end(former.process)
        identity = load_identity(request) or create_identity(request)
        failure = await _start_server(request, identity, former.port if former else 0, lock)
        if failure:
            return Environment(status="failed", comment=f"sandbox {request.name} did not start: {failure}")
        return await observe(request)


async def connection_info(request: EnvironmentRequest) -> DataMap:
    """Return the connection data of the sandbox's server.

    Raises:
        StateFailedError: the sandbox does not exist.
        StoreError: the stored identity cannot be decrypted with the project's key.
    """
    record, identity = read_record(request.directory), load_identity(request)
    if record is None or identity is None:
        raise StateFailedError(f"there is no sandbox {request.name}")
    return {
        "host": _ADDRESS,
        "port": record.port,
        "user": record.user,
        "password": identity.password,
        "host_key": record.host_key,
    }


async def destroy(request: EnvironmentRequest) -> Environment:
    """End the sandbox's processes and remove its files.

    Raises:
        StateFailedError: a file of it cannot be removed.
    """
    gone = Environment(status="absent")
    if not request.directory.exists():
        return gone
    async with sandbox_lock(request.directory, remove=True):
        record = read_record(request.directory)
        if record:
            await end(record.process)
        try:
            await asyncio.to_thread(remove_tree, request.directory)
        except OSError as error:
            message = f"{request.directory} cannot be removed: {error.strerror}: {error.filename}"
            raise StateFailedError(message) from error
    return gone


def _running(record: ServerRecord) -> Environment:
    return Environment(
        status="succeeded",
        details={"isolation": record.isolation, "fingerprint": record.fingerprint},
        comment=_isolation_remark(record),
    )


def _isolation_remark(record: ServerRecord) -> str:
    if record.isolation == "namespace":
        return ""
    return (
        "isolation: none (commands in it run on this machine's own file system, beginning in $ENSUE_ROOT; "
        f"only file states are confined). Reason: {record.isolation_reason}"
    )


def _wanted_isolation(request: EnvironmentRequest) -> str:
    check_options(request, "sandbox", ("isolation",))
    match request.options.get("isolation", "auto"):
        case "auto" | "namespace" | "none" as wanted:
            return wanted
        case other:
            raise StateFailedError(f"isolation: {other!r} is not one of {', '.join(_ISOLATIONS)}")


async def _greets(port: int) -> bool:
    """Return whether an SSH server answers on a port of this machine."""
    try:
        async with asyncio.timeout(_BANNER_LIMIT_S):
            reader, writer = await asyncio.open_connection(_ADDRESS, port)
            try:
                return (await reader.readline()).startswith(b"SSH-2.0-")
            finally:
                writer.close()
                await writer.wait_closed()
    except (OSError, TimeoutError):
        return False


async def _start_server(request: EnvironmentRequest, identity: SandboxIdentity, port: int, lock: int) -> str:
    """Start the server process; return why it did not start, empty if it did."""
    settings = _server_settings(request, identity, port, lock)
    log = os.open(request.directory / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        starter = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "ensue.reach.resources.sandbox.server",
            request.name,  # only for people who look at the process list
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            cwd="/",
            env=_server_variables(),
            pass_fds=(lock,),
            start_new_session=True,
        )
    finally:
        os.close(log)
    answer, _ = await starter.communicate(json.dumps(settings).encode())
    return _failure(answer, request.directory)


def _server_settings(
    request: EnvironmentRequest, identity: SandboxIdentity, port: int, lock: int
) -> dict[str, str | int]:
    salt = new_salt()
    directory = request.directory.resolve()
    return {
        "directory": str(directory),
        # The folder of all sandboxes is in the project's state folder.
        "hidden": str(directory.parents[1]),
        "hostname": _hostname(request.name),
        "isolation": _wanted_isolation(request),
        "port": port,
        "user": identity.user,
        "password_salt": salt.hex(),
        "password_hash": hash_password(identity.password, salt).hex(),
        "host_private_key": identity.host_private_key,
        "host_key": identity.host_key,
        "fingerprint": identity.fingerprint,
        "lock": lock,
    }


def _hostname(name: str) -> str:
    """Return the environment's name as a host name."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", name).strip("-")[:_LONGEST_HOSTNAME] or "sandbox"


def _server_variables() -> dict[str, str]:
    # Nothing of our environment is passed on, least of all the project's key.
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    package = str(Path(__file__).parents[4])
    ours = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [package, *(str(Path(path).absolute()) for path in ours)]
    # Without HOME the SSH library looks for one in /etc/passwd, which a command in the sandbox may break.
    return {**kept, "HOME": "/", "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def _failure(answer: bytes, directory: Path) -> str:
    try:
        data: dict[str, Any] = json.loads(answer)
    except ValueError:
        return f"its starter ended without a message; see {directory / 'server.log'}"
    return str(data.get("error", ""))
