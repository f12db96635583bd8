"""Builds the pod of a workload: its containers and volumes, and the entries of its ConfigMap and Secret.

Files are mounted individually, so that other files of their folders stay visible. Secret variables and files
come from the Secret; the pod itself never contains a secret.

Source: the API reference of Kubernetes: PodSpec, Container, Volume; the Score specification for `before`.
"""

from __future__ import annotations

import graphlib
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping
from ensue.workload_output.findings import text_of
from ensue.workload_output.literals import expandable, expandable_container
from ensue.workload_output.names import key, label
from ensue.workload_output.secrecy import Secrecy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.workload_output.containers import ContainerFile, Mount, WorkloadContainer
    from ensue.workload_output.documents import Manifest
    from ensue.workload_output.modules import WorkloadModule
    from ensue.workload_output.pointers import Path

_FILES: Final = "workload-files"
_SECRET_FILES: Final = "workload-secret-files"  # noqa: S105 -- the name of a volume
_EXPOSED_HELP: Final = "give secrets to variables or files; a command and its arguments may name $(VARIABLE)"


class Pod:
    """Builds the spec of a workload's pod.

    Args:
        module: the workload.
        config_name: the name of its ConfigMap.
        secret_name: the name of its Secret.
    """

    def __init__(self, module: WorkloadModule, config_name: str, secret_name: str) -> None:
        self.config: dict[str, str | bytes] = {}
        """What the ConfigMap holds, complete after `spec`: texts, and bytes that are no text."""
        self.secrets: dict[str, bytes] = {}
        """What the Secret holds, complete after `spec`."""
        self._module = module
        self._found = module.findings
        self._config_name = config_name
        self._secret_name = secret_name
        self._items: dict[str, list[dict[str, Any]]] = {_FILES: [], _SECRET_FILES: []}
        self._of_resources: dict[str, str] = {}
        self._volumes: dict[str, dict[str, Any]] = {}

    def spec(self) -> dict[str, Any]:
        """Return the spec of the pod."""
        self._read_volumes()
        first, beside = self._in_order()
        waited_for = [self._init_container(container) for container in first]
        containers = [
            *map(self._container, beside),
            *(self._brought_container(manifest) for manifest in self._brought("containers")),
        ]
        names = Counter(text_of(container.get("name")) for container in (*waited_for, *containers))
        for name in sorted(name for name, times in names.items() if times > 1):
            self._found.wrong(f"has two containers {name!r}")
        fields = dict(self._module.pod.fields)
        init = [
            *self._found.items(fields.pop("initContainers", None), ("spec", "initContainers")),
            *waited_for,
        ]
        volumes = [*self._file_volumes(), *self._volumes.values()]
        self._check_secrets()
        return {
            **fields,
            **({"initContainers": [*map(expandable_container, init)]} if init else {}),
            "containers": [*map(expandable_container, containers)],
            **({"volumes": volumes} if volumes else {}),
        }

    def _brought(self, location: str) -> list[Manifest]:
        brought = [manifest for manifest in self._module.workload.manifests if manifest.location == location]
        return sorted(brought, key=lambda manifest: (manifest.resource, manifest.name))

    def _in_order(self) -> tuple[list[WorkloadContainer], list[WorkloadContainer]]:
        """Return the containers that others wait for, in starting order, and the rest."""
        containers = {container.name: container for container in self._module.containers}
        waits: dict[str, set[str]] = {name: set() for name in containers}
        for container in containers.values():
            for other in container.before:
                waits.setdefault(other, set()).add(container.name)
        try:
            order = list(graphlib.TopologicalSorter(waits).static_order())
        except graphlib.CycleError:
            self._found.wrong("has containers that wait for each other", ("spec", "containers"))
            order = []
        return (
            [containers[name] for name in order if name in containers and containers[name].before],
            [container_ for container_ in containers.values() if not container_.before],
        )

    def _init_container(self, container: WorkloadContainer) -> dict[str, Any]:
        """Return a container that others wait for; one that keeps running is restarted like the others."""
        rendered = self._container(container)
        if "complete" in container.before.values():
            if container.probes:
                self._found.left_out(f"probes of the container {container.name!r}", "it runs to its end")
            return {key: value for key, value in rendered.items() if key not in container.probes}
        if "healthy" in container.before.values() and "startupProbe" not in rendered:
            probe = container.probes.get("readinessProbe", container.probes.get("livenessProbe"))
            if probe is None:
                self._found.left_out(
                    f"waiting until the container {container.name!r} is healthy", "it has no probe"
                )
            else:
                rendered["startupProbe"] = probe
        return {**rendered, "restartPolicy": "Always"}

    def _container(self, container: WorkloadContainer) -> dict[str, Any]:
        mounts = [*self._file_mounts(container), *map(self._mount, container.mounts)]
        mounts += container.further.get("volumeMounts", [])
        self._check_targets(
            [text_of(mount.get("mountPath")) for mount in mounts if is_mapping(mount)], container
        )
        rendered = {
            "name": label(container.name),
            "image": container.image,
            "command": container.command,
            "args": container.args,
            "env": self._environment(container),
            "resources": _quantities(container),
            **container.probes,
            **container.further,
            "volumeMounts": mounts,
        }
        return {name: value for name, value in rendered.items() if value not in (None, [], {})}

    def _check_targets(self, targets: list[str], container: WorkloadContainer) -> None:
        for target, times in sorted(Counter(targets).items()):
            if times > 1:
                self._found.wrong(f"mounts {target!r} twice", container.path)
            if ":" in target:
                self._found.wrong(f"mounts {target!r}, and Kubernetes allows no colon there", container.path)

    def _environment(self, container: WorkloadContainer) -> list[Any]:
        secrecy, path = self._module.secrecy, container.path
        secrecy.handle((*path, "variables"))
        given = self._entries(container.name, container.environment, (*path, "env"), secrecy)
        names = {text_of(item.get("name")) for item in given if is_mapping(item)}
        return [
            *(
                self._secret_entry(container.name, variable.name, variable.text)
                if variable.is_secret
                else {"name": variable.name, "value": expandable(variable.value)}
                for variable in container.variables
                if variable.name not in names
            ),
            *given,
        ]

    def _entries(self, container: str, entries: Sequence[Any], path: Path, secrecy: Secrecy) -> list[Any]:
        """Return entries of an environment in Kubernetes' form; secret ones refer to the Secret."""
        read: list[Any] = []
        for place, entry in enumerate(entries):
            value_path = (*path, str(place), "value")
            if is_mapping(entry) and entry.get("value") is not None and secrecy.is_secret(value_path):
                secrecy.handle(value_path)
                name, value = text_of(entry.get("name")), text_of(entry["value"])
                read.append(self._secret_entry(container, name, value))
            else:
                read.append(_with_text(entry))
        return read

    def _secret_entry(self, container: str, name: str, value: str) -> dict[str, Any]:
        within = key(container, name)
        self.secrets[within] = value.encode("utf-8", "replace")
        return {
            "name": name,
            "valueFrom": {"secretKeyRef": {"name": self._secret_name, "key": within}},
        }

    def _file_mounts(self, container: WorkloadContainer) -> list[dict[str, Any]]:
        self._module.secrecy.handle((*container.path, "files"))
        return [self._file_mount(container, file) for file in container.files]

    def _file_mount(self, container: WorkloadContainer, file: ContainerFile) -> dict[str, Any]:
        volume = _SECRET_FILES if file.is_secret else _FILES
        within = key(container.name, file.target)
        if file.is_secret:
            self.secrets[within] = file.content
        else:
            self.config[within] = file.content if file.text is None else file.text
        mode = {} if file.mode is None else {"mode": file.mode}
        self._items[volume].append({"key": within, "path": within, **mode})
        return {"name": volume, "mountPath": file.target, "subPath": within, "readOnly": True}

    def _file_volumes(self) -> list[dict[str, Any]]:
        sources = {
            _FILES: {"configMap": {"name": self._config_name, "items": self._items[_FILES]}},
            _SECRET_FILES: {"secret": {"secretName": self._secret_name, "items": self._items[_SECRET_FILES]}},
        }
        return [{"name": name, **sources[name]} for name in sources if self._items[name]]

    def _read_volumes(self) -> None:
        for volume in self._module.volumes:
            self._add_volume(volume)
        for manifest in self._brought("volumes"):
            volume = self._data(manifest)
            if isinstance(volume.get("name"), str):
                self._of_resources.setdefault(manifest.resource, volume["name"])
                self._add_volume(volume)
            else:
                self._found.wrong(f"gets the volume {manifest.name!r}, which has no name")
            self._check_manifest(manifest, Secrecy(manifest.secret_paths))

    def _add_volume(self, volume: dict[str, Any]) -> None:
        name = text_of(volume.get("name"))
        if self._volumes.setdefault(name, volume) != volume or name in self._items:
            self._found.wrong(f"has two volumes {name!r}")

    def _mount(self, mount: Mount) -> dict[str, Any]:
        private = f"modules.{self._module.workload.name}.{mount.volume}"
        name = self._of_resources.get(mount.volume, self._of_resources.get(private, mount.volume))
        if name not in self._volumes:
            self._found.wrong(
                f"mounts the volume {mount.volume!r}, which the pod does not have",
                mount.path,
                "let its definition bring a manifest with `location: volumes`, or add it to /spec/volumes",
            )
        return {
            "name": name,
            "mountPath": mount.target,
            **({"subPath": mount.sub_path.lstrip("/")} if mount.sub_path.strip("/") else {}),
            **({"readOnly": True} if mount.is_read_only else {}),
        }

    def _brought_container(self, manifest: Manifest) -> dict[str, Any]:
        container = self._data(manifest)
        name = container.get("name")
        if not isinstance(name, str):
            self._found.wrong(f"gets the container {manifest.name!r}, which has no name")
        secrecy = Secrecy(manifest.secret_paths)
        entries = self._found.items(container.get("env"), ("env",))
        environment = self._entries(text_of(name), entries, ("env",), secrecy)
        self._check_manifest(manifest, secrecy)
        return {**container, "env": environment} if environment else container

    def _data(self, manifest: Manifest) -> dict[str, Any]:
        if is_mapping(manifest.data):
            return manifest.data
        self._found.wrong(f"gets the manifest {manifest.name!r}, which is not a mapping")
        return {}

    def _check_manifest(self, manifest: Manifest, secrecy: Secrecy) -> None:
        if exposed := secrecy.exposed():
            self._found.exposes([f"{manifest.name}:{path}".rstrip(":") for path in exposed], _EXPOSED_HELP)

    def _check_secrets(self) -> None:
        exposed = [
            path
            for path in self._module.secrecy.exposed()
            if not path or path == "spec" or path.startswith("spec:")
        ]
        if exposed:
            self._found.exposes(exposed, _EXPOSED_HELP)


def _with_text(entry: Any) -> Any:
    """Return an entry of an environment with its value as text."""
    if is_mapping(entry) and entry.get("value") is not None:
        return {**entry, "value": expandable(entry["value"])}
    return entry


def _quantities(container: WorkloadContainer) -> dict[str, Any]:
    """Return limits and requests; numbers become text, which is valid for every quantity."""
    return {
        name: {name: text_of(of[name]) for name in sorted(of)} if is_mapping(of) else of
        for name, of in sorted(container.resources.items())
        if of
    }
