"""Driver `kubernetes`: a resource is a set of objects in a cluster, applied by its API server.

Each object is recorded in the cookie before it is applied, so that it is never lost. An update deletes
objects that are no longer in the manifests. The cookie also has the kubeconfig, because a delete has no
inputs. An annotation of each object names the store that it belongs to.
docs/driver-kubernetes.md has the outputs.

Args:
    values.manifests: a list or a mapping of manifests, or a text of YAML documents
    values.namespace: the namespace of objects that name none; default: that of the context
    values.wait_s: seconds to wait until the Deployments are available (0: do not wait)
    values.force_conflicts: `true`: take over fields that another manager has set
    values.kubeconfig_path: the file of a kubeconfig, relative to the project
    values.context: the context in the kubeconfig; default: the current one
    secrets.kubeconfig: a kubeconfig as text or as a mapping
    secrets.manifests: more manifests, with secrets

Example:
    kind: Definition
    metadata: {id: config}
    entity:
      type: config
      driver_type: kubernetes
      driver_inputs:
        values:
          kubeconfig_path: kubeconfig
          manifests:
            - apiVersion: v1
              kind: ConfigMap
              metadata: {name: shop}
              data: {greeting: hello}
      criteria: [{}]

Source: Kubernetes, "Server-Side Apply"; kubernetes-client for Python.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError
from ensue.core.model.data import is_mapping
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.kubernetes.addresses import addresses_of
from ensue.deploy.kubernetes.answers import RefusedError
from ensue.deploy.kubernetes.cluster import Cluster
from ensue.deploy.kubernetes.inputs import read_inputs
from ensue.deploy.kubernetes.managed import planned_objects, recorded_objects
from ensue.deploy.kubernetes.manifests import ObjectKey
from ensue.deploy.kubernetes.marks import RESOURCE, is_ours, marked, owner_of
from ensue.deploy.kubernetes.recorded import KubernetesCookie, RecordedObject
from ensue.deploy.kubernetes.secret_values import learn_secrets
from ensue.deploy.kubernetes.status import is_available, is_established

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Mapping

    from ensue.core.contracts.driver import CodeKind, DriverRequest
    from ensue.core.contracts.managed_objects import ManagedObject
    from ensue.core.masking import Masker
    from ensue.core.model.data import DataMap
    from ensue.deploy.kubernetes.cluster import ClusterAccess
    from ensue.deploy.kubernetes.inputs import KubernetesInputs

KEEPS_FIRST: Final = True
CODE: Final[Mapping[str, CodeKind]] = {"manifests": "yaml"}
"""Which inputs are code; see `ensue.core.contracts.driver`."""

_T = TypeVar("_T")
_NOT_FOUND: Final = 404
_ESTABLISHED_S: Final = 30
"""How long the API server may take until it serves a new kind."""


def check(request: DriverRequest) -> list[str]:
    """Say what is wrong with the inputs."""
    return read_inputs(request.values, request.secrets, request.account, request.root)[1]


def manages(request: DriverRequest) -> list[ManagedObject]:
    """Return the objects of the manifests, as far as they are known."""
    inputs, problems = read_inputs(request.values, request.secrets, request.account, request.root)
    return [] if problems else planned_objects(inputs)


def managed(cookie: DataMap | None) -> list[ManagedObject]:
    """Return the objects that were applied."""
    return [] if cookie is None else recorded_objects(msgspec.convert(cookie, KubernetesCookie))


destroys = managed


async def create(request: DriverRequest) -> Provisioned:
    """Apply all manifests, and delete the objects that are no longer among them.

    Existing objects are brought to what the manifests say.

    Raises:
        DriverError: one cannot be applied or deleted; what was applied before is recorded.
    """
    inputs = _inputs(request)
    learn_secrets(request.services.masker, inputs.manifests)
    former = _cookie_of(request)
    async with _connected(inputs.access, request.services.masker) as cluster:
        if former is not None:
            await _in_thread(cluster, lambda: _check_cluster(cluster, former))
        applying = _Applying(request, inputs, cluster, former)
        for manifest in inputs.manifests:
            await applying.apply(manifest)
        removed = await applying.remove_obsolete(former) if former is not None else 0
        await applying.wait()
        return await applying.provisioned(removed)


update = create


async def delete(request: DriverRequest) -> None:
    """Delete all objects in reverse order; missing ones are ignored.

    Raises:
        DriverError: one cannot be deleted.
    """
    former = _cookie_of(request)
    if former is None or not former.objects:
        return
    async with _connected(former.access, request.services.masker) as cluster:
        await _in_thread(cluster, lambda: _delete(cluster, former.objects, request))


async def plan(request: DriverRequest) -> Planned:
    """Apply all manifests as a dry run; if inputs are not known yet, name them instead.

    Raises:
        DriverError: the API server refuses one, or cannot be reached.
    """
    if unknowns := unknowns_in([request.values, request.secrets, request.account]):
        waits = ", ".join(dict.fromkeys(unknown.reference for unknown in unknowns))
        return Planned(comment=f"would apply manifests; the changes are known after {waits}")
    inputs = _inputs(request)
    learn_secrets(request.services.masker, inputs.manifests)
    former = _cookie_of(request)
    async with _connected(inputs.access, request.services.masker) as cluster:
        verbs = await _in_thread(cluster, lambda: _dry_run(cluster, request, inputs, former))
    if not verbs:
        return Planned(comment="nothing would change", would_change=False)
    made = () if former is None else [object_.key for object_ in former.objects if object_.uid]
    listed = ", ".join(
        f"{verb} {key}{' (removed by someone else)' if verb == 'create' and key in made else ''}"
        for key, verb in verbs.items()
    )
    return Planned(comment=f"would {listed}")


class _Applying:
    """Applies manifests one after the other, and records each object."""

    def __init__(
        self,
        request: DriverRequest,
        inputs: KubernetesInputs,
        cluster: Cluster,
        former: KubernetesCookie | None,
    ) -> None:
        self._request = request
        self._inputs = inputs
        self._cluster = cluster
        self._namespace = inputs.namespace or cluster.namespace
        # Until the end of an update, the former objects stay recorded too.
        self._noted = {object_.key: object_.uid for object_ in former.objects} if former is not None else {}
        self._applied: dict[ObjectKey, dict[str, Any]] = {}
        self._changed = 0

    async def apply(self, manifest: dict[str, Any]) -> None:
        """Record an object, apply it, and record its uid."""
        cluster = self._cluster
        key = await _in_thread(cluster, lambda: cluster.key(manifest, self._namespace))
        if key in self._applied:
            raise DriverError(f"{key} is in the manifests twice")
        self._noted.setdefault(key, "")
        await self._request.services.keep(self._cookie(self._noted))
        has_changed, after = await _in_thread(cluster, lambda: self._apply(key, manifest))
        self._changed += has_changed
        self._applied[key] = after
        self._noted[key] = after["metadata"]["uid"]

    def _apply(self, key: ObjectKey, manifest: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        current = self._cluster.find(key)
        _refuse_foreign(self._request, key, current)
        after = self._cluster.apply(key, manifest, force=self._inputs.forces)
        if key.kind == "CustomResourceDefinition":
            self._cluster.wait(key, is_established, _ESTABLISHED_S)
        return current is None or _content(current) != _content(after), after

    async def remove_obsolete(self, former: KubernetesCookie) -> int:
        """Delete the objects that are no longer in the manifests; return their number."""
        obsolete = [object_ for object_ in former.objects if object_.key not in self._applied]
        await _in_thread(self._cluster, lambda: _delete(self._cluster, obsolete, self._request))
        return len(obsolete)

    async def wait(self) -> None:
        """Wait for the Deployments among the objects.

        Raises:
            DriverError: one is not available in time.
        """
        if not self._inputs.wait_s:
            return
        loop = asyncio.get_running_loop()
        end = loop.time() + self._inputs.wait_s
        for key in self._applied:
            if key.kind == "Deployment":
                await self._wait_for(key, max(0.0, end - loop.time()))

    async def _wait_for(self, key: ObjectKey, left_s: float) -> None:
        cluster = self._cluster
        if not await _in_thread(cluster, lambda: cluster.wait(key, is_available, left_s)):
            wait_s = f"{self._inputs.wait_s:g} s"
            raise DriverError(f"{key} is not available after {wait_s} (`wait_s` says how long to wait)")

    async def provisioned(self, removed: int) -> Provisioned:
        """Return the outputs, with addresses as they are now."""
        objects = list(self._applied)
        with_address = [key for key in objects if key.kind in {"Service", "Ingress"}]
        noted = {key: value["metadata"]["uid"] for key, value in self._applied.items()}
        live = await _in_thread(self._cluster, lambda: [self._cluster.find(key) for key in with_address])
        count = f"{len(objects)} object{'s' * (len(objects) != 1)} applied, {self._changed} changed"
        return Provisioned(
            values={
                "namespace": self._namespace,
                "objects": [_as_output(key, uid) for key, uid in noted.items()],
                **addresses_of(object_ for object_ in live if object_ is not None),
            },
            cookie=self._cookie(noted),
            changed=bool(self._changed or removed),
            comment=f"{count}, {removed} deleted",
        )

    def _cookie(self, noted: dict[ObjectKey, str]) -> dict[str, Any]:
        cookie = KubernetesCookie(
            objects=[RecordedObject(key=key, uid=uid) for key, uid in noted.items()],
            access=self._inputs.access,
            server=self._cluster.server,
        )
        kept: dict[str, Any] = msgspec.to_builtins(cookie)
        return kept


def _inputs(request: DriverRequest) -> KubernetesInputs:
    inputs, problems = read_inputs(request.values, request.secrets, request.account, request.root)
    if problems:
        raise DriverError("; ".join(problems))
    manifests = [marked(manifest, request.owner, request.guresid) for manifest in inputs.manifests]
    return msgspec.structs.replace(inputs, manifests=manifests)


def _refuse_foreign(request: DriverRequest, key: ObjectKey, existing: dict[str, Any] | None) -> None:
    """Refuse an object of another store; for one without a mark, the rules of the API server hold."""
    if existing is not None and (owner := owner_of(existing)):
        request.refuse_foreign(str(key), owner)


def _cookie_of(request: DriverRequest) -> KubernetesCookie | None:
    return None if request.cookie is None else msgspec.convert(request.cookie, KubernetesCookie)


def _check_cluster(cluster: Cluster, former: KubernetesCookie) -> None:
    """Refuse to leave objects behind in another cluster.

    A cluster with another URL is the same one if it has one of the former objects.
    """
    applied = [object_ for object_ in former.objects if object_.uid]
    if not applied or cluster.server == former.server:
        return
    objects = ((recorded_object.uid, cluster.find(recorded_object.key)) for recorded_object in applied)
    if not any(live is not None and live["metadata"]["uid"] == uid for uid, live in objects):
        raise DriverError(
            f"its objects are in the cluster {former.server}, and the kubeconfig names {cluster.server} "
            "(delete the resource with the former kubeconfig first)"
        )


def _delete(cluster: Cluster, objects: Iterable[RecordedObject], request: DriverRequest) -> None:
    """Delete objects, the last one first, but none that somebody else created or has taken over."""
    for object_ in reversed(list(objects)):
        try:
            current = cluster.find(object_.key)
        except RefusedError as error:
            if error.status != _NOT_FOUND:
                raise
            continue
        if current is not None and is_ours(current, object_.uid, request.owner, request.guresid):
            cluster.delete(object_.key, current["metadata"]["uid"])


def _dry_run(
    cluster: Cluster, request: DriverRequest, inputs: KubernetesInputs, former: KubernetesCookie | None
) -> dict[ObjectKey | str, str]:
    """Return what would be done with each object; unchanged ones are left out."""
    verbs: dict[ObjectKey | str, str] = {}
    there: set[ObjectKey] = set()
    namespace = inputs.namespace or cluster.namespace
    for manifest in inputs.manifests:
        try:
            key = cluster.key(manifest, namespace)
        except RefusedError as error:
            if error.status != _NOT_FOUND or not _brings_kind(inputs.manifests, manifest["kind"]):
                raise
            verbs[f"{manifest['kind']} {manifest['metadata']['name']}"] = "create"
            continue
        there.add(key)
        if verb := _verb(cluster, request, inputs, key, manifest):
            verbs[key] = verb
    for object_ in former.objects if former is not None else ():
        current = None if object_.key in there else cluster.find(object_.key)
        if current is not None and is_ours(current, object_.uid, request.owner, request.guresid):
            verbs[object_.key] = "delete"
    return verbs


def _verb(
    cluster: Cluster,
    request: DriverRequest,
    inputs: KubernetesInputs,
    key: ObjectKey,
    manifest: dict[str, Any],
) -> str:
    before = cluster.find(key)
    _refuse_foreign(request, key, before)
    home = ObjectKey(api_version="v1", kind="Namespace", namespace="", name=key.namespace)
    # Without its namespace, the API server could not report more.
    if before is None and _brings_namespace(inputs.manifests, key.namespace) and not cluster.find(home):
        return "create"
    after = cluster.apply(key, manifest, force=inputs.forces, dry_run=True)
    if before is None:
        return "create"
    return "" if _content(before) == _content(after) else "change"


def _content(object_: dict[str, Any]) -> dict[str, Any]:
    """Return an object without its status, the API server's counters, and who applied it last."""
    counted = ("managedFields", "resourceVersion", "generation")
    metadata = {name: value for name, value in object_["metadata"].items() if name not in counted}
    if is_mapping(annotations := metadata.get("annotations")):
        metadata["annotations"] = {name: value for name, value in annotations.items() if name != RESOURCE}
    return {**object_, "metadata": metadata, "status": None}


