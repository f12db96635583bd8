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
    from collections.abc import Callable, Generator, Iterator, Mapping

FIELD_MANAGER: Final = "ensue"
"""The field manager of applied objects."""

_TIMEOUTS_S: Final = (10, 60)
"""The timeouts for a connection and for an answer, in seconds."""
_LONGEST_WATCH_S: Final = 5
"""A watch is reopened after this time, so that a dead connection and a `stop` are noticed."""
_WATCH_GRACE_S: Final = 10
"""A server that has not ended a watch this long after its time is not waited for."""
_UNREADABLE: Final = "the answer of the API server cannot be read"
_END: Final = object()
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


class _SilentError(DriverError):
    """The API server began an answer and does not go on."""


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

    def __init__(self, access: Access) -> None:
        config, dynamic = _module("kubernetes.config"), _module("kubernetes.dynamic")
        self._watch: Any = _module("kubernetes.watch").Watch()
        self._stopped = threading.Event()
        chosen = {"context": access.context or None}
        contexts: Any
        with _as_driver_error("the kubeconfig"), _valid_kubeconfig():
            if access.path:
                client = config.new_client_from_config(access.path, persist_config=False, **chosen)
                contexts, current = config.list_kube_config_contexts(access.path)
                active = current["name"]
            else:
                contexts = access.kubeconfig.get("contexts") or []
                active = access.kubeconfig.get("current-context") or ""
                client = config.new_client_from_config_dict(access.kubeconfig, persist_config=False, **chosen)
        wanted = access.context or active
        named = (traverse(one, "context:namespace") for one in contexts if one["name"] == wanted)
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
            found = self.find(key)
            if found is None:
                raise DriverError(f"{key} was deleted during the wait")
            if is_done(found):
                return True
            if (left := end - time.monotonic()) <= 0:
                return False
            for event in self._events(key, max(1, round(min(left, _LONGEST_WATCH_S)))):
                if self._stopped.is_set() or event.get("type") == "DELETED":
                    break
                if is_mapping(found := event.get("raw_object")) and is_done(found):
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
                with _as_driver_error(str(key)), _readable(str(key)):
                    event = next(events, _END)
            except _SilentError:
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
            response = function(
                kind, name=key.name, **where, serialize=False, _request_timeout=_TIMEOUTS_S, **options
            )
            return _answer(str(key), response)


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
            response = self._client.request(
                "get", f"/{prefix}/{api_version}", serialize=False, _request_timeout=_TIMEOUTS_S
            )
            listed = msgspec.convert(_answer(api_version, response), _ListedKinds)
        except not_found:
            return {}
        except msgspec.ValidationError as error:
            raise DriverError(f"{api_version}: {_UNREADABLE}: {error}") from None
        return {
            (api_version, one.kind): dynamic.Resource(
                prefix=prefix,
                group=group,
                api_version=version,
                kind=one.kind,
                name=one.name,
                namespaced=one.namespaced,
                client=self._client,
            )
            for one in listed.resources or ()
            if "/" not in one.name
        }


def _answer(what: str, response: Any) -> dict[str, Any]:
    """Return the answer of the API server, which may be anything.

    Raises:
        DriverError: it is not a mapping in JSON.
    """
    data = response.data
    with _readable(what):
        answer = load_json(data)
    if not is_mapping(answer):
        raise DriverError(f"{what}: {_UNREADABLE}: it is not a mapping")
    return answer


def _as_object(key: ObjectKey, answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer that is an object of a cluster, which has a uid.

    Raises:
        DriverError: it is something else.
    """
    if not isinstance(traverse(answer, "metadata:uid"), str):
        raise DriverError(f"{key}: {_UNREADABLE}: it is not an object with a uid")
    return answer


@contextmanager
def _readable(what: str) -> Generator[None]:
    """Convert what a parser raises to a DriverError; the client's parser of a watch checks nothing."""
    try:
        yield
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DriverError(f"{what}: {_UNREADABLE}") from None


@contextmanager
def _valid_kubeconfig() -> Generator[None]:
    """Convert what the client raises for a kubeconfig of another shape; the error may quote its secrets."""
    import yaml

    try:
        yield
    except (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise DriverError("the kubeconfig is invalid: it is not a kubeconfig in YAML") from None


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
    except transport.ReadTimeoutError as error:
        raise _SilentError(f"{what}: the cluster cannot be reached: {error}") from None
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
