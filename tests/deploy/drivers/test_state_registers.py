"""What the driver `state` registers: a mapping, or a list where names hold placeholders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.model.unknown import Unknown
from ensue.deploy.drivers import state
from ensue.testing.driver import driver_request

if TYPE_CHECKING:
    from pathlib import Path

LATER = [Unknown("${resources.machine.outputs.all}")]
CONFIG = {"host": {"output": "host"}}


@pytest.mark.parametrize(
    "registers",
    [{"ssh_host:edge": CONFIG}, [{"resource": "ssh_host:edge", "config": CONFIG}], [], {}, None, LATER],
)
def test_both_forms_are_accepted(tmp_path: Path, registers: Any) -> None:
    """A mapping and a list of entries are fine, empty ones too."""
    values = {"state": "test.present", "registers": registers}
    assert state.check(driver_request(tmp_path, values=values)) == []


@pytest.mark.parametrize(
    ("registers", "problem"),
    [
        (
            {"ssh_host:edge-${context.env.id}": CONFIG},
            "are not replaced (write a list of {resource, config})",
        ),
        (["ssh_host:edge"], "neither a mapping"),
        ([{"resource": "ssh_host:edge"}], "neither a mapping"),
        ("ssh_host:edge", "neither a mapping"),
    ],
)
def test_what_would_register_something_else_is_refused(tmp_path: Path, registers: Any, problem: str) -> None:
    """Placeholders are replaced in values only, so one in a key is an error before anything runs."""
    values = {"state": "test.present", "registers": registers}
    (message,) = state.check(driver_request(tmp_path, values=values))
    assert problem in message
