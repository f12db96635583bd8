"""A driver is found under every name that definitions have for it."""

from __future__ import annotations

import pytest

from ensue.deploy.drivers.loading import Drivers


@pytest.mark.parametrize("name", ["echo", "humanitec/echo", "static", "humanitec/static"])
def test_echo_has_an_older_name(name: str) -> None:
    """Older definitions name it `humanitec/static`."""
    drivers = Drivers()
    assert drivers.has(name)
    assert drivers.find(name).is_pure
