"""The command line of `kubectl exec`, and the reasons why a pod does not run a command."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import AuthenticationError, RemoteError, UnreachableError
from ensue.reach.resources.become import Becoming
from ensue.reach.resources.client_process import client_answer, quoted_end
from ensue.reach.resources.exec_connection import ScriptLaunch
from ensue.reach.resources.faults import printable

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Completed
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.exec_connection import Send

_RUNNING: Final = "Running"


class PodAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The address of a pod; kubectl chooses the values of empty fields.

    Args:
        pod: its name.
        namespace: the namespace that it is in.
        container: which of its containers.
        context: a context of the kubeconfig.
        kubeconfig: the file that names clusters and credentials.
        kubectl: the client, a name or a path.
    """

    pod: str
    namespace: str = ""
    container: str = ""
    context: str = ""
    kubeconfig: str = ""
    kubectl: str = "kubectl"

    @property
    def options(self) -> list[str]:
        """The options of every call of kubectl."""
        kubeconfig = str(Path(self.kubeconfig).expanduser()) if self.kubeconfig else ""
        given = {"kubeconfig": kubeconfig, "context": self.context, "namespace": self.namespace}
        return [f"--{name}={value}" for name, value in given.items() if value]


class PodClient:
    """One pod, through kubectl.

    Args:
        srn: the resource.
        address: where it is.
        user: who runs commands; empty: the user of the image.
        limit_s: how long kubectl may take to answer a query about the pod.
    """

    def __init__(self, srn: Srn, address: PodAddress, *, user: str, limit_s: float) -> None:
        self._srn = srn
        self._address = address
        self._user = user
        self._limit_s = limit_s
        self._becoming: Becoming | None = None

    async def entry(self, script: str, user: str | None, send: Send) -> ScriptLaunch:
        """Return how a script is run: kubectl knows no users, so su or sudo in the pod sets them."""
        address = self._address
        which = [f"--container={address.container}"] if address.container else []
        argv = [self._program(), *address.options, "exec", "-i", address.pod, *which, "--"]
        who = user if user or user is None else self._user
        if not who:
            return ScriptLaunch(argv=argv, script=script)
        self._becoming = self._becoming or Becoming(self._srn, "", send)
        errand = await self._becoming.errand(script, who)
        return ScriptLaunch(argv=argv, script=errand.script, stdin_first=errand.stdin_first)

    async def why_not(self, user: str | None, completed: Completed | None) -> RemoteError:  # noqa: ARG002 (see entry)
        """Find out why a script did not start, by queries to the cluster."""
        address = self._address
        where = f"{self._srn} (pod {address.namespace}{'/' if address.namespace else ''}{address.pod})"
        if completed is None:
            return self._unreachable(f"{where}: {self._program()} cannot be executed (check `kubectl`)")
        state = await self._ask(
            "get",
            "pod",
            address.pod,
            "--ignore-not-found",
            "-o",
            "jsonpath={.status.phase} {.spec.containers[*].name}",
        )
        if state is None and await self._may_not("get", "pods"):
            return self._refused(f"{where}: these credentials may not read pods (see its RBAC roles)")
        if state is None:
            why = "kubectl has no answer from the cluster (check `context` and `kubeconfig`)"
            return self._unreachable(f"{where}: {why}{quoted_end(completed)}")
        return await self._refusal(where, state.split(), completed)

    async def _refusal(self, where: str, state: list[str], completed: Completed) -> RemoteError:
        """Return the error if the cluster answers.

        Args:
            where: the pod, for messages.
            state: its phase and the names of its containers; empty if there is no such pod.
            completed: the end of the client.
        """
        if not state:
            why = "the cluster has no such pod (check `pod`, `namespace` and `context`)"
            return self._unreachable(f"{where}: {why}")
        phase, *containers = state
        if phase != _RUNNING:
            return self._unreachable(f"{where} is not running, its phase is `{printable(phase[:40])}`")
        container = self._address.container
        if container and container not in containers:
            there = printable(", ".join(containers[:10]))
            return self._unreachable(f"{where} has no container `{container}` (it has: {there})")
        if await self._may_not("create", "pods/exec"):
            return self._refused(f"{where}: these credentials may not run commands (`create` on `pods/exec`)")
        message = f"{where} runs and did not start /bin/sh (an image without a shell?){quoted_end(completed)}"
        return RemoteError(message, target=str(self._srn))

    async def _may_not(self, verb: str, what: str) -> bool:
        """Return whether the cluster says that an action is not permitted."""
        done = await self._answer("auth", "can-i", verb, what)
        return done is not None and done.stdout.strip() == b"no"

    async def _ask(self, *arguments: str) -> str | None:
        """Return kubectl's answer, None if it has none."""
        done = await self._answer(*arguments)
        if done is None or done.returncode:
            return None
        return done.stdout.decode("utf-8", "replace").strip()

    async def _answer(self, *arguments: str) -> Completed | None:
        argv = [self._program(), *self._address.options, f"--request-timeout={self._limit_s:g}s", *arguments]
        return await client_answer(argv, limit_s=self._limit_s)

    def _program(self) -> str:
        """Return the client's path.

        Raises:
            UnreachableError: it is not there.
        """
        program = shutil.which(self._address.kubectl)
        if program is None:
            missing = f"{self._srn}: `{self._address.kubectl}` is not there"
            raise self._unreachable(f"{missing} (install it, or set `kubectl` to its path)")
        return program

    def _refused(self, message: str) -> AuthenticationError:
        return AuthenticationError(message, target=str(self._srn))

    def _unreachable(self, message: str) -> UnreachableError:
        return UnreachableError(message, target=str(self._srn))
