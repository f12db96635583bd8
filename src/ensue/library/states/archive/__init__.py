"""State module `archive`: unpacks archives on the target.

Differences from Salt:
    A plan looks into a `salt://` source, where Salt does not. `source_hash_update`, `clean_parent` and rar
    are not supported.

Source: Salt's state module `archive`, 3008.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.archive.extracted import extracted

FUNCTIONS: Final = by_name(extracted, make_only=("name", "paths"))
