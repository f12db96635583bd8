"""A vault for tests, which needs no key."""

from __future__ import annotations

from ensue.core.errors import TamperedError


class FakeVault:
    """Seals by inverting bits: enough to show that nothing is stored in plain text, but no protection."""

    def seal(self, plain: bytes, *, context: str) -> bytes:
        """Make the bytes unreadable."""
        return context.encode() + b"\0" + bytes(byte ^ 0xFF for byte in plain)

    def open(self, sealed: bytes, *, context: str) -> bytes:
        """Undo `seal`."""
        start = context.encode() + b"\0"
        if not sealed.startswith(start):
            raise TamperedError(f"not sealed for {context}")
        return bytes(byte ^ 0xFF for byte in sealed[len(start) :])
