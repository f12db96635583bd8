"""Execution module `cp`: lists and reads files of the file roots and the network, and copies them.

A plan writes nothing except copies in the cache.

Args:
    path: `salt://…`, http(s), or a path of the managing minion.
    saltenv: the environment.

Source: Salt's execution module `cp`, 3008: names, arguments and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.cp import caching, getting, listing

FUNCTIONS: Final = by_name(caching.OFFERED, getting.OFFERED, listing.OFFERED)
