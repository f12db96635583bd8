"""The mark of an object in a cluster: annotations that name the store with its record, and the resource.

This module asks no cluster.
"""

from __future__ import annotations

from typing import Any, Final

from ensue.core.model.data import is_mapping
from ensue.deploy.kubernetes.cluster import FIELD_MANAGER

OWNER: Final = "ensue/owner"
"""The annotation with the id of the store."""

RESOURCE: Final = "ensue/resource"
"""The annotation with the guresid of the resource that has applied the object last."""


def marked(manifest: dict[str, Any], owner: str, resource: str) -> dict[str, Any]:
    """Return a manifest with the mark; the API server refuses one whose annotations are no mapping.

    Args:
        manifest: the manifest.
        owner: the id of the store.
        resource: the guresid of the resource.
    """
    metadata = manifest["metadata"]
    annotations: Any = metadata.get("annotations")
    if not (annotations is None or is_mapping(annotations)):
        return manifest
    annotations = {**(annotations or {}), OWNER: owner, RESOURCE: resource}
    return {**manifest, "metadata": {**metadata, "annotations": annotations}}


def owner_of(object_: dict[str, Any]) -> str:
    """Return the id of the store that an object is marked with; empty: it has no mark."""
    return _mark(object_, OWNER)


def _mark(object_: dict[str, Any], name: str) -> str:
    annotations: Any = object_["metadata"].get("annotations")
    return str(annotations.get(name) or "") if is_mapping(annotations) else ""


def is_ours(object_: dict[str, Any], uid: str, owner: str, resource: str) -> bool:
    """Return whether a recorded object is the one that is found, and nobody else has taken it over.

    Args:
        object_: the object.
        uid: the recorded uid; empty: none, because an interrupted run records more than it applies.
        owner: the id of the store that has the record. Objects that older versions made have no mark.
        resource: the guresid of the resource whose record it is. Objects of older versions do not name it.
    """
    if _mark(object_, RESOURCE) not in {"", resource}:
        return False
    marked_with = owner_of(object_)
    if uid:
        return bool(object_["metadata"]["uid"] == uid) and marked_with in {"", owner}
    if marked_with:
        return marked_with == owner
    managers: Any = object_["metadata"].get("managedFields") or []
    return any(
        manager.get("manager") == FIELD_MANAGER and manager.get("operation") == "Apply"
        for manager in managers
    )
