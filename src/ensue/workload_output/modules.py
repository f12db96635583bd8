"""Reads a module (containers, ports, volumes, labels, fields) into the form that every format is made from.

Source: the public description of Humanitec's workload profile `humanitec/default-module` and of its features.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.workload_output.containers import ContainerReader, WorkloadContainer
from ensue.workload_output.fields import DEPLOYMENT, POD, SERVICE
from ensue.workload_output.findings import Findings, text_of
from ensue.workload_output.secrecy import Secrecy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.workload_output.documents import RenderedWorkload
    from ensue.workload_output.pointers import Path

_OWN: Final = frozenset({"containers", "service", "labels", "annotations", "volumes", "pod", "deployment"})
_TOP: Final = frozenset({"id", "profile", "spec", "externals"})
_DEFAULT_PROFILE: Final = "humanitec/default-module"
_OTHER_KINDS: Final = ("humanitec/default-job", "humanitec/default-cronjob")
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_METADATA: Final = frozenset({"labels", "annotations"})
_HIGHEST_PORT: Final = 65535
_MOST_REPLICAS: Final = 100_000


class Port(msgspec.Struct, frozen=True, kw_only=True):
    """A port of a workload's service.

    Args:
        name: its name.
        service_port: the port of the service.
        container_port: the port of the container that it leads to.
        protocol: TCP, UDP or SCTP.
    """

    name: str
    service_port: int
    container_port: int
    protocol: str


class ObjectSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a module sets for one Kubernetes object.

    Args:
        labels: its labels.
        annotations: its annotations.
        fields: fields of its spec, in Kubernetes' form.
    """

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    fields: Mapping[str, Any]


class WorkloadModule(msgspec.Struct, frozen=True, kw_only=True):
    """A module in the form that output formats are made from.

    Args:
        workload: the workload.
        containers: its containers, sorted by name.
        ports: its ports, sorted by name.
        volumes: the volumes of its pod, in Kubernetes' form.
        deployment: what the module sets for the Deployment.
        pod: what it sets for the pods.
        service: what it sets for the Service.
        secrecy: which values are secret.
        findings: the problems of the workload.
    """

    workload: RenderedWorkload
    containers: tuple[WorkloadContainer, ...]
    ports: tuple[Port, ...]
    volumes: list[dict[str, Any]]
    deployment: ObjectSettings
    pod: ObjectSettings
    service: ObjectSettings
    secrecy: Secrecy
    findings: Findings


def read_module(workload: RenderedWorkload) -> WorkloadModule:
    """Read the module of a workload; the findings of the result contain its problems."""
    return _ModuleReader(workload).read()


