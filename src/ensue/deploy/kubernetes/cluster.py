"""Applies, reads, watches and deletes objects of any kind in a Kubernetes cluster, with the official client.

The client blocks, so every function here must run in a thread.

Source: Kubernetes, "Server-Side Apply", "API Concepts" (dry run, watch, preconditions); kubernetes-client,
`DynamicClient`.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import DriverError
from ensue.core.model.data import is_mapping
from ensue.core.model.paths import traverse
from ensue.deploy.kubernetes.answers import (
    UNREADABLE,
    RefusedError,
    SilentError,
    answer_in,
    as_driver_error,
    client_module,
    readable,
)
from ensue.deploy.kubernetes.manifests import ObjectKey, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

FIELD_MANAGER: Final = "ensue"
"""The field manager of applied objects."""

_TIMEOUTS_S: Final = (10, 60)
"""The timeouts for a connection and for an answer, in seconds."""
_LONGEST_WATCH_S: Final = 5
"""A watch is reopened after this time, so that a dead connection and a `stop` are noticed."""
_WATCH_GRACE_S: Final = 10
"""A server that has not ended a watch this long after its time is not waited for."""
_END: Final = object()
_NOT_FOUND: Final = 404
_CONFLICT: Final = 409


class ClusterAccess(msgspec.Struct, frozen=True, kw_only=True):
    """How to connect to a cluster.

    Args:
        kubeconfig: the content of a kubeconfig; empty to use `path`.
        path: the path of a kubeconfig file.
        context: the context in it; empty for its current one.
    """

    kubeconfig: dict[str, Any] = {}
    path: str = ""
    context: str = ""


class _ListedKind(msgspec.Struct, frozen=True):
    """A kind, as the API server lists it."""

    name: str
    kind: str
    namespaced: bool


class _ListedKinds(msgspec.Struct, frozen=True):
    """The answer of the API server to which kinds there are."""

    resources: list[_ListedKind] | None = None


class Cluster:
    """A connection to a cluster.

    Args:
        access: how to connect to it.

    Raises:
        DriverError: the client is not installed, or the kubeconfig is invalid.
    """

    def __init__(self, access: ClusterAccess) -> None:
        config, dynamic = client_module("kubernetes.config"), client_module("kubernetes.dynamic")
        self._watch: Any = client_module("kubernetes.watch").Watch()
        self._stopped = threading.Event()
        # Repeated attempts, which the client makes by default, would stretch every deadline.
        once = client_module("kubernetes.client").Configuration()
        once.retries = 0
        chosen = {"context": access.context or None, "client_configuration": once}
        contexts: Any
        with as_driver_error("the kubeconfig"), _valid_kubeconfig():
            if access.path:
                client = config.new_client_from_config(access.path, persist_config=False, **chosen)
                contexts, current = config.list_kube_config_contexts(access.path)
                active = current["name"]
            else:
                contexts = access.kubeconfig.get("contexts") or []
                active = access.kubeconfig.get("current-context") or ""
                client = config.new_client_from_config_dict(access.kubeconfig, persist_config=False, **chosen)
        context_name = access.context or active
        named = (
            traverse(context, "context:namespace") for context in contexts if context["name"] == context_name
        )
        self.namespace: str = next((namespace for namespace in named if namespace), "default")
        self.server: str = client.configuration.host
        self._client: Any = dynamic.DynamicClient(client, discoverer=_Kinds)

    def stop(self) -> None:
        """End waiting calls, from another thread."""
        self._stopped.set()
        self._watch.stop()

    def close(self) -> None:
        """Close the connections."""
        self._client.client.close()

    def key(self, manifest: dict[str, Any], namespace: str) -> ObjectKey:
        """Return the key of a manifest's object, without a namespace if its kind has none.

        Raises:
            RefusedError: the cluster has no such kind.
            DriverError: the cluster cannot be reached.
        """
        kind = self._kind(manifest["apiVersion"], manifest["kind"])
        return key_of(manifest, namespace if kind.namespaced else "")

    def find(self, key: ObjectKey) -> dict[str, Any] | None:
        """Return an object, None if it does not exist.

        Raises:
            DriverError: the cluster cannot be reached, or refuses.
        """
        try:
            return _as_object(key, self._call(key, self._client.get))
        except RefusedError as error:
            if error.status == _NOT_FOUND:
                return None
            raise

    def apply(
        self, key: ObjectKey, manifest: dict[str, Any], *, force: bool = False, dry_run: bool = False
    ) -> dict[str, Any]:
        """Apply a manifest on the server, and return the resulting object.

        Args:
            key: the object's key.
            manifest: the manifest.
            force: take over fields that another manager has set differently.
            dry_run: change nothing.

        Raises:
            RefusedError: the API server refuses it.
            DriverError: the cluster cannot be reached.
        """
        options: dict[str, Any] = {"field_manager": FIELD_MANAGER, "force_conflicts": force}
        options |= {"dry_run": "All"} if dry_run else {}
        return _as_object(key, self._call(key, self._client.server_side_apply, body=manifest, **options))

    def delete(self, key: ObjectKey, uid: str) -> None:
        """Delete an object and, in the background, its dependents; a missing object is not an error.

        Args:
            key: the object's key.
            uid: its uid; an object of the same name with another uid is not deleted.

        Raises:
            DriverError: the cluster cannot be reached, or refuses.
        """
        body = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": uid},
        }
        try:
            self._call(key, self._client.delete, body=body)
        except RefusedError as error:
            if error.status not in {_NOT_FOUND, _CONFLICT}:
                raise

    def wait(self, key: ObjectKey, is_done: Callable[[dict[str, Any]], bool], timeout_s: float) -> bool:
        """Watch an object until a condition holds; return whether it does.

        Args:
            key: the object's key.
            is_done: the condition, called with the object.
            timeout_s: how long to wait, in seconds.

        Raises:
            DriverError: the cluster cannot be reached or refuses, or the object was deleted.
        """
        end = time.monotonic() + timeout_s
        while not self._stopped.is_set():
            current = self.find(key)
            if current is None:
                raise DriverError(f"{key} was deleted during the wait")
            if is_done(current):
                return True
            if (left := end - time.monotonic()) <= 0:
                return False
            for event in self._events(key, max(1, round(min(left, _LONGEST_WATCH_S)))):
                if self._stopped.is_set() or event.get("type") == "DELETED":
                    break
                if is_mapping(current := event.get("raw_object")) and is_done(current):
                    break
        return False

    def _events(self, key: ObjectKey, longest_s: int) -> Iterator[Mapping[str, Any]]:
        """Return the changes of an object from now on, the first of which is what it is now.

        No version is given: the server forgets the changes after that of an object which is some minutes old.
        """
        kind = self._kind(key.api_version, key.kind)
        where = {"namespace": key.namespace} if key.namespace else {}
        events = self._watch.stream(
            kind.get,
            **where,
            field_selector=f"metadata.name={key.name}",
            serialize=False,
            timeout_seconds=longest_s,
            _request_timeout=(_TIMEOUTS_S[0], longest_s + _WATCH_GRACE_S),
        )
        while not self._stopped.is_set():
            try:
                with as_driver_error(str(key)), readable(str(key)):
                    event = next(events, _END)
            except SilentError:
                return
            except DriverError:
                if self._stopped.is_set():
                    return
                raise
            if event is _END:
                return
            # The client passes lines on that are not JSON, as None.
            if is_mapping(event):
                yield event

    def _kind(self, api_version: str, kind: str) -> Any:
        with as_driver_error(f"{api_version} {kind}"):
            resource = self._client.resources.find(api_version, kind)
        if resource is None:
            raise RefusedError(f"the cluster has no kind {kind} of {api_version}", status=_NOT_FOUND)
        return resource

    def _call(self, key: ObjectKey, function: Callable[..., Any], **options: Any) -> dict[str, Any]:
        kind = self._kind(key.api_version, key.kind)
        where = {"namespace": key.namespace} if key.namespace else {}
        with as_driver_error(str(key)):
            response = function(
                kind, name=key.name, **where, serialize=False, _request_timeout=_TIMEOUTS_S, **options
            )
            return answer_in(str(key), response)


class _Kinds:
    """The kinds of a cluster, fetched per API version, and again if one is missing.

    The client's own discoverer would cache them in a file in the temporary folder.
    """

    def __init__(self, client: Any, cache_file: str | None) -> None:
        del cache_file
        self._client = client
        self._found: dict[tuple[str, str], Any] = {}

    def find(self, api_version: str, kind: str) -> Any:
        """Return the client's description of a kind, None if there is none."""
        if (api_version, kind) not in self._found:
            self._found |= self._kinds_of(api_version)
        return self._found.get((api_version, kind))

    def _kinds_of(self, api_version: str) -> dict[tuple[str, str], Any]:
        dynamic = client_module("kubernetes.dynamic.resource")
        group, _, version = api_version.rpartition("/")
        prefix = "apis" if group else "api"
        not_found = client_module("kubernetes.dynamic.exceptions").NotFoundError
        try:
            response = self._client.request(
                "get", f"/{prefix}/{api_version}", serialize=False, _request_timeout=_TIMEOUTS_S
            )
            listed = msgspec.convert(answer_in(api_version, response), _ListedKinds)
        except not_found:
            return {}
        except msgspec.ValidationError as error:
            raise DriverError(f"{api_version}: {UNREADABLE}: {error}") from None
        return {
            (api_version, resource.kind): dynamic.Resource(
                prefix=prefix,
                group=group,
                api_version=version,
                kind=resource.kind,
                name=resource.name,
                namespaced=resource.namespaced,
                client=self._client,
            )
            for resource in listed.resources or ()
            if "/" not in resource.name
        }


def _as_object(key: ObjectKey, answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer that is an object of a cluster, which has a uid.

    Raises:
        DriverError: it is something else.
    """
    if not isinstance(traverse(answer, "metadata:uid"), str):
        raise DriverError(f"{key}: {UNREADABLE}: it is not an object with a uid")
    return answer


@contextmanager
def _valid_kubeconfig() -> Generator[None]:
    """Convert what the client raises for a kubeconfig of another shape; the error may quote its secrets."""
    import yaml

    try:
        yield
    except (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise DriverError("the kubeconfig is invalid: it is not a kubeconfig in YAML") from None
