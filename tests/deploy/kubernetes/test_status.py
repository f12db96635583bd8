"""The status of objects."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.deploy.kubernetes.status import is_available, is_established

WHOLE = {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 3}


@pytest.mark.parametrize(
    ("replicas", "status", "expected"),
    [
        (3, WHOLE, True),
        (3, {**WHOLE, "observedGeneration": 1}, False),
        (3, {**WHOLE, "replicas": 4}, False),
        (3, {**WHOLE, "updatedReplicas": 2}, False),
        (3, {**WHOLE, "availableReplicas": 2}, False),
        (4, WHOLE, False),
        (0, {"observedGeneration": 2}, True),
        (None, {**WHOLE, "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}, True),
        (None, {"observedGeneration": 2}, False),
        (3, {}, False),
        (3, None, False),
        (3, "text", False),
        (3, {**WHOLE, "availableReplicas": "3"}, False),
    ],
)
def test_a_deployment_is_available(replicas: int | None, status: Any, expected: bool) -> None:
    """When the controller has seen this generation, and all replicas are of it and available."""
    spec = {} if replicas is None else {"replicas": replicas}
    deployment = {"metadata": {"generation": 2}, "spec": spec, "status": status}
    assert is_available(deployment) is expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (
            {
                "conditions": [
                    {"type": "NamesAccepted", "status": "True"},
                    {"type": "Established", "status": "True"},
                ]
            },
            True,
        ),
        ({"conditions": [{"type": "Established", "status": "False"}]}, False),
        ({"conditions": [{"type": "Established"}, {}, 5, None]}, False),
        ({"conditions": []}, False),
        ({"conditions": None}, False),
        ({"conditions": 5}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_kind_is_established(status: Any, expected: bool) -> None:
    """When a condition says so; conditions of another shape say nothing."""
    assert is_established({"status": status}) is expected
