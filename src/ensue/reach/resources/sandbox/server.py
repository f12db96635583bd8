"""The program `python -m ensue.reach.resources.sandbox.server`: starts a sandbox's server and detaches it.

It reads its settings, including the host's private key, from stdin, so that they are on no disk and in no
argument list. It prints one JSON object when the server accepts connections and is recorded, or the reason
why not, and ends; the server continues.

```
starter ── (namespaces) ── keeper, process 1 ── server ── commands
```
The keeper continues only once the starter has written the record: a killed starter leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from ensue.reach.resources.sandbox import kernel, namespace
from ensue.reach.resources.sandbox.keeper import keep
from ensue.reach.resources.sandbox.processes import identify
from ensue.reach.resources.sandbox.record import Isolation, ServerRecord, write_record
from ensue.reach.resources.sandbox.root import prepare_root

if TYPE_CHECKING:
    from collections.abc import Iterator

_START_LIMIT_S: Final = 60
_UNSHARED: Final = "unshared"
_LISTENING: Final = "listening"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ServerSettings:
    """The settings of a server.

    Args:
        directory: the sandbox's folder.
        hidden: the project's state folder.
        hostname: the sandbox's host name.
        isolation: `auto`, `namespace` or `none`.
        port: the port to listen on if it is free; 0: any.
        user: who may log in.
        password_salt: hex.
        password_hash: hex; see identity.hash_password.
        host_private_key: the host key, OpenSSH format.
        host_key: its public half.
        fingerprint: of the host key.
        lock: the file descriptor of the sandbox's lock, closed before the starter detaches.
    """

    directory: str
    hidden: str
    hostname: str
    isolation: str
    port: int
    user: str
    password_salt: str
    password_hash: str
    host_private_key: str
    host_key: str
    fingerprint: str
    lock: int


class _StartError(Exception):
    """The server could not be started; the text says why."""


def main() -> int:
    """Start the server described on stdin; return the exit code."""
    signal.alarm(_START_LIMIT_S)
    settings = ServerSettings(**json.loads(sys.stdin.buffer.read()))
    os.umask(0o022)
    try:
        record = _start(settings)
    except (_StartError, OSError) as error:
        return _answer({"error": _reason(error)}, code=1)
    return _answer({"port": record.port, "isolation": record.isolation}, code=0)


def _answer(data: dict[str, Any], *, code: int) -> int:
    # The caller may be gone; the server is recorded anyway.
    try:
        os.write(1, json.dumps(data).encode())
    except BrokenPipeError:
        return code
    return code


def _start(settings: ServerSettings) -> ServerRecord:
    prepare_root(Path(settings.directory), settings.hostname)
    listener = _listen(settings.port)
    reason = "it was asked for"
    if settings.isolation != "none":
        try:
            return _Start(settings, listener, "namespace").run("")
        except _StartError as error:
            if settings.isolation == "namespace":
                raise _StartError(f"isolation by namespaces is not possible here: {error}") from None
            reason = str(error)
    return _Start(settings, listener, "none").run(reason)


def _reason(error: BaseException) -> str:
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    return f"{error.strerror}: {error.filename}" if error.filename else error.strerror


def _listen(port: int) -> socket.socket:
    try:
        return _bound(port)
    except OSError:
        return _bound(0)


def _bound(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


class _Start:
    """One attempt to start the server with one kind of isolation."""

    def __init__(self, settings: ServerSettings, listener: socket.socket, isolation: Isolation) -> None:
        self._settings = settings
        self._listener = listener
        self._isolation: Isolation = isolation
        self._news, self._tell = os.pipe()
        self._permission, self._permit = os.pipe()

    def run(self, reason: str) -> ServerRecord:
        """Start the server, record it, and detach it."""
        middle = os.fork()
        if not middle:
            self._become_parent_of_keeper()
        os.close(self._tell)
        os.close(self._permission)
        try:
            keeper = self._follow(middle)
            record = self._record(keeper, reason)
            write_record(Path(self._settings.directory), record)
            os.write(self._permit, b"recorded")
        finally:
            # Without permission the keeper ends, and the server with it.
            os.close(self._permit)
            os.close(self._news)
        return record

    def _follow(self, middle: int) -> int:
        keeper = 0
        for news in self._read_news():
            match news:
                case {"keeper": int(keeper)}:
                    os.waitpid(middle, 0)
                case {"step": "unshared"}:
                    namespace.map_users(middle)
                    os.write(self._permit, b"mapped!!")
                case {"step": "listening"}:
                    return keeper
                case _:
                    raise _StartError(str(news.get("error", news)))
        raise _StartError(f"the server ended before it listened; see {self._settings.directory}/server.log")

    def _read_news(self) -> Iterator[dict[str, Any]]:
        with os.fdopen(os.dup(self._news), "rb") as lines:
            for line in lines:
                yield json.loads(line)

    def _record(self, keeper: int, reason: str) -> ServerRecord:
        process = identify(keeper)
        if process is None:
            raise _StartError("the server ended as soon as it listened")
        return ServerRecord(
            process=process,
            port=self._listener.getsockname()[1],
            user=self._settings.user,
            host_key=self._settings.host_key,
            fingerprint=self._settings.fingerprint,
            isolation=self._isolation,
            isolation_reason=reason,
        )

    def _become_parent_of_keeper(self) -> NoReturn:
        try:
            self._let_go_of_starter()
            if self._isolation == "namespace":
                namespace.leave_the_machines()
                self._say({"step": _UNSHARED})
                if not self._has_permission():
                    os._exit(1)
            keeper = os.fork()
            if keeper:
                self._say({"keeper": keeper})
                os._exit(0)
            self._become_keeper()
        except BaseException as error:  # noqa: BLE001 - a forked child: the reason goes to the starter, then it ends
            self._say({"error": _reason(error)})
        finally:
            os._exit(1)

    def _let_go_of_starter(self) -> None:
        os.close(self._news)
        os.close(self._permit)
        os.close(self._settings.lock)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)

    def _become_keeper(self) -> NoReturn:
        settings = self._settings
        if self._isolation == "namespace":
            namespace.enter_root(
                namespace.RootPlan(
                    directory=Path(settings.directory),
                    hidden=Path(settings.hidden),
                    hostname=settings.hostname,
                    python_paths=namespace.python_paths(),
                )
            )
        keep(
            self._serve,
            wait_until_recorded=self._stop_telling_and_wait,
            owns_processes=self._isolation == "namespace",
        )

    def _stop_telling_and_wait(self) -> bool:
        self._listener.close()
        os.close(self._tell)
        return self._has_permission()

    def _serve(self) -> None:
        from ensue.reach.resources.sandbox.service import ServiceSettings, serve

        os.close(self._permission)
        settings = self._settings
        isolated = self._isolation == "namespace"
        kernel.guard_memory()
        if isolated:
            # Read-only mounts must stay read-only: no command may mount.
            kernel.renounce(kernel.CAPABILITY_SYS_ADMIN)
        root = "" if isolated else f"{settings.directory}/root"
        serve(
            ServiceSettings(
                user=settings.user,
                password_salt=bytes.fromhex(settings.password_salt),
                password_hash=bytes.fromhex(settings.password_hash),
                host_private_key=settings.host_private_key,
                isolation=self._isolation,
                root=root,
            ),
            self._listener,
            on_listening=self._listening,
        )

    def _listening(self) -> None:
        self._say({"step": _LISTENING})
        os.close(self._tell)

    def _say(self, news: dict[str, Any]) -> None:
        os.write(self._tell, json.dumps(news).encode() + b"\n")

    def _has_permission(self) -> bool:
        return len(os.read(self._permission, 8)) == 8  # noqa: PLR2004 - both permissions are 8 bytes


if __name__ == "__main__":
    sys.exit(main())
