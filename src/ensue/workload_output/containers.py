"""Reads the containers of a module into the form that every output format is made from.

A module spells some keys differently from a Score file; both spellings are read. Fields of a Kubernetes
container are passed on unchanged.

Source: the Score specification, score.dev/v1b1; the public description of Humanitec's feature
`humanitec/containers`.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.workload_output.fields import CONTAINER
from ensue.workload_output.findings import text_of
from ensue.workload_output.probes import read_probe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.workload_output.findings import Findings
    from ensue.workload_output.pointers import Path
    from ensue.workload_output.secrecy import Secrecy

_PROBES: Final = {
    "liveness_probe": "livenessProbe",
    "readiness_probe": "readinessProbe",
    "startup_probe": "startupProbe",
}
_OWN: Final = frozenset(
    {"id", "image", "command", "args", "variables", "files", "resources", "before", "env"}
    | {"volume_mounts", "volumes", "volumeMounts"}
    | _PROBES.keys()
    | set(_PROBES.values())
)
CONTAINER_KEYS: Final = _OWN | CONTAINER
"""The keys of a container that end up in an output."""

_LONGEST_MODE: Final = 0o7777
READY: Final = ("started", "healthy", "complete")
"""The conditions of a container that another container may wait for."""


class EnvironmentVariable(msgspec.Struct, frozen=True, kw_only=True):
    """An environment variable.

    Args:
        name: its name.
        value: its value, which may be marked as data.
        is_secret: whether the value is a secret.
    """

    name: str
    value: Any
    is_secret: bool

    @property
    def text(self) -> str:
        """The value as text."""
        return text_of(self.value)


class ContainerFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file to put into a container.

    Args:
        target: its path in the container.
        content: its content.
        mode: its permissions; None: the default of the format.
        is_secret: whether it contains a secret.
    """

    target: str
    content: bytes
    mode: int | None
    is_secret: bool

    @property
    def text(self) -> str | None:
        """The content as text, None if it is not text."""
        try:
            text = self.content.decode()
        except UnicodeDecodeError:
            return None
        return None if "\0" in text else text


class Mount(msgspec.Struct, frozen=True, kw_only=True):
    """A volume that a container mounts.

    Args:
        target: where it is mounted.
        volume: the id of the resource that is the volume, or the volume's name.
        sub_path: the folder of the volume that is mounted; empty: all of it.
        is_read_only: whether the container may only read it.
        path: its place in the module.
    """

    target: str
    volume: str
    sub_path: str
    is_read_only: bool
    path: Path


class WorkloadContainer(msgspec.Struct, frozen=True, kw_only=True):
    """A container of a workload.

    Args:
        name: its name in the module.
        image: its image.
        command: the command to run instead of the image's entry point; None: the entry point.
        args: the arguments; None: those of the image.
        variables: its environment, sorted by name.
        environment: further entries of its environment, in Kubernetes' form.
        files: its files, sorted by path.
        mounts: its volumes, sorted by path.
        probes: its probes in Kubernetes' form, by Kubernetes' names.
        resources: its limits and requests.
        before: what it has to be (`started`, `healthy`, `complete`) before which other container starts.
        further: further fields, in Kubernetes' form.
        path: its place in the module.
    """

    name: str
    image: str
    command: list[Any] | None
    args: list[Any] | None
    variables: tuple[EnvironmentVariable, ...]
    environment: list[Any]
    files: tuple[ContainerFile, ...]
    mounts: tuple[Mount, ...]
    probes: Mapping[str, Any]
    resources: Mapping[str, Any]
    before: Mapping[str, str]
    further: Mapping[str, Any]
    path: Path


