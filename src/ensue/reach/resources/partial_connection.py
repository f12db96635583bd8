"""The connection of a type whose connection object lacks methods, or that has no such object.

Missing methods raise `NotOfferedError`, which users see as `cmd.run is not available for dummy`, with the
name of the called function. Other attributes of the type's object, such as methods for its overrides, are
available.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.contracts.connection import Connection
from ensue.core.errors import NotOfferedError, RemoteFileError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine

    from ensue.core.model.srn import Srn

_ATTRIBUTES: Final = frozenset({"srn", "can_run"})
_METHODS: Final = frozenset(
    name for name, value in vars(Connection).items() if callable(value) and not name.startswith("_")
)
_NOTHING_TO_DO: Final = frozenset({"close", "check_change"})
_MISSING: Final = object()


def completed(connection: object, srn: Srn) -> Connection:
    """Return a connection with all methods.

    Args:
        connection: what the type's `connect` returned; None for a type without one.
        srn: the resource.

    Returns:
        The object itself if it has all methods of the contract.
    """
    if all(hasattr(connection, name) for name in (*_ATTRIBUTES, *_METHODS)):
        return cast("Connection", connection)
    return cast("Connection", PartialConnection(connection, srn))


class PartialConnection:
    """A connection without some methods.

    Args:
        inner: the type's own connection object, None if there is none.
        srn: the resource.
    """

    __slots__ = ("_inner", "srn")

    def __init__(self, inner: object, srn: Srn) -> None:
        self._inner = inner
        self.srn = srn

    @property
    def can_run(self) -> bool:
        """Whether the connection can run commands."""
        return hasattr(self._inner, "run") and bool(getattr(self._inner, "can_run", True))

    def offers(self, method: str) -> bool:
        """Return whether the type's own object has a method of the contract."""
        return hasattr(self._inner, method)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._inner, name, _MISSING)
        if attribute is not _MISSING:
            return attribute
        if name in _NOTHING_TO_DO:
            return _nothing
        if name == "checksum" and self.offers("read"):
            return self._checksum_of_content
        if name == "chunks" and self.offers("read"):
            return self._content_at_once
        if name == "chunks":
            return self._no_chunks
        if name in _METHODS:
            return _refusing(name, self.srn.type)
        raise AttributeError(name, name=name, obj=self)

    async def _content_at_once(self, path: str) -> AsyncGenerator[bytes]:
        """Yield what `read` returns."""
        yield await self.read(path)

    async def _no_chunks(self, path: str) -> AsyncGenerator[bytes]:
        await self.read(path)  # Which refuses.
        yield b""

    async def _checksum_of_content(self, path: str, kind: str = "sha256") -> str | None:
        """Return the digest of what `read` returns."""
        try:
            content: bytes = await self.read(path)
        except RemoteFileError:
            if await self.stat(path, follow=True) is None:
                return None
            raise
        return hashlib.new(kind, content, usedforsecurity=False).hexdigest()


async def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing: nothing is open that could be closed, and nothing says what may not be changed."""


def _refusing(method: str, type_: str) -> Callable[..., Coroutine[Any, Any, Any]]:
    async def refuse(*_: Any, **__: Any) -> Any:
        raise NotOfferedError(method, target_type=type_)

    return refuse
