"""HTTP headers that contain secrets."""

from __future__ import annotations

import re
from typing import Final

_CREDENTIALS: Final = re.compile(r"authorization|cookie|token|secret|passw|api-?key|auth-?key", re.IGNORECASE)


def is_credential(header: str) -> bool:
    """Return whether a header's value, sent or received, is a credential.

    Args:
        header: its name (`Set-Cookie`, `X-Auth-Token`).
    """
    return _CREDENTIALS.search(header) is not None
