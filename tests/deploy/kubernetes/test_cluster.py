"""Objects of a cluster through the official client: what the API server answers, and what it should not.

The server is the stand-in of `tests.support.kube_api`. The driver's tests run with a real cluster, too.
"""

from __future__ import annotations

import socket
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.support.kube_api import RefusedError as Refusal
from tests.support.kube_api import running_kube_api

from ensue.core.errors import DriverError
from ensue.deploy.kubernetes import cluster as module
from ensue.deploy.kubernetes.answers import RefusedError
from ensue.deploy.kubernetes.cluster import FIELD_MANAGER, Cluster, ClusterAccess
from ensue.deploy.kubernetes.manifests import ObjectKey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.kube_api import Objects

pytest.importorskip("kubernetes", reason="needs the client of Kubernetes: pip install 'ensue[kubernetes]'")

KEY = ObjectKey(api_version="v1", kind="ConfigMap", namespace="default", name="a")
PATH = "/api/v1/namespaces/default/configmaps/a"


class Scene:
    """A cluster, and a connection to it."""

    def __init__(self, kubeconfig: dict[str, Any], objects: Objects) -> None:
        self.kubeconfig = kubeconfig
        self.objects = objects
        self.cluster = Cluster(ClusterAccess(kubeconfig=kubeconfig))

    def wrong(self, section: str, **fields: Any) -> Cluster:
        """Return a connection with another kubeconfig."""
        changed = yaml.safe_load(yaml.safe_dump(self.kubeconfig))
        name = section.removesuffix("s")
        changed[section][0][name] = {**changed[section][0][name], **fields}
        return Cluster(ClusterAccess(kubeconfig=changed))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with running_kube_api(tmp_path) as (kubeconfig, objects):
        scene = Scene(kubeconfig, objects)
        yield scene
        scene.cluster.close()


def manifest(**data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}


def test_an_object_is_applied_found_and_deleted(scene: Scene) -> None:
    """By its key; what is not there is None, and deleting it again is no error."""
    cluster = scene.cluster
    assert cluster.find(KEY) is None
    made = cluster.apply(KEY, manifest(x="1"))
    assert (made["data"], cluster.find(KEY)) == ({"x": "1"}, made)
    assert made["metadata"]["managedFields"] == [{"manager": FIELD_MANAGER, "operation": "Apply"}]
    assert cluster.apply(KEY, manifest(y="2"))["data"] == {"y": "2"}
    uid = made["metadata"]["uid"]
    cluster.delete(KEY, "another uid")
    assert cluster.find(KEY) is not None
    cluster.delete(KEY, uid)
    cluster.delete(KEY, uid)
    assert cluster.find(KEY) is None


def test_a_dry_run_changes_nothing(scene: Scene) -> None:
    """It returns what the object would be."""
    assert scene.cluster.apply(KEY, manifest(x="1"), dry_run=True)["data"] == {"x": "1"}
    assert scene.cluster.find(KEY) is None


def test_a_conflict_names_the_fields(scene: Scene) -> None:
    """With the status of the answer; `force` takes them over."""
    scene.objects.apply(PATH, manifest(x="1"), {"fieldManager": "other"})
    with pytest.raises(RefusedError) as refused:
        scene.cluster.apply(KEY, manifest(x="2"))
    assert refused.value.status == 409
    assert str(refused.value) == (
        'ConfigMap default/a: Apply failed with 1 conflict: conflict with "other": .data.x '
        "(fields: .data.x; `force_conflicts: true` takes them over)"
    )
    assert scene.cluster.apply(KEY, manifest(x="2"), force=True)["data"] == {"x": "2"}


def test_a_key_has_a_namespace_where_its_kind_has_one(scene: Scene) -> None:
    """That of the manifest, or the given one; a kind that the cluster does not have is refused."""
    assert scene.cluster.key(manifest(), "space").namespace == "space"
    own = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a", "namespace": "x"}}
    assert str(scene.cluster.key(own, "space")) == "Namespace a"
    for api_version in ("v1", "example.org/v1"):
        with pytest.raises(
            RefusedError, match=rf"the cluster has no kind Gadget of {api_version}"
        ) as refused:
            scene.cluster.key({**manifest(), "apiVersion": api_version, "kind": "Gadget"}, "")
        assert refused.value.status == 404


