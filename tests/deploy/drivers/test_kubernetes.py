"""The driver `kubernetes` through the official client, over HTTP and TLS.

Without `ENSUE_TEST_KUBECONFIG` the other side is **not a real API server** but the stand-in of
`tests.support.kube_api`; with it, the tests run in a namespace of the cluster that it names.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml
from tests.support.kube_api import Objects, running_kube_api

from ensue.core.errors import DriverError
from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers import kubernetes
from ensue.deploy.kubernetes.cluster import Cluster, ClusterAccess
from ensue.deploy.kubernetes.manifests import ObjectKey
from ensue.testing.driver import FakeDriverServices, driver_request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.driver import DriverRequest, Provisioned

pytest.importorskip("kubernetes", reason="needs the client of Kubernetes: pip install 'ensue[kubernetes]'")


class Scene:
    """A namespace of a cluster."""

    def __init__(self, kubeconfig: dict[str, Any], objects: Objects | None, folder: Path) -> None:
        self.kubeconfig = kubeconfig
        self.objects = objects
        self.folder = folder
        self.namespace = f"ensue-{uuid.uuid4().hex[:12]}"
        self.cluster = Cluster(ClusterAccess(kubeconfig=kubeconfig))
        self.apply("v1", "Namespace", self.namespace)

    def request(self, manifests: Any, **values: Any) -> DriverRequest:
        return driver_request(
            self.folder,
            values={"manifests": manifests, "namespace": self.namespace, **values},
            secrets={"kubeconfig": self.kubeconfig},
        )

    def key(self, kind: str, name: str, api_version: str = "v1") -> ObjectKey:
        namespace = "" if kind in {"Namespace", "CustomResourceDefinition"} else self.namespace
        return ObjectKey(api_version=api_version, kind=kind, namespace=namespace, name=name)

    def find(self, kind: str, name: str, api_version: str = "v1") -> dict[str, Any] | None:
        return self.cluster.find(self.key(kind, name, api_version))

    def apply(self, api_version: str, kind: str, name: str, manager: str = "other", **more: Any) -> None:
        """Apply an object as somebody else."""
        key = self.key(kind, name, api_version)
        body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **more}
        self.cluster._call(
            key,
            self.cluster._client.server_side_apply,
            body=body,
            field_manager=manager,
            force_conflicts=True,
        )

    def remove(self, kind: str, name: str, api_version: str = "v1") -> None:
        key = self.key(kind, name, api_version)
        if (stored := self.cluster.find(key)) is not None:
            self.cluster.delete(key, stored["metadata"]["uid"])


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with contextlib.ExitStack() as stack:
        if path := os.environ.get("ENSUE_TEST_KUBECONFIG"):
            kubeconfig, objects = yaml.safe_load(Path(path).read_text()), None
        else:
            kubeconfig, objects = stack.enter_context(running_kube_api(tmp_path))
        scene = Scene(kubeconfig, objects, tmp_path)
        stack.callback(scene.cluster.close)
        yield scene
        scene.remove("Namespace", scene.namespace)


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def deployment(replicas: int) -> dict[str, Any]:
    labels = {"app": "web"}
    container = {"name": "web", "image": "registry.invalid/web:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def created(made: DriverRequest) -> Provisioned:
    return asyncio.run(kubernetes.create(made))


def again(made: DriverRequest, done: Provisioned | None = None, **fields: Any) -> DriverRequest:
    """Return the request of a later call: it has the cookie."""
    assert isinstance(made.services, FakeDriverServices)
    cookie = made.services.kept[-1] if done is None else done.cookie
    return msgspec.structs.replace(made, cookie=cookie, **fields)


def changed(made: DriverRequest, done: Provisioned, manifests: Any) -> DriverRequest:
    assert isinstance(made.values, dict)
    return again(made, done, values={**made.values, "manifests": manifests})


def deletion(made: DriverRequest, done: Provisioned | None = None) -> DriverRequest:
    """Return the request of a delete: it has no inputs."""
    return again(made, done, params={}, values={}, secrets={}, account=None)


def test_objects_are_applied_and_found_again(scene: Scene) -> None:
    """A second call changes nothing and returns the same outputs and cookie."""
    text = yaml.safe_dump_all([config_map("a", x="1"), config_map("b", x="1")])
    made = scene.request(text)

    first = created(made)
    second = asyncio.run(kubernetes.update(again(made, first)))

    stored = scene.find("ConfigMap", "a")
    assert stored is not None
    assert stored["data"] == {"x": "1"}
    assert first.comment == "2 objects applied, 2 changed, 0 deleted"
    assert second.comment == "2 objects applied, 0 changed, 0 deleted"
    assert (first.changed, second.changed) == (True, False)
    assert (second.values, second.cookie) == (first.values, first.cookie)


def test_an_update_changes_and_deletes(scene: Scene) -> None:
    """The plan says so before: a field that is left out is removed, an object, too."""
    made = scene.request([config_map("a", x="1", y="1"), config_map("b")])
    done = created(made)
    later = changed(made, done, {"one": config_map("a", x="2"), "two": config_map("c")})

    planned = asyncio.run(kubernetes.plan(later))
    before = scene.find("ConfigMap", "a")
    second = asyncio.run(kubernetes.update(later))

    space = scene.namespace
    assert planned.comment == (
        f"would change ConfigMap {space}/a, create ConfigMap {space}/c, delete ConfigMap {space}/b"
    )
    assert before is not None
    assert before["data"] == {"x": "1", "y": "1"}
    after = scene.find("ConfigMap", "a")
    assert after is not None
    assert after["data"] == {"x": "2"}
    assert scene.find("ConfigMap", "b") is None
    assert second.comment == "2 objects applied, 2 changed, 1 deleted"
    assert not asyncio.run(kubernetes.plan(again(later, second))).would_change


def test_what_somebody_deleted_is_made_again(scene: Scene) -> None:
    """A plan sees it, and an update mends it."""
    made = scene.request([config_map("a")])
    done = created(made)
    scene.remove("ConfigMap", "a")

    planned = asyncio.run(kubernetes.plan(again(made, done)))
    assert planned.comment == f"would create ConfigMap {scene.namespace}/a (removed by someone else)"
    assert asyncio.run(kubernetes.update(again(made, done))).changed
    assert scene.find("ConfigMap", "a") is not None


def test_a_plan_changes_nothing(scene: Scene) -> None:
    """Also where a namespace and a kind are made by the same manifests."""
    space = f"{scene.namespace}-new"
    inside = config_map("a")
    inside["metadata"]["namespace"] = space
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
    made = scene.request([inside, namespace, *gadget(scene)])

    planned = asyncio.run(kubernetes.plan(made))

    definition = f"CustomResourceDefinition gadgets.{scene.namespace}.example.org"
    assert planned.comment == (
        f"would create Namespace {space}, create {definition}, create ConfigMap {space}/a, create Gadget it"
    )
    assert scene.find("Namespace", space) is None


def test_a_plan_names_what_is_not_known_yet(tmp_path: Path) -> None:
    """The cluster is not asked: there may be none yet."""
    unknown = Unknown("${resources.k8s-cluster.outputs.kubeconfig}")
    values = {"manifests": [config_map("a", x=unknown)]}  # type: ignore[arg-type]
    made = driver_request(tmp_path, values=values, secrets={"kubeconfig": unknown})

    assert kubernetes.check(made) == []
    planned = asyncio.run(kubernetes.plan(made))
    assert planned.would_change
    assert "${resources.k8s-cluster.outputs.kubeconfig}" in planned.comment


def test_a_delete_needs_no_inputs(scene: Scene) -> None:
    """The cookie has objects and kubeconfig; a second delete is no error."""
    made = scene.request([config_map("a"), config_map("b")])
    done = created(made)

    asyncio.run(kubernetes.delete(deletion(made, done)))
    asyncio.run(kubernetes.delete(deletion(made, done)))

    assert scene.find("ConfigMap", "a") is None
    assert scene.find("ConfigMap", "b") is None


def test_what_somebody_made_anew_is_left_alone(scene: Scene) -> None:
    """It has the name of ours, and another uid."""
    made = scene.request([config_map("a")])
    done = created(made)
    scene.remove("ConfigMap", "a")
    scene.apply("v1", "ConfigMap", "a", data={"theirs": "1"})

    asyncio.run(kubernetes.delete(deletion(made, done)))

    assert scene.find("ConfigMap", "a") is not None


def test_an_object_is_noted_before_it_is_applied(scene: Scene) -> None:
    """What an interrupted create made is deleted; what it had only noted and is of others is left alone."""
    scene.apply("v1", "ConfigMap", "theirs", data={"x": "1"})
    bad = config_map("theirs", x="2")
    made = scene.request([config_map("a"), bad])

    with pytest.raises(DriverError, match=r"Apply failed with 1 conflict.*force_conflicts"):
        created(made)

    assert isinstance(made.services, FakeDriverServices)
    kept: Any = made.services.kept[-1]
    assert [object_["key"]["name"] for object_ in kept["objects"]] == ["a", "theirs"]
    asyncio.run(kubernetes.delete(deletion(made)))
    assert scene.find("ConfigMap", "a") is None
    assert scene.find("ConfigMap", "theirs") is not None


OTHER = "0ddba11ba5eba115"


def test_what_another_store_applied_is_left_alone(scene: Scene) -> None:
    """It is neither changed nor deleted, nor planned; once it is taken over, the first store is refused."""
    made = scene.request([config_map("a", x="1")], force_conflicts=True)
    done = created(made)
    other = msgspec.structs.replace(
        scene.request([config_map("a", x="2")], force_conflicts=True),
        owner=OTHER,
        services=FakeDriverServices(),
    )
    for call in (kubernetes.create, kubernetes.plan):
        with pytest.raises(DriverError, match=f"belongs to the store {made.owner}, and this is"):
            asyncio.run(call(other))
    asyncio.run(kubernetes.delete(deletion(other)))
    stored = scene.find("ConfigMap", "a")
    assert stored is not None
    assert (stored["data"], stored["metadata"]["annotations"]["ensue/owner"]) == ({"x": "1"}, made.owner)

    taken = created(msgspec.structs.replace(other, may_adopt=True))

    for call in (kubernetes.update, kubernetes.plan):
        with pytest.raises(DriverError, match=f"belongs to the store {OTHER}, and this is"):
            asyncio.run(call(again(made, done)))
    asyncio.run(kubernetes.delete(deletion(made, done)))
    stored = scene.find("ConfigMap", "a")
    assert stored is not None
    assert stored["data"] == {"x": "2"}
    asyncio.run(kubernetes.delete(deletion(other, taken)))
    assert scene.find("ConfigMap", "a") is None


def test_an_update_leaves_what_another_resource_has_taken_over(scene: Scene) -> None:
    """Of one store, the resource that applied an object last has it; who that is counts as no change."""
    made = scene.request([config_map("a"), config_map("moved")])
    done = created(made)
    other = msgspec.structs.replace(
        scene.request([config_map("moved")]), guresid="f" * 32, services=FakeDriverServices()
    )
    assert not asyncio.run(kubernetes.plan(other)).would_change
    taken = created(other)
    fewer = msgspec.structs.replace(again(made, done), values=scene.request([config_map("a")]).values)
    assert not asyncio.run(kubernetes.plan(fewer)).would_change
    asyncio.run(kubernetes.update(fewer))
    assert scene.find("ConfigMap", "moved") is not None
    asyncio.run(kubernetes.delete(deletion(other, taken)))
    assert scene.find("ConfigMap", "moved") is None


def test_an_object_without_a_mark_gets_one(scene: Scene) -> None:
    """An older version made it: an update adds the mark, and a delete needs none."""
    scene.apply("v1", "ConfigMap", "a", manager="ensue", data={"x": "1"})
    made = scene.request([config_map("a", x="1")])
    done = created(made)
    stored = scene.find("ConfigMap", "a")
    assert stored is not None
    assert stored["metadata"]["annotations"] == {"ensue/owner": made.owner, "ensue/resource": made.guresid}
    scene.apply("v1", "ConfigMap", "a", manager="ensue", data={"x": "1"})
    asyncio.run(kubernetes.delete(deletion(made, done)))
    assert scene.find("ConfigMap", "a") is None


def test_conflicts_are_forced_on_request(scene: Scene) -> None:
    """Without `force_conflicts` a field of another manager is refused, in a plan, too."""
    scene.apply("v1", "ConfigMap", "a", data={"x": "1"})
    made = scene.request([config_map("a", x="2")])
    with pytest.raises(DriverError, match=r"conflict.*x"):
        asyncio.run(kubernetes.plan(made))

    created(scene.request([config_map("a", x="2")], force_conflicts=True))

    stored = scene.find("ConfigMap", "a")
    assert stored is not None
    assert stored["data"] == {"x": "2"}


def gadget(scene: Scene) -> list[dict[str, Any]]:
    """Return a kind of its own and an object of it, in the wrong order."""
    group = f"{scene.namespace}.example.org"
    names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"}
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return [
        {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": {"name": "it"}, "spec": {"x": 1}},
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"gadgets.{group}"},
            "spec": {"group": group, "names": names, "scope": "Namespaced", "versions": [version]},
        },
    ]


def test_a_kind_and_its_objects_are_made_together(scene: Scene) -> None:
    """The kind comes first, and the API server serves it before its object is applied."""
    made = scene.request({"kind": "List", "apiVersion": "v1", "items": gadget(scene)})

    done = created(made)
    asyncio.run(kubernetes.delete(deletion(made, done)))

    assert [object_["kind"] for object_ in objects_of(done)] == ["CustomResourceDefinition", "Gadget"]


def objects_of(done: Provisioned) -> list[dict[str, Any]]:
    objects: Any = done.values["objects"]
    return objects


def test_addresses_of_services_and_ingresses_are_outputs(scene: Scene) -> None:
    """By name; the cluster's address only where it gave one."""
    port = {"port": 80, "protocol": "TCP"}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}}
    backend = {"service": {"name": "web", "port": {"number": 80}}}
    path = {"path": "/", "pathType": "Prefix", "backend": backend}
    ingress = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "web"}}
    rules = [{"host": "web.example.org", "http": {"paths": [path]}}]
    manifests = [
        {**service, "spec": {"ports": [port], "selector": {"app": "web"}, "clusterIP": "None"}},
        {**ingress, "spec": {"rules": rules}},
    ]

    done = created(scene.request(manifests))

    host = f"web.{scene.namespace}.svc"
    expected = {"host": host, "cluster_ip": "", "ports": [80], "load_balancer": []}
    assert done.values["services"] == {"web": expected}
    assert done.values["ingresses"] == {"web": {"hosts": ["web.example.org"], "load_balancer": []}}