class ContainerReader:
    """Reads the containers of one module.

    Args:
        secrecy: which of its values are secret.
        sources: the content of the files that a container's `source` names.
        findings: receives the problems.
    """

    def __init__(self, secrecy: Secrecy, sources: Mapping[str, bytes], findings: Findings) -> None:
        self._secrecy = secrecy
        self._sources = sources
        self._findings = findings

    def read(self, given: Any, path: Path) -> tuple[WorkloadContainer, ...]:
        """Return the containers of a mapping, sorted by name."""
        containers = self._findings.mapping(given, path)
        if not containers and (given is None or given == {}):
            self._findings.wrong("has no container", path, "add one with an `image`")
        read = tuple(self._container(name, containers[name], (*path, name)) for name in sorted(containers))
        for container in read:
            for other in container.before:
                if other not in containers or other == container.name:
                    self._findings.wrong("names no other container", (*container.path, "before", other))
        return read

    def _container(self, name: str, value: Any, path: Path) -> WorkloadContainer:
        findings = self._findings
        given = findings.mapping(value, path)
        for key in sorted(given.keys() - CONTAINER_KEYS):
            findings.unknown((*path, key), CONTAINER_KEYS)
        mounts = given.get("volume_mounts", given.get("volumes"))
        further = {key: given[key] for key in sorted(CONTAINER & given.keys()) if given[key] is not None}
        if own_mounts := findings.items(given.get("volumeMounts"), (*path, "volumeMounts")):
            further["volumeMounts"] = own_mounts
        return WorkloadContainer(
            name=name,
            image=self._image(given, path),
            command=self._words(given, "command", path),
            args=self._words(given, "args", path),
            variables=self._variables(given.get("variables"), (*path, "variables")),
            environment=findings.items(given.get("env"), (*path, "env")),
            files=self._files(given.get("files"), (*path, "files")),
            mounts=self._mounts(mounts, (*path, "volume_mounts" if "volume_mounts" in given else "volumes")),
            probes=self._probes(given, path),
            resources=findings.mapping(given.get("resources"), (*path, "resources")),
            before=self._before(given.get("before"), (*path, "before")),
            further=further,
            path=path,
        )

    def _image(self, given: dict[str, Any], path: Path) -> str:
        image = given.get("image")
        if isinstance(image, str) and image.strip() and image != ".":
            return image
        setting = "or let an update operation of the workload's definition set it"
        if image == ".":
            written = "is '.', which stands for an image that is still to be named"
            self._findings.wrong(written, (*path, "image"), f"name it with --image, {setting}")
        else:
            self._findings.wrong("is no image", (*path, "image"), f"name it, {setting}")
        return ""

    def _words(self, given: dict[str, Any], key: str, path: Path) -> list[Any] | None:
        return None if given.get(key) is None else self._findings.items(given[key], (*path, key))

    def _variables(self, given: Any, path: Path) -> tuple[EnvironmentVariable, ...]:
        variables = self._findings.mapping(given, path)
        for name in variables:
            if not name or "=" in name or "\0" in name:
                self._findings.wrong("is not a name for an environment variable", (*path, name))
        return tuple(
            EnvironmentVariable(
                name=name, value=variables[name], is_secret=self._secrecy.is_secret((*path, name))
            )
            for name in sorted(variables)
        )

    def _files(self, given: Any, path: Path) -> tuple[ContainerFile, ...]:
        return tuple(
            self._file(target, entry, below) for target, entry, below in self._by_target(given, path, "file")
        )

    def _file(self, target: str, given: dict[str, Any], path: Path) -> ContainerFile:
        return ContainerFile(
            target=target,
            content=self._content(given, path),
            mode=self._mode(given.get("mode"), (*path, "mode")),
            is_secret=self._secrecy.is_secret(path),
        )

    def _content(self, given: dict[str, Any], path: Path) -> bytes:
        for key in ("value", "content"):
            if (content := given.get(key)) is not None:
                # Old Score files have a list of lines.
                text = "\n".join(map(text_of, content)) if is_list(content) else text_of(content)
                return text.encode("utf-8", "replace")
        if (binary := given.get("binaryContent")) is not None:
            try:
                return base64.b64decode(text_of(binary), validate=True)
            except (binascii.Error, ValueError):
                self._findings.wrong("is not Base64", (*path, "binaryContent"))
                return b""
        source = given.get("source")
        if isinstance(source, str) and source in self._sources:
            return self._sources[source]
        if source is None:
            self._findings.wrong("has no content", path, "add `content: …`")
        else:
            self._findings.wrong(
                "is a file whose content is not known",
                (*path, "source"),
                "put the file into the folder of the Score file, or below it",
            )
        return b""

    def _mode(self, given: Any, path: Path) -> int | None:
        if given is None or given == "":
            return None
        # YAML reads 0644 as the octal number; a string has octal digits.
        try:
            mode = int(given, 8) if isinstance(given, str) else given
        except ValueError:
            mode = None
        if isinstance(mode, int) and not isinstance(mode, bool) and 0 <= mode <= _LONGEST_MODE:
            return mode
        self._findings.wrong("is not a file mode", path, 'write it as text: mode: "0644"')
        return None

    def _mounts(self, given: Any, path: Path) -> tuple[Mount, ...]:
        return tuple(
            self._mount(target, entry, below)
            for target, entry, below in self._by_target(given, path, "volume")
        )

    def _mount(self, target: str, given: dict[str, Any], path: Path) -> Mount:
        volume = given.get("id", given.get("source"))
        if not isinstance(volume, str) or not volume:
            self._findings.wrong("names no volume", path, "add `source: …`")
        return Mount(
            target=target,
            volume=text_of(volume),
            sub_path=text_of(given.get("sub_path", given.get("path"))),
            is_read_only=given.get("read_only", given.get("readOnly")) is True,
            path=path,
        )

    def _by_target(self, given: Any, path: Path, what: str) -> list[tuple[str, dict[str, Any], Path]]:
        """Return files or volumes sorted by their path in the container, which is the key or the `target`."""
        if is_list(given):
            named = [
                (text_of(item.get("target")) if is_mapping(item) else "", item, (*path, str(place)))
                for place, item in enumerate(given)
            ]
        else:
            mapping = self._findings.mapping(given, path)
            named = [(target, value, (*path, target)) for target, value in mapping.items()]
        for target, _, below in named:
            if not target.startswith("/") or target.endswith("/"):
                self._findings.wrong(f"is no {what}: its path in the container is not absolute", below)
        read = [(target, self._findings.mapping(entry, below), below) for target, entry, below in named]
        return sorted(read, key=lambda entry: entry[0])

    def _probes(self, given: dict[str, Any], path: Path) -> dict[str, Any]:
        probes: dict[str, Any] = {}
        for own, kubernetes in _PROBES.items():
            key = own if own in given else kubernetes
            if given.get(key) is not None:
                probes[kubernetes] = read_probe(given[key], (*path, key), self._findings)
        return probes

    def _before(self, given: Any, path: Path) -> dict[str, str]:
        read: dict[str, str] = {}
        for name, value in sorted(self._findings.mapping(given, path).items()):
            ready = self._findings.mapping(value, (*path, name)).get("ready")
            if ready in READY:
                read[name] = ready
            else:
                self._findings.wrong(f"has no `ready` of {', '.join(READY)}", (*path, name))
        return read
