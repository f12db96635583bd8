"""What a program of the driver `command` keeps: its `keep` lines, and the cookie that they become.

A cookie has three parts: `program` is the program of the last successful call, `attempted` that of a call
since, which has not succeeded, and `own` is what the programs keep.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.model.bounded_json import load_json
from ensue.core.model.data import is_mapping
from ensue.core.model.secret_values import secret_values
from ensue.deploy.drivers._command_program import DriverProgram

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from ensue.core.contracts.driver import DriverRequest, DriverServices
    from ensue.core.model.data import DataMap
    from ensue.reach.processes.runner import OpenInput


class Answers:
    """Answers each `keep` line of a program: `{"kept": N}` says that the N-th line of this call is stored.

    Without an input to write to, nothing is answered: the program does not wait for it.
    """

    def __init__(self) -> None:
        self._input: OpenInput | None = None
        self._answered = self._due = 0
        self._is_over = False

    def open(self, to: OpenInput) -> None:
        """Write answers to the input of the program, beginning with those that are due already."""
        self._input = to
        self._write()

    def up_to(self, number: int) -> None:
        """Answer all lines up to this one; the first is number 1."""
        self._due = max(self._due, number)
        self._write()

    def end(self) -> None:
        """End the input: the program has written something that is not a `keep` line."""
        self._is_over = True
        self._write()

    def _write(self) -> None:
        if self._input is None:
            return
        numbers = range(self._answered + 1, self._due + 1)
        self._answered = self._due
        if numbers:
            self._input.write(b"".join(b'{"kept": %d}\n' % number for number in numbers))
        if self._is_over:
            self._input.close()


class Cookies:
    """The newest cookie of a resource, and whether it has been stored.

    Args:
        services: store it.
        program: the program of the last successful call; None: none has succeeded.
        own: what the program keeps; None: nothing so far.
        attempted: the program of a call since; None: there was none.

    `answers` tells the program which of its lines have been stored.
    """

    def __init__(
        self,
        services: DriverServices,
        program: DriverProgram | None,
        own: DataMap | None,
        attempted: DriverProgram | None = None,
    ) -> None:
        self._services = services
        self.program = program
        self.attempted = attempted
        self.own = own
        self.answers = Answers()
        self._kept: DataMap | None = None
        self._taken = 0
        self._is_over = False
        self._news = asyncio.Event()

    @classmethod
    def of(cls, request: DriverRequest) -> Cookies:
        """Return the cookies of a resource from its last deployment."""
        cookie = request.cookie or {}
        own = cookie.get("own")
        program, attempted = _program(cookie.get("program")), _program(cookie.get("attempted"))
        cookies = cls(request.services, program, own if is_mapping(own) else None, attempted)
        request.services.masker.add(*secret_values(cookies.own or {}))
        for driver_program in filter(None, (program, attempted)):
            request.services.masker.add(*driver_program.secret_environment.values())
        return cookies

    @property
    def of_deletion(self) -> DriverProgram | None:
        """The program that a deletion calls; None: not known."""
        return self.program or self.attempted

    def begin(self, program: DriverProgram) -> None:
        """Set the program that is called next."""
        self.attempted = program

    def succeed(self) -> None:
        """Note that the program has succeeded: from now on a deletion calls it."""
        self.program, self.attempted = self.attempted, None

    def whole(self) -> DataMap:
        """Return the newest cookie."""
        attempted = {} if self.attempted is None else {"attempted": msgspec.to_builtins(self.attempted)}
        return {"program": msgspec.to_builtins(self.program), **attempted, "own": self.own}

    def take(self, own: DataMap) -> None:
        """Set what the program keeps from now on."""
        self._services.masker.add(*secret_values(own))
        self.own = own
        self._taken += 1
        self._news.set()

    async def keep_newest(self) -> None:
        """Store the newest cookie unless that has been done, and answer the lines up to it."""
        newest, taken = self.whole(), self._taken
        if newest != self._kept:
            await self._services.keep(newest)
            self._kept = newest
        self.answers.up_to(taken)

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
        take: receives what each line keeps.
        end: called once when the document begins: no `keep` line follows.
    """

    def __init__(self, take: Callable[[DataMap], None], end: Callable[[], None]) -> None:
        self._take = take
        self._end = end
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
                self._end()
                return
            self._buffer = rest
            if kept is not None:
                self._take(kept)


def _program(data: Any) -> DriverProgram | None:
    try:
        return msgspec.convert(data, DriverProgram)
    except msgspec.ValidationError:
        return None


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
    error = errors.exceptions[0]
    return _first(error) if isinstance(error, ExceptionGroup) else error  # pyright: ignore[reportUnknownArgumentType] # of anything
