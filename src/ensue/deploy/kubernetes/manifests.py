"""Reads manifests from a list, a mapping or YAML, and sorts them in the order of applying.

Source: Kubernetes, "Objects In Kubernetes", "Required fields".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.bounded_yaml import load_plain_yaml_documents
from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.model.data import Data

_FIRST: Final = ("Namespace", "CustomResourceDefinition")
"""Kinds that others depend on are applied first; the rest in the written order."""


class ObjectKey(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """The key of an object in a cluster.

    Args:
        api_version: `apps/v1`.
        kind: `Deployment`.
        namespace: its namespace; empty for an object without one.
        name: its name.
    """

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """Return the object's name for messages: `Deployment shop/web`."""
        return f"{self.kind} {self.namespace + '/' if self.namespace else ''}{self.name}"


def read_manifests(written: Data) -> tuple[list[dict[str, Any]], list[str]]:
    """Read manifests.

    Args:
        written: a list or a mapping of manifests or texts, or one text with any number of YAML documents;
            `Unknown` is left out.

    Returns:
        The manifests in the order of applying; and the problems, one sentence each.
    """
    problems: list[str] = []
    manifests: list[dict[str, Any]] = []
    for place, data in _documents(written, "manifests", problems):
        if not is_mapping(data):
            problems.append(f"{place} is not a mapping")
        elif problem := _problem(data):
            problems.append(f"{place}: {problem}")
        else:
            manifests.append(copied(data))
    manifests.sort(key=_rank)
    return manifests, problems


def key_of(manifest: dict[str, Any], namespace: str) -> ObjectKey:
    """Return the key of a manifest's object.

    Args:
        manifest: the manifest.
        namespace: the namespace if the manifest names none; empty if its kind has none.
    """
    metadata = manifest["metadata"]
    return ObjectKey(
        api_version=manifest["apiVersion"],
        kind=manifest["kind"],
        namespace=namespace and str(metadata.get("namespace") or namespace),
        name=metadata["name"],
    )


def _documents(written: Any, place: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    if isinstance(written, str):
        try:
            documents = load_plain_yaml_documents(written)
        except ValueError as error:
            problems.append(f"{place} is not YAML: {error}")
            return
        for number, document in enumerate(documents, 1):
            if document is not None:
                yield from _flattened(document, f"{place}, document {number}")
    elif is_list(written):
        for number, document in enumerate(written):
            yield from _documents(document, f"{place}[{number}]", problems)
    elif is_mapping(written) and not ("kind" in written and "apiVersion" in written):
        for name, document in written.items():
            yield from _documents(document, f"{place}.{name}", problems)
    elif written is not None and not isinstance(written, Unknown):
        yield from _flattened(written, place)


def _flattened(data: Any, place: str) -> Iterator[tuple[str, Any]]:
    if is_mapping(data) and data.get("kind") == "List" and is_list(items := data.get("items")):
        for number, item in enumerate(items):
            yield f"{place}, items[{number}]", item
    else:
        yield place, data


def _problem(manifest: dict[str, Any]) -> str:
    for name in ("apiVersion", "kind"):
        if not isinstance(manifest.get(name), (str, Unknown)) or not manifest[name]:
            return f"{name} is missing"
    metadata = manifest.get("metadata")
    if isinstance(metadata, Unknown):
        return ""
    if not is_mapping(metadata) or not isinstance(metadata.get("name"), (str, Unknown)):
        return "metadata.name is missing (generateName would make another object each time)"
    return ""


def _rank(manifest: dict[str, Any]) -> int:
    kind = manifest["kind"]
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