def _brings_kind(manifests: list[dict[str, Any]], kind: str) -> bool:
    definitions = (manifest for manifest in manifests if manifest["kind"] == "CustomResourceDefinition")
    return any(definition.get("spec", {}).get("names", {}).get("kind") == kind for definition in definitions)


def _brings_namespace(manifests: list[dict[str, Any]], name: str) -> bool:
    return any(
        manifest["kind"] == "Namespace" and manifest["metadata"]["name"] == name for manifest in manifests
    )


def _as_output(key: ObjectKey, uid: str) -> dict[str, Any]:
    return {
        "apiVersion": key.api_version,
        "kind": key.kind,
        "namespace": key.namespace,
        "name": key.name,
        "uid": uid,
    }


@asynccontextmanager
async def _connected(access: ClusterAccess, masker: Masker) -> AsyncGenerator[Cluster]:
    """Connect to a cluster; its error messages contain no known secret."""
    cluster = await asyncio.to_thread(Cluster, access)
    try:
        yield cluster
    except DriverError as error:
        raise DriverError(masker.text(str(error))) from None
    finally:
        cluster.close()


async def _in_thread(cluster: Cluster, function: Callable[[], _T]) -> _T:
    """Run blocking work in a thread; if cancelled, end its waiting before continuing."""
    running = asyncio.ensure_future(asyncio.to_thread(function))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cluster.stop()
        await asyncio.wait([running])
        raise
