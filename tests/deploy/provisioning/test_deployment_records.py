"""Records of deployments: when an environment has expired."""

from __future__ import annotations

from typing import Literal

import pytest

from ensue.deploy.provisioning.deployment_records import DeploymentRecord

_NOW_S = 100.0


@pytest.mark.parametrize(
    ("command", "result", "expires_at_s", "has_expired"),
    [
        ("deploy", "succeeded", 99.0, True),
        ("deploy", "succeeded", 100.0, True),
        ("deploy", "succeeded", 101.0, False),
        ("deploy", "succeeded", 0.0, False),
        ("destroy", "succeeded", 99.0, False),
        ("destroy", "failed", 99.0, True),
    ],
)
def test_an_environment_expires_at_its_moment(
    command: Literal["deploy", "destroy"],
    result: Literal["succeeded", "failed"],
    expires_at_s: float,
    *,
    has_expired: bool,
) -> None:
    """It expires from its moment on, never without one, and not once it is destroyed."""
    record = DeploymentRecord(
        number=1,
        env_type="development",
        started_at_s=1.0,
        by="u@h",
        command=command,
        result=result,
        expires_at_s=expires_at_s,
    )
    assert record.has_expired(_NOW_S) is has_expired