def test_deployments_are_waited_for(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a watch, until the controller says that all replicas are there."""
    if scene.objects is not None:
        controller(scene, scene.objects, monkeypatch)

    done = created(scene.request([deployment(0)], wait_s=60))

    assert done.changed


def controller(scene: Scene, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be the controller of Deployments: set the status once the object is watched."""
    path = f"/apis/apps/v1/namespaces/{scene.namespace}/deployments/web"
    events = Cluster._events

    def watched(*arguments: Any) -> Any:
        threading.Timer(0, objects.change, (path, "status", {"observedGeneration": 1})).start()
        return events(*arguments)

    monkeypatch.setattr(Cluster, "_events", watched)


def test_a_deployment_that_is_late_is_an_error(scene: Scene) -> None:
    """It stays applied, and the next call waits again."""
    made = scene.request([deployment(1)], wait_s=1)

    with pytest.raises(DriverError, match=r"web is not available after 1 s"):
        created(made)

    assert scene.find("Deployment", "web", "apps/v1") is not None
    asyncio.run(kubernetes.delete(deletion(made)))
    assert scene.find("Deployment", "web", "apps/v1") is None


def test_waiting_ends_when_it_is_cancelled(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread goes on after that."""
    began = scene.objects.is_watched if scene.objects is not None else _begun(monkeypatch)
    made = scene.request([deployment(1)], wait_s=600)

    async def cancelled() -> None:
        creating = asyncio.create_task(kubernetes.create(made))
        await asyncio.to_thread(began.wait, 60)
        creating.cancel()
        with pytest.raises(asyncio.CancelledError):
            await creating

    asyncio.run(cancelled())


def _begun(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Return what is set when something is waited for."""
    began = threading.Event()
    wait = Cluster.wait

    def waited(*arguments: Any) -> bool:
        began.set()
        return wait(*arguments)

    monkeypatch.setattr(Cluster, "wait", waited)
    return began


def test_no_secret_is_in_an_error(scene: Scene) -> None:
    """The API server may quote what it refuses."""
    services = FakeDriverServices()
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
    manifests = [
        {**secret, "stringData": {"p": "hunter2-of-secret"}},
        {**secret, "data": {"q": "aHVudGVyMw=="}},
    ]
    made = msgspec.structs.replace(scene.request(manifests), services=services)

    with pytest.raises(DriverError, match="is in the manifests twice"):
        created(made)

    assert services.masker.text("hunter2-of-secret hunter3") == "(sensitive) (sensitive)"


def test_another_cluster_is_refused(scene: Scene) -> None:
    """The objects of before would be left behind."""
    made = scene.request([config_map("a")])
    done = created(made)
    cookie: Any = {**(done.cookie or {}), "server": "https://elsewhere.example.org"}
    asyncio.run(kubernetes.update(msgspec.structs.replace(made, cookie=cookie)))
    scene.remove("ConfigMap", "a")

    with pytest.raises(DriverError, match=r"are in the cluster https://elsewhere"):
        asyncio.run(kubernetes.update(msgspec.structs.replace(made, cookie=cookie)))


@pytest.mark.parametrize(
    ("values", "secrets", "expected"),
    [
        ({}, {"kubeconfig": {"clusters": []}}, "there are no manifests"),
        ({"manifests": []}, {}, "no cluster is named"),
        ({"manifest": "x"}, {}, "manifest is not an input (did you mean manifests?)"),
        ({"manifests": "a: [secret-value"}, {}, "manifests is not YAML"),
        ({"manifests": "kind: X"}, {}, "manifests, document 1: apiVersion is missing"),
        ({"manifests": {"web": "text"}}, {}, "manifests.web, document 1 is not a mapping"),
        ({"manifests": [{"apiVersion": "v1", "kind": "X", "metadata": {}}]}, {}, "metadata.name is missing"),
        ({"manifests": [], "wait_s": "soon"}, {}, "wait_s is not a number"),
        ({"manifests": []}, {"kubeconfig": "secret-value"}, "kubeconfig is not a kubeconfig"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, values: Any, secrets: Any, expected: str) -> None:
    """A sentence each, and no secret in it."""
    problems = kubernetes.check(driver_request(tmp_path, values=values, secrets=secrets))

    assert any(expected in problem for problem in problems), problems
    assert "secret-value" not in str([problem for problem in problems if "YAML" not in problem])


@pytest.mark.parametrize(
    ("kubeconfig", "message"),
    [
        ({"clusters": [], "contexts": [], "current-context": "x"}, "the kubeconfig is invalid"),
        ("CLOSED", "the cluster cannot be reached"),
        ("WRONG TOKEN", "Unauthorized"),
    ],
)
def test_a_cluster_that_does_not_answer_is_an_error(scene: Scene, kubeconfig: Any, message: str) -> None:
    """Never a traceback of the client's."""
    if isinstance(kubeconfig, str):
        wrong = yaml.safe_load(yaml.safe_dump(scene.kubeconfig))
        if kubeconfig == "CLOSED":
            wrong["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
        else:
            wrong["users"][0]["user"] = {"token": "wrong"}
        kubeconfig = wrong
    made = scene.request([config_map("a")])

    with pytest.raises(DriverError, match=message):
        created(msgspec.structs.replace(made, secrets={"kubeconfig": kubeconfig}))


def test_a_kubeconfig_in_a_file(scene: Scene) -> None:
    """Relative to the project; the context's namespace holds what names none."""
    kubeconfig = yaml.safe_load(yaml.safe_dump(scene.kubeconfig))
    context = {**kubeconfig["contexts"][0]["context"], "namespace": scene.namespace}
    kubeconfig["contexts"].append({"name": "mine", "context": context})
    (scene.folder / "kubeconfig").write_text(yaml.safe_dump(kubeconfig))
    values = {"manifests": [config_map("a")], "kubeconfig_path": "kubeconfig", "context": "mine"}

    done = created(driver_request(scene.folder, values=values))

    assert done.values["namespace"] == scene.namespace
    assert scene.find("ConfigMap", "a") is not None


def test_a_client_that_is_not_installed_is_named(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """With how to install it."""
    monkeypatch.setitem(sys.modules, "kubernetes.config", None)

    with pytest.raises(DriverError, match=r"pip install 'ensue\[kubernetes\]'"):
        created(scene.request([config_map("a")]))


def test_the_client_is_loaded_late() -> None:
    """Importing the driver costs what ensue has loaded anyway."""
    program = (
        "import sys, ensue.deploy.drivers.kubernetes;"
        " print('kubernetes' in sys.modules, 'urllib3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "False False\n"


def test_an_object_is_known_before_it_is_applied(scene: Scene) -> None:
    """By cluster, kind, name and namespace; the version of its API, and who declares it, do not matter."""
    made = scene.request([config_map("a", x="1"), deployment(1)])
    other = scene.request([{**config_map("a"), "metadata": {"name": "a", "namespace": scene.namespace}}])
    elsewhere = scene.request([config_map("a")], namespace="other")
    first, *_ = kubernetes.destroys(created(made).cookie)
    assert first.name == f"ConfigMap {scene.namespace}/a"
    assert any(first.takes(each) for each in kubernetes.manages(other))
    assert not any(first.takes(each) for each in kubernetes.manages(elsewhere))
    assert any(first.takes(each) for each in kubernetes.manages(made))


def test_an_object_has_one_resource_and_a_namespace_several(scene: Scene) -> None:
    """The namespace tells objects of one name apart, except for kinds that have none."""

    def sole(manifest: dict[str, Any], **values: Any) -> list[tuple[str, ...]]:
        objects = kubernetes.manages(scene.request([manifest], **values))
        return [each.place for each in objects if each.ownership == "sole"]

    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "a"}}
    home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": scene.namespace}}
    assert sole(config_map("a", x="1")) == sole(config_map("a", x="2")) != []
    assert sole(config_map("a")) != sole(config_map("a"), namespace="other")
    assert sole(role) == sole(role, namespace="other") != []
    assert sole(home) == []


def test_a_namespace_takes_what_is_in_it(scene: Scene) -> None:
    """Also what another resource has in it; not what is in another namespace."""
    home = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": scene.namespace}}
    (gone,) = kubernetes.manages(scene.request([home]))
    assert any(gone.takes(each) for each in kubernetes.manages(scene.request([config_map("a")])))
    elsewhere = kubernetes.manages(scene.request([config_map("a")], namespace="other"))
    assert not any(gone.takes(each) for each in elsewhere)


def test_what_is_not_known_yet_is_no_object(scene: Scene) -> None:
    """A name that comes from another resource, and a cluster that is made only now."""
    unknown = Unknown("${resources.it.outputs.name}")
    named = {**config_map("a"), "metadata": {"name": unknown}}
    assert kubernetes.manages(scene.request([named])) == []
    made = driver_request(
        scene.folder, values={"manifests": [config_map("a")]}, secrets={"kubeconfig": unknown}
    )
    assert kubernetes.manages(made) == []
    assert kubernetes.managed(None) == []
