"""Workloads as one Docker Compose file.

Each container is a service. Containers of one workload share their network, as those of a pod do, and the
workload is reached by its name. What compose cannot express is left out, with a warning.

Source: the Compose specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping, mapped
from ensue.workload_output.documents import Document
from ensue.workload_output.findings import text_of
from ensue.workload_output.names import digest, label
from ensue.workload_output.quantities import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.workload_output.containers import ContainerFile, Mount, WorkloadContainer
    from ensue.workload_output.modules import Port, WorkloadModule

_FURTHER: Final = {"workingDir": "working_dir", "stdin": "stdin_open", "tty": "tty"}
_PULL_POLICIES: Final = {"Always": "always", "IfNotPresent": "missing", "Never": "never"}
_CONDITIONS: Final = {
    "started": "service_started",
    "healthy": "service_healthy",
    "complete": "service_completed_successfully",
}
_TIMES: Final = {
    "initialDelaySeconds": "start_period",
    "periodSeconds": "interval",
    "timeoutSeconds": "timeout",
}
_RESERVED: Final = {"limits": "limits", "requests": "reservations"}
_LIMITS: Final = {"cpu": "cpus", "memory": "memory"}


def compose_document(modules: Sequence[WorkloadModule]) -> list[Document]:
    """Return the single document of a deployment; all of it is secret if a workload has a secret.

    Args:
        modules: the workloads; what is left out of one is noted in its findings.
    """
    compose = _Compose()
    for module in modules:
        compose.add(module)
    is_secret = any(module.workload.secret_paths for module in modules)
    return [Document(name="compose", data=compose.data(), secret_paths=("",) if is_secret else ())]


_NOTHING: Final = "compose has no equivalent"


class _Compose:
    """Builds one compose file."""

    def __init__(self) -> None:
        self.services: dict[str, Any] = {}
        self.configs: dict[str, Any] = {}
        self.volumes: dict[str, Any] = {}
        self._published: dict[tuple[int, str], str] = {}

    def data(self) -> dict[str, Any]:
        """Return the file's data; dollar signs are escaped, so that compose reads no variables."""
        parts = {"services": self.services, "configs": self.configs, "volumes": self.volumes}
        return {name: _escaped(part) for name, part in parts.items() if part}

    def add(self, module: WorkloadModule) -> None:
        """Add the services of a workload."""
        names = _service_names(module)
        shared = [container for container in module.containers if not container.before]
        main = shared[0].name if shared else ""
        for container in module.containers:
            name = names[container.name]
            if name in self.services:
                module.findings.wrong(f"has the service {name!r}, as another workload does", container.path)
            service = _Service(module, container, self)
            self.services[name] = service.written(names, main)
        _note_left_out(module)

    def publish(self, port: Port, module: WorkloadModule) -> dict[str, Any]:
        """Return a port of a service; the first workload that requests a port of the host gets it."""
        written: dict[str, Any] = {"name": label(port.name), "target": port.container_port}
        taken = (port.service_port, port.protocol)
        workload = module.workload.name
        if self._published.setdefault(taken, workload) == workload and not _is_scaled(module):
            written["published"] = str(port.service_port)
        else:
            module.findings.left_out(
                f"the port {port.service_port} of the host",
                "it would be used twice, so compose chooses a free one",
            )
        return {**written, "protocol": port.protocol.lower()}


