"""`k8s_pod` through a stand-in for kubectl: kubectl's command line, and podman containers for pods.

No API server can be installed where these tests run. What a cluster does with the command line is
therefore imitated; the streams, the processes and the container are real.
"""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.reach.resources.conftest import context_for

from ensue.core.contracts.connection import Command
from ensue.core.errors import AuthenticationError, RemoteError, ResourceError, UnreachableError
from ensue.reach.resources import k8s_pod
from ensue.testing.command_contract import CommandContract
from ensue.testing.contract_play import Subject

if TYPE_CHECKING:
    from tests.support.containers import Engine

    from ensue.core.contracts.connection import Connection

pytestmark = pytest.mark.long

KUBECTL = Path(__file__).parents[3] / "support" / "stand_in_kubectl"


@pytest.fixture(scope="session")
def kubectl(engine: Engine) -> str:
    return engine.script("kubectl", f'ENGINE={shlex.quote(engine.program)} exec {KUBECTL} "$@"')


def pod(config: dict[str, Any], id_: str = "box") -> Connection:
    return k8s_pod.connect(context_for(config, id_=id_, type_="k8s_pod"))


def ran(connection: Connection, line: str = "id -un") -> bytes:
    return asyncio.run(connection.run(Command(shell_line=line))).stdout


class TestCommands(CommandContract):
    @pytest.fixture
    def subject(self, kubectl: str) -> Subject:
        return Subject(connect=lambda: pod({"kubectl": kubectl}))


def test_every_option_reaches_kubectl(kubectl: str, tmp_path: Path) -> None:
    """Addresses go to kubectl; user, folder and variables hold inside."""
    config = {
        "kubectl": kubectl,
        "namespace": "shop",
        "context": "prod",
        "kubeconfig": str(tmp_path / "config"),
        "pod": "box",
        "container": "main",
        "user": "web",
        "workdir": "/etc",
        "env": {"ONE": "1"},
    }
    connection = pod(config, id_="web-0")
    assert ran(connection, "id -un; pwd; echo $ONE") == b"web\n/etc\n1\n"
    asyncio.run(connection.write("/tmp/by-web", b"\xff\0"))
    assert asyncio.run(connection.read("/tmp/by-web")) == b"\xff\0"
    (tmp_path / "config").write_text("calls")
    ran(connection)
    calls = (tmp_path / "config.calls").read_text()
    assert calls.startswith(f"--kubeconfig={tmp_path}/config --context=prod --namespace=shop exec -i box ")
    assert "--container=main --" in calls


def test_grains_of_a_pod(kubectl: str) -> None:
    """Grains come from inside."""
    context = context_for({"kubectl": kubectl}, id_="box", type_="k8s_pod")
    connection = k8s_pod.connect(context)
    assert asyncio.run(k8s_pod.ping(connection))
    assert asyncio.run(k8s_pod.grains(connection, context))["resource_type"] == "k8s_pod"


@pytest.mark.parametrize(
    ("config", "kind", "words"),
    [
        ({"pod": "no-such-pod"}, UnreachableError, "no such pod"),
        ({"pod": "pending"}, UnreachableError, "its phase is `Pending`"),
        ({"container": "sidecar"}, UnreachableError, r"no container `sidecar` \(it has: main\)"),
        ({"namespace": "forbidden"}, AuthenticationError, "may not read pods"),
        ({"namespace": "read-only"}, AuthenticationError, "may not run commands"),
        ({"context": "down"}, UnreachableError, "no answer from the cluster.*was refused"),
        ({"user": "stranger"}, RemoteError, "no user `stranger`"),
        ({"kubectl": "/no/such/kubectl"}, UnreachableError, "set `kubectl`"),
    ],
)
def test_what_goes_wrong(kubectl: str, config: dict[str, Any], kind: type[RemoteError], words: str) -> None:
    """Each has its class, and a message that says what to change."""
    with pytest.raises(kind, match=words) as caught:
        ran(pod({"kubectl": kubectl, "connect_timeout_s": 20, **config}))
    assert caught.value.target == "k8s_pod:box"


def test_what_is_wrong_with_a_configuration() -> None:
    """Names can never be options of kubectl."""
    assert len(k8s_pod.check({"namespace": "-n", "pod": "--all", "container": "a b", "context": 3})) == 4
    with pytest.raises(ResourceError, match="not the name of a pod"):
        pod({}, id_="-it")
