"""What the states of MySQL share: the arguments that say where the server is.

It holds no state functions.
"""

from __future__ import annotations

from typing import Final

CONNECTION: Final = (
    "connection_host", "connection_port", "connection_user", "connection_pass", "connection_db",
    "connection_unix_socket", "connection_default_file", "connection_charset", "connection_conv",
    "connection_use_unicode",
)  # fmt: skip
"""Of these, Salt's `connection_conv` and `connection_use_unicode` have no effect."""
