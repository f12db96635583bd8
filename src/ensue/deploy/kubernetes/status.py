"""Evaluates the status of objects.

Source: Kubernetes, "Deployments", "Deployment status"; "CustomResourceDefinition", conditions.
"""

from __future__ import annotations

from typing import Any

from ensue.core.model.data import is_list
from ensue.core.model.paths import traverse


def is_available(deployment: dict[str, Any]) -> bool:
    """Return whether all replicas of a Deployment are up to date and available."""
    replicas = _number(deployment, "spec:replicas", 1)
    updated = _number(deployment, "status:updatedReplicas")
    return (
        _number(deployment, "status:observedGeneration") >= _number(deployment, "metadata:generation")
        and updated >= replicas
        and updated >= _number(deployment, "status:replicas")
        and _number(deployment, "status:availableReplicas") >= replicas
    )


def is_established(definition: dict[str, Any]) -> bool:
    """Return whether the API server serves the kind of a CustomResourceDefinition."""
    conditions = traverse(definition, "status:conditions")
    return is_list(conditions) and any(
        traverse(condition, "type") == "Established" and traverse(condition, "status") == "True"
        for condition in conditions
    )


def _number(object_: dict[str, Any], path: str, default: int = 0) -> int:
    value = traverse(object_, path)
    return value if isinstance(value, int) else default
