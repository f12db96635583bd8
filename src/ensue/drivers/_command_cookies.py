"""What a program of the driver `command` keeps: its `keep` lines, and the cookie that they become.

A cookie has two parts: `program` names the program that a deletion calls, `own` is what the program keeps.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.drivers._command_program import Program
from ensue.model.bounded_json import load_json
from ensue.model.data import is_mapping
from ensue.model.secret_values import secret_values

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ensue.contracts.driver import DriverRequest, DriverServices
    from ensue.model.data import DataMap


class Cookies:
    """The newest cookie of a resource, and whether it has been stored.

    Args:
        services: store it.
        program: the program that a deletion calls; None: not known.
        own: what the program keeps; None: nothing so far.
    """

    def __init__(self, services: DriverServices, program: Program | None, own: DataMap | None) -> None:
        self._services = services
        self.program = program
        self.own = own
        self._kept: DataMap | None = None
        self._is_over = False
        self._news = asyncio.Event()

    @classmethod
    def of(cls, request: DriverRequest) -> Cookies:
        """Return the cookies of a resource from its last deployment."""
        cookie = request.cookie or {}
        own = cookie.get("own")
        try:
            program = msgspec.convert(cookie.get("program"), Program)
        except msgspec.ValidationError:
            program = None
        cookies = cls(request.services, program, own if is_mapping(own) else None)
        request.services.masker.add(*secret_values(cookies.own or {}))
        if program is not None:
            request.services.masker.add(*program.secret_environment.values())
        return cookies

    def whole(self) -> DataMap:
        """Return the newest cookie."""
        return {"program": msgspec.to_builtins(self.program), "own": self.own}

    def take(self, own: DataMap) -> None:
        """Set what the program keeps from now on."""
        self._services.masker.add(*secret_values(own))
        self.own = own
        self._news.set()

    async def keep_newest(self) -> None:
        """Store the newest cookie unless that has been done."""
        newest = self.whole()
        if newest != self._kept:
            await self._services.keep(newest)
            self._kept = newest

    @contextlib.asynccontextmanager
    async def kept_as_they_come(self) -> AsyncGenerator[None]:
        """Store each cookie as soon as it is taken, and the newest one at the end (context manager).

        Raises:
            EnsueError: raised within the block, or a cookie cannot be stored, which ends the block.
        """
        self._is_over = False
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep_until_over())
                try:
                    yield
                finally:
                    self._is_over = True
                    self._news.set()
        except ExceptionGroup as errors:
            raise _first(errors) from None
        finally:
            await self.keep_newest()

    async def _keep_until_over(self) -> None:
        while not self._is_over:
            await self._news.wait()
            self._news.clear()
            await self.keep_newest()


class KeepLines:
    """Separates a program's `keep` lines from the document that follows them.

    Args:
        cookies: take what is kept; None: it is dropped.
    """

    def __init__(self, cookies: Cookies | None) -> None:
        self._cookies = cookies
        self._is_document = False
        self._buffer = bytearray()

    @property
    def rest(self) -> bytes:
        """The output since the last `keep` line."""
        return bytes(self._buffer)

    def feed(self, data: bytes) -> None:
        """Take a piece of the program's output."""
        self._buffer += data
        while not self._is_document and b"\n" in data:
            line, newline, rest = self._buffer.partition(b"\n")
            if not newline:
                return
            kept = _kept_by(bytes(line))
            if kept is None and line.strip():
                self._is_document = True
                return
            self._buffer = rest
            if kept is not None and self._cookies is not None:
                self._cookies.take(kept)


def _kept_by(line: bytes) -> DataMap | None:
    """Return what `{"keep": {…}}` keeps, None for any other line."""
    if b'"keep"' not in line:
        return None
    try:
        data: Any = load_json(line)
    except ValueError:
        return None
    kept = data.get("keep") if is_mapping(data) and len(data) == 1 else None
    return kept if is_mapping(kept) else None


def _first(errors: ExceptionGroup[Any]) -> Exception:
    one = errors.exceptions[0]
    return _first(one) if isinstance(one, ExceptionGroup) else one  # pyright: ignore[reportUnknownArgumentType] # of anything
