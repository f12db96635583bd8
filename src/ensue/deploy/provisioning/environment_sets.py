"""The deployment set of an environment: what its workloads and shared resources are deployed from.

A set has the documents as their authors wrote them, so they are read as files are, with the places of their
values. `without` and `joined` are what a deployment of some workloads does to the set.

Source: Humanitec, "Deployment Set" and "Deployment Delta"; spec of the resource graph.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ensue.core.model.data import is_mapping
from ensue.deploy.provisioning.deployment_sets import is_deployment_set
from ensue.deploy.provisioning.score_containers import ContainerSourceFile  # noqa: TC001 -- msgspec reads the types of fields
from ensue.deploy.provisioning.score_files import is_score

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


class Names(NamedTuple):
    """The workloads and shared resources that something has.

    Args:
        workloads: the names of workloads.
        shared: the names of the shared resources of deployment sets, without `shared.`.
    """

    workloads: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.workloads or self.shared)

    def minus(self, other: Names) -> Names:
        """Return those that another one lacks."""
        return Names(self.workloads - other.workloads, self.shared - other.shared)

    def both(self, other: Names) -> Names:
        """Return those that another one has, too."""
        return Names(self.workloads & other.workloads, self.shared & other.shared)

    def described(self) -> Iterator[str]:
        """Yield each, as messages show it: `the workload web`."""
        yield from (f"the workload {name}" for name in sorted(self.workloads))
        yield from (f"the shared resource {name}" for name in sorted(self.shared))


class SetDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document of a Score file or a deployment set, and what of it is deployed.

    Args:
        path: the file, as messages show it.
        text: the document.
        first_line: the line of the file that it begins at.
        workloads: the names of its workloads that are deployed, each with the image of containers whose image
            is `.`; empty: none is given.
        shared: the names of its shared resources that are deployed.
        sources: the files that its containers name by `source`.
        since: the number of the deployment that it was given to; 0: it is being given.
    """

    path: str
    text: str
    first_line: int = 1
    workloads: dict[str, str] = {}
    shared: tuple[str, ...] = ()
    sources: dict[str, ContainerSourceFile] = {}
    since: int = 0

    @property
    def names(self) -> Names:
        """What of it is deployed."""
        return Names(frozenset(self.workloads), frozenset(self.shared))

    @property
    def is_json(self) -> bool:
        """Whether it is JSON, as opposed to YAML."""
        return self.path.endswith(".json")


class DeploymentSet(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an environment is deployed from.

    Args:
        documents: the documents; each name occurs in one of them.
        values_json: `values` as JSON, which has whole numbers of any size.
        secrets_json: `secrets` as JSON.
    """

    documents: tuple[SetDocument, ...] = ()
    values_json: str = "{}"
    secrets_json: str = "[]"

    @property
    def values(self) -> dict[str, Any]:
        """The values of the environment, for Score's types `environment` and `service`."""
        values: dict[str, Any] = json.loads(self.values_json)
        return values

    @property
    def secrets(self) -> list[str]:
        """The secrets among the values."""
        secrets: list[str] = json.loads(self.secrets_json)
        return secrets

    @property
    def names(self) -> Names:
        """All workloads and shared resources."""
        return names_of(self.documents)


def deployment_set(
    documents: Iterable[SetDocument], values: Mapping[str, Any], secrets: Iterable[str]
) -> DeploymentSet:
    """Return a deployment set.

    Args:
        documents: the documents; each name occurs in one of them.
        values: values of the environment, for Score's types `environment` and `service`.
        secrets: the secrets among the values.
    """
    return DeploymentSet(
        documents=tuple(documents),
        values_json=json.dumps(values, default=str),
        secrets_json=json.dumps(sorted(secrets)),
    )


def names_of(documents: Collection[SetDocument]) -> Names:
    """Return the workloads and shared resources that are deployed from documents."""
    return Names(
        frozenset().union(*(document.workloads for document in documents)),
        frozenset().union(*(document.shared for document in documents)),
    )


def without(documents: Collection[SetDocument], gone: Names) -> Iterator[SetDocument]:
    """Yield documents without some of what is deployed from them; one that nothing is left of is left out."""
    for document in documents:
        if not document.names.both(gone):
            yield document
            continue
        workloads = {name: image for name, image in document.workloads.items() if name not in gone.workloads}
        shared = tuple(name for name in document.shared if name not in gone.shared)
        if workloads or shared:
            yield replace(document, workloads=workloads, shared=shared)


def declared_names(data: Any) -> Names:
    """Return the workloads and shared resources that the data of a document declares, as far as valid."""
    if is_score(data):
        metadata = data.get("metadata")
        name = metadata.get("name") if is_mapping(metadata) else None
        return Names(frozenset() if name is None else frozenset([str(name)]))
    if not is_deployment_set(data):
        return Names()
    modules, shared = data["modules"], data.get("shared")
    return Names(
        frozenset(map(str, modules)) if is_mapping(modules) else frozenset(),
        frozenset(map(str, shared)) if is_mapping(shared) else frozenset(),
    )


def deployed_part(data: Any, document: SetDocument) -> Any:
    """Return the data of a document without what is not deployed; the same object if that is nothing."""
    if is_score(data) or not declared_names(data).minus(document.names):
        return data
    parts = {"modules": document.workloads.keys(), "shared": frozenset(document.shared)}
    return {
        key: {name: item for name, item in value.items() if name in parts[key]} if key in parts else value
        for key, value in data.items()
    }
