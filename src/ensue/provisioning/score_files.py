"""Reads Score files: one workload each, with the resources it requires.

A resource with an `id` is shared by all workloads that name it; one without belongs to its workload.

Source: the Score specification, score.dev/v1b1; resource graph document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.model.data import is_list, is_mapping
from ensue.provisioning.declared_params import read_params
from ensue.provisioning.identity import DEFAULT_CLASS, Key
from ensue.provisioning.named_resources import by_name
from ensue.provisioning.placeholder_values import Constant, Dialect, Refusal, context_meaning
from ensue.provisioning.shapes import Shape
from ensue.provisioning.workloads import APPLICATION_KINDS, Request, Workload, private_id, shared_id
from ensue.provisioning.written import TextPlace, Written, read_written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument
    from ensue.provisioning.placeholder_values import Meaning, PathPart

API_VERSION: Final = "score.dev/v1b1"
_TOP: Final = ("apiVersion", "metadata", "service", "containers", "resources")
_RESOURCE: Final = ("type", "class", "id", "metadata", "params")
_SERVICE: Final = ("ports",)
_PORT: Final = ("port", "protocol", "targetPort")
_RENAMED: Final = {
    "livenessProbe": "liveness_probe",
    "readinessProbe": "readiness_probe",
    "volumes": "volume_mounts",
}
"""Keys of a container that a deployment set spells differently."""


def is_score(data: Any) -> bool:
    """Return whether a file's data is meant as a Score file."""
    return is_mapping(data) and str(data.get("apiVersion", "")).startswith("score.dev/")


def read_score(data: dict[str, Any], document: YamlDocument, found: Collector) -> Workload | None:
    """Return the workload of a Score file, None if it has no usable name.

    Args:
        data: the file's data.
        document: the file, for places.
        found: receives the errors.
    """
    return _Reader(document, found).read(data)


class _Reader:
    def __init__(self, document: YamlDocument, found: Collector) -> None:
        self._found = found
        self._shape = Shape("E0814", found)
        self._top = TextPlace(document)
        self._keys: dict[str, Key] = {}
        self._outside: dict[str, str] = {}

    def read(self, data: dict[str, Any]) -> Workload | None:
        shape, place = self._shape, self._top
        shape.mapping(data, "a Score file", place, _TOP)
        if data.get("apiVersion") != API_VERSION:
            shape.wrong(
                f"the apiVersion {data.get('apiVersion')!r} is unknown",
                place.below("apiVersion"),
                f"write `apiVersion: {API_VERSION}`",
            )
        metadata = shape.mapping(data.get("metadata"), "'metadata'", place.below("metadata"))
        name = shape.required(metadata, "name", "the file's metadata", place.below("metadata"))
        resources = self._resources(data.get("resources"), name)
        dialect = Dialect(
            {
                "resources": by_name("resources", self._keys, self._outside),
                "metadata": _metadata_reader(metadata),
                "context": context_meaning,
            },
            escapes_all=True,
        )
        runs = self._runs(data)
        requests = tuple(self._request(one, resources[one], dialect) for one in self._keys)
        read = read_written(runs, dialect, place, self._found)
        if not name:
            return None
        module = Written(_module(name, read.data), _module(name, read.source), read.mentions, place)
        return Workload(name=name, module=module, requests=requests, place=place.below("metadata", "name"))

    def _resources(self, given: Any, workload: str) -> dict[str, dict[str, Any]]:
        """Check the declarations, and record which resource each of them names."""
        shape, place = self._shape, self._top.below("resources")
        mapping = shape.mapping(given, "'resources'", place)
        checked: dict[str, dict[str, Any]] = {}
        for name, one in sorted(mapping.items()):
            inside = place.below(name)
            what = f"the resource {name!r}"
            checked[name] = shape.mapping(one, what, inside, _RESOURCE)
            type_ = shape.required(checked[name], "type", what, inside)
            class_ = shape.text(checked[name].get("class"), f"'class' of {what}", inside.below("class"))
            id_ = shape.text(checked[name].get("id"), f"'id' of {what}", inside.below("id"))
            if type_ in APPLICATION_KINDS or not type_:
                # A resource without a type is refused already; references to it are not reported.
                self._outside[name] = type_
            else:
                full = shared_id(id_) if id_ else private_id(workload, name)
                self._keys[name] = Key(type_, class_ or DEFAULT_CLASS, full)
        return checked

    def _request(self, name: str, declared: dict[str, Any], dialect: Dialect) -> Request:
        place = self._top.below("resources", name)
        params = read_params(declared, name, dialect, place, self._shape)
        return Request(key=self._keys[name], params=params, place=place)

    def _runs(self, data: dict[str, Any]) -> dict[str, Any]:
        """Check the containers and the service; return them as the file spells them, to find places."""
        shape, place = self._shape, self._top.below("containers")
        containers = shape.mapping(data.get("containers"), "'containers'", place)
        if data.get("containers") in (None, {}):
            shape.wrong("a Score file has no containers", self._top, "add `containers:` with at least one")
        checked = {
            name: shape.mapping(one, f"the container {name!r}", place.below(name))
            for name, one in containers.items()
        }
        return {"containers": checked, "service": {"ports": self._ports(data.get("service"))}}

    def _ports(self, given: Any) -> dict[str, dict[str, Any]]:
        shape, place = self._shape, self._top.below("service")
        service = shape.mapping(given, "'service'", place, _SERVICE)
        ports = shape.mapping(service.get("ports"), "'ports' of the service", place.below("ports"))
        read: dict[str, dict[str, Any]] = {}
        for name, one in ports.items():
            inside = place.below("ports", name)
            read[name] = shape.mapping(one, f"the port {name!r}", inside, _PORT)
            if read[name].get("port") is None:
                shape.wrong(f"the port {name!r} has no 'port'", inside, "add `port: NUMBER`")
        return read


def _module(name: str, runs: dict[str, Any]) -> dict[str, Any]:
    """Return the containers and the service as a module of a deployment set."""
    spec: dict[str, Any] = {
        "containers": {
            container: {_RENAMED.get(key, key): value for key, value in given.items()}
            for container, given in runs["containers"].items()
        }
    }
    if ports := runs["service"]["ports"]:
        spec["service"] = {"ports": {port: _port(given) for port, given in ports.items()}}
    return {"id": name, "spec": spec}


def _port(given: dict[str, Any]) -> dict[str, Any]:
    port = given.get("port")
    return {
        "service_port": port,
        "container_port": given.get("targetPort", port),
        "protocol": given.get("protocol", "TCP"),
    }


def _metadata_reader(metadata: dict[str, Any]) -> Callable[[Sequence[PathPart]], Meaning | Refusal]:
    def read(path: Sequence[PathPart]) -> Meaning | Refusal:
        value: Any = metadata
        for part in path:
            if is_mapping(value) and part.text in value:
                value = value[part.text]
            elif is_list(value) and part.text.isdecimal() and int(part.text) < len(value):
                value = value[int(part.text)]
            else:
                return Refusal(f"the metadata has no {part.text!r}", is_undeclared=True)
        return Constant(value) if path else Refusal("it names no value", "write ${metadata.name}")

    return read
