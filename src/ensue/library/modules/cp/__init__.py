"""Execution module `cp`: lists and reads files of the file roots and the network, and copies them.

A plan writes nothing except copies in the cache.

Source: Salt's execution module `cp`, 3008: names, arguments and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.cp import caching, getting, listing

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **caching.OFFERED,
    **getting.OFFERED,
    **listing.OFFERED,
}
