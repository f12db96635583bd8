"""Applies, reads, watches and deletes objects of any kind in a Kubernetes cluster, with the official client.

The client blocks, so every function here must run in a thread.

Source: Kubernetes, "Server-Side Apply", "API Concepts" (dry run, watch, preconditions); kubernetes-client,
`DynamicClient`.
"""

from __future__ import annotations

import importlib
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.errors import DriverError
from ensue.kubernetes.manifests import ObjectKey, key_of
from ensue.model.bounded_json import load_json
from ensue.model.data import is_list, is_mapping
from ensue.model.paths import traverse

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

FIELD_MANAGER: Final = "ensue"
"""The field manager of applied objects."""

_TIMEOUTS_S: Final = (10, 60)
"""The timeouts for a connection and for an answer, in seconds."""
_LONGEST_WATCH_S: Final = 5
"""A watch is reopened after this time, so that a dead connection and a `stop` are noticed."""
_NOT_FOUND: Final = 404
_CONFLICT: Final = 409


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """How to connect to a cluster.

    Args:
        kubeconfig: the content of a kubeconfig; empty to use `path`.
        path: the path of a kubeconfig file.
        context: the context in it; empty for its current one.
    """

    kubeconfig: dict[str, Any] = {}
    path: str = ""
    context: str = ""


class RefusedError(DriverError):
    """The API server refuses a request.

    Args:
        message: the server's message.
        status: the HTTP status.
    """

    def __init__(self, message: str, *, status: int) -> None:
        self.status = status
        super().__init__(message)


class Cluster:
    """A connection to a cluster.

    Args:
        access: how to connect to it.

    Raises:
        DriverError: the client is not installed, or the kubeconfig is invalid.
    """

    def __init__(self, access: Access) -> None:
        config, dynamic = _module("kubernetes.config"), _module("kubernetes.dynamic")
        self._watch: Any = _module("kubernetes.watch").Watch()
        self._stopped = threading.Event()
        chosen = {"context": access.context or None}
        with _as_driver_error("the kubeconfig"):
            if access.path:
                client = config.new_client_from_config(access.path, persist_config=False, **chosen)
                contexts, current = config.list_kube_config_contexts(access.path)
                active = current["name"]
            else:
                contexts, active = _contexts(access.kubeconfig)
                client = config.new_client_from_config_dict(access.kubeconfig, persist_config=False, **chosen)
        wanted = access.context or active
        named = (traverse(one, "context:namespace") for one in contexts if one.get("name") == wanted)
        self.namespace: str = next((one for one in named if one), "default")
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
            return self._call(key, self._client.get)
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
        return self._call(key, self._client.server_side_apply, body=manifest, **options)

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
        kind = self._kind(key.api_version, key.kind)
        where = {"namespace": key.namespace} if key.namespace else {}
        end = time.monotonic() + timeout_s
        while not self._stopped.is_set():
            found = self.find(key)
            if found is None:
                raise DriverError(f"{key} was deleted during the wait")
            if is_done(found):
                return True
            if (left := end - time.monotonic()) <= 0:
                return False
            version = found["metadata"]["resourceVersion"]
            longest = max(1, round(min(left, _LONGEST_WATCH_S)))
            if self._stopped.is_set():
                break
            with _as_driver_error(str(key)):
                events = self._client.watch(
                    kind,
                    name=key.name,
                    resource_version=version,
                    timeout=longest,
                    watcher=self._watch,
                    **where,
                )
                for event in events:
                    if self._stopped.is_set() or event["type"] == "DELETED" or is_done(event["raw_object"]):
                        break
        return False

    def _kind(self, api_version: str, kind: str) -> Any:
        with _as_driver_error(f"{api_version} {kind}"):
            found = self._client.resources.find(api_version, kind)
        if found is None:
            msg = f"the cluster has no kind {kind} of {api_version}"
            raise RefusedError(msg, status=_NOT_FOUND)
        return found

    def _call(self, key: ObjectKey, function: Callable[..., Any], **options: Any) -> dict[str, Any]:
        kind = self._kind(key.api_version, key.kind)
        where = {"namespace": key.namespace} if key.namespace else {}
        with _as_driver_error(str(key)):
            found: dict[str, Any] = function(
                kind, name=key.name, **where, serializer=_plain, _request_timeout=_TIMEOUTS_S, **options
            )
            return found


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
        dynamic = _module("kubernetes.dynamic.resource")
        group, _, version = api_version.rpartition("/")
        prefix = "apis" if group else "api"
        not_found = _module("kubernetes.dynamic.exceptions").NotFoundError
        try:
            listed = self._client.request(
                "get", f"/{prefix}/{api_version}", serializer=_plain, _request_timeout=_TIMEOUTS_S
            )
        except not_found:
            return {}
        return {
            (api_version, one["kind"]): dynamic.Resource(
                prefix=prefix,
                group=group,
                api_version=version,
                kind=one["kind"],
                name=one["name"],
                namespaced=one["namespaced"],
                client=self._client,
            )
            for one in listed.get("resources") or ()
            if "/" not in one["name"]
        }


def _contexts(kubeconfig: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
    return kubeconfig.get("contexts") or [], kubeconfig.get("current-context") or ""


def _plain(_client: Any, data: Any) -> Any:
    return data


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        msg = "the driver kubernetes requires the Kubernetes client: pip install 'ensue[kubernetes]'"
        raise DriverError(msg) from None


@contextmanager
def _as_driver_error(what: str) -> Generator[None]:
    """Convert errors of the client and the server to one-line DriverErrors."""
    rest = _module("kubernetes.client.exceptions")
    transport = _module("urllib3.exceptions")
    config = _module("kubernetes.config.config_exception")
    try:
        yield
    except rest.ApiException as error:
        status = int(error.status or 0)
        raise RefusedError(f"{what}: {_message(error)}", status=status) from None
    except config.ConfigException as error:
        raise DriverError(f"{what} is invalid: {error}") from None
    except (transport.HTTPError, OSError) as error:
        raise DriverError(f"{what}: the cluster cannot be reached: {error}") from None


def _message(error: Any) -> str:
    """Return the API server's message, with conflicting fields."""
    try:
        status = load_json(error.body)
    except (TypeError, ValueError):
        status = None
    if not is_mapping(status) or not status.get("message"):
        return f"{error.status} {error.reason}"
    details = status.get("details")
    causes: Any = details.get("causes") if is_mapping(details) else None
    if status.get("code") == _CONFLICT and is_list(causes):
        fields = ", ".join(str(one.get("field")) for one in causes if is_mapping(one))
        return f"{status['message']} (fields: {fields}; `force_conflicts: true` takes them over)"
    return str(status["message"])
