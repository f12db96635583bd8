"""Reads Score files: one workload each, with the resources it requires.

A resource with an `id` is shared by all workloads that name it; one without belongs to its workload. The
types `environment` and `service` are values of the environment, unless a definition is for them.

Source: the Score specification, score.dev/v1b1; resource graph document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.model.data import is_mapping
from ensue.core.model.paths import AbsentKeyError, value_at
from ensue.deploy.provisioning.declared_params import read_params
from ensue.deploy.provisioning.identity import DEFAULT_CLASS, ResourceKey
from ensue.deploy.provisioning.named_resources import by_name
from ensue.deploy.provisioning.placeholder_values import (
    Dialect,
    FileConstant,
    FromOutside,
    PathRefusal,
    context_meaning,
)
from ensue.deploy.provisioning.score_containers import ContainerSourceFile, ContainersReader, Read
from ensue.deploy.provisioning.score_keys import warn_of_unknown_keys
from ensue.deploy.provisioning.shapes import Shape
from ensue.deploy.provisioning.workloads import APPLICATION_KINDS, Request, Workload, private_id, shared_id
from ensue.deploy.provisioning.written import TextPlace, WrittenReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.deploy.provisioning.placeholder_values import Meaning, PathPart
    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument

API_VERSION: Final = "score.dev/v1b1"
_TOP: Final = ("apiVersion", "metadata", "service", "containers", "resources")
_RESOURCE: Final = ("type", "class", "id", "metadata", "params")
_SERVICE: Final = ("ports",)
_PORT: Final = ("port", "protocol", "targetPort")


class ScoreServices(NamedTuple):
    """What the reading of a Score file asks beyond its text.

    Args:
        is_defined: returns whether a definition is for a resource.
        read_source: returns the file that a container's `source` names; None: it cannot be read.
    """

    is_defined: Callable[[ResourceKey], bool]
    read_source: Callable[[str], ContainerSourceFile | None]


def is_score(data: Any) -> bool:
    """Return whether a file's data is meant as a Score file."""
    return is_mapping(data) and str(data.get("apiVersion", "")).startswith("score.dev/")


def read_score(
    data: dict[str, Any], document: YamlDocument, collector: Collector, services: ScoreServices
) -> Workload | None:
    """Return the workload of a Score file, None if it has no usable name.

    Args:
        data: the file's data.
        document: the file, for places.
        collector: receives the errors.
        services: the definitions, and the files that containers name.
    """
    return _ScoreReader(document, collector, services).read(data)


class _ScoreReader:
    def __init__(self, document: YamlDocument, collector: Collector, services: ScoreServices) -> None:
        self._collector = collector
        self._services = services
        self._shape = Shape("E0814", collector)
        self._top = TextPlace(document)
        self._keys: dict[str, ResourceKey] = {}
        self._outside: dict[str, FromOutside] = {}

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
            grammar="score",
        )
        requests = tuple(self._request(key, resources[key], dialect) for key in self._keys)
        reader = WrittenReader(self._collector)
        containers = ContainersReader(reader, dialect, self._services.read_source, shape)
        runs = self._runs(data, containers)
        ports = containers.passed_on(self._ports(data.get("service")), place.below("service", "ports"))
        if not name:
            return None
        module = reader.written(
            _module(name, {key: run.data for key, run in runs.items()}, ports.data),
            _module(name, {key: run.source for key, run in runs.items()}, ports.source),
            place,
        )
        return Workload(name=name, module=module, requests=requests, place=place.below("metadata", "name"))

    def _resources(self, given: Any, workload: str) -> dict[str, dict[str, Any]]:
        """Check the declarations, and record which resource each of them names."""
        shape, place = self._shape, self._top.below("resources")
        mapping = shape.mapping(given, "'resources'", place)
        checked: dict[str, dict[str, Any]] = {}
        for name, value in sorted(mapping.items()):
            inside = place.below(name)
            what = f"the resource {name!r}"
            checked[name] = shape.mapping(value, what, inside, _RESOURCE)
            type_ = shape.required(checked[name], "type", what, inside)
            class_ = shape.text(checked[name].get("class"), f"'class' of {what}", inside.below("class"))
            id_ = shape.text(checked[name].get("id"), f"'id' of {what}", inside.below("id"))
            full = shared_id(id_) if id_ else private_id(workload, name)
            key = ResourceKey(type_, class_ or DEFAULT_CLASS, full)
            if not type_ or (type_ in APPLICATION_KINDS and not self._services.is_defined(key)):
                # A resource without a type is refused already; references to it are not reported.
                service = (id_ or name).rpartition(".")[2]
                self._outside[name] = FromOutside(type_, (name,), service)
            else:
                self._keys[name] = key
        return checked

    def _request(self, name: str, declared: dict[str, Any], dialect: Dialect) -> Request:
        place = self._top.below("resources", name)
        params = read_params(declared, name, dialect, place, self._shape)
        return Request(key=self._keys[name], params=params, place=place)

    def _runs(self, data: dict[str, Any], reader: ContainersReader) -> dict[str, Read]:
        """Check and read the containers."""
        shape, place = self._shape, self._top.below("containers")
        containers = shape.mapping(data.get("containers"), "'containers'", place)
        if data.get("containers") in (None, {}):
            shape.wrong("a Score file has no containers", self._top, "add `containers:` with at least one")
        read: dict[str, Read] = {}
        for name, value in containers.items():
            container = shape.mapping(value, f"the container {name!r}", place.below(name))
            warn_of_unknown_keys(name, container, place.below(name), self._collector)
            what = f"'image' of the container {name!r}"
            shape.text(container.get("image"), what, place.below(name, "image"))
            read[name] = reader.read(container, place.below(name))
        return read

    def _ports(self, given: Any) -> dict[str, dict[str, Any]]:
        shape, place = self._shape, self._top.below("service")
        service = shape.mapping(given, "'service'", place, _SERVICE)
        ports = shape.mapping(service.get("ports"), "'ports' of the service", place.below("ports"))
        read: dict[str, dict[str, Any]] = {}
        for name, port in ports.items():
            inside = place.below("ports", name)
            read[name] = shape.mapping(port, f"the port {name!r}", inside, _PORT)
            if read[name].get("port") is None:
                shape.wrong(f"the port {name!r} has no 'port'", inside, "add `port: NUMBER`")
        return read


def _module(name: str, containers: dict[str, Any], ports: dict[str, Any]) -> dict[str, Any]:
    """Return the containers and the ports of the service as a module of a deployment set."""
    spec: dict[str, Any] = {"containers": containers}
    if ports:
        spec["service"] = {"ports": {port: _port(given) for port, given in ports.items()}}
    return {"id": name, "spec": spec}


def _port(given: dict[str, Any]) -> dict[str, Any]:
    port = given.get("port")
    return {
        "service_port": port,
        "container_port": given.get("targetPort", port),
        "protocol": given.get("protocol", "TCP"),
    }


def _metadata_reader(metadata: dict[str, Any]) -> Callable[[Sequence[PathPart]], Meaning | PathRefusal]:
    def read(path: Sequence[PathPart]) -> Meaning | PathRefusal:
        if not path:
            return PathRefusal("it names no value", "write ${metadata.name}")
        try:
            return FileConstant(value_at(metadata, (part.text for part in path)))
        except AbsentKeyError as error:
            reason = f"the metadata has no {'.'.join(error.place)!r}"
            return PathRefusal(reason, error.hint(), is_undeclared=True)

    return read
