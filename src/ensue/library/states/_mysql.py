"""Shared by the `mysql_…` state modules: the arguments that locate the server.

This module has no state functions.
"""

from __future__ import annotations

from typing import Final

CONNECTION: Final = (
    "connection_host", "connection_port", "connection_user", "connection_pass", "connection_db",
    "connection_unix_socket", "connection_default_file", "connection_charset", "connection_conv",
    "connection_use_unicode",
)  # fmt: skip
"""`connection_conv` and `connection_use_unicode`, which Salt has, have no effect."""