def test_a_kind_that_appears_later_is_found(scene: Scene) -> None:
    """What is missing is asked for again, what is known is not."""
    gadget = {"apiVersion": "example.org/v1", "kind": "Gadget", "metadata": {"name": "a"}}
    with pytest.raises(RefusedError, match="has no kind Gadget"):
        scene.cluster.key(gadget, "")
    scene.objects.kinds["example.org/v1"] = [("gadgets", "Gadget", False), ("gadgets/status", "Gadget", True)]
    assert scene.cluster.key(gadget, "space").namespace == ""
    scene.objects.kinds.clear()
    assert scene.cluster.key(gadget, "space").namespace == ""


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, "BadRequest"),
        (403, "Forbidden"),
        (422, "Invalid"),
        (429, "TooMany"),
        (500, "InternalError"),
        (503, "Unavailable"),
    ],
)
def test_what_the_server_refuses_has_its_status(scene: Scene, status: int, reason: str) -> None:
    """By each function, with the server's own message; the kinds may be refused as well."""
    scene.cluster.find(KEY)
    fresh = Cluster(ClusterAccess(kubeconfig=scene.kubeconfig))
    scene.objects.refusal = Refusal(status, reason, f"no: {reason}")
    for work in (
        lambda: scene.cluster.find(KEY),
        lambda: scene.cluster.apply(KEY, manifest()),
        lambda: scene.cluster.delete(KEY, "uid"),
        lambda: scene.cluster.wait(KEY, lambda _: True, 5),
        lambda: fresh.key(manifest(), ""),
    ):
        with pytest.raises(RefusedError, match=f": no: {reason}$") as refused:
            work()
        assert refused.value.status == status
    fresh.close()


@pytest.mark.parametrize(
    "body", [b"", b"<html>bad gateway</html>", b"[]", b"{}", b'{"message": ""}', b"\xff", b"[" * 5000]
)
def test_a_refusal_without_a_message_has_its_status(scene: Scene, body: bytes) -> None:
    """A proxy's page is not shown; status and reason are."""
    scene.cluster.find(KEY)
    scene.objects.answer = (502, body)
    with pytest.raises(RefusedError, match=r"^ConfigMap default/a: 502 Bad Gateway$") as refused:
        scene.cluster.find(KEY)
    assert refused.value.status == 502


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'"text"', b"null", b"5", b"\xff", b"{", b"[" * 5000, b'{"a":' * 5000]
)
def test_an_answer_that_is_no_object_is_an_error(scene: Scene, body: bytes) -> None:
    """Whatever a server says with status 200, of an object and of the kinds that there are."""
    scene.cluster.find(KEY)
    fresh = Cluster(ClusterAccess(kubeconfig=scene.kubeconfig))
    scene.objects.answer = (200, body)
    for work in (
        lambda: scene.cluster.find(KEY),
        lambda: scene.cluster.apply(KEY, manifest()),
        lambda: scene.cluster.delete(KEY, "uid"),
        lambda: scene.cluster.wait(KEY, lambda _: True, 5),
        lambda: fresh.key(manifest(), ""),
    ):
        with pytest.raises(DriverError, match="the answer of the API server cannot be read"):
            work()
    fresh.close()


@pytest.mark.parametrize(
    "body",
    [
        b'{"resources": 5}',
        b'{"resources": [5]}',
        b'{"resources": [{"kind": "ConfigMap"}]}',
        b'{"resources": [{"name": 5, "kind": "a", "namespaced": true}]}',
    ],
)
def test_a_list_of_kinds_that_is_none_is_an_error(scene: Scene, body: bytes) -> None:
    """One of another shape than documented."""
    scene.objects.answer = (200, body)
    with pytest.raises(DriverError, match="the answer of the API server cannot be read"):
        scene.cluster.key(manifest(), "")


def test_a_cluster_that_cannot_be_reached_is_an_error(scene: Scene) -> None:
    """A closed port, a certificate of somebody else's, and a wrong token."""
    closed = scene.wrong("clusters", server="https://127.0.0.1:1")
    with pytest.raises(DriverError, match=r"^v1 ConfigMap: the cluster cannot be reached: "):
        closed.find(KEY)
    foreign = scene.wrong("clusters", **{"certificate-authority": __file__})
    with pytest.raises(DriverError, match="the cluster cannot be reached"):
        foreign.find(KEY)
    unknown = scene.wrong("users", token="wrong")
    with pytest.raises(RefusedError, match=r"^v1 ConfigMap: Unauthorized$") as refused:
        unknown.find(KEY)
    assert refused.value.status == 401
    for each in (closed, foreign, unknown):
        each.close()


