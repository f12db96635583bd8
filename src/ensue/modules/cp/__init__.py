"""Execution module `cp`: files of the file roots and of the network, listed, read and copied to the target.

In a plan nothing is written but copies in the cache.

Source: Salt's execution module `cp`, 3008: names, arguments and what they return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.modules.cp import caching, getting, listing

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **caching.OFFERED,
    **getting.OFFERED,
    **listing.OFFERED,
}
