"""What all tests of the composition root share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.resource_types import unload_types

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _no_types_left_over() -> Iterator[None]:
    yield
    unload_types()