def test_a_server_that_does_not_answer_is_an_error(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each wait for it ends: for the kinds, for an object and for a change of one."""
    monkeypatch.setattr(module, "_TIMEOUTS_S", (10, 0.2))
    fresh = Cluster(ClusterAccess(kubeconfig=scene.kubeconfig))
    scene.cluster.apply(KEY, manifest())
    scene.objects.silent.add("GET")
    for cluster in (scene.cluster, fresh):
        with pytest.raises(DriverError, match="the cluster cannot be reached"):
            cluster.find(KEY)
    scene.objects.silent.clear()
    fresh.close()


def test_a_server_that_breaks_off_is_asked_once(scene: Scene) -> None:
    """The limit of a wait is that of one attempt: the client does not repeat it by itself."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        attempts: list[tuple[str, int]] = []

        def hang_up() -> None:
            while not done.is_set():
                with suppress(TimeoutError):
                    connection, address = server.accept()
                    connection.close()
                    attempts.append(address)

        done = threading.Event()
        thread = threading.Thread(target=hang_up)
        thread.start()
        cluster = scene.wrong("clusters", server=f"https://127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(DriverError, match="the cluster cannot be reached"):
            cluster.find(KEY)
        done.set()
        thread.join()
        cluster.close()
    assert len(attempts) == 1


def test_a_watch_that_says_nothing_is_opened_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that died without a word does not hold up what waits."""
    monkeypatch.setattr(module, "_LONGEST_WATCH_S", 1)
    monkeypatch.setattr(module, "_WATCH_GRACE_S", 0.1)
    scene.cluster.apply(KEY, manifest())
    scene.objects.silent.add("WATCH")
    assert scene.cluster.wait(KEY, lambda _: False, 0.5) is False
    scene.objects.silent.clear()


def test_a_change_ends_the_wait(scene: Scene) -> None:
    """A condition that holds does so at once; one that comes true is seen in the watch."""
    scene.cluster.apply(KEY, manifest(x="1"))
    assert scene.cluster.wait(KEY, lambda stored: stored["data"] == {"x": "1"}, 0)
    assert not scene.cluster.wait(KEY, lambda _: False, 0)

    def change() -> None:
        scene.objects.is_watched.wait(60)
        scene.objects.change(PATH, "data", {"x": "2"})

    changing = threading.Thread(target=change)
    changing.start()
    assert scene.cluster.wait(KEY, lambda stored: stored["data"] == {"x": "2"}, 60)
    changing.join()


def test_a_version_that_is_gone_is_no_error(scene: Scene) -> None:
    """The server keeps changes for minutes, and an object may be older than that."""
    scene.cluster.apply(KEY, manifest(x="1"))
    scene.objects.apply("/api/v1/namespaces/new", {"metadata": {"name": "new"}, "kind": "Namespace"}, {})
    scene.objects.is_forgetful = True

    def change() -> None:
        scene.objects.is_watched.wait(60)
        scene.objects.change(PATH, "data", {"x": "2"})

    changing = threading.Thread(target=change)
    changing.start()
    assert scene.cluster.wait(KEY, lambda stored: stored["data"] == {"x": "2"}, 60)
    changing.join()


def test_a_deletion_ends_the_wait(scene: Scene) -> None:
    """It is an error: what is waited for cannot come true."""
    scene.cluster.apply(KEY, manifest())

    def delete() -> None:
        scene.objects.is_watched.wait(60)
        scene.objects.delete(PATH, "")

    deleting = threading.Thread(target=delete)
    deleting.start()
    with pytest.raises(DriverError, match=r"^ConfigMap default/a was deleted during the wait$"):
        scene.cluster.wait(KEY, lambda _: False, 60)
    deleting.join()


@pytest.mark.parametrize(
    ("line", "is_error"),
    [
        (b"5", True), (b"[]", True), (b"{}", True), (b'{"type": "MODIFIED"}', True), (b"[" * 5000, True),
        (b'{"type": "ERROR", "object": {}}', True), (b"", False),
        (b'{"type": "MODIFIED", "object": 5}', False),
        # The client's older versions raise for it, newer ones pass it on as nothing.
        (b"{", None),
    ],
)  # fmt: skip
def test_an_event_that_is_none_is_an_error_or_nothing(
    scene: Scene, line: bytes, is_error: bool | None
) -> None:
    """Never a traceback, whatever comes in a watch; the time is kept."""
    scene.cluster.apply(KEY, manifest())
    scene.objects.event = line
    outcome: object
    try:
        outcome = scene.cluster.wait(KEY, lambda stored: stored["data"] == {"x": "2"}, 60 if is_error else 1)
    except DriverError as error:
        outcome = str(error)
    unreadable = "ConfigMap default/a: the answer of the API server cannot be read"
    assert outcome in {True: (unreadable,), False: (False,), None: (unreadable, False)}[is_error]


def test_stop_ends_the_wait(scene: Scene) -> None:
    """From another thread; a connection that is stopped waits no more."""
    scene.cluster.apply(KEY, manifest())

    def stop() -> None:
        scene.objects.is_watched.wait(60)
        scene.cluster.stop()

    stopping = threading.Thread(target=stop)
    stopping.start()
    assert scene.cluster.wait(KEY, lambda _: False, 600) is False
    stopping.join()
    assert scene.cluster.wait(KEY, lambda _: True, 600) is False


@pytest.mark.parametrize(
    "kubeconfig",
    [
        {},
        {"clusters": []},
        {"clusters": [], "contexts": [], "users": [], "current-context": "x"},
        {"clusters": 5, "contexts": "text", "users": None, "current-context": 5},
        {"clusters": [5], "contexts": [{"name": "x"}], "users": [], "current-context": "x"},
        {"clusters": {}, "contexts": ["x"], "users": {}, "current-context": "x"},
    ],
)
def test_a_kubeconfig_that_is_none_is_an_error(tmp_path: Path, kubeconfig: dict[str, Any]) -> None:
    """Given as data and as a file, whatever is in it."""
    with pytest.raises(DriverError, match="the kubeconfig is invalid"):
        Cluster(ClusterAccess(kubeconfig=kubeconfig))
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(kubeconfig))
    with pytest.raises(DriverError, match="the kubeconfig is invalid"):
        Cluster(ClusterAccess(path=str(path)))


@pytest.mark.parametrize("content", [b"a: [secret-value", b"", b"text", b"[]", b"\xff\x00", b"&a [*a]"])
def test_a_file_that_is_no_kubeconfig_is_an_error(tmp_path: Path, content: bytes) -> None:
    """Nothing of it is in the error, which may be shown; one that is absent is an error too."""
    path = tmp_path / "kubeconfig"
    path.write_bytes(content)
    with pytest.raises(DriverError, match="the kubeconfig is invalid") as refused:
        Cluster(ClusterAccess(path=str(path)))
    assert "secret-value" not in str(refused.value)
    with pytest.raises(DriverError, match="the kubeconfig"):
        Cluster(ClusterAccess(path=str(tmp_path / "absent")))


def test_the_data_of_a_certificate_that_is_none_is_an_error(scene: Scene) -> None:
    """It is no base64, or the file that it names is absent."""
    for fields in ({"certificate-authority-data": "%%%"}, {"certificate-authority": "/nonexistent/ca.crt"}):
        with pytest.raises(DriverError, match=r"the kubeconfig is invalid|the cluster cannot be reached"):
            scene.wrong("clusters", **fields).find(KEY)


def test_a_context_has_a_namespace_and_a_server(scene: Scene, tmp_path: Path) -> None:
    """The chosen context or the current one, from data and from a file; `default` without one."""
    kubeconfig = yaml.safe_load(yaml.safe_dump(scene.kubeconfig))
    kubeconfig["contexts"].append(
        {"name": "mine", "context": {"cluster": "c", "user": "u", "namespace": "space"}}
    )
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(kubeconfig))
    for access, namespace in (
        (ClusterAccess(kubeconfig=kubeconfig), "default"),
        (ClusterAccess(kubeconfig=kubeconfig, context="mine"), "space"),
        (ClusterAccess(path=str(path)), "default"),
        (ClusterAccess(path=str(path), context="mine"), "space"),
    ):
        cluster = Cluster(access)
        assert (cluster.namespace, cluster.server) == (
            namespace,
            kubeconfig["clusters"][0]["cluster"]["server"],
        )
        cluster.close()
    for access in (
        ClusterAccess(kubeconfig=kubeconfig, context="x"),
        ClusterAccess(path=str(path), context="x"),
    ):
        with pytest.raises(DriverError, match="the kubeconfig is invalid"):
            Cluster(access)


def test_a_client_that_is_not_installed_is_named(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """With how to install it."""
    monkeypatch.setitem(sys.modules, "kubernetes.dynamic", None)
    with pytest.raises(DriverError, match=r"pip install 'ensue\[kubernetes\]'"):
        Cluster(ClusterAccess(kubeconfig=scene.kubeconfig))