class _Service:
    """Writes one container as a service."""

    def __init__(self, module: WorkloadModule, container: WorkloadContainer, compose: _Compose) -> None:
        self._module = module
        self._container = container
        self._compose = compose
        self._found = module.findings

    def written(self, names: dict[str, str], main: str) -> dict[str, Any]:
        """Return the service.

        Args:
            names: the services of the workload's containers.
            main: the container whose network the workload uses.
        """
        container = self._container
        service = {
            "image": container.image,
            "entrypoint": None if container.command is None else [*map(text_of, container.command)],
            "command": None if container.args is None else [*map(text_of, container.args)],
            "environment": self._environment(),
            **self._network(names, main),
            "depends_on": self._depends_on(names),
            "healthcheck": self._healthcheck(),
            "configs": [self._config(names[container.name], file) for file in container.files],
            "volumes": [self._volume(mount) for mount in container.mounts],
            "deploy": self._deploy(is_alone=len(names) == 1),
            **self._further(),
            "labels": dict(self._module.pod.labels),
            "annotations": dict(self._module.pod.annotations),
        }
        return {name: value for name, value in service.items() if value not in (None, [], {})}

    def _environment(self) -> dict[str, str]:
        environment = {variable.name: variable.text for variable in self._container.variables}
        for entry in self._container.environment:
            if is_mapping(entry) and "valueFrom" not in entry:
                environment[text_of(entry.get("name"))] = text_of(entry.get("value"))
            else:
                name = text_of(entry.get("name")) if is_mapping(entry) else ""
                self._loses(f"the variable {name!r}", "its value is in another object")
        return {name: environment[name] for name in sorted(environment)}

    def _network(self, names: dict[str, str], main: str) -> dict[str, Any]:
        name = self._container.name
        if name != main:
            return {} if self._container.before else {"network_mode": f"service:{names[main]}"}
        alias = label(self._module.workload.name)
        return {
            **({"networks": {"default": {"aliases": [alias]}}} if names[name] != alias else {}),
            "ports": [self._compose.publish(port, self._module) for port in self._module.ports],
        }

    def _depends_on(self, names: dict[str, str]) -> dict[str, Any]:
        waits: dict[str, Any] = {}
        for other in self._module.containers:
            ready = other.before.get(self._container.name)
            if ready == "healthy" and _exec_probe(other) is None:
                self._loses(f"waiting until {other.name!r} is healthy", "it has no probe with a command")
                ready = "started"
            if ready is not None:
                waits[names[other.name]] = {"condition": _CONDITIONS[ready]}
        return waits

    def _healthcheck(self) -> dict[str, Any]:
        probes = self._container.probes
        if probes and _exec_probe(self._container) is None:
            self._loses("probes", "compose supports only commands")
        probe = _exec_probe(self._container)
        if probe is None:
            return {}
        return {
            "test": ["CMD", *map(text_of, probe["exec"].get("command") or [])],
            **{own: f"{probe[name]}s" for name, own in _TIMES.items() if name in probe},
            **({"retries": probe["failureThreshold"]} if "failureThreshold" in probe else {}),
        }

    def _config(self, service: str, file: ContainerFile) -> dict[str, Any]:
        name = f"{service}-{digest(file.target.encode('utf-8', 'replace'))[:8]}"
        if file.text is None:
            self._found.wrong(
                f"has the file {file.target!r}, which is not text", help_="a compose file contains text only"
            )
        self._compose.configs[name] = {"content": file.text}
        return {"source": name, "target": file.target, **({} if file.mode is None else {"mode": file.mode})}

    def _volume(self, mount: Mount) -> dict[str, Any]:
        # A workload refers to its private resources by name alone, or by id.
        prefix = f"modules.{self._module.workload.name}."
        is_private = mount.volume.startswith("externals.")
        name = label(f"{prefix}{mount.volume}" if is_private else mount.volume)
        self._compose.volumes[name] = {}
        return {
            "type": "volume",
            "source": name,
            "target": mount.target,
            **({"read_only": True} if mount.is_read_only else {}),
            **({"volume": {"subpath": mount.sub_path.lstrip("/")}} if mount.sub_path.strip("/") else {}),
        }

    def _deploy(self, *, is_alone: bool) -> dict[str, Any]:
        replicas = self._module.deployment.fields.get("replicas")
        if not is_alone:  # every replica of a container would share the network of the same main container
            replicas = None
        resources: dict[str, Any] = {}
        for given, own in _RESERVED.items():
            of = self._found.mapping(
                self._container.resources.get(given), (*self._container.path, "resources", given)
            )
            if written := self._limits(of):
                resources[own] = written
        return {
            **({"replicas": replicas} if replicas is not None else {}),
            **({"resources": resources} if resources else {}),
        }

    def _limits(self, given: dict[str, Any]) -> dict[str, str]:
        written: dict[str, str] = {}
        for name in sorted(given):
            number = quantity(given[name])
            if number is None:
                self._found.wrong(
                    "is not a quantity such as 500m or 128Mi", (*self._container.path, "resources", name)
                )
            elif name not in _LIMITS:
                self._loses(f"a limit of {name}")
            else:
                written[_LIMITS[name]] = f"{number.normalize():f}" if name == "cpu" else f"{int(number)}"
        return written

    def _further(self) -> dict[str, Any]:
        given = self._container.further
        written = {own: given[name] for name, own in _FURTHER.items() if name in given}
        policy = given.get("imagePullPolicy")
        if isinstance(policy, str) and policy in _PULL_POLICIES:
            written["pull_policy"] = _PULL_POLICIES[policy]
        if lost := sorted(given.keys() - _FURTHER.keys() - {"imagePullPolicy"}):
            self._loses(", ".join(lost))
        return written

    def _loses(self, what: str, why: str = _NOTHING) -> None:
        self._found.left_out(f"{what} of the container {self._container.name!r}", why)


def _service_names(module: WorkloadModule) -> dict[str, str]:
    """Return the service name per container: the workload's, plus the container's if there are several."""
    workload = module.workload.name
    if len(module.containers) == 1:
        return {module.containers[0].name: label(workload)}
    return {container.name: label(f"{workload}-{container.name}") for container in module.containers}


def _exec_probe(container: WorkloadContainer) -> dict[str, Any] | None:
    for name in ("readinessProbe", "livenessProbe", "startupProbe"):
        probe = container.probes.get(name)
        if is_mapping(probe) and is_mapping(probe.get("exec")):
            return probe
    return None


def _is_scaled(module: WorkloadModule) -> bool:
    return len(module.containers) == 1 and (module.deployment.fields.get("replicas") or 1) > 1


def _note_left_out(module: WorkloadModule) -> None:
    lost = [
        *sorted(module.pod.fields),
        *sorted(module.deployment.fields.keys() - ({"replicas"} if len(module.containers) == 1 else set())),
        *(f"service {name}" for name in sorted(module.service.fields)),
    ]
    if lost:
        module.findings.left_out(", ".join(lost), _NOTHING)
    brought = sorted(
        {manifest.name for manifest in module.workload.manifests if manifest.location != "volumes"}
    )
    if brought:
        module.findings.left_out(f"the manifests {', '.join(brought)}", _NOTHING)


def _escaped(value: Any) -> Any:
    """Return data with its dollar signs escaped, so that compose substitutes nothing."""
    return mapped(value, lambda leaf: leaf.replace("$", "$$") if isinstance(leaf, str) else leaf)
