"""A stand-in for the API server of Kubernetes: the part of its HTTP API that the driver uses, over real TLS.

It is not the real one. It has no schemas, defaulting or controllers; lists are applied as a whole. With
`ENSUE_TEST_KUBECONFIG=/path/to/kubeconfig` the tests use the real cluster that it names in its place.
"""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
import http.server
import ipaddress
import json
import queue
import ssl
import threading
import uuid
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

TOKEN = "token-of-the-stand-in"

_KINDS: dict[str, list[tuple[str, str, bool]]] = {
    "v1": [
        ("namespaces", "Namespace", False),
        ("configmaps", "ConfigMap", True),
        ("secrets", "Secret", True),
        ("services", "Service", True),
    ],
    "apps/v1": [("deployments", "Deployment", True)],
    "networking.k8s.io/v1": [("ingresses", "Ingress", True)],
    "apiextensions.k8s.io/v1": [("customresourcedefinitions", "CustomResourceDefinition", False)],
}
_OWN = ("apiVersion", "kind", "metadata.name", "metadata.namespace")


class RefusedError(Exception):
    """An answer that is an error."""

    def __init__(self, code: int, reason: str, message: str, causes: list[str] | None = None) -> None:
        self.code = code
        self.status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "code": code,
            "reason": reason,
            "message": message,
            "details": {"causes": [{"field": cause} for cause in causes or ()]},
        }
        super().__init__(message)


