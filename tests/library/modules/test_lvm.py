"""`lvm`: arguments that LVM would not understand are refused before it is called."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ensue.core.errors import StateFailedError
from ensue.library.modules.lvm import logical
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext


@pytest.mark.parametrize("sizes", [{}, {"size": "1G", "extents": "100%FREE"}])
def test_a_volume_is_resized_to_a_size_or_a_number_of_extents(sizes: dict[str, Any]) -> None:
    """`lvm.lvresize` takes one of the two; with none or both it fails and calls nothing."""
    connection = FakeConnection()
    with pytest.raises(StateFailedError, match="either `size` or `extents`"):
        asyncio.run(logical.lvresize(FakeFunctionContext(connection), lvpath="/dev/data/www", **sizes))
    assert not connection.commands
