"""The command line of podman and docker, and the reasons why a container does not run a command."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Final

from ensue.core.errors import AuthenticationError, RemoteError, UnreachableError
from ensue.reach.resources.client_process import client_answer, quoted_end
from ensue.reach.resources.exec_connection import ScriptLaunch
from ensue.reach.resources.faults import printable

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Completed
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.exec_connection import Send

_ENGINES: Final = ("podman", "docker")
_DOCKER_SOCKET: Final = "unix:///var/run/docker.sock"
_RUNNING: Final = "running"


class ContainerEngine:
    """One container, through the client of its engine.

    Args:
        srn: the resource.
        engine: `podman`, `docker` or the path of such a program; empty: the first that is found.
        container: name or id.
        user: who runs commands; empty: the user of the image.
        limit_s: how long the engine may take to answer a query about the container.
    """

    def __init__(self, srn: Srn, *, engine: str, container: str, user: str, limit_s: float) -> None:
        self._srn = srn
        self._wanted = engine
        self._container = container
        self._user = user
        self._limit_s = limit_s

    async def entry(self, script: str, user: str | None, send: Send) -> ScriptLaunch:  # noqa: ARG002 (the engine sets the user)
        """Return how a script is run: the engine itself sets the user."""
        who = user or self._user
        as_user = ["--user", who] if who else []
        # The working directory of the image may no longer exist.
        argv = [self._program(), "exec", "-i", "--workdir", "/", *as_user, self._container]
        return ScriptLaunch(argv=argv, script=script)

    async def why_not(self, user: str | None, completed: Completed | None) -> RemoteError:
        """Find out why a script did not start, by queries to the engine."""
        where = f"{self._srn} (container {self._container})"
        if completed is None:
            return self._unreachable(f"{where}: {self._program()} cannot be executed (check `engine`)")
        state = await self._ask("container", "inspect", "--format", "{{.State.Status}}", self._container)
        if state is None:
            return await self._no_state(where, completed)
        if state != _RUNNING:
            return self._unreachable(
                f"{where} is not running, its state is `{printable(state[:40])}` (start it)"
            )
        return await self._refused(where, user, completed)

    async def _refused(self, where: str, user: str | None, completed: Completed) -> RemoteError:
        """Return the error of a container that runs and did not start the shell."""
        who = user or self._user
        if (
            who
            and await self._ask("exec", "--workdir", "/", self._container, "/bin/sh", "-c", "echo y") == "y"
        ):
            return RemoteError(
                f"there is no user `{who}` on {self._srn}{quoted_end(completed)}", target=str(self._srn)
            )
        return RemoteError(
            f"{where} runs and did not start /bin/sh (an image without a shell?){quoted_end(completed)}",
            target=str(self._srn),
        )

    async def _no_state(self, where: str, completed: Completed) -> RemoteError:
        if await self._ask("ps", "--quiet") is not None:
            return self._unreachable(f"{where}: {self._program()} has no such container (check `container`)")
        socket = os.environ.get("DOCKER_HOST", _DOCKER_SOCKET).removeprefix("unix://")
        if os.path.basename(self._program()) == "docker" and _is_closed(socket):  # noqa: PTH119 (a string)
            why = f"this user may not use {socket} (see the group `docker`)"
            return AuthenticationError(f"{where}: {why}", target=str(self._srn))
        why = f"{self._program()} does not answer (does its daemon run?){quoted_end(completed)}"
        return self._unreachable(f"{where}: {why}")

    async def _ask(self, *arguments: str) -> str | None:
        """Return the engine's answer, None if it has none."""
        done = await client_answer([self._program(), *arguments], limit_s=self._limit_s)
        if done is None or done.returncode:
            return None
        return done.stdout.decode("utf-8", "replace").strip()

    def _program(self) -> str:
        """Return the client's path.

        Raises:
            UnreachableError: there is none.
        """
        for name in [self._wanted] if self._wanted else _ENGINES:
            program = shutil.which(name)
            if program:
                return program
        engine = f"`{self._wanted}`" if self._wanted else "neither podman nor docker"
        verb = "is not there" if self._wanted else "is installed"
        raise self._unreachable(f"{self._srn}: {engine} {verb} (install it, or set `engine` to its path)")

    def _unreachable(self, message: str) -> UnreachableError:
        return UnreachableError(message, target=str(self._srn))


def _is_closed(socket: str) -> bool:
    return os.path.exists(socket) and not os.access(socket, os.W_OK)  # noqa: PTH110 (a string)