class Objects:
    """The objects of a cluster by path, and who watches them.

    A test may set what the server answers in place of them.

    Args:
        refusal: the error that it answers to everything.
        answer: the status and the body that it answers to everything.
        event: the line that each watch begins with.
        silent: `GET` and `WATCH`, which it does not answer.
        is_forgetful: whether it knows no changes that are older than the last one.
        is_closing: set when the server ends.
    """

    def __init__(self) -> None:
        self.refusal: RefusedError | None = None
        self.answer: tuple[int, bytes] | None = None
        self.event: bytes | None = None
        self.silent: set[str] = set()
        self.is_forgetful = False
        self.is_closing = threading.Event()
        self.lock = threading.RLock()
        self.kinds = copy.deepcopy(_KINDS)
        self.stored: dict[str, dict[str, Any]] = {}
        self.watchers: list[tuple[str, queue.Queue[Any]]] = []
        self.is_watched = threading.Event()
        self.version = 0
        self.apply("/api/v1/namespaces/default", {"metadata": {"name": "default"}}, {})

    def apply(self, path: str, body: dict[str, Any], query: dict[str, str]) -> dict[str, Any]:
        """Merge a manifest into an object: fields belong to the manager that applied them."""
        with self.lock:
            parts = path.split("/")
            if "namespaces" in parts[:-2]:
                home = f"/api/v1/namespaces/{parts[parts.index('namespaces') + 1]}"
                if home not in self.stored:
                    name = home.rpartition("/")[2]
                    raise RefusedError(404, "NotFound", f'namespaces "{name}" not found')
            manager = query.get("fieldManager", "test")
            before = self.stored.get(path)
            now = copy.deepcopy(before) if before else self._new(path, body)
            owned: dict[str, list[str]] = now["metadata"].pop("_owned", {})
            applied = {field: value for field, value in _leaves(body) if field not in _OWN}
            self._check(now, owned, applied, manager, force=query.get("force", "").lower() == "true")
            for gone in set(owned.get(manager, ())) - applied.keys():
                if not any(gone in fields for name, fields in owned.items() if name != manager):
                    _remove(now, gone.split("."))
            for field, value in applied.items():
                _set(now, field.split("."), value)
            owned[manager] = sorted(applied)
            now["metadata"]["_owned"] = owned
            now["metadata"]["managedFields"] = [{"manager": name, "operation": "Apply"} for name in owned]
            if query.get("dryRun") == "All":
                return now
            return before if before is not None and before == now else self._store(path, now)

    def change(self, path: str, name: str, value: Any) -> None:
        """Change an object as a controller does."""
        with self.lock:
            now = copy.deepcopy(self.stored[path])
            now[name] = value
            self._store(path, now)

    def delete(self, path: str, uid: str) -> dict[str, Any]:
        """Delete an object, and with a namespace what is in it."""
        with self.lock:
            deleted = self.get(path)
            if uid and uid != deleted["metadata"]["uid"]:
                raise RefusedError(409, "Conflict", f"Precondition failed: UID in precondition: {uid}")
            for place in [place for place in self.stored if place == path or place.startswith(f"{path}/")]:
                self._tell(place, "DELETED", self.stored.pop(place))
            return deleted

    def get(self, path: str) -> dict[str, Any]:
        """Return an object."""
        with self.lock:
            if path not in self.stored:
                kind, name = path.split("/")[-2:]
                raise RefusedError(404, "NotFound", f'{kind} "{name}" not found')
            return self.stored[path]

    def _new(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        parts = path.split("/")
        metadata = {"name": parts[-1], "uid": str(uuid.uuid4()), "resourceVersion": "0", "generation": 1}
        if "namespaces" in parts[:-2]:
            metadata["namespace"] = parts[parts.index("namespaces") + 1]
        return {
            "apiVersion": body.get("apiVersion", "v1"),
            "kind": body.get("kind", ""),
            "metadata": metadata,
        }

    def _check(
        self,
        now: dict[str, Any],
        owned: dict[str, list[str]],
        applied: dict[str, Any],
        manager: str,
        *,
        force: bool,
    ) -> None:
        taken = {
            field: name
            for name, fields in owned.items()
            for field in fields
            if name != manager and field in applied and _get(now, field.split(".")) != applied[field]
        }
        if taken and not force:
            who = ", ".join(f'conflict with "{name}": .{field}' for field, name in taken.items())
            message = f"Apply failed with {len(taken)} conflict: {who}"
            raise RefusedError(409, "Conflict", message, [f".{field}" for field in taken])
        for field, name in taken.items():
            owned[name].remove(field)

    def _store(self, path: str, now: dict[str, Any]) -> dict[str, Any]:
        self.version += 1
        is_new = path not in self.stored
        now["metadata"]["resourceVersion"] = str(self.version)
        self.stored[path] = now
        self._tell(path, "ADDED" if is_new else "MODIFIED", now)
        if now["kind"] == "CustomResourceDefinition" and is_new:
            # As of the real one: there are no conditions in the answer to the request that made it.
            now["status"] = {"conditions": None}
            threading.Timer(0, self._establish, (path, copy.deepcopy(now))).start()
        return self.stored[path]

    def _establish(self, path: str, now: dict[str, Any]) -> None:
        spec = now["spec"]
        with self.lock:
            self._serve(spec)
            self.change(path, "status", {"conditions": [{"type": "Established", "status": "True"}]})

    def _serve(self, spec: dict[str, Any]) -> None:
        for version in spec["versions"]:
            named = (spec["names"]["plural"], spec["names"]["kind"], spec["scope"] == "Namespaced")
            self.kinds.setdefault(f"{spec['group']}/{version['name']}", []).append(named)

    def _tell(self, path: str, kind: str, changed: dict[str, Any]) -> None:
        for watched, events in self.watchers:
            if watched == path:
                events.put({"type": kind, "object": changed})


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    objects: Objects

    def do_GET(self) -> None:
        self._answered(self._get)

    def do_PATCH(self) -> None:
        self._answered(lambda path, query: self.objects.apply(path, self._body(), query))

    def do_DELETE(self) -> None:
        def deleted(path: str, _: dict[str, str]) -> dict[str, Any]:
            options = self._body()
            return self.objects.delete(path, (options.get("preconditions") or {}).get("uid", ""))

        self._answered(deleted)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def _answered(self, answer: Any) -> None:
        split = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(split.query).items()}
        try:
            self._check_token()
            if self.objects.answer is not None:
                self._body()  # or it would be read as the next request
                self._send_bytes(*self.objects.answer)
                return
            if self.objects.refusal is not None:
                self._body()
                raise self.objects.refusal
            reply = answer(split.path, query)
        except RefusedError as refusal:
            self._send(refusal.code, refusal.status)
        else:
            if reply is not None:
                self._send(200, reply)

    def _check_token(self) -> None:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise RefusedError(401, "Unauthorized", "Unauthorized")

    def _get(self, path: str, query: dict[str, str]) -> dict[str, Any] | None:
        version = path.removeprefix("/apis/").removeprefix("/api/")
        if version in self.objects.kinds:
            listed = [
                {"name": plural, "kind": kind, "namespaced": namespaced, "verbs": []}
                for plural, kind, namespaced in self.objects.kinds[version]
            ]
            return {"kind": "APIResourceList", "groupVersion": version, "resources": listed}
        if query.get("watch", "").lower() == "true":
            name = query["fieldSelector"].removeprefix("metadata.name=")
            self._watch(f"{path}/{name}", int(query.get("resourceVersion", 0)), int(query["timeoutSeconds"]))
            return None
        if "GET" in self.objects.silent:
            self.objects.is_closing.wait(60)
        return self.objects.get(path)

    def _watch(self, path: str, since: int, timeout_s: int) -> None:
        events: queue.Queue[Any] = queue.Queue()
        with self.objects.lock:
            self.objects.watchers.append((path, events))
            current = self.objects.stored.get(path)
            if self.objects.is_forgetful and 0 < since < self.objects.version:
                status = RefusedError(410, "Expired", f"too old resource version: {since}").status
                events.put({"type": "ERROR", "object": status})
            elif current is not None and int(current["metadata"]["resourceVersion"]) > since:
                events.put({"type": "MODIFIED", "object": current})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if "WATCH" in self.objects.silent:
            self.objects.is_closing.wait(60)
        if self.objects.event is not None:
            line = self.objects.event + b"\n"
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        self.objects.is_watched.set()
        end = dt.datetime.now(tz=dt.UTC) + dt.timedelta(seconds=timeout_s)
        with contextlib.suppress(queue.Empty, OSError):
            while (left := (end - dt.datetime.now(tz=dt.UTC)).total_seconds()) > 0:
                line = json.dumps(events.get(timeout=left)).encode() + b"\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
        with contextlib.suppress(OSError):
            self.wfile.write(b"0\r\n\r\n")

    def _body(self) -> dict[str, Any]:
        length = int(self.headers.get("Content-Length") or 0)
        return json.loads(self.rfile.read(length) or b"{}")

    def _send(self, code: int, answer: dict[str, Any]) -> None:
        self._send_bytes(code, json.dumps(answer).encode())

    def _send_bytes(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextlib.contextmanager
def running_kube_api(folder: Path) -> Generator[tuple[dict[str, Any], Objects]]:
    """Start the stand-in with a certificate of its own; yield a kubeconfig and its objects."""
    certificate, key = _certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    objects = Objects()
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), type("OwnHandler", (Handler,), {"objects": objects})
    )
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign] # a client may hang up
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        cluster = {
            "server": f"https://127.0.0.1:{server.server_address[1]}",
            "certificate-authority": str(certificate),
        }
        yield (
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "c", "cluster": cluster}],
                "users": [{"name": "u", "user": {"token": TOKEN}}],
                "contexts": [{"name": "test", "context": {"cluster": "c", "user": "u"}}],
                "current-context": "test",
            },
            objects,
        )
    finally:
        objects.is_closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _certificate(folder: Path) -> tuple[Path, Path]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "stand-in")])
    now = dt.datetime.now(tz=dt.UTC)
    own_key = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(own_key, critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own_key), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "api.crt", folder / "api.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return certificate, private


def _leaves(data: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        path = f"{above}.{name}" if above else name
        if isinstance(value, dict) and value:
            yield from _leaves(value, path)
        else:
            yield path, value


def _get(data: dict[str, Any], path: list[str]) -> Any:
    value: Any = data
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _set(data: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        data = data.setdefault(name, {})
    data[path[-1]] = value


def _remove(data: dict[str, Any], path: list[str]) -> None:
    for name in path[:-1]:
        data = data.get(name, {})
    data.pop(path[-1], None)