class _ModuleReader:
    def __init__(self, workload: RenderedWorkload) -> None:
        self._workload = workload
        self._found = Findings(workload.name, workload.place)
        self._secrecy = Secrecy(workload.secret_paths)

    def read(self) -> WorkloadModule:
        findings = self._found
        module = findings.mapping(self._workload.module, ())
        self._check_keys(module, (), _TOP)
        self._check_profile(module.get("profile"))
        spec, path = findings.mapping(module.get("spec"), ("spec",)), ("spec",)
        self._check_keys(spec, path, _OWN | POD | DEPLOYMENT)
        service = findings.mapping(spec.get("service"), (*path, "service"))
        pod = findings.mapping(spec.get("pod"), (*path, "pod"))
        deployment = self._part(spec, "deployment", DEPLOYMENT, inherits=True)
        return WorkloadModule(
            workload=self._workload,
            containers=ContainerReader(self._secrecy, self._workload.sources, findings).read(
                spec.get("containers"), (*path, "containers")
            ),
            ports=self._ports(service.get("ports"), (*path, "service", "ports")),
            volumes=[
                *self._volumes(spec.get("volumes"), (*path, "volumes")),
                *self._volumes(pod.get("volumes"), (*path, "pod", "volumes")),
            ],
            deployment=msgspec.structs.replace(deployment, fields=self._replicas(deployment.fields)),
            pod=self._part(spec, "pod", POD, inherits=True, more={"volumes"}),
            service=self._part(spec, "service", SERVICE, inherits=False, more={"ports"}),
            secrecy=self._secrecy,
            findings=findings,
        )

    def _check_keys(self, given: Mapping[str, Any], path: Path, known: frozenset[str]) -> None:
        for key in sorted(given.keys() - known):
            self._found.unknown((*path, key), known)

    def _check_profile(self, profile: Any) -> None:
        if profile in _OTHER_KINDS:
            self._found.wrong(
                "is a profile of jobs, and only deployments can be rendered", ("profile",),
                f"use {_DEFAULT_PROFILE}, or render it as values",
            )  # fmt: skip
        elif profile not in (None, "", _DEFAULT_PROFILE):
            self._found.left_out(
                f"the specifics of the profile {text_of(profile)!r}", "it becomes a deployment"
            )

    def _part(
        self,
        spec: dict[str, Any],
        name: str,
        known: frozenset[str],
        *,
        inherits: bool,
        more: set[str] | None = None,
    ) -> ObjectSettings:
        """Read what is set for one object; with `inherits`, values of the spec itself apply, too."""
        findings, path = self._found, ("spec", name)
        own = findings.mapping(spec.get(name), path)
        self._check_keys(own, path, known | _METADATA | (more or set()))
        above = spec if inherits else {}
        return ObjectSettings(
            labels=self._texts("labels", above, own, path),
            annotations=self._texts("annotations", above, own, path),
            fields={
                key: own.get(key, above.get(key))
                for key in sorted(known)
                if own.get(key, above.get(key)) is not None
            },
        )

    def _texts(self, key: str, above: dict[str, Any], own: dict[str, Any], path: Path) -> dict[str, str]:
        return {
            **self._found.texts(above.get(key), ("spec", key)),
            **self._found.texts(own.get(key), (*path, key)),
        }

    def _replicas(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        if "replicas" not in fields:
            return fields
        return {
            **fields,
            "replicas": self._found.number(fields["replicas"], ("spec", "replicas"), 0, _MOST_REPLICAS),
        }

    def _ports(self, given: Any, path: Path) -> tuple[Port, ...]:
        ports: list[Port] = []
        taken: dict[tuple[int, str], str] = {}
        for name, value in sorted(self._found.mapping(given, path).items()):
            port = self._port(name, self._found.mapping(value, (*path, name)), (*path, name))
            if port is None:
                continue
            other = taken.setdefault((port.service_port, port.protocol), name)
            if other != name:
                self._found.wrong(f"has the number of the port {other!r}", (*path, name))
            ports.append(port)
        return tuple(ports)

    def _port(self, name: str, given: dict[str, Any], path: Path) -> Port | None:
        number = self._found.number(
            given.get("service_port", given.get("port")), (*path, "service_port"), 1, _HIGHEST_PORT
        )
        target = given.get("container_port", given.get("targetPort"))
        container = (
            number
            if target is None
            else self._found.number(target, (*path, "container_port"), 1, _HIGHEST_PORT)
        )
        protocol = text_of(given.get("protocol") or "TCP").upper()
        if protocol not in _PROTOCOLS:
            self._found.wrong(f"is none of {', '.join(_PROTOCOLS)}", (*path, "protocol"))
        if number is None or container is None:
            return None
        return Port(name=name, service_port=number, container_port=container, protocol=protocol)

    def _volumes(self, given: Any, path: Path) -> list[dict[str, Any]]:
        """Return the volumes of a list in Kubernetes' form, or of a mapping by name."""
        if is_list(given):
            return [self._volume(item, (*path, str(place))) for place, item in enumerate(given)]
        volumes = self._found.mapping(given, path)
        return [
            {"name": name, **self._found.mapping(volumes[name], (*path, name))} for name in sorted(volumes)
        ]

    def _volume(self, given: Any, path: Path) -> dict[str, Any]:
        if is_mapping(given) and isinstance(given.get("name"), str):
            return given
        self._found.wrong("is no volume: it has no name", path)
        return {}
